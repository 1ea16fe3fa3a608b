import os
import select
import signal

pid = os.fork()
if pid == 0:
    os._exit(5)
fd = os.pidfd_open(pid)
select.select([fd], [], [], 10)
i = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(i.si_status, i.si_code == os.CLD_EXITED, os.wait4(pid, 0)[1])
