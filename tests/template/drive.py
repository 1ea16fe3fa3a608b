"""Speaks the wire protocol (src/wire/wire.h) to a real template, without the supervisor.

    drive.py TEMPLATE_DIR PYTHON [FILE]     runs one program, prints what became of it
"""
import array
import json
import mmap
import os
import re
import select
import shutil
import socket
import struct
import sys
import tempfile
import time

VERSION = 3
HERE = os.path.dirname(os.path.abspath(__file__))
HELLO, PLAN, READY, SPAWN, SPAWNED, GO, KILL, EXITED, SWEPT, PRELOAD, PRELOADING, SET_UP, WAITING = range(1, 14)
HEADER = struct.Struct('=II')
HELLO_S = struct.Struct('=IIiI4096s128s')  # and more
READY_S = struct.Struct('=IIQIi')
SPAWN_S = struct.Struct('=IIQIIII512s')
SPAWNED_S = struct.Struct('=IIQii')
GO_S = struct.Struct('=IIQII')  # and the code, unless it is in a file
EXITED_S = struct.Struct('=IIiIQQIi')
PLAN_S = struct.Struct('=IIQQQQQIIIIIIQQIIIIII')
SET_UP_S = struct.Struct('=IIIi')
CODE_MAX = 16 * 1024
REHEARSE = 1
PAGE_S = struct.Struct('=IiIIQQQQQ')

ENVIRONMENT = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': '/', 'TMPDIR': '/tmp', 'LANG': 'C.UTF-8'}


def plan_size():
    """sizeof(struct sandbox_plan): the tables behind its numbers stay empty here."""
    with open(os.path.join(HERE, os.pardir, os.pardir, 'src', 'sandbox', 'plan.h')) as f:
        text = f.read()
    path, mounts, rules, code = (
        int(re.search(r'SANDBOX_%s_MAX = (\d+)' % name, text)[1]) for name in ('PATH', 'MOUNTS', 'RULES', 'FILTER'))
    return PLAN_S.size + mounts * (8 + 2 * path) + rules * (path + 16) + code * 8 + 8


def recv(sock, size=8192):
    try:
        return sock.recv(size)
    except ConnectionResetError:  # it ended before it read what we sent
        return b''


def send(sock, data, fds=()):
    anc = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else []
    sock.sendmsg([data], anc)


def memory(data=b'', size=None):
    fd = os.memfd_create('x')
    os.write(fd, data)
    if size is not None:
        os.ftruncate(fd, size)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class Template:
    def __init__(self, directory, python, *, prefix=(), memory_mb=256, cpu_s=10, file_mb=10, processes=0, result_max=4096, env=None, rehearse=True):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.text_r, w = os.pipe()
        self.result_max = result_max
        self.base = tempfile.mkdtemp(prefix='drive-')
        self.n = 0
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
            os.dup2(w, 1)
            os.dup2(w, 2)
            os.dup2(theirs.fileno(), 3)
            os.closerange(4, 256)
            os.chdir(directory)
            os.execvpe((list(prefix) + [python])[0], list(prefix) + [python, '-I', '-S', 'main.py'], ENVIRONMENT if env is None else env)
        os.close(w)
        theirs.close()
        self.sock = ours
        hello = recv(ours)
        if not hello:
            os.waitpid(self.pid, 0)
            raise RuntimeError(os.read(self.text_r, 65536).decode())
        h = HELLO_S.unpack_from(hello)
        self.hello = dict(pid=h[2], hexversion=h[3], executable=h[4].rstrip(b'\0').decode(), version=h[5].rstrip(b'\0').decode())
        size = plan_size()
        plan = memory(PLAN_S.pack(1, size, memory_mb << 20, int(cpu_s * 1e6), file_mb << 20, processes, result_max,
                                  os.cpu_count(), 0, 0, os.getuid(), os.getgid(), 0, 0, 0, 0, 0, 0, 0, 1, 0), size=size)
        send(ours, HEADER.pack(PLAN, VERSION) + struct.pack('=II', REHEARSE if rehearse else 0, 0), [plan])
        os.close(plan)
        ready = recv(ours)
        if not ready:
            raise RuntimeError(os.read(self.text_r, 65536).decode())
        self.preload_bytes = READY_S.unpack_from(ready)[2]

    def spawn(self, run_dir=None):
        return Worker(self, run_dir)

    def run(self, code, stdin=None, timeout=30, stdin_fd=None):
        w = self.spawn()
        w.go(code, stdin, stdin_fd)
        return w.finish(timeout)

    def close(self):
        self.sock.close()
        os.waitpid(self.pid, 0)
        text = b''
        while True:
            d = os.read(self.text_r, 65536)
            if not d:
                break
            text += d
        os.close(self.text_r)
        shutil.rmtree(self.base, ignore_errors=True)
        return text.decode()


class Worker:
    def __init__(self, template, run_dir=None):
        template.n += 1
        self.t = template
        self.run_dir = run_dir or os.path.join(template.base, 'run%d' % template.n)
        self.control, c = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.go_sock, g = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.out, o = os.pipe()
        self.err, e = os.pipe()
        size = PAGE_S.size + template.result_max
        page = memory(size=size)
        self.page = mmap.mmap(page, size)
        fds = [c.fileno(), g.fileno(), o, e, page]
        send(template.sock, SPAWN_S.pack(SPAWN, VERSION, template.n, 0, 0, 0, 0, self.run_dir.encode()), fds)
        m = SPAWNED_S.unpack(recv(template.sock))
        assert m[0] == SPAWNED and m[2] == template.n, m
        self.keeper, self.error = m[3], m[4]
        for s in c, g:
            s.close()
        for f in o, e, page:
            os.close(f)

    def go(self, code, stdin=None, stdin_fd=None):
        if isinstance(code, str):
            code = code.encode()
        flags, fds = (0, []) if len(code) <= CODE_MAX else (1, [memory(code)])
        if stdin is not None:
            fds.append(memory(stdin))
        elif stdin_fd is not None:
            fds.append(os.dup(stdin_fd))
        if stdin is not None or stdin_fd is not None:
            flags |= 2
        self.t0 = time.monotonic()
        send(self.go_sock, GO_S.pack(GO, VERSION, len(code), flags, 0) + (code if not flags & 1 else b''), fds)
        for f in fds:
            os.close(f)

    def kill(self):
        send(self.control, HEADER.pack(KILL, VERSION))

    def read_page(self):
        names = 'ended exit_code flags rss_kb cpu_us result_bytes result_chars head_bytes tail_bytes'.split()
        p = dict(zip(names, PAGE_S.unpack_from(self.page)))
        at = PAGE_S.size
        p['head'] = self.page[at:at + p['head_bytes']]
        p['tail'] = self.page[at + p['head_bytes']:at + p['head_bytes'] + p['tail_bytes']]
        return p

    def read_set_up(self):
        """What the worker said before it closed its end of the go socket."""
        if self.go_sock.fileno() < 0:
            return dict(started=0, stage=0, error=0)
        self.go_sock.setblocking(False)
        m = HEADER.pack(WAITING, VERSION)
        while m and HEADER.unpack_from(m)[0] == WAITING:
            try:
                m = self.go_sock.recv(256)
            except ConnectionResetError:
                pass  # that it has not read its program is told before what it has said
            except BlockingIOError:
                m = b''
        if not m:
            return dict(started=0, stage=0, error=0)
        kind, _, stage, error = SET_UP_S.unpack(m)
        assert kind == SET_UP, kind
        return dict(started=int(stage == 0), stage=stage, error=error)

    def finish(self, timeout=30):
        out = {self.out: b'', self.err: b''}
        exited = None
        gone = False
        t_ended = t_exited = None
        open_ = {self.out, self.err}
        deadline = time.monotonic() + timeout
        killed = False
        while not gone:
            left = deadline - time.monotonic()
            if left < 0:
                if killed:
                    raise RuntimeError('keeper does not end')
                self.kill()
                killed = True
                deadline += 20
            r, _, _ = select.select(list(open_) + [self.control], [], [], max(left, 0))
            for f in r:
                if f is self.control:
                    m = recv(self.control)
                    if not m:
                        gone = True
                    else:
                        exited = EXITED_S.unpack_from(m)
                        t_exited = time.monotonic()
                else:
                    d = os.read(f, 65536)
                    out[f] += d
                    if not d:
                        open_.discard(f)
                        if t_ended is None and self.page[:4] == b'\1\0\0\0':
                            t_ended = time.monotonic()
        for f in list(open_):
            os.set_blocking(f, False)
            try:
                while True:
                    d = os.read(f, 65536)
                    if not d:
                        break
                    out[f] += d
            except BlockingIOError:
                pass
        r = dict(stdout=out[self.out], stderr=out[self.err], page={**self.read_page(), **self.read_set_up()}, killed=killed, run_dir=self.run_dir,
                 ended_s=t_ended and t_ended - self.t0, exited_s=t_exited and t_exited - getattr(self, 't0', 0), gone_s=time.monotonic() - getattr(self, 't0', 0))
        if exited:
            r.update(status=exited[2], flags=exited[3], cpu_us=exited[4], rss_kb=exited[5], stage=exited[6], error=exited[7])
        else:
            r.update(status=None)
        os.close(self.out)
        os.close(self.err)
        self.page.close()
        self.control.close()
        self.go_sock.close()
        return r


if __name__ == '__main__':
    t = Template(sys.argv[1], sys.argv[2])
    r = t.run(open(sys.argv[3], 'rb').read() if len(sys.argv) > 3 else sys.stdin.buffer.read())
    print(json.dumps(r, default=lambda b: b.decode('utf-8', 'replace'), indent=1))
    print(t.close())
