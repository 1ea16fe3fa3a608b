from os import no_such_thing
