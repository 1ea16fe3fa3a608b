/* Theory of operation: cgroups
 *
 *   the cgroup we were started in     controllers on for its children; no process in it
 *     python-runner-server            this process and the template
 *     python-runner-run-N             one run: its limits, its keeper and all that comes of it
 *
 * Controllers can be switched on for the children of a cgroup only while no process is in it itself
 * ("no internal process constraint"), so the server first moves down into a leaf. It moves nobody
 * but itself: with anybody else in that cgroup (a shell, the client) the layer stays off.
 *
 * A run's cgroup is made before its keeper, which is cloned straight into it (apply_cgroup.h). With
 * memory.oom.group the kernel ends a run that needs too much as a whole, keeper included; that it
 * was so stands in memory.events. A cgroup can be removed when its last process has been, which is
 * a little later than the end of the keeper's control stream: those that could not be removed yet
 * wait in a list.
 *
 * A crash of the server ends its runs (their keepers see to it), and the template cleans up; when
 * that was killed too, the next server to be started in the same place does. By name, and with
 * rmdir(2), which takes no cgroup that anybody is in. */

#include "sandbox/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply_cgroup.h"
#include "sandbox/cgroup_file.h"

enum { NAME_SIZE = 64 };

struct SandboxRun {
    SandboxRun *next; /* in `ending` */
    int fd;
    uint64_t number;
};

static int own = -1;       /* the cgroup we were started in; -1: the layer is off */
static char own_path[768]; /* for messages */
static SandboxRun *ending; /* freed, and not yet empty */

/* runs */

static void run_name(uint64_t number, char ret[NAME_SIZE])
{
    (void)snprintf(ret, NAME_SIZE, APPLY_CGROUP_RUN "%" PRIu64, number);
}

static int set_limits(int fd, const struct sandbox_plan *plan)
{
    char memory[32], tasks[32];
    int r;

    (void)snprintf(memory, sizeof(memory), "%" PRIu64, plan->sum_memory_bytes);
    (void)snprintf(tasks, sizeof(tasks), "%" PRIu64, plan->processes);
    r = cgroup_file_write(fd, "memory.max", memory);
    if (r == 0) {
        r = cgroup_file_write(fd, "pids.max", tasks);
    }
    if (r == 0) {
        r = cgroup_file_write(fd, "memory.oom.group", "1"); /* since Linux 4.19 */
        r = r == -ENOENT ? 0 : r;
    }
    if (r == 0) {
        r = cgroup_file_write(fd, "memory.swap.max", "0"); /* only where the kernel has swap */
        r = r == -ENOENT ? 0 : r;
    }
    return r;
}

int sandbox_run_new(SandboxRun **ret, const struct sandbox_plan *plan, uint64_t number)
{
    char name[NAME_SIZE];
    SandboxRun *run;
    int r = 0;

    if (own < 0) {
        *ret = NULL;
        return 0;
    }
    run = calloc(1, sizeof(*run));
    if (!run) {
        return -ENOMEM;
    }
    run->number = number;
    run_name(number, name);
    if (mkdirat(own, name, 0755) < 0) {
        r = -errno;
        free(run);
        return r;
    }
    run->fd = openat(own, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    r = run->fd < 0 ? -errno : set_limits(run->fd, plan);
    if (r < 0) {
        (void)sandbox_run_free(run);
        return r;
    }
    *ret = run;
    return 0;
}

int sandbox_run_fd(const SandboxRun *run)
{
    return run ? run->fd : -1;
}

/* `oom_kill` alone may be the machine's own want of memory; `oom` says that it was this limit. */
void sandbox_run_usage(const SandboxRun *run, SandboxUsage *ret)
{
    SandboxUsage u = {0};
    uint64_t oom = 0, kills = 0;

    if (run && cgroup_file_value(run->fd, "memory.events", "oom", &oom) == 0 &&
            cgroup_file_value(run->fd, "memory.events", "oom_kill", &kills) == 0) {
        u.memory_exceeded = oom > 0 && kills > 0;
    }
    if (run) {
        (void)cgroup_file_value(run->fd, "cpu.stat", "usage_usec", &u.cpu_us);
        (void)cgroup_file_value(run->fd, "memory.peak", NULL, &u.peak_kb); /* since Linux 5.19 */
        u.peak_kb /= 1024;
    }
    *ret = u;
}

void sandbox_run_kill(const SandboxRun *run)
{
    if (run && run->fd >= 0) {
        /* Since Linux 5.14; before it the keeper's own sweep has to do, and the orphans' hunt. */
        (void)cgroup_file_write(run->fd, "cgroup.kill", "1");
    }
}

/* False: somebody is still in it. */
static bool run_remove(const SandboxRun *run)
{
    char name[NAME_SIZE];

    run_name(run->number, name);
    return unlinkat(own, name, AT_REMOVEDIR) == 0 || errno != EBUSY;
}

static void run_release(SandboxRun *run)
{
    close_p(&run->fd);
    free(run);
}

SandboxRun *sandbox_run_free(SandboxRun *run)
{
    if (!run) {
        return NULL;
    }
    if (run_remove(run)) {
        run_release(run);
    } else {
        sandbox_run_kill(run);
        run->next = ending;
        ending = run;
    }
    return NULL;
}

size_t sandbox_runs_sweep(void)
{
    SandboxRun **p = &ending;
    size_t n = 0;

    while (*p) {
        SandboxRun *run = *p;

        if (run_remove(run)) {
            *p = run->next;
            run_release(run);
        } else {
            n++;
            p = &run->next;
        }
    }
    return n;
}

static void forget_ending(void)
{
    while (ending) {
        SandboxRun *run = ending;

        ending = run->next;
        run_release(run);
    }
}

/* the subtree */

static const char *advice(void)
{
    return geteuid() == 0 ? "start the server in a subtree of its own: systemd-run --scope -p "
                            "Delegate=yes python-runner-mcp"
                          : "start the server in a subtree of its own: systemd-run --user --scope "
                            "-p Delegate=yes python-runner-mcp";
}

static void PRINTF_LIKE(3, 4)
        refuse(SandboxLayer *layer, const char *what_to_do, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(layer->why, sizeof(layer->why), fmt, args);
    va_end(args);
    (void)snprintf(layer->advice, sizeof(layer->advice), "%s", what_to_do);
}

static int find_own(void)
{
    static char cgroup[8192], mountinfo[256 * 1024];
    int r = cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", cgroup, sizeof(cgroup));

    if (r == 0) {
        r = cgroup_file_read(AT_FDCWD, "/proc/self/mountinfo", mountinfo, sizeof(mountinfo));
    }
    return r < 0 ? r : cgroup_path(cgroup, mountinfo, own_path, sizeof(own_path));
}

/* systemd says whom it has given a subtree to in an attribute that only root can read; elsewhere
 * being allowed to write is all there is to know. A unit's cgroup that is not delegated is
 * systemd's, and root may write to all of them. */
static bool is_systemds(int fd)
{
    char value[8];

    return geteuid() == 0 && access("/run/systemd/system", F_OK) == 0 &&
           fgetxattr(fd, "trusted.delegate", value, sizeof(value)) < 0 && errno == ENODATA;
}

static bool is_ours_to_use(int fd, SandboxLayer *layer)
{
    static const char *const files[] = {".", "cgroup.procs", "cgroup.subtree_control"};
    char text[1024];
    int r = cgroup_file_read(fd, "cgroup.controllers", text, sizeof(text));

    if (r < 0 || !cgroup_file_has_word(text, "memory") || !cgroup_file_has_word(text, "pids")) {
        refuse(layer,
                access("/sys/fs/cgroup/memory", F_OK) == 0
                        ? "boot with systemd.unified_cgroup_hierarchy=1: cgroup v1 holds them here"
                        : advice(),
                "%.100s has no memory or pids controller", own_path);
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        if (faccessat(fd, files[i], W_OK, AT_EACCESS) < 0) {
            refuse(layer, advice(), "%.100s is not delegated to us: %s", own_path, strerror(errno));
            return false;
        }
    }
    if (is_systemds(fd)) {
        refuse(layer, advice(), "%.100s is systemd's, not delegated to us", own_path);
        return false;
    }
    return true;
}

/* Also false where it can't be read, as in threaded cgroups. */
static bool is_ours_alone(int fd, SandboxLayer *layer)
{
    char text[4096];
    int r = cgroup_file_read(fd, "cgroup.procs", text, sizeof(text));
    char *p = text;

    if (r < 0) {
        refuse(layer, advice(), "cgroup.procs of %.100s: %s", own_path, strerror(-r));
        return false;
    }
    while (*p) {
        long pid = strtol(p, &p, 10);

        if (pid != getpid()) { /* 0: of another pid namespace */
            refuse(layer, advice(),
                    "process %ld is in %.100s too, and we move no process but our own", pid,
                    own_path);
            return false;
        }
        p += *p == '\n';
    }
    return true;
}

static int move_down(int fd)
{
    int r;

    (void)apply_cgroup_remove_runs(fd); /* what a crash has left */
    (void)unlinkat(fd, APPLY_CGROUP_SERVER, AT_REMOVEDIR);
    r = mkdirat(fd, APPLY_CGROUP_SERVER, 0755) < 0 ? -errno : 0;
    if (r == 0) {
        r = cgroup_file_write(fd, APPLY_CGROUP_SERVER "/cgroup.procs", "0");
    }
    return r < 0 ? r : cgroup_file_write(fd, "cgroup.subtree_control", "+memory +pids");
}

/* A child that is made as a keeper will be: is it in? */
static int try_run(const struct sandbox_plan *plan)
{
    SandboxRun *run = NULL;
    char text[64] = "";
    pid_t pid;
    int r = sandbox_run_new(&run, plan, 0);

    if (r < 0 || !run) {
        return r;
    }
    pid = apply_cgroup_fork(0, run->fd);
    if (pid == 0) {
        while (apply_cgroup_entered() == 0) {
            (void)pause();
        }
        _exit(1);
    }
    r = pid < 0 ? -errno : cgroup_file_read(run->fd, "cgroup.procs", text, sizeof(text));
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    (void)sandbox_run_free(run);
    return r < 0 ? r : strtol(text, NULL, 10) == pid ? 0 : -ESRCH;
}

bool cgroup_open(SandboxLayer *layer, const struct sandbox_plan *plan)
{
    _cleanup_(close_p) int fd = -1;
    int r = find_own();

    if (r < 0) {
        refuse(layer, "boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1), or mount it",
                "no cgroup v2 file system is mounted");
        return false;
    }
    fd = open(own_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        refuse(layer, advice(), "can't open %.100s: %s", own_path, strerror(errno));
        return false;
    }
    if (!is_ours_to_use(fd, layer) || !is_ours_alone(fd, layer)) {
        return false;
    }
    r = move_down(fd);
    if (r == 0) {
        own = fd;
        r = try_run(plan);
    }
    if (r < 0) {
        own = -1;
        apply_cgroup_clean(fd);
        forget_ending();
        refuse(layer, advice(), "can't use %.100s: %s", own_path, strerror(-r));
        return false;
    }
    own = take_fd(&fd);
    return true;
}

void cgroup_close(void)
{
    if (own >= 0) {
        apply_cgroup_clean(own);
        forget_ending();
        close_p(&own);
    }
}

int sandbox_cgroup_fd(void)
{
    return own;
}
