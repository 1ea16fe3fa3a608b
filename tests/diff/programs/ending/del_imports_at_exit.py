import sys


class Late:
    def __del__(self):
        try:
            import colorsys

            print("imported", colorsys.__name__)
        except BaseException as e:
            print(type(e).__name__, e, file=sys.__stderr__)


late = Late()
