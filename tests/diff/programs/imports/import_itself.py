import sys

sys.path.insert(0, ".")
print("run as", __name__)
if __name__ == "__main__":
    import main

    print(main.__name__, main is sys.modules["__main__"])
