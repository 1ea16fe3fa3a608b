import argparse

p = argparse.ArgumentParser()
p.add_argument("file")
p.parse_args()
