class Loud:
    def __del__(self):
        print("goes with its class")


class Holder:
    loud = Loud()


print("end")
