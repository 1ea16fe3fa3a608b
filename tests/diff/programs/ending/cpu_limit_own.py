import resource
import signal

resource.setrlimit(resource.RLIMIT_CPU, (resource.getrlimit(resource.RLIMIT_CPU)[0], resource.getrlimit(resource.RLIMIT_CPU)[1]))
signal.signal(signal.SIGVTALRM, lambda *a: (_ for _ in ()).throw(TimeoutError("virtual time is up")))
signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
while True:
    pass
