try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    raise ValueError("after an interrupt")
