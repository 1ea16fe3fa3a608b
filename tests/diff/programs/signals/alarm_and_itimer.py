import signal
import time

fired = []
signal.signal(signal.SIGALRM, lambda s, f: fired.append(s))
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
while len(fired) < 3:
    time.sleep(0.01)
print(signal.setitimer(signal.ITIMER_REAL, 0)[1], fired[:3] == [14] * 3, signal.alarm(0))
print(signal.strsignal(11), signal.Signals.SIGKILL, signal.Signals(2).name, signal.SIGRTMAX > signal.SIGRTMIN)
