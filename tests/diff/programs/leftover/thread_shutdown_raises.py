import threading
def bad():
    raise ValueError("in shutdown")
threading._shutdown = bad
