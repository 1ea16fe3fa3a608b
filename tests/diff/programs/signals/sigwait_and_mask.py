import os
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGUSR2])
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending(), signal.sigwait([signal.SIGUSR1]), signal.sigtimedwait([signal.SIGUSR2], 0.01), flush=True)
os.kill(os.getpid(), signal.SIGUSR2)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR2])
print("not reached")
