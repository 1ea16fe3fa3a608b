import argparse

p = argparse.ArgumentParser(epilog="the end")
sub = p.add_subparsers(dest="cmd")
sub.add_parser("run", help="runs it").add_argument("x")
p.parse_args(["--help"])
