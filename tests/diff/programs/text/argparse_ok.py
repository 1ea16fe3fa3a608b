import argparse

p = argparse.ArgumentParser(prog="tool", description="A tool.")
p.add_argument("names", nargs="*", default=["x"])
p.add_argument("-n", "--number", type=int, default=3, help="how many (default: %(default)s)")
p.add_argument("--choice", choices=["a", "b"])
print(p.parse_args([]), p.parse_args(["-n", "5", "y", "--choice", "a"]))
p.print_usage()
