import gc
gc.callbacks.append(lambda phase, info: phase == "stop" and print("collected"))
