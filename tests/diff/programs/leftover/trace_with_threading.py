import sys
import threading
sys.settrace(lambda frame, event, arg: print(event, frame.f_code.co_name))
