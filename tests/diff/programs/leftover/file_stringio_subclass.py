import io
class S(io.StringIO):
    def close(self):
        print("closed")
        super().close()
s = S("x")
