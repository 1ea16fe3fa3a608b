import os
import threading

print(sorted(os.listdir("/proc/self/task")) == [str(os.getpid())])
print(threading.main_thread().native_id == os.getpid())
