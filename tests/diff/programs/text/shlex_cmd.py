import cmd
import shlex
import sys

print(shlex.split("a 'b c' \"d\\\"e\" # x"), shlex.quote("it's"), shlex.join(["a b", "c"]))


class C(cmd.Cmd):
    def do_hi(self, arg):
        print("hi", arg)


c = C()
c.onecmd("hi there")
c.onecmd("nope")
shlex.split("'unclosed")
