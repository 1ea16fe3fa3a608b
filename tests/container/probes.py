"""What a program on the container tier may and may not do: (name, program). A program prints OK, or what went wrong.

PRELUDE is put before each. The kinds are those of SECURITY: network, other processes, signals, files, limits; and what
has to work all the same.
"""

PRELUDE = r'''
import ctypes, errno, os, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def status(pid):
    return dict(l.rstrip("\n").split(":\t", 1) for l in open(f"/proc/{pid}/status"))
KEEPER = os.getppid()
TEMPLATE = int(status(KEEPER)["PPid"])
SUPERVISOR = int(status(TEMPLATE)["PPid"]) if TEMPLATE else 0  # 0: in another pid namespace
OURS = [p for p in (KEEPER, TEMPLATE, SUPERVISOR) if p > 0]
def error(f, *a, **k):
    try:
        f(*a, **k)
    except OSError as e:
        return errno.errorcode[e.errno]
    return "done"
def system_call(number, *args):
    ctypes.set_errno(0)
    r = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return "done" if r >= 0 else errno.errorcode[ctypes.get_errno()]
def verdict(wrong):
    print("OK" if not wrong else f"WRONG {wrong}")
'''

REFUSED = [
    ("a network socket is refused with EACCES", r'''
got = {f: error(socket.socket, f, t) for f in (socket.AF_INET, socket.AF_INET6) for t in (socket.SOCK_STREAM, socket.SOCK_DGRAM)}
verdict({f: e for f, e in got.items() if e != "EACCES"})'''),
    ("other address families look unknown", r'''
got = {f: error(socket.socket, f, socket.SOCK_RAW, 0) for f in (16, 17, 38, 40, 44)}
verdict({f: e for f, e in got.items() if e != "EAFNOSUPPORT"})'''),
    ("memory, environment, descriptors and directories of keeper, template and server are not to be read", r'''
names = ("environ", "mem", "maps", "smaps", "fd", "fdinfo", "cwd", "root", "exe", "auxv", "io", "pagemap", "ns/net", "map_files")
def look(path):
    if error(os.readlink, path) == "done":
        return "read"
    try:
        if os.path.isdir(path):
            return "listed" if os.listdir(path) else "nothing"
        return "read" if os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 1) else "nothing"
    except OSError:
        return "nothing"
verdict([f"{p}/{n}" for p in OURS for n in names if look(f"/proc/{p}/{n}") != "nothing"])'''),
    ("nor traced, nor written to", r'''
iov = (ctypes.c_ulong * 2)(1, 1)
calls = {"ptrace": lambda p: system_call(101, 16, p, 0, 0), "process_vm_readv": lambda p: system_call(310, p, iov, 1, iov, 1, 0),
         "process_vm_writev": lambda p: system_call(311, p, iov, 1, iov, 1, 0), "kcmp": lambda p: system_call(312, os.getpid(), p, 0, 0, 0),
         "prlimit": lambda p: system_call(302, p, 7, 0, (ctypes.c_ulong * 2)()), "setpriority": lambda p: error(os.setpriority, 0, p, 10),
         "affinity": lambda p: error(os.sched_setaffinity, p, {0})}
verdict([(n, p) for n, f in calls.items() for p in OURS if f(p) not in ("EPERM", "EACCES", "ENOSYS")] if os.uname().machine == "x86_64" else [])'''),
    ("server and template can't be signalled, alone or as a group", r'''
targets = [TEMPLATE, -os.getpgid(TEMPLATE), SUPERVISOR, -os.getpgid(SUPERVISOR), -1] if SUPERVISOR else [TEMPLATE, -1]
targets = [t for t in targets if t not in (0, 1)]
verdict([(t, e) for t in targets for e in [error(os.kill, t, 0)] if e not in ("EPERM", "ESRCH")])'''),
    ("files elsewhere are neither read nor written", r'''
here = os.path.dirname(os.getcwd())
write = [d for d in ("/tmp", "/var/tmp", os.path.dirname(here), "/", "/etc", "/usr", "/home", "/run", "/dev", "/proc/self")
         if error(open, d + "/runner-probe", "w") == "done"]
read = [p for p in ("/etc/shadow", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/var/log/dpkg.log") if error(open, p) == "done"]
listed = [d for d in (os.path.dirname(here), "/tmp", "/home", "/root", "/etc", "/", "/dev/shm", "/run") if error(os.listdir, d) == "done"]
verdict(write + read + listed)'''),
    ("file events can't be watched", r'''
fd = libc.inotify_init()
verdict([d for d in (b"/tmp", b"..", b"/dev/shm", b"/etc") if fd >= 0 and libc.inotify_add_watch(fd, d, 0x100) >= 0])'''),
    ("no namespace is to be had", r'''
verdict([hex(f) for f in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000, 0x8000000, 0x2000000) if system_call(272, f) == "done"]
        if os.uname().machine == "x86_64" else [])'''),
    ("no capability, no new privileges, no descriptor but three", r'''
s = status("self")
caps = [k for k in s if k.startswith("Cap") and int(s[k], 16)]
verdict(caps + ([] if s["NoNewPrivs"] == "1" else ["privileges"]) + [f for f in range(3, 256) if error(os.fstat, f) == "done"])'''),
]

WORKS = [
    ("threads, fork, Pool and Queue", r'''
import multiprocessing, threading
def double(x): return 2 * x
if __name__ == "__main__":
    t = threading.Thread(target=lambda: None); t.start(); t.join()
    with multiprocessing.Pool(2) as pool:
        verdict([] if pool.map(double, range(5)) == [0, 2, 4, 6, 8] else ["pool"])'''),
    ("shared memory and semaphores", r'''
from multiprocessing import Lock, shared_memory
with Lock():
    m = shared_memory.SharedMemory(create=True, size=4096); m.buf[:2] = b"ab"
    n = shared_memory.SharedMemory(name=m.name); same = bytes(n.buf[:2]); n.close(); m.close(); m.unlink()
verdict([] if same == b"ab" else [same])'''),
    ("temporary files, moving and linking between directories", r'''
import shutil, tempfile
with tempfile.TemporaryDirectory() as d:
    os.mkdir("a"); os.mkdir("b"); open("a/x", "w").write("1"); os.rename("a/x", "b/x"); os.link("b/x", "a/y"); os.rename("b", "c")
    shutil.move("c/x", d); os.chmod("a/y", 0o755)
    verdict([] if open(d + "/x").read() == "1" else ["moved"])'''),
    ("the same interpreter as a subprocess, and a shell", r'''
out = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout
sh = subprocess.run("echo $((6 * 7)); exit 3", shell=True, capture_output=True, text=True)
p = subprocess.Popen(["sleep", "60"]); p.terminate()
verdict([] if out == "42\n" and sh.stdout == "42\n" and sh.returncode == 3 and p.wait() == -15 else [out, sh])'''),
    ("asyncio and local sockets within the run", r'''
import asyncio
async def main():
    server = await asyncio.start_unix_server(lambda r, w: (w.write(b"hello\n"), w.close()), "s")
    reader, writer = await asyncio.open_unix_connection("s")
    return await reader.readline()
verdict([] if asyncio.run(main()) == b"hello\n" else ["socket"])'''),
    ("sqlite, time zones, hashes, uuid, ctypes", r'''
import hashlib, sqlite3, uuid, datetime, zoneinfo
c = sqlite3.connect("x.db"); c.execute("create table t(a)"); c.execute("insert into t values (1)"); c.commit()
uuid.uuid1(); uuid.uuid4(); hashlib.sha256(b"").hexdigest()
verdict([] if c.execute("select a from t").fetchone() == (1,) and libc.getpid() == os.getpid() else ["sqlite"])'''),
    ("a memory limit a process, and a limit of processes", r'''
import resource, threading
wrong = []
try:
    bytearray(50 << 30); wrong.append("50 GB")
except MemoryError:
    pass
if os.getuid() and resource.getrlimit(resource.RLIMIT_NPROC)[0] not in range(1, 5000):
    wrong.append(resource.getrlimit(resource.RLIMIT_NPROC))
verdict(wrong)'''),
]
