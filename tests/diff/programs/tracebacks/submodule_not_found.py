import os.path.nothing
