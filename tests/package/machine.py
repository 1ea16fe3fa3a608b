"""A Debian of no more than it needs, in namespaces of its own: a root directory made by debootstrap, entered by pivot_root(2).

Not by chroot(2): there the kernel makes no user namespace for anybody, and the sandbox could not be tried. There is no
network inside. What debootstrap made is kept in CACHE, as an archive, and unpacked for each Machine.
"""
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, "build", "debian")
# What the package depends on: that Depends names it all is seen by apt-get, which may load nothing here.
PACKAGES = ["python3", "ucf", "libuv1", "libjansson4", "man-db"]
USER = 61307

ENTER = r"""
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount --bind dev/pts/ptmx dev/ptmx
pivot_root . .
umount -l .
cd "$2"
shift 2
exec "$@"
"""


def codename():
    with open("/etc/os-release") as f:
        return dict(line.rstrip().split("=", 1) for line in f if "=" in line)["VERSION_CODENAME"]


def mirror(suite):
    """Where this machine has its own packages from; the list is empty where they are from several suites."""
    p = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages"],
                       capture_output=True, text=True)
    return [row[0] for row in map(str.split, p.stdout.splitlines()) if row[1:] == [suite, "main"]][:1]


def archive():
    suite = codename()
    path = os.path.join(CACHE, f"{suite}-{'-'.join(PACKAGES)}.tar")
    if not os.path.exists(path):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="runner-debootstrap-") as made:
            os.chmod(made, 0o755)
            subprocess.run(["debootstrap", "--variant=minbase", "--include=" + ",".join(PACKAGES), suite, made, *mirror(suite)],
                           check=True)
            subprocess.run(["tar", "-C", made, "--numeric-owner", "-cf", path + ".new", "."], check=True)
        os.rename(path + ".new", path)
    return path


class Machine:
    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="runner-machine-")
        subprocess.run(["tar", "-C", self.root, "--numeric-owner", "-xpf", archive()], check=True)
        os.chmod(self.root, 0o755)
        with open(self.path("/etc/passwd"), "a") as f:
            f.write(f"somebody:x:{USER}:{USER}::/home/somebody:/bin/sh\n")
        os.mkdir(self.path("/home/somebody"))
        os.chown(self.path("/home/somebody"), USER, USER)

    def path(self, inside):
        return self.root + inside

    def argv(self, argv, user=False, cwd="/"):
        become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
        return ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "sh", "-c", ENTER, "enter",
                self.root, cwd, *(become if user else []), *argv]

    @staticmethod
    def env(**more):
        return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                **more}

    def run(self, *argv, user=False, **more):
        return subprocess.run(self.argv(argv, user), env=self.env(**more), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def files(self):
        """{path: what it is} of everything that is there, but for logs and the package system's own books."""
        found = {}
        for top, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.join(top, name)
                here = path[len(self.root):]
                if here.startswith(("/proc/", "/dev/", "/var/log/", "/var/lib/dpkg/", "/var/cache/", "/var/lib/apt/")):
                    continue
                st = os.lstat(path)
                found[here] = (st.st_mode, st.st_uid, st.st_size if name in names else 0)
        return found

    def close(self):
        shutil.rmtree(self.root)
