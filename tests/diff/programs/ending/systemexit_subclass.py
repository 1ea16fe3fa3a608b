class Stop(SystemExit):
    pass


print("subclass")
raise Stop(6)
