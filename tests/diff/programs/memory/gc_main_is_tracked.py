import gc

mods = [o for o in gc.get_objects() if isinstance(o, dict) and o.get("__name__") == "__main__" and "__file__" in o]
print(len(mods), mods[0] is globals())
