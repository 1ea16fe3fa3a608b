import os
import threading

import warnings

warnings.simplefilter("ignore")  # a joined thread may still be seen for a moment
t = threading.Thread(target=lambda: None)
t.start()
t.join()
pid = os.fork()
if pid == 0:
    print("child threads", threading.active_count(), threading.current_thread().name, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print("parent")
