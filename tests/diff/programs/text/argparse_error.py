import argparse

p = argparse.ArgumentParser()
p.add_argument("--number", type=int, required=True)
p.parse_args(["--number", "five"])
