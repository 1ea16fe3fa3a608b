import threading

print(threading.stack_size())
