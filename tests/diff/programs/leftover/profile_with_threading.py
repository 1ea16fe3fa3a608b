import sys
import threading
sys.setprofile(lambda frame, event, arg: event == 'call' and print(event, frame.f_code.co_name))
