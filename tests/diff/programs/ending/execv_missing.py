import os

os.execv("/does/not/exist", ["x"])
