class Bad:
    def __del__(self):
        raise RuntimeError("in a finaliser")

    def __repr__(self):
        return "<Bad>"


b = Bad()
print("end")
