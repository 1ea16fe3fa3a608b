import sched
import time

now = [0.0]
s = sched.scheduler(lambda: now[0], lambda d: now.__setitem__(0, now[0] + d))
s.enter(2, 1, print, ("second",))
s.enter(1, 1, print, ("first",))
e = s.enter(3, 1, print, ("cancelled",))
s.cancel(e)
s.run()
print(now, s.empty())
