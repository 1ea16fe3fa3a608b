import atexit

atexit.register(print, "atexit still runs")
raise KeyboardInterrupt("stop")
