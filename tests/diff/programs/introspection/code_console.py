# stdin: "1 + 1\nx = 5\nx * 2\nraise ValueError\n"
import code
import sys

sys.ps1, sys.ps2 = ">> ", ".. "
code.interact(banner="hello", exitmsg="bye", local={})
