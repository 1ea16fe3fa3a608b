import os
import signal
import threading

signal.signal(signal.SIGUSR1, lambda *a: print("handled"))
t = threading.Timer(0.05, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1))
t.start()
signal.pause()
signal.siginterrupt(signal.SIGUSR1, False)
t.join()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
signal.pthread_kill(threading.get_ident(), signal.SIGUSR2)
i = signal.sigwaitinfo([signal.SIGUSR2])
print(i.si_signo == signal.SIGUSR2, i.si_pid == os.getpid())
