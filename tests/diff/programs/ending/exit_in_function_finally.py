import sys


def f():
    try:
        sys.exit(5)
    finally:
        print("finally runs")


f()
