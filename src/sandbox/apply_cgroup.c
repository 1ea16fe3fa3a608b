/* Theory of operation: entering a cgroup
 *
 * clone3(2) makes the child in the cgroup (CLONE_INTO_CGROUP, Linux 5.7). That is not only simpler
 * than moving it: a move takes a lock that every fork on the machine shares, and waits for it for
 * milliseconds. Where clone3 is missing, or a container's filter hides it, the child moves itself:
 * the file is opened by the parent, since the child may already be in a cgroup namespace from which
 * the target can't be seen (cgroup_namespaces(7)); permission is that of the opener. */

#include "sandbox/apply_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply_dir.h"
#include "sandbox/apply_syscalls.h"

enum { CLEAN_TRIES = 50, CLEAN_PAUSE_US = 10000 };

static int entered; /* in the child: 0 or -errno */

static pid_t fork_and_move(uint64_t flags, int cgroup)
{
    _cleanup_(close_p) int procs = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    pid_t pid;

    if (procs < 0) {
        return -1;
    }
    pid = (pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
    if (pid == 0) {
        entered = write(procs, "0", 1) < 0 ? -errno : 0;
    }
    return pid;
}

pid_t apply_cgroup_fork(uint64_t flags, int cgroup)
{
    struct clone3_arguments arguments = {.flags = flags | CLONE3_INTO_CGROUP,
            .exit_signal = SIGCHLD,
            .cgroup = (uint64_t)cgroup};
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

    /* EINVAL and E2BIG: a clone3 without cgroups (Linux 5.3 to 5.6) */
    if (pid < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == E2BIG)) {
        return fork_and_move(flags, cgroup);
    }
    return pid;
}

int apply_cgroup_entered(void)
{
    return entered;
}

int apply_cgroup_open_cpu(int cgroup)
{
    return openat(cgroup, "cpu.stat", O_RDONLY | O_CLOEXEC);
}

/* Its first line is "usage_usec NUMBER". */
uint64_t apply_cgroup_cpu_us(int cpu_stat)
{
    static const char key[] = "usage_usec ";
    char text[64] = "";
    uint64_t value = 0;

    if (pread(cpu_stat, text, sizeof(text) - 1, 0) <= 0 ||
            strncmp(text, key, sizeof(key) - 1) != 0) {
        return 0;
    }
    for (const char *p = text + sizeof(key) - 1; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (uint64_t)(*p - '0');
    }
    return value;
}

int apply_cgroup_remove_runs(int own)
{
    _cleanup_(close_p) int fd = openat(own, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct apply_dir dir;
    struct apply_dir_entry entry;
    int n = 0;

    if (fd < 0 || apply_dir_open(&dir, fd) < 0) {
        return 0;
    }
    while (apply_dir_next(&dir, &entry) > 0) {
        if (strncmp(entry.name, APPLY_CGROUP_RUN, sizeof(APPLY_CGROUP_RUN) - 1) == 0 &&
                unlinkat(own, entry.name, AT_REMOVEDIR) < 0) {
            n += errno == EBUSY;
        }
    }
    apply_dir_close(&dir);
    return n;
}

static void write_to(int own, const char *name, const char *text)
{
    _cleanup_(close_p) int fd = openat(own, name, O_WRONLY | O_CLOEXEC);

    (void)!write(fd, text, strlen(text));
}

void apply_cgroup_clean(int own)
{
    for (int i = 0; i < CLEAN_TRIES && apply_cgroup_remove_runs(own) > 0; i++) {
        (void)usleep(CLEAN_PAUSE_US);
    }
    write_to(own, "cgroup.subtree_control", "-memory -pids");
    write_to(own, "cgroup.procs", "0");
    (void)unlinkat(own, APPLY_CGROUP_SERVER, AT_REMOVEDIR);
}
