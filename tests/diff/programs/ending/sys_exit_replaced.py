import sys

sys.exit = lambda *a: print("not leaving", a)
sys.exit(5)
raise SystemExit(6)
