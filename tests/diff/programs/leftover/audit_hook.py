import sys
def hook(event, args):
    if event.startswith("cpython."):
        print(event)
sys.addaudithook(hook)
