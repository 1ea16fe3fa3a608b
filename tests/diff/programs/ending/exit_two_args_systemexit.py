raise SystemExit(4, 5)
