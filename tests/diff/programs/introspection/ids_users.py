import getpass
import grp
import os
import pwd

me = pwd.getpwuid(os.getuid())
print(os.getuid() == os.geteuid(), os.getgid() == os.getegid(), len(grp.getgrgid(os.getgid()).gr_name) > 0)
print(getpass.getuser() == me.pw_name, os.cpu_count() == os.sysconf("SC_NPROCESSORS_ONLN"), len(os.sched_getaffinity(0)) > 0)
print(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.uname().sysname, os.sysconf("SC_PAGESIZE"))
