def g():
    print("never started")
    yield


g()
