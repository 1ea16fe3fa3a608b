"""The escape table: what a program may try, what it is answered, and what stops it.

A row is Probe(name, code, stops, answer). `stops` names everything that stops it by itself. The layers namespaces,
landlock and seccomp can be switched off: run.py tries each row with all of them (it must be held, with this answer),
with any one of the row's layers off where another is named (it must still be held), and with all of the row's layers
off: then it must get out, unless `stops` names something that can't be switched off:

    capabilities   the run has none, and can't get any
    permissions    the file or object belongs to somebody else
    keeper         process 1 of the run is not dumpable
    no_new_privs   set-user-id does nothing
    rlimits        a limit; `loosened` are settings with which the probe gets out
    scrubbed       descriptors, environment and memory are those of a new process
    sweep          what a run leaves is ended and removed
    fork           a process of its own for each run
    locked         mounts that came from a more privileged namespace can't be taken apart
    kernel         the kernel itself, of this version, refuses or lacks it

Probes are harmless when they get out: signal 0, files opened and not written, scratch files and listeners of the test.
"""
import os
import platform
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
X86 = platform.machine() == "x86_64"
LAYERS = ("namespaces", "landlock", "seccomp")


class Probe:
    def __init__(self, name, code, stops, answer=r".*", *, users=("root", "user"), also=(), root=None, user=None, loosened=None,
                 before=None, meanwhile=None, unsafe_off=None, needs=None, env=None):
        self.name = name
        self.code = code if "return" in code or "\n" in code else f"return {code}"
        self.stops = {"root": stops.split() + (root or "").split(), "user": stops.split() + (user or "").split()}
        self.answer = answer  # of the full tier
        self.users = users
        self.loosened = loosened  # settings
        self.before = before  # a run before it, on the same server
        self.meanwhile = meanwhile  # a run at the same time: prints `ready`, then waits
        self.unsafe_off = unsafe_off  # why it is not tried with its layers off
        self.needs = needs  # a fact of the host without which there is nothing to try
        self.env = env or {}  # settings of the server, in every run of the row

    def layers(self, user):
        return [s for s in self.stops[user] if s in LAYERS]

    def others(self, user):
        return [s for s in self.stops[user] if s not in LAYERS]


N, L, S = "namespaces", "landlock", "seccomp"
PRIVATE = "ENOENT|EROFS|EACCES|EXDEV|ENXIO"

FILES = [
    Probe("a file of the host", "content(P['secret'])", f"{N} {L}", "ENOENT"),
    Probe("a file in the home of the server's user", "content(P['home'] + '/.netrc')", f"{N} {L}", "ENOENT"),
    Probe("the home's listing", "os.listdir(P['home'])", f"{N} {L}", "ENOENT"),
    Probe("that a file of the host exists", "os.stat(P['secret'])", N, "ENOENT"),
    Probe("a new file on the host", "f = os.open(P['scratch'] + '/new', os.O_CREAT | os.O_WRONLY)\nos.unlink(P['scratch'] + '/new')\nreturn f",
          f"{N} {L}", "ENOENT"),
    Probe("a file of the host, for writing", "opened(P['scratch_file'], os.O_WRONLY)", f"{N} {L}", "ENOENT"),
    Probe("a file of the host, truncated to its own length", "return os.truncate(P['scratch_file'], os.stat(P['scratch_file']).st_size) is None",
          f"{N} {L}", "ENOENT"),
    Probe("the mode of a file of the server's user", "return os.chmod(P['owned'], 0o644) is None", N, "ENOENT"),
    Probe("the times of a file of the server's user", "return os.utime(P['owned']) is None", N, "ENOENT"),
    Probe("an attribute of a file of the server's user", "return os.chown(P['owned'], -1, -1) is None", N, "ENOENT"),
    Probe("a hard link to a file of the server's user", "os.link(P['owned'], 'link')\nreturn content('link')", f"{N} {L}", "ENOENT"),
    Probe("a symbolic link to a file of the host", "os.symlink(P['secret'], 'link')\nreturn content('link')", f"{N} {L}", "ENOENT"),
    Probe("moving a file of the host into the run", "os.rename(P['movable'], 'moved')\nos.rename('moved', P['movable'])\nreturn True", f"{N} {L}", "ENOENT"),
    Probe("up from the working directory", "content('../' * 30 + P['secret'])", f"{N} {L}", "ENOENT"),
    Probe("up from the root", "content('/proc/self/root' + '/..' * 9 + P['secret'])", f"{N} {L}", "ENOENT"),
    Probe("by an O_PATH descriptor of the root", "d = os.open('/', os.O_PATH)\nos.close(os.open('..' + P['secret'], os.O_RDONLY, dir_fd=d))\nreturn True",
          f"{N} {L}", "ENOENT"),
    Probe("the server's own program", "content(P['server'])", f"{N} {L}", "ENOENT"),
    Probe("the host's accounts", "return P['account'].encode() in content('/etc/passwd')", N, "nothing", needs="account"),
    Probe("the host's name", "return socket.gethostname() == P['hostname']", N, "nothing"),
    Probe("the interpreter's files, for writing", "opened(P['venv'] + '/bin/activate', os.O_WRONLY)", f"{N} {L}", PRIVATE),
    Probe("the mode of the interpreter's files", "return os.chmod(P['venv'] + '/bin/activate', 0o644) is None", N, "EROFS|EPERM|ENOENT"),
    Probe("a new file beside the interpreter", "p = P['venv'] + '/bin/new'\nos.close(os.open(p, os.O_CREAT | os.O_WRONLY))\nos.unlink(p)\nreturn True",
          f"{N} {L}", PRIVATE),
    Probe("the interpreter's mode by /proc/self/exe", "return os.chmod('/proc/self/exe', 0o755) is None", N, "EROFS|EPERM"),
    Probe("the interpreter's mode by a descriptor of /proc/self/exe",
          "f = os.open('/proc/self/exe', os.O_RDONLY)\nreturn os.fchmod(f, 0o755) is None", N, "EROFS|EPERM"),
    Probe("the interpreter's times by /proc/self/exe", "return os.utime('/proc/self/exe') is None", N, "EROFS|EPERM|EACCES"),
    Probe("the interpreter, for writing, by /proc/self/exe", "opened('/proc/self/exe', os.O_WRONLY)", f"{N} {L} kernel", "EROFS|EACCES|ETXTBSY"),
    Probe("the interpreter, for writing, once this process has another",
          "f = os.open('/proc/self/exe', os.O_PATH)\nos.set_inheritable(f, True)\n"
          "return subprocess.run(['/bin/sh', '-c', f': >> /proc/self/fd/{f}'], close_fds=False, stderr=subprocess.DEVNULL).returncode == 0",
          f"{N} {L} kernel", "nothing"),
    Probe("the mode of a device", "return os.chmod('/dev/null', 0o666) is None", f"{N} permissions", "EROFS|EPERM", users=("user",)),
    Probe("the mode of a device, as its owner", "return os.chmod('/dev/null', 0o666) is None", N, "EROFS|EPERM", users=("root",)),
    Probe("a directory in the root", "t = __import__('tempfile').mkdtemp(dir='/')\nos.rmdir(t)\nreturn t", f"{N} {L}", "EROFS|EACCES", user="permissions"),
    Probe("a pathname socket of the host", "return socket.socket(socket.AF_UNIX).connect(P['unix']) is None", N, "ENOENT"),
    Probe("a file on the tmpfs, executed", "import shutil\nshutil.copy('/bin/true', 'x')\nos.chmod('x', 0o755)\nreturn subprocess.run(['./x']).returncode == 0",
          N, "EACCES"),
    Probe("code of a file on the tmpfs, mapped",
          "import shutil\nshutil.copy(P['library'], 'x.so')\nreturn ctypes.CDLL(os.getcwd() + '/x.so') is not None", N, "OSError", needs="library"),
    Probe("a set-user-id program", "return b'euid=0' in subprocess.run([P['suid'], '-a'], capture_output=True).stdout",
          f"{N} no_new_privs", "nothing", needs="suid", users=("user",)),
    Probe("set-user-id for a file of one's own", "import shutil\nshutil.copy('/usr/bin/id', 'id')\nos.chmod('id', 0o6755)\nreturn bool(os.statvfs('.').f_flag & os.ST_NOSUID == 0)",
          N, "nothing", needs="tmp_suid"),
    Probe("a device node", "return os.mknod('node', 0o20600, os.makedev(1, 3)) is None", f"{S} capabilities", "EPERM"),
    Probe("a device node that is none (0, 0)", "return os.mknod('node', 0o20600, 0) is None", S, "EPERM"),
    Probe("a lease on a file of the host", "f = os.open(P['venv'] + '/bin/activate', os.O_RDONLY)\nimport fcntl\nreturn fcntl.fcntl(f, 1024, fcntl.F_RDLCK) == 0",
          S, "EPERM", root=N),
] + [
    Probe(f"the listing of {d}", f"os.listdir('{d}')", f"{N} {L}", "ENOENT|EACCES|nothing", needs="dir " + d)
    for d in ("/var", "/var/log", "/run", "/home", "/srv", "/opt", "/boot", "/mnt", "/media", "/sys", "/etc/apt", "/etc/cron.d")
] + [
    Probe(f"the file {f}", f"content('{f}')", f"{N} {L}", "ENOENT", needs="file " + f)
    for f in ("/etc/fstab", "/etc/hostname", "/etc/resolv.conf", "/etc/machine-id", "/etc/crontab", "/etc/debian_version",
              "/var/lib/dpkg/status", "/sys/kernel/osrelease", "/sys/devices/system/cpu/online", "/etc/shells")
] + [
    Probe(f"the device {d}", f"opened('{d}', os.O_RDWR)", f"{N} {L}", "ENOENT", needs="device " + d)
    for d in ("/dev/ptmx", "/dev/fuse", "/dev/net/tun", "/dev/kvm", "/dev/vsock", "/dev/vhost-vsock", "/dev/userfaultfd")
] + [
    Probe(f"the device {d}", f"opened('{d}')", f"{N} {L}", "ENOENT", needs="opens " + d)
    for d in ("/dev/mem", "/dev/kmsg", "/dev/port", "/dev/tty", "/dev/console", "/dev/tty0", "/dev/loop-control", "/dev/vda", "/dev/sda", "/dev/nvme0",
              "/dev/snapshot", "/dev/uinput", "/dev/hpet", "/dev/rtc0", "/dev/btrfs-control", "/dev/cuse", "/dev/vfio/vfio")
]

FILES += [
    Probe(f"the listing of {d}", f"os.listdir('{d}')", N, "nothing|ENOENT", needs="dir " + d) for d in ("/usr/local/etc", "/usr/local/var")
]

PROC = [
    Probe(f"read /proc/{f}", f"return content('/proc/{f}') and os.stat('/proc/{f}').st_size >= 0", N, "nothing|EACCES|ENOENT|EIO|EINVAL", needs="file /proc/" + f)
    for f in ("keys", "key-users", "timer_list", "sched_debug", "config.gz", "slabinfo", "kallsyms", "iomem", "ioports", "modules", "cmdline", "mtrr", "interrupts", "latency_stats")
] + [
    Probe(f"read /proc/{f}, for root only", f"content('/proc/{f}')", f"{N}", "nothing|EACCES|ENOENT|EPERM", needs="opens /proc/" + f)
    for f in ("kcore", "kmsg", "vmallocinfo", "kpagecount", "kpageflags")
] + [
    Probe(f"list /proc/{d}", f"os.listdir('/proc/{d}')", N, "nothing|ENOENT|EACCES", needs="dir /proc/" + d)
    for d in ("acpi", "asound", "bus", "driver", "fs", "irq", "scsi", "sysvipc")
] + [
    Probe(f"/proc/{f}, for writing", f"opened('/proc/{f}', os.O_WRONLY)", f"{N} {L}", "EROFS|EACCES|EPERM|ENOENT", needs="there /proc/" + f)
    for f in ("sysrq-trigger", "sys/kernel/core_pattern", "sys/kernel/modprobe", "sys/kernel/hostname", "sys/kernel/randomize_va_space",
              "sys/vm/overcommit_memory", "sys/vm/drop_caches", "sys/fs/file-max", "sys/fs/protected_hardlinks", "sys/net/ipv4/ip_forward",
              "sys/net/ipv4/ping_group_range", "sys/kernel/ns_last_pid", "sys/kernel/panic", "sys/user/max_user_namespaces", "irq/default_smp_affinity",
              "sys/kernel/shmmax", "mtrr", "sys/kernel/yama/ptrace_scope", "sys/fs/binfmt_misc/register")
] + [
    Probe(f"/proc/self/{f}, for writing", f"opened('/proc/self/{f}', os.O_WRONLY)", L, "EACCES", needs="there /proc/self/" + f)
    for f in ("oom_score_adj", "oom_adj", "coredump_filter", "clear_refs", "mem", "autogroup", "comm", "sched", "setgroups", "attr/current", "loginuid")
] + [
    Probe("lines of /proc/self/map_files followed", "return [opened('/proc/self/map_files/' + f) for f in os.listdir('/proc/self/map_files')[:1]]",
          "capabilities", "EPERM|EACCES"),
    Probe("the host's cgroup path", "return any(l.split(':', 2)[2] != '/' for l in content('/proc/self/cgroup').decode().split())", N, "nothing", needs="cgroup"),
]

PROCESSES = [
    Probe("processes of others, seen", "return [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, ME)]", N, "nothing"),
    Probe("a process of others, signalled", "return os.kill(P['victim'], 0) is None", f"{N} {L}", "ESRCH", needs="scopes"),
    Probe("a process group of others, signalled", "return os.killpg(P['victim'], 0) is None", f"{N} {L}", "ESRCH", needs="scopes"),
    Probe("a thread of others, signalled", "return call('tgkill', P['victim'], P['victim'], 0) == 0", f"{N} {L}", "ESRCH", needs="scopes"),
    Probe("everybody, signalled", "return os.kill(-1, 0) is None", f"{N} {L} {S}", "ESRCH|EPERM", needs="scopes"),
    Probe("a signal with forged origin", "return call('rt_sigqueueinfo', P['victim'], 0, ctypes.create_string_buffer(128)) == 0",
          f"{N} {L} kernel", "ESRCH|EPERM"),
    Probe("a process of others, its pidfd", "return os.pidfd_open(P['victim']) > 0", N, "ESRCH"),
    Probe("a process of others, signalled by a pidfd", "return signal.pidfd_send_signal(os.pidfd_open(P['victim']), 0) is None",
          f"{N} {L} {S}", "ESRCH", needs="scopes"),
    Probe("a process of others, its command line", "content(f\"/proc/{P['victim']}/cmdline\")", N, "ENOENT"),
    Probe("a process of others, attached to", "return call('ptrace', 0x4206, P['victim'], 0, 0) == 0", f"{N} {L} {S}", "EPERM", needs="attach"),
    Probe("a process of others, its limits", "resource.prlimit(P['victim'], resource.RLIMIT_NOFILE)", f"{N} {S}", "ESRCH"),
    Probe("a process of others, its priority", "return os.setpriority(os.PRIO_PROCESS, P['victim'], os.getpriority(os.PRIO_PROCESS, P['victim'])) is None",
          f"{N} {S}", "ESRCH"),
    Probe("a process of others, its affinity", "return os.sched_setaffinity(P['victim'], os.sched_getaffinity(P['victim'])) is None", f"{N} {S}", "ESRCH"),
    Probe("a process of others, its memory", "b = (ctypes.c_ulong * 2)(1, 1)\ntry:\n    return call('process_vm_readv', P['victim'], b, 1, b, 1, 0)\n"
          "except OSError as e:\n    if e.errno != errno.EFAULT: raise\n    return 'reached'",
          f"{N} {L} {S}", "EPERM|ESRCH", needs="attach"),
    Probe("descriptors' owners: signals to others", "import fcntl\nr, w = os.pipe()\nreturn fcntl.fcntl(r, fcntl.F_SETOWN, P['victim']) == 0", f"{N} {S}", "ESRCH|EPERM"),
] + [
    Probe(f"a process of others, its {f}", f"content(f\"/proc/{{P['victim']}}/{f}\")", f"{N} {L}", "ENOENT", needs="victim_readable")
    for f in ("environ", "maps", "smaps", "auxv", "numa_maps")
] + [
    Probe(f"a process of others, its {f}", f"os.readlink(f\"/proc/{{P['victim']}}/{f}\")", f"{N} {L}", "ENOENT", needs="victim_readable")
    for f in ("cwd", "root", "exe", "fd/0", "ns/mnt")
] + [
    Probe(f"the keeper's {f}", f"content(f'/proc/{{KEEPER}}/{f}')", "keeper", "EACCES|EPERM|ENOENT|EIO")
    for f in ("environ", "mem", "maps", "smaps", "auxv", "stack", "syscall", "pagemap", "io")
] + [
    Probe(f"the keeper's {f}", f"os.readlink(f'/proc/{{KEEPER}}/{f}')", "keeper", "EACCES|EPERM|ENOENT")
    for f in ("cwd", "root", "exe", "fd/0", "fd/1", "fd/3", "ns/user", "ns/mnt", "ns/pid", "task/1/cwd")
] + [
    Probe(f"the keeper's {f}, for writing", f"opened(f'/proc/{{KEEPER}}/{f}', os.O_WRONLY)", f"{L} keeper", "EACCES|EPERM|ENOENT")
    for f in ("mem", "oom_score_adj", "uid_map", "clear_refs", "coredump_filter")
] + [
    Probe("the keeper's timer slack", "f = os.open(f'/proc/{KEEPER}/timerslack_ns', os.O_WRONLY)\nreturn os.write(f, b'50000')", f"{L} capabilities", "EACCES|EPERM"),
    Probe("the keeper's descriptors, listed", "os.listdir(f'/proc/{KEEPER}/fd')", "keeper", "EACCES|EPERM"),
    Probe("the keeper, signalled", "return os.kill(KEEPER, 0) is None", f"{S} {L}", "EPERM", needs="scopes"),
    Probe("the keeper, signalled as a thread", "return call('tkill', KEEPER, 0) == 0", f"{S} {L}", "EPERM", needs="scopes"),
    Probe("the keeper, signalled as a thread of a group", "return call('tgkill', KEEPER, KEEPER, 0) == 0", f"{S} {L}", "EPERM", needs="scopes"),
    Probe("the keeper, by the high half of its number", "return call('kill', (1 << 32) | KEEPER, 0) == 0", f"{S} {L}", "EPERM", needs="scopes"),
    Probe("the keeper, a queued signal", "return call('rt_sigqueueinfo', KEEPER, 0, ctypes.create_string_buffer(128)) == 0", f"{S} {L} kernel", "EPERM"),
    Probe("the keeper, its pidfd", "return os.pidfd_open(KEEPER) > 0", S, "EPERM"),
    Probe("the keeper, signalled by its /proc directory", "return signal.pidfd_send_signal(os.open(f'/proc/{KEEPER}', os.O_RDONLY), 0) is None", f"{L} {S}",
          "EPERM", needs="scopes"),
    Probe("the keeper, attached to", "return call('ptrace', 0x4206, KEEPER, 0, 0) == 0", f"{S} {L} keeper", "EPERM"),
    Probe("the keeper's memory", "b = (ctypes.c_ulong * 2)(1, 1)\nreturn reached('process_vm_writev', KEEPER, b, 1, b, 1, 0)", f"{S} {L} keeper", "EPERM"),
    Probe("the keeper's limits, read", "resource.prlimit(KEEPER, resource.RLIMIT_NOFILE)", S, "EPERM|PermissionError.*"),
    Probe("the keeper's limits, lowered to what they are", "l = resource.getrlimit(resource.RLIMIT_NOFILE)\nreturn call('prlimit64', KEEPER, 7, "
          "(ctypes.c_uint64 * 2)(*l), 0) == 0", f"{S}", "EPERM"),
    Probe("the keeper's priority", "return os.setpriority(os.PRIO_PROCESS, KEEPER, 0) is None", S, "EPERM"),
    Probe("the priority of the keeper's group", "return os.setpriority(os.PRIO_PGRP, os.getpgid(KEEPER), 0) is None", S, "EPERM"),
    Probe("the priority of all of the user's", "return os.setpriority(os.PRIO_USER, os.getuid(), 0) is None", S, "EPERM"),
    Probe("the keeper's affinity", "return os.sched_setaffinity(KEEPER, os.sched_getaffinity(KEEPER)) is None", S, "EPERM"),
    Probe("the keeper's scheduling policy", "return os.sched_setscheduler(KEEPER, os.SCHED_OTHER, os.sched_param(0)) is None", S, "EPERM"),
    Probe("the keeper's input and output priority", "return call('ioprio_set', 1, KEEPER, 0) == 0", S, "EPERM"),
    Probe("the keeper's robust list", "p = (ctypes.c_ulong * 2)()\nreturn call('get_robust_list', KEEPER, p, ctypes.byref(p, 8)) == 0", f"{S} keeper", "EPERM"),
    Probe("signals to the keeper by F_SETOWN", "import fcntl\nr, w = os.pipe()\nreturn fcntl.fcntl(r, fcntl.F_SETOWN, KEEPER) == 0", S, "EPERM"),
    Probe("signals to a group by F_SETOWN", "import fcntl\nr, w = os.pipe()\nreturn fcntl.fcntl(r, fcntl.F_SETOWN, -ME) == 0", S, "EPERM"),
    Probe("signals to the keeper by F_SETOWN_EX", "import fcntl, struct\nr, w = os.pipe()\nreturn bool(fcntl.fcntl(r, 15, struct.pack('ii', 1, KEEPER)))", S, "EPERM"),
    Probe("signals to the keeper by FIOSETOWN", "import fcntl, struct\na, b = socket.socketpair()\nreturn bool(fcntl.ioctl(a, 0x8901, struct.pack('i', KEEPER)))",
          S, "EPERM"),
    Probe("signals to the keeper by SIOCSPGRP", "import fcntl, struct\na, b = socket.socketpair()\nreturn bool(fcntl.ioctl(a, 0x8902, struct.pack('i', KEEPER)))",
          S, "EPERM"),
    Probe("the keeper's group, joined", "return os.setpgid(0, os.getpgid(KEEPER)) is None", "kernel", "EPERM"),
    Probe("a sibling beside the program, a child of the keeper", "pid = call('clone', 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)\n"
          "if pid == 0: os._exit(0)\nreturn pid > 0", S, "EPERM"),
    Probe("one's children, attached to", "pid = os.fork()\nif pid == 0:\n    time.sleep(9)\ntry:\n    return call('ptrace', 0x4206, pid, 0, 0) == 0\n"
          "finally:\n    os.kill(pid, 9)", S, "EPERM", needs="attach"),
    Probe("typed into a terminal", "import fcntl\ntry:\n    fcntl.ioctl(0, 0x5412, b'x')\nexcept OSError as e:\n    if e.errno == errno.EPERM: raise\n    return 'reached'",
          S, "EPERM"),
    Probe("pasted into a console", "import fcntl\ntry:\n    fcntl.ioctl(0, 0x541c, b'\\0')\nexcept OSError as e:\n    if e.errno == errno.EPERM: raise\n    return 'reached'",
          S, "EPERM"),
]

IDENTITY = [
    Probe("capabilities", "return [c for c in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb') if int(status(c), 16)]", "capabilities", "nothing"),
    Probe("the bounding set", "return int(status('CapBnd'), 16)", "capabilities", "nothing"),
    Probe("a capability, made ambient", "return call('prctl', 47, 2, 21, 0, 0) == 0", f"{S} capabilities", "EPERM"),
    Probe("no_new_privs is off", "return call('prctl', 39, 0, 0, 0, 0) != 1", "no_new_privs", "nothing"),
    Probe("no_new_privs, taken back", "return call('prctl', 38, 0, 0, 0, 0) == 0", "kernel", "EINVAL"),
    Probe("uid 0", "return 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid())", N, "nothing", users=("root",)),
    Probe("uid 0, taken", "return os.setresuid(0, 0, 0) is None", f"{S} {N} permissions", "EPERM", users=("user",)),
    Probe("uid 0 again, taken", "return os.setresuid(0, 0, 0) is None", f"{S} {N}", "EPERM", users=("root",)),
    Probe("the host's root behind the uid", "return any(l.split()[1] == b'0' for l in content('/proc/self/uid_map').splitlines())", N, "nothing", users=("root",)),
    Probe("groups of the server", "return [g for g in os.getgroups() if g not in (os.getgid(), 65534)]", N, "nothing"),
    Probe("a user namespace", "def f():\n    user_namespace()\n    return True\nreturn in_child(f)", f"{S} {L}", "EPERM", needs="userns"),
    Probe("a user namespace by clone", "pid = call('clone', 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nreturn pid > 0", S, "EPERM", needs="userns"),
    Probe("dumpable is taken away", "return call('prctl', 4, 0, 0, 0, 0) == 0", S, "EPERM"),
    Probe("a debugger is invited", "return reached('prctl', 0x59616d61, -1, 0, 0, 0)", S, "EPERM"),
    Probe("capabilities are kept", "return call('prctl', 8, 0, 0, 0, 0) == 0", S, "EPERM"),
    Probe("what /proc says is rewritten", "return reached('prctl', 35, 1, 0, 0, 0)", f"{S} capabilities", "EPERM"),
    Probe("another filter", "return reached('prctl', 22, 2, 0, 0, 0)", S, "EPERM"),
    Probe("mitigations are taken off", "return reached('prctl', 53, 0, 2, 0, 0)", S, "EPERM"),
    Probe("no randomisation of addresses", "return call('personality', 0x40000) >= 0", S, "EPERM"),
    Probe("the filter is not there", "return status('Seccomp') != '2'", S, "nothing"),
    Probe("a hard limit is raised", "return [r for r in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_AS)"
          " for h in [resource.getrlimit(r)[1]] if h > 0 and resource.setrlimit(r, (h + 1, h + 1)) is None]", "capabilities", "ValueError.*|EPERM"),
    Probe("real-time scheduling", "return os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) is None", f"{S} capabilities", "EPERM"),
    Probe("a better priority", "return os.setpriority(os.PRIO_PROCESS, 0, -5) is None", "capabilities", "EPERM|EACCES"),
]

NETWORK = [
    Probe("a server on the host's loopback", "return socket.create_connection(('127.0.0.1', P['tcp']), 3) is not None", f"{N} {S}", "ECONNREFUSED"),
    Probe("a server on the host's loopback, IPv6", "return socket.create_connection(('::1', P['tcp6']), 3) is not None", f"{N} {S}", "ECONNREFUSED|EADDRNOTAVAIL", needs="tcp6"),
    Probe("a server on another of the host's addresses", "return socket.create_connection((P['address'], P['tcp_any']), 3) is not None", f"{N} {S}",
          "ENETUNREACH|EHOSTUNREACH", needs="address"),
    Probe("a datagram to the host", "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(0.3)\ns.sendto(b'hello', ('127.0.0.1', P['udp']))\n"
          "try:\n    return s.recv(9)\nexcept TimeoutError:\n    return None", f"{N} {S}", "ECONNREFUSED|nothing"),
    Probe("an abstract socket of the host", "return socket.socket(socket.AF_UNIX).connect('\\0' + P['abstract']) is None", f"{N} {L}", "ECONNREFUSED", needs="scopes"),
    Probe("an abstract datagram socket of the host", "return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '\\0' + P['abstract_datagram'])",
          f"{N} {L}", "ECONNREFUSED", needs="scopes"),
    Probe("a way out of the machine", "return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9)) is None", f"{N} {S}", "ENETUNREACH", needs="route"),
    Probe("the link-local metadata address", "return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('169.254.169.254', 80)) is None", f"{N} {S}",
          "ENETUNREACH", needs="route"),
    Probe("interfaces of the host", "return [n for _, n in socket.if_nameindex() if n != 'lo']", f"{N} {S}", "nothing|EAFNOSUPPORT", needs="interfaces"),
    Probe("netlink", "return socket.socket(16, socket.SOCK_RAW, 0) is not None", S, "EAFNOSUPPORT"),
    Probe("raw sockets", "return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) is not None", f"{N} {S} capabilities", "EPERM"),
    Probe("packet sockets", "return socket.socket(17, socket.SOCK_RAW, 0) is not None", f"{S} capabilities kernel", "EAFNOSUPPORT"),
    Probe("pairs of other families", "return socket.socketpair(2, socket.SOCK_STREAM) is not None", f"{S} kernel", "EAFNOSUPPORT|EOPNOTSUPP"),
    Probe("a filter on a socket", "a, b = socket.socketpair()\np = (ctypes.c_uint64 * 1)(0xffff00000006)\nclass F(ctypes.Structure):\n"
          "    _fields_ = [('n', ctypes.c_ushort), ('p', ctypes.c_void_p)]\nreturn a.setsockopt(1, 26, bytes(F(1, ctypes.addressof(p)))) is None", S, "EPERM"),
] + [
    Probe(f"socket family {n} ({name})", f"return socket.socket({n}, {kind}, 0) is not None", S, "EAFNOSUPPORT|ESOCKTNOSUPPORT",
          unsafe_off="without the filter the kernel would load a module")
    for n, kind, name in ((3, 5, "ax25"), (4, 2, "ipx"), (5, 2, "appletalk"), (9, 5, "x25"), (15, 3, "key"), (21, 5, "rds"), (23, 1, "irda"), (26, 2, "llc"), (29, 3, "can"),
                          (30, 5, "tipc"), (31, 1, "bluetooth"), (33, 2, "rxrpc"), (36, 2, "ieee802154"), (38, 5, "alg"), (39, 1, "nfc"), (40, 1, "vsock"),
                          (41, 5, "kcm"), (42, 2, "qipcrtr"), (43, 1, "smc"), (44, 3, "xdp"), (45, 2, "mctp"))
] + [
    Probe(f"protocol {proto}", f"return socket.socket(2, {kind}, {proto}) is not None", S, "EPROTONOSUPPORT|ESOCKTNOSUPPORT|EAFNOSUPPORT",
          unsafe_off="without the filter the kernel would load a module")
    for kind, proto in ((1, 132), (5, 132), (6, 33), (1, 262))
]

MOUNTS = [
    Probe("a mount", "return call('mount', b'none', b'/tmp', b'tmpfs', 0, 0) == 0", f"{S} {L} capabilities", "EPERM"),
    Probe("the root, made writable", "return call('mount', 0, b'/', 0, 0x1020, 0) == 0", f"{S} {L} capabilities", "EPERM"),
    Probe("a mask of /proc, taken away", "return call('umount2', b'/proc/kallsyms', 2) == 0", f"{S} {L} capabilities", "EPERM"),
    Probe("/proc itself, taken away", "return call('umount2', b'/proc', 2) == 0", f"{S} {L} capabilities", "EPERM"),
    Probe("another root", "return call('chroot', b'/box') == 0", f"{S} capabilities", "EPERM"),
    Probe("the run's own namespaces, entered again", "return call('setns', os.open('/proc/self/ns/net', os.O_RDONLY), 0) == 0", f"{S} capabilities", "EPERM"),
    Probe("a mount in namespaces of one's own", "def f():\n    user_namespace(0x20000)\n    return call('mount', b'none', b'/dev/shm', b'tmpfs', 0, 0) == 0\nreturn in_child(f)",
          f"{S} {L}", "EPERM", needs="userns"),
    Probe("a mask of /proc, taken away in namespaces of one's own",
          "def f():\n    user_namespace(0x20000)\n    return call('umount2', b'/proc/kallsyms', 2) == 0\nreturn in_child(f)", f"{S} {L} locked", "EPERM"),
    Probe("a fresh /proc in namespaces of one's own",
          "def f():\n    user_namespace(0x20020000)\n    if os.fork() == 0:\n        pass\n    return call('mount', b'proc', b'/dev/shm', b'proc', 0, 0) == 0\n"
          "return in_child(f)", f"{S} {L} locked", "EPERM"),
    Probe("the root, made writable in namespaces of one's own",
          "def f():\n    user_namespace(0x20000)\n    return call('mount', 0, b'/usr', 0, 0x1020, 0) == 0\nreturn in_child(f)", f"{S} {L} locked", "EPERM"),
] + [
    Probe(f"a new {name} namespace", f"def f():\n    return call('unshare', {flag}) == 0\nreturn in_child(f)", f"{S} capabilities", "EPERM")
    for name, flag in (("mount", 0x20000), ("cgroup", 0x2000000), ("uts", 0x4000000), ("ipc", 0x8000000), ("pid", 0x20000000), ("net", 0x40000000), ("time", 0x80))
] + [
    Probe(f"a child in a new {name} namespace", f"pid = call('clone', {flag} | signal.SIGCHLD, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nreturn pid > 0", f"{S} capabilities", "EPERM")
    for name, flag in (("mount", 0x20000), ("cgroup", 0x2000000), ("uts", 0x4000000), ("ipc", 0x8000000), ("pid", 0x20000000), ("net", 0x40000000))
]

WAIT = "\nprint('ready', flush=True)\ntime.sleep(20)"
SHARED = [
    Probe("/dev/shm of another run", "content('/dev/shm/escape-' + P['token'])", N, "ENOENT",
          meanwhile="import os, time\nopen('/dev/shm/escape-' + P['token'], 'w').write('x')" + WAIT),
    Probe("/tmp of another run", "content('/tmp/escape-' + P['token'])", f"{N} {L}", "ENOENT",
          meanwhile="import os, time\ntry: open('/tmp/escape-' + P['token'], 'w').write('x')\nexcept OSError: pass" + WAIT + "\n"),
    Probe("an abstract socket of another run", "return socket.socket(socket.AF_UNIX).connect('\\0run-' + P['token']) is None", f"{N} {L}", "ECONNREFUSED", needs="scopes",
          meanwhile="import socket, time\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0run-' + P['token'])\ns.listen()" + WAIT),
    Probe("a server of another run", "return socket.create_connection(('127.0.0.1', P['run_tcp']), 1) is not None", f"{N} {S}", "ECONNREFUSED",
          meanwhile="import socket, time\ntry:\n    s = socket.socket()\n    s.setsockopt(1, 2, 1)\n    s.bind(('127.0.0.1', P['run_tcp']))\n    s.listen()\nexcept OSError: pass" + WAIT),
    Probe("a process of another run", "return [p for p in os.listdir('/proc') if p.isdigit() and P['token'] in command_line(p)]", N, "nothing",
          meanwhile="import subprocess, sys, time\np = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(20)', P['token']])" + WAIT),
    Probe("a System V segment of another run", "return call('shmget', P['key'], 16, 0) >= 0", f"{N} {S}", "ENOSYS",
          before="import ctypes\nctypes.CDLL(None).shmget(P['key'], 16, 0o1666)"),
    Probe("a System V queue of another run", "return call('msgget', P['key'], 0) >= 0", f"{N} {S}", "ENOSYS",
          before="import ctypes\nctypes.CDLL(None).msgget(P['key'], 0o1666)"),
    Probe("System V semaphores of another run", "return call('semget', P['key'], 1, 0) >= 0", f"{N} {S}", "ENOSYS",
          before="import ctypes\nctypes.CDLL(None).semget(P['key'], 1, 0o1666)"),
    Probe("a message queue of another run", "return call('mq_open', P['token'].encode(), 0, 0, 0) >= 0", f"{N} {L} {S}", "ENOSYS",
          before="import ctypes\nctypes.CDLL(None).syscall(@mq_open@, P['token'].encode(), 0o102, 0o666, None)"),
    Probe("a file that an earlier run left", "return [f for d in (os.environ['HOME'], os.environ['TMPDIR'], '.', '/dev/shm') for f in os.listdir(d) if 'left' in f]",
          f"{N} sweep", "nothing", before="import os\nfor d in (os.environ['HOME'], os.environ['TMPDIR'], '.'): open(d + '/left', 'w').close()"),
    Probe("a module that an earlier run changed", "import builtins\nreturn getattr(builtins, 'left', None) or getattr(os, 'left', None)", "fork", "nothing",
          before="import builtins, os\nbuiltins.left = os.left = 1"),
    Probe("an environment that an earlier run changed", "return os.environ.get('LEFT')", "fork", "nothing", before="import os\nos.environ['LEFT'] = '1'"),
    Probe("a daemon that an earlier run left", "return [p for p in os.listdir('/proc') if p.isdigit() and P['token'] in command_line(p)]",
          f"{N} sweep", "nothing", before="import os, subprocess\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.setsid()\n"
          "        os.execv('/bin/sh', ['sh', '-c', 'sleep 20; : ' + P['token']])\n    os._exit(0)\nimport time\ntime.sleep(0.1)"),
    Probe("an alarm of an earlier run", "return signal.getitimer(signal.ITIMER_REAL)[0]", "fork", "nothing", before="import signal\nsignal.alarm(100)"),
]

SCRUBBED = [
    Probe("descriptors beyond 0, 1 and 2", "def is_open(f):\n    try:\n        return bool(os.fstat(f))\n    except OSError:\n        return False\nreturn [f for f in range(3, 5000) if is_open(f)]",
          "scrubbed", "nothing"),
    Probe("the server's environment", "import re\nreturn re.findall('canary-[0-9a-f]{32}', repr(os.environ) + content('/proc/self/environ').decode())",
          "scrubbed", "nothing"),
    Probe("the server's environment in this memory",
          "import re\nfound = []\nwith open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as mem:\n    for r in [l.split() for l in maps]:\n"
          "        a, b = (int(x, 16) for x in r[0].split('-'))\n        if 'r' in r[1] and not r[-1].startswith('[v'):\n            mem.seek(a)\n"
          "            found += re.findall(b'canary-[0-9a-f]{32}', mem.read(b - a))\nreturn found", "scrubbed", "nothing"),
    Probe("a controlling terminal", "opened('/dev/tty', os.O_RDWR)", f"{N} scrubbed", "ENOENT|ENXIO"),
    Probe("the output pipe of others", "return [f for f in (0, 1, 2) if 'socket' in os.readlink(f'/proc/self/fd/{f}')]", "scrubbed", "nothing"),
    Probe("the page's file, by what is mapped", "return [opened('/proc/self/map_files/' + l.split()[0]) for l in open('/proc/self/maps') if 'memfd:runner' in l]",
          "capabilities", "EPERM|EACCES|nothing"),
]

LIMITS = [
    Probe("one process more than allowed", "n = 1\nr, w = os.pipe()\ntry:\n    while n < 60:\n        if os.fork() == 0:\n            os.close(w)\n            os.read(r, 1)\n            os._exit(0)\n"
          "        n += 1\nfinally:\n    os.close(w)\n    if n != 32:\n        raise RuntimeError(f'{n} processes')\nreturn n", "rlimits", "EAGAIN"),
    Probe("one process more, with room for it", "n = 1\nr, w = os.pipe()\nwhile n < 33:\n    if os.fork() == 0:\n        os.close(w)\n        os.read(r, 1)\n        os._exit(0)\n    n += 1\n"
          "return n == 33", "rlimits", "EAGAIN", loosened={"RUNNER_MAX_PROCESSES": "33"}),
    Probe("one thread more than allowed", "import threading\ne = threading.Event()\ntry:\n    for n in range(1, 60):\n        threading.Thread(target=e.wait, daemon=True).start()\n"
          "except RuntimeError:\n    if n != 32:\n        raise\n    return None\nreturn n", "rlimits", "nothing"),
    Probe("a larger file than allowed", "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nwith open('f', 'wb', 0) as f:\n    f.seek(10 << 20)\n    return f.write(b'x')", "rlimits", "EFBIG",
          loosened={"RUNNER_MAX_FILE_SIZE_MB": "11"}),
    Probe("more memory than allowed", "return len(bytearray(600 << 20)) > 0", "rlimits", "MemoryError.*", loosened={"RUNNER_MAX_MEMORY_MB": "800"}),
    Probe("more files open than allowed", "return len([os.open('/dev/null', os.O_RDONLY) for _ in range(4200)])", "rlimits kernel", "EMFILE"),
    Probe("more in the work directory than allowed", "for i in range(8):\n    f = os.open(f'f{i}', os.O_CREAT | os.O_WRONLY)\n    os.posix_fallocate(f, 0, 10 << 20)\nreturn i", N, "ENOSPC",
          env={"RUNNER_MAX_MEMORY_MB": "64"}),
    Probe("more in /dev/shm than allowed", "for i in range(8):\n    f = os.open(f'/dev/shm/escape{i}', os.O_CREAT | os.O_WRONLY)\n    os.posix_fallocate(f, 0, 10 << 20)\nreturn i", f"{N} kernel",
          "ENOSPC", env={"RUNNER_MAX_MEMORY_MB": "64"}, unsafe_off="it would fill the host's /dev/shm"),
    Probe("more names in the work directory than allowed", "for i in range(17000):\n    os.mkdir(f'd{i}')\nreturn i", N, "ENOSPC", unsafe_off="it would only be slow"),
    Probe("the limit of CPU time, raised", "s, h = resource.getrlimit(resource.RLIMIT_CPU)\nreturn resource.setrlimit(resource.RLIMIT_CPU, (h + 1, h + 1)) is None",
          "capabilities", "ValueError.*|EPERM"),
]

MACHINE = [
    Probe("system calls of 32-bit programs", "import mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n"
          "f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nreturn f() > 0", S, "nothing", needs="ia32"),
    Probe("system calls of the x32 architecture", "return call(0x40000000 | 39) > 0", f"{S} kernel", "ENOSYS"),
    Probe("system calls of numbers that are not given yet", "def known(n):\n    try:\n        call(n, -1, -1, -1, -1, -1, -1)\n    except OSError as e:\n"
          "        return e.errno != errno.ENOSYS\n    return True\nreturn [n for n in range(475, 700) if known(n)]", f"{S} kernel", "nothing"),
] if X86 else []

# Each refused or hidden row of the filter's own table is tried with -1 in every argument; where that could do something
# with the filter off, with these.
ARGUMENTS = {
    "msgget": (0x5eed, 0), "semget": (0x5eed, 1, 0), "shmget": (0x5eed, 1, 0), "msgctl": (-1, 2, 0), "shmctl": (-1, 2, 0), "semctl": (-1, 0, 2, 0),
    "sync": (), "acct": (b"/nonexistent",), "swapon": (b"/nonexistent", 0), "swapoff": (b"/nonexistent",), "reboot": (0, 0, 0, 0), "vhangup": None,
    "setgroups": (-1, 0), "mq_open": (b"none", 0, 0, 0), "mq_unlink": (b"none",), "io_setup": (0, -1), "mbind": (1, 4096, 0, 0, 0, 0),
    "set_mempolicy": (-1, 0, 0), "memfd_secret": (1 << 20,), "unshare": (1 << 20,), "userfaultfd": (1 << 20,), "iopl": (0,), "ioperm": (0x80, 1, 0),
    "landlock_create_ruleset": (-1, -1, 4), "kexec_load": (0, 99, 0, 0), "io_uring_setup": (0, -1), "fanotify_init": (1 << 30, 0), "request_key": (b"u", -1, 0, 0),
    "lsm_set_self_attr": (-1, -1, 0, 0), "rseq_slice_yield": (), "keyctl": (-1, -1, -1, -1, -1), "clone3": (-1, 0), "set_mempolicy_home_node": (1, 0, -1, 1),
}
def syscalls():
    """[(name, number here, the filter's answer)] of the filter's own table."""
    rows = []
    folder = os.path.join(ROOT, "src", "sandbox")
    for name in sorted(os.listdir(folder)):
        if re.fullmatch(r"syscalls_\w+\.c", name):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                rows += re.findall(r'\b(ALLOWED|RULED|REFUSED|UNKNOWN)\("(\w+)", (-?\d+), (-?\d+),', f.read())
    return [(name, int(x86 if X86 else arm), kind) for kind, name, x86, arm in rows if int(x86 if X86 else arm) >= 0]


def arguments(name):
    return ARGUMENTS.get(name, (-1,) * 6)


def syscall_probes():
    rows = []
    for name, _, kind in syscalls():
        args = arguments(name)
        if kind in ("ALLOWED", "RULED") or args is None:
            continue
        code = f"return reached('{name}'{''.join(', ' + repr(a) for a in args)})"
        rows.append(Probe(f"system call {name}", code, S, "EPERM" if kind == "REFUSED" else "ENOSYS", needs="call " + name))
    return rows


ROWS = FILES + PROC + PROCESSES + IDENTITY + NETWORK + MOUNTS + SHARED + SCRUBBED + LIMITS + MACHINE + syscall_probes()
