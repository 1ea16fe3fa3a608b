import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with open("f", "wb") as f:
    f.write(b"x" * 2000)
