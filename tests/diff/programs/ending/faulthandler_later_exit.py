import faulthandler
import os
import sys
import time

print("waiting", flush=True)
faulthandler.dump_traceback_later(0.05, exit=True, file=open("trace", "w"))
time.sleep(20)
