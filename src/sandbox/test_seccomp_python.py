#!/usr/bin/env python3
"""Interpreters under the filter: what an ordinary program does must come out as without it.

Usage: test_seccomp_python.py LAUNCHER

Every CPython of 3.9 or newer on PATH and under $PYENV_ROOT/versions (~/.pyenv) is tried, one of each version. Each
program in PROGRAMS runs bare of the filter first: where it fails there, the interpreter lacks the module and the
program is left out; where it passes, it must pass on both tiers, with the same output.
"""
import glob
import os
import subprocess
import sys

SKIPPED = 77

# name: (needs the internet family, program). What is printed must not depend on the sandbox.
PROGRAMS = {
    'stdlib': (False, '''
import importlib, pkgutil, sys
skip = {'antigravity', 'this', 'idlelib', 'turtledemo', 'lib2to3', 'test', 'tkinter', 'turtle'}
names = sorted(getattr(sys, 'stdlib_module_names', ())) or sorted(m.name for m in pkgutil.iter_modules())
bad = []
for name in names:
    if name in skip or name.startswith('_'): continue
    try: importlib.import_module(name)
    except ImportError as e: bad.append((name, str(e)))
print(bad)
'''),
    'threads': (False, '''
import threading, queue
q = queue.Queue()
ts = [threading.Thread(target=q.put, args=(i,)) for i in range(20)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sorted(q.get() for _ in ts))
from concurrent.futures import ThreadPoolExecutor
print(list(ThreadPoolExecutor(4).map(abs, range(-5, 5))))
'''),
    'multiprocessing': (False, '''
import multiprocessing as mp
from multiprocessing import shared_memory
def square(x): return x * x
def put(q): q.put('from the child')
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        c = mp.get_context(method)
        with c.Pool(2) as p: print(method, p.map(square, range(6)))
        q = c.Queue(); p = c.Process(target=put, args=(q,)); p.start(); print(q.get()); p.join(); print(p.exitcode)
    s = shared_memory.SharedMemory(create=True, size=4096); s.buf[0] = 7
    t = shared_memory.SharedMemory(name=s.name); print(t.buf[0]); t.close(); s.close(); s.unlink()
    v = mp.Value('i', 3); print(v.value); l = mp.Lock(); l.acquire(); l.release()
'''),
    'subprocess': (False, '''
import subprocess, sys, os, signal
print(subprocess.run([sys.executable, '-I', '-c', 'print(6*7)'], capture_output=True, text=True).stdout)
p = subprocess.Popen(['sleep', '60']); p.send_signal(signal.SIGTERM); print(p.wait())
p = subprocess.Popen(['sleep', '60']); p.kill(); print(p.wait())
p = subprocess.Popen('cat', stdin=subprocess.PIPE, stdout=subprocess.PIPE); print(p.communicate(b'hello'))
r, w = os.pipe(); os.posix_spawn('/bin/sh', ['sh', '-c', f'echo hi >&{w}'], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, w, w)])
print(os.read(r, 10)); os.wait()
subprocess.run(['true'], start_new_session=True, preexec_fn=lambda: os.nice(1), check=True)
print(os.system('exit 3'), os.popen('echo x').read())
'''),
    'asyncio': (False, '''
import asyncio, sys
async def main():
    p = await asyncio.create_subprocess_exec(sys.executable, '-I', '-c', 'print(1)', stdout=asyncio.subprocess.PIPE)
    print((await p.communicate())[0], p.returncode)
    print(await asyncio.get_running_loop().run_in_executor(None, sum, [1, 2]))
    await asyncio.sleep(0.01)
    try: await asyncio.wait_for(asyncio.sleep(9), 0.01)
    except asyncio.TimeoutError: print('timeout')
asyncio.run(main())
'''),
    'files': (False, '''
import os, tempfile, shutil, mmap, fcntl, sqlite3, stat, zipfile, tarfile, dbm, pathlib
os.chdir(tempfile.mkdtemp())
open('a', 'w').write('abc'); shutil.copy2('a', 'b'); shutil.copytree('.', '../' + os.path.basename(os.getcwd()) + 'x')
os.link('a', 'c'); os.symlink('a', 'd'); os.mkfifo('f'); os.chmod('a', 0o4700); os.utime('a', (10**9, 10**9 + 2)); os.truncate('b', 1)
print(sorted(os.listdir()), os.stat('a').st_mtime, os.statvfs('.').f_bsize > 0)
f = open('m', 'w+b'); f.truncate(4096); m = mmap.mmap(f.fileno(), 4096); m[0:3] = b'xyz'; m.flush(); print(os.pread(f.fileno(), 3, 0))
fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); os.posix_fallocate(f.fileno(), 0, 8192); os.posix_fadvise(f.fileno(), 0, 0, 0)
print(os.sendfile(os.open('s', os.O_RDWR | os.O_CREAT), f.fileno(), 0, 10), os.copy_file_range(f.fileno(), os.open('t', os.O_RDWR | os.O_CREAT), 10))
os.sync(); os.fsync(f); os.fdatasync(f)
db = sqlite3.connect('db'); db.execute('create table t (x)'); db.execute('insert into t values (1)'); db.commit(); print(db.execute('select * from t').fetchall())
db.execute('pragma journal_mode=wal'); db.execute('insert into t values (2)'); db.commit(); db.close()
print(os.memfd_create('m') >= 0, os.isatty(0), os.get_blocking(0))
try: os.mknod('n', 0o600 | stat.S_IFREG); print('node')
except OSError as e: print(e)
with zipfile.ZipFile('z', 'w') as z: z.write('a')
with tarfile.open('tar', 'w') as t: t.add('a')
shutil.unpack_archive('tar', 'out', 'tar'); shutil.rmtree(os.getcwd())
'''),
    'system': (False, '''
import os, resource, signal, time, ctypes, ctypes.util, uuid, secrets, random, platform, getpass, locale, select, socket, faulthandler
print(resource.getrlimit(resource.RLIMIT_CORE) is not None, resource.prlimit(0, resource.RLIMIT_NOFILE) is not None)
print(len(os.sched_getaffinity(0)) > 0); os.sched_setaffinity(0, os.sched_getaffinity(0)); os.sched_yield()
print(os.getpriority(os.PRIO_PROCESS, 0) is not None, os.nice(0) is not None, os.sched_getscheduler(0))
signal.signal(signal.SIGALRM, lambda *a: print('alarm')); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
signal.signal(signal.SIGUSR1, lambda *a: print('usr1')); os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(signal.SIGUSR1)
signal.pthread_kill(__import__('threading').get_ident(), signal.SIGUSR1)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2]); os.kill(os.getpid(), signal.SIGUSR2); print(signal.sigwait([signal.SIGUSR2]))
print(ctypes.CDLL(None).abs(-3), ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)())
print(len(str(uuid.uuid1())), len(str(uuid.uuid4())), len(secrets.token_hex(8)), len(os.urandom(4)), len(os.getrandom(4)))
a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1)); socket.send_fds(a, [b'f'], [0]) if hasattr(socket, 'send_fds') else None
e = select.epoll(); e.register(b, select.EPOLLIN); e.poll(0); print(select.select([], [a], [], 0)[1] == [a])
p = select.poll(); p.register(a); p.poll(0)
if hasattr(os, 'pidfd_open'): print(os.pidfd_open(os.getpid()) > 0)
if hasattr(os, 'eventfd'): os.eventfd_write(os.eventfd(0), 1)
pid = os.fork()
if pid == 0: os._exit(4)
print(os.waitpid(pid, 0)[1], os.setpgid(0, 0), time.clock_getres(time.CLOCK_MONOTONIC) > 0)
print(os.getuid() == os.geteuid(), os.getgroups() is not None, os.umask(0o22) is not None, os.times() is not None, os.uname().sysname)
faulthandler.dump_traceback_later(60); faulthandler.cancel_dump_traceback_later()
try: os.setreuid(-1, -1); print('kept')
except OSError as e: print(e)
'''),
    'sockets': (True, '''
import socket, threading, http.server, urllib.request, asyncio
s = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)
threading.Thread(target=s.serve_forever, daemon=True).start()
try: urllib.request.urlopen('http://127.0.0.1:%d/' % s.server_port)
except urllib.error.HTTPError as e: print(e.code)
s.shutdown()
print(sorted({a[4][0] for a in socket.getaddrinfo('127.0.0.1', 80)}), socket.getaddrinfo('localhost', 80) != [])
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(('127.0.0.1', 0)); u.sendto(b'x', u.getsockname()); print(u.recv(1))
t = socket.create_server(('127.0.0.1', 0)); t.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
if socket.has_ipv6:
    v = socket.socket(socket.AF_INET6); v.bind(('::1', 0)); v.listen(); print('v6')
async def main():
    async def echo(r, w): w.write(await r.read(3)); await w.drain(); w.close()
    srv = await asyncio.start_server(echo, '127.0.0.1', 0)
    r, w = await asyncio.open_connection(*srv.sockets[0].getsockname()); w.write(b'abc'); print(await r.read()); w.close(); srv.close()
asyncio.run(main()); print(socket.if_nametoindex('lo') > 0)
'''),
    'science': (False, '''
import numpy as np
a = np.random.default_rng(1).random((300, 300)); print(round(float(np.linalg.svd(a)[1][0]), 6), round(float((a @ a).sum()), 3))
import scipy.linalg, scipy.optimize; print(round(float(scipy.linalg.lu(a)[2][0, 0]), 6))
import pandas as pd; print(pd.DataFrame({'a': [1, 2, 3]}).describe().to_string())
import matplotlib; matplotlib.use('Agg')
import matplotlib.pyplot as plt, io; plt.plot([1, 2]); b = io.BytesIO(); plt.savefig(b); print(b.getvalue()[:4])
'''),
}


def candidates():
    for folder in os.environ.get('PATH', '').split(':'):
        yield from sorted(glob.glob(os.path.join(folder, 'python3*')))
    root = os.environ.get('PYENV_ROOT', os.path.expanduser('~/.pyenv'))
    yield from sorted(glob.glob(os.path.join(root, 'versions', '*', 'bin', 'python3')))


def interpreters():
    """{version: path}, one of each; wrappers resolved to what they start."""
    found = {}
    for path in candidates():
        tail = os.path.basename(path)[len('python3'):]
        if tail and not tail.lstrip('.').isdigit():
            continue
        try:
            out = subprocess.run([path, '-I', '-c', 'import sys; print(sys.executable, "%d.%d" % sys.version_info[:2])'],
                                 capture_output=True, text=True, timeout=20).stdout.split()
        except (OSError, subprocess.TimeoutExpired):
            continue
        if len(out) == 2 and tuple(map(int, out[1].split('.'))) >= (3, 9):
            found.setdefault(out[1] + (' debian' if out[0].startswith('/usr/bin') else ''), out[0])
    return found


def run(command, program_path):
    try:
        done = subprocess.run(command + [program_path], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 'timeout', ''
    return done.returncode, done.stdout + (done.stderr if done.returncode else '')


def main():
    import tempfile
    launcher = sys.argv[1]
    only = sys.argv[2:]
    failures = passed = 0
    full = subprocess.run([launcher, 'full', 'true'], capture_output=True).returncode
    tiers = ['bare'] + (['full'] if full == 0 else [])
    if full:
        print('the full tier is left out: no namespaces here')
    found = interpreters()
    if len(found) > 2 and not os.environ.get('TEST_ALL'):
        # The differential and the regression tests run the others under the filter too.
        by_age = sorted(found, key=lambda v: tuple(map(int, v.split()[0].split('.'))))
        print('left out without TEST_ALL:', *by_age[1:-1])
        found = {v: found[v] for v in (by_age[0], by_age[-1])}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for version, python in sorted(found.items()):
            for name, (inet, text) in PROGRAMS.items():
                if only and name not in only:
                    continue
                path = os.path.join(folder, name + '.py')
                with open(path, 'w') as f:
                    f.write(text)
                outside = run([python, '-I'], path)
                if outside[0] != 0:
                    print(f'{version} {name}: left out, fails without the filter: {outside[1].strip().splitlines()[-1:]}')
                    failures += name not in ('science',)
                    continue
                for tier in tiers:
                    if inet and tier == 'bare':
                        continue
                    inside = run([launcher, tier, python, '-I'], path)
                    if inside != outside:
                        failures += 1
                        print(f'{version} {name} on {tier}: {inside[0]}\n--- outside\n{outside[1]}\n--- inside\n{inside[1]}')
                    else:
                        passed += 1
    print(f'{len(found)} interpreters, {passed} programs passed, {failures} failed')
    if not found or passed == 0:
        return SKIPPED if not os.environ.get('CI') else 1
    if full and os.environ.get('CI'):
        return 1
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
