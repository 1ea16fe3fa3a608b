class Saver:
    def __del__(self):
        try:
            open("saved", "w")
            print("open works")
        except NameError as e:
            print("NameError")


s = Saver()
cycle = [s]
cycle.append(cycle)
del s, cycle
