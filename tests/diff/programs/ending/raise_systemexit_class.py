print("class, not instance")
raise SystemExit
