class R:
    saved = None

    def __del__(self):
        print("del")
        R.saved = self


r = R()
r = None
print(R.saved is not None)
R.saved = None
print("end")
