print("now", flush=True)
raise KeyboardInterrupt
