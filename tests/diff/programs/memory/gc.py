import gc

print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.garbage, gc.callbacks)


class Node:
    def __del__(self):
        print("collected", self.name)


a, b = Node(), Node()
a.name, b.name = "a", "b"
a.o, b.o = b, a
gc.collect()
del a, b
print(gc.collect() >= 2)
print(gc.freeze(), gc.get_freeze_count() > 0)
gc.unfreeze()
