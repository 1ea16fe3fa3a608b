class Gone:
    def __del__(self):
        print("deleted before atexit")


import atexit

atexit.register(print, "atexit")
x = [Gone()]
x.pop() and None
