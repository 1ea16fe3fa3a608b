import sys
import threading

calls = []


def tracer(frame, event, arg):
    if event == "call" and frame.f_code.co_name == "traced":
        calls.append(event)


threading.settrace(tracer)


def traced():
    pass


t = threading.Thread(target=traced)
t.start()
t.join()
threading.settrace(None)
print(calls, sys.gettrace())
