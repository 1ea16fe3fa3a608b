import sys

try:
    print(sys.get_int_max_str_digits())
except AttributeError:
    print("no such limit")
try:
    print(len(str(10**5000)))
except ValueError as e:
    print(e)
int("1" * 5000) % 10
