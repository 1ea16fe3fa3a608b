import pickle
import subprocess
import sys


class Mine:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v


data = pickle.dumps(Mine(5))
print(b"__main__" in data, pickle.loads(data) == Mine(5))
code = "import sys, pickle\ntry: pickle.load(sys.stdin.buffer)\nexcept AttributeError: print('not there')"
print(subprocess.run([sys.executable, "-I", "-S", "-c", code], input=data, capture_output=True).stdout)
