import io
class Raw(io.RawIOBase):
    def close(self):
        if not self.closed:
            print("closed")
        super().close()
r = Raw()
