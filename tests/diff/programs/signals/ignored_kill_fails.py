import signal

try:
    signal.signal(signal.SIGKILL, signal.SIG_IGN)
except OSError as e:
    print(e)
signal.signal(64 + 1, signal.SIG_IGN)
