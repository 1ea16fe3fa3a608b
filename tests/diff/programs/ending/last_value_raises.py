d = {}
d["missing"]
