import signal

for s in sorted(signal.valid_signals()):
    h = signal.getsignal(s)
    print(s, getattr(h, "name", getattr(h, "__name__", h)))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
