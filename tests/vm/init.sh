#!/bin/sh
# Process 1 of the virtual machine: what an init system sets up as far as it matters here, a subtree of cgroup v2 that
# belongs to an ordinary user, and the tests in it.
b=busybox
export PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 CI=1
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
exec </dev/null >/dev/ttyS0 2>&1
$b mkdir -p /dev/shm
for dir in /run /tmp /home /dev/shm; do $b mount -t tmpfs -o mode=1777 tmpfs $dir; done
$b mount -t cgroup2 -o nsdelegate cgroup2 /sys/fs/cgroup
$b ip link set lo up
echo "Linux $($b uname -r), controllers: $($b cat /sys/fs/cgroup/cgroup.controllers)"
echo "up $($b cut -d' ' -f1 /proc/uptime) s after the kernel's start"

export TEST_SERVER=/test/build/python-runner-mcp TEST_PYTHON=/usr/bin/python3 TEST_SLOW=10 TEST_JOBS=1 HOME=/home TMPDIR=/tmp
echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control
# suite USER [ARGUMENT...]: in a subtree of its own, delegated as cgroups(7) says
suite() {
    user=$1
    shift
    export TEST_CGROUP=/sys/fs/cgroup/$user.scope
    $b mkdir -p "$TEST_CGROUP/tests"
    echo "+memory +pids +cpu" >"$TEST_CGROUP/cgroup.subtree_control"
    $b chown -R "$user" "$TEST_CGROUP"
    echo "--- as $user"
    ( # a subshell's own number is not in $$
        $b sh -c 'echo $$ >"$TEST_CGROUP/tests/cgroup.procs"; exec "$@"' sh \
            python3 -c 'import os, sys
n = int(sys.argv[1]); os.setgroups([]); os.setresgid(n, n, n); os.setresuid(n, n, n); os.execvp(sys.argv[2], sys.argv[2:])' \
            "$($b id -u "$user")" python3 /test/tests/lib/suite.py "$@" /test/tests/inside
    )
}
# shellcheck disable=SC2046 # words
set -- $($b cat /test/arguments)
suite tester "$@"
[ $# -gt 0 ] || set -- -k test_memory -k test_tasks -k test_all_layers -k test_the_limits
suite root "$@"
echo "$($b cut -d' ' -f1 /proc/uptime) s after the kernel's start"
echo "suites run: 2"
$b poweroff -f
