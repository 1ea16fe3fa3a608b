import sys


def hook(event, args):
    if event.split(".")[0] in ("cpython", "sys", "builtins", "exec", "compile", "open", "import", "object", "code"):
        sys.stderr.write(event + "\n")


sys.addaudithook(hook)
x = 5
x + 1
