import runpy
import sys

if __name__ == "__main__" and len(sys.argv) == 1:
    sys.argv.append("again")
    runpy.run_path(__file__, run_name="__main__")
    print("outer", sys.modules["__main__"].__dict__ is globals())
else:
    print("inner", __name__, sys.argv[1:])
