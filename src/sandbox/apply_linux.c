/* Theory of operation: finding what a run has started
 *
 * The keeper is a child subreaper (prctl(2)): whatever the program starts stays below it, however
 * often it forks away from its parent or makes sessions. The descendants are read from /proc, since
 * /proc/PID/task/TID/children is not in every kernel: one pass collects (pid, parent) pairs, then
 * the set "keeper, its children, their children" is closed over the pairs. Parents mostly have
 * smaller numbers and /proc is in ascending order, so that takes two rounds or three.
 *
 * Killing races against forking. kill(2) on a process group is atomic against fork (a fork with a
 * signal pending is undone), so each group met is killed whole; whole sets are killed in each pass,
 * and a killed process forks no more. All groups met belong to the run: sessions and groups can't
 * be entered from outside.
 *
 * Where the keeper may signal its run and nobody else, kill(-1) does all of that in one call,
 * atomic against fork: as process 1 of a pid namespace, or in a Landlock signal scope (ABI 6) that
 * it enters before the worker exists. The worker then enters one of its own within it, so that the
 * keeper reaches the run and the run does not reach the keeper. */

#include "sandbox/apply_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply_cgroup.h"
#include "sandbox/apply_dir.h"
#include "sandbox/apply_landlock.h"
#include "sandbox/apply_namespaces.h"
#include "sandbox/apply_net.h"
#include "sandbox/apply_seccomp.h"
#include "sandbox/apply_shm.h"

enum {
    PID_LIMIT = 4 * 1024 * 1024, /* proc(5), pid_max: never more */
    STAT_MAX = 1024,
    CLOSE_MAX = 65536,
    PROCESSES_MAX = 256 * 1024, /* looked at in one pass; more are met in the next */
};

struct process {
    int32_t pid;
    int32_t parent;
    int32_t group;
    char state;
    bool ours;
    uint64_t own_ticks;    /* utime + stime */
    uint64_t waited_ticks; /* cutime + cstime */
};

/* Only touched pages of it are memory. */
struct process_table {
    uint32_t n;
    uint8_t member[PID_LIMIT / 8]; /* bit set by pid */
    struct process processes[PROCESSES_MAX];
};

static struct process_table *table;

/* kill(-1) reaches this run and nobody else. */
static bool alone_with_run;

int apply_template(const struct sandbox_plan *plan, enum sandbox_stage *ret_stage)
{
    if (plan->layers & SANDBOX_NAMESPACES) {
        return apply_root(plan, ret_stage);
    }
    apply_shm_open();
    /* Nobody of this user looks into it. With namespaces it has to stay dumpable, since its
     * children write their uid_map, and there nobody sees it. */
    *ret_stage = SANDBOX_STAGE_CAPABILITIES;
    return plan->layers && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

void apply_platform_die_with_parent(bool yes)
{
    (void)prctl(PR_SET_PDEATHSIG, yes ? SIGKILL : 0, 0, 0, 0);
}

int apply_platform_writable(const struct sandbox_plan *plan)
{
    return plan->layers & SANDBOX_NAMESPACES ? apply_writable(plan) : 0;
}

int apply_platform_writable_end(const struct sandbox_plan *plan)
{
    return plan->layers & SANDBOX_NAMESPACES ? apply_writable_end() : 0;
}

void apply_template_end(int cgroup)
{
    if (cgroup >= 0) {
        apply_cgroup_clean(cgroup);
    }
}

pid_t apply_fork(struct apply_spawn *spawn)
{
    const struct sandbox_plan *plan = spawn->plan;
    const struct wire_spawn *m = &spawn->message;
    int cgroup = spawn->fds[WIRE_SPAWN_FD_CGROUP];
    uint64_t flags = 0;

    if (plan->layers & SANDBOX_NAMESPACES) {
        /* Where it can't be had, the run makes its own. */
        spawn->has_net = m->flags & WIRE_SPAWN_NET &&
                         apply_net_enter(m->net, m->flags & WIRE_SPAWN_NET_NEW) == 0;
        flags = apply_namespace_flags(plan, spawn->has_net);
    }
    if (cgroup >= 0) {
        return apply_cgroup_fork(flags, cgroup);
    }
    return flags ? apply_fork_namespaces(flags) : fork();
}

int apply_platform_lock_in(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage)
{
    int r = apply_cgroup_entered();

    if (r < 0) {
        *ret_stage = SANDBOX_STAGE_CGROUP;
        return r;
    }
    if (spawn->plan->layers & SANDBOX_NAMESPACES) {
        r = apply_enter(spawn->plan, spawn->message.host_uid, spawn->has_net, ret_stage);
        if (r < 0) {
            return r;
        }
        alone_with_run = getpid() == 1;
    } else {
        apply_shm_enter();
    }
    *ret_stage = SANDBOX_STAGE_CAPABILITIES;
    r = apply_drop_capabilities();
    if (r == 0 && !alone_with_run && spawn->plan->layers & SANDBOX_LANDLOCK &&
            spawn->plan->landlock_abi >= 6) {
        *ret_stage = SANDBOX_STAGE_LANDLOCK;
        r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : apply_landlock_scope();
        alone_with_run = r == 0 && kill(getppid(), 0) < 0 && errno == EPERM; /* by trying */
    }
    /* Last, since a process that is not dumpable can't write its uid_map; but before the worker
     * exists: there is no moment in which a program could attach to its keeper (ptrace(2)). */
    return r < 0 ? r : prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

int apply_platform_filter(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage)
{
    const struct sandbox_plan *plan = spawn->plan;
    int r = 0;

    if (plan->layers & SANDBOX_LANDLOCK) {
        *ret_stage = SANDBOX_STAGE_LANDLOCK;
        r = apply_landlock(plan, plan->layers & SANDBOX_NAMESPACES ? "" : spawn->message.run_dir);
    }
    if (r == 0 && plan->layers & SANDBOX_SECCOMP) {
        *ret_stage = SANDBOX_STAGE_SECCOMP;
        r = apply_seccomp(plan);
    }
    return r;
}

int apply_platform_become_keeper(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
}

void apply_platform_name_keeper(void)
{
    (void)prctl(PR_SET_NAME, "runner-keeper", 0, 0, 0);
}

int apply_platform_bind_to(pid_t keeper)
{
    /* Dumpable as any program: otherwise its own /proc/self would be root's. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0) {
        return -errno;
    }
    /* Without this a program could start what the keeper may not kill. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return -errno;
    }
    return getppid() == keeper ? 0 : -ESRCH; /* it may have died before the prctl */
}

_Static_assert(sizeof(cpu_set_t) == WIRE_PROCESSORS_SIZE, "");
static cpu_set_t processors; /* to be set */

/* The kernel remembers what was set (sched_setaffinity(2)), and a cpuset that becomes larger does
 * not widen it. Where there is no other restriction than a cpuset, all are set. */
bool apply_platform_may_be_bound(uint8_t ret_processors[WIRE_PROCESSORS_SIZE])
{
    cpu_set_t own, widest;

    if (sched_getaffinity(0, sizeof(own), &own) < 0) {
        return false; /* more processors than fit */
    }
    memset(&processors, 0xff, sizeof(processors));
    if (sched_setaffinity(0, sizeof(processors), &processors) < 0 ||
            sched_getaffinity(0, sizeof(widest), &widest) < 0) {
        return false;
    }
    if (!CPU_EQUAL(&own, &widest)) {
        processors = own;
        apply_platform_unbind();
    }
    memcpy(ret_processors, &own, sizeof(own));
    return true;
}

void apply_platform_unbind(void)
{
    (void)sched_setaffinity(0, sizeof(processors), &processors);
}

void apply_platform_begin(void)
{
    apply_shm_begin();
}

bool apply_platform_net_is_clean(const struct apply_spawn *spawn)
{
    return spawn->has_net && apply_net_is_clean(spawn->message.net);
}

void apply_platform_clean_up(void)
{
    apply_shm_empty();
}

static int parse_pid(const char *name)
{
    int pid = 0;

    for (; *name; name++) {
        if (*name < '0' || *name > '9' || pid >= PID_LIMIT / 10 + 1) {
            return -1;
        }
        pid = pid * 10 + (*name - '0');
    }
    return pid < PID_LIMIT ? pid : -1;
}

/* Before Linux 5.9 there is no close_range(2). False: /proc is missing or not readable. */
static bool close_listed(int lowest)
{
    struct apply_dir dir;
    struct apply_dir_entry entry;
    int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r;

    if (fd < 0) {
        return false;
    }
    r = apply_dir_open(&dir, fd);
    while (r >= 0 && (r = apply_dir_next(&dir, &entry)) > 0) {
        int listed = parse_pid(entry.name);
        if (listed >= lowest && listed != fd) {
            (void)close(listed);
        }
    }
    (void)close(fd);
    return r == 0;
}

void apply_platform_close_from(int lowest)
{
    long n = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)lowest, ~0U, 0U) == 0) {
        return;
    }
#endif
    if (!close_listed(lowest)) {
        for (int fd = lowest; fd < (n > 0 ? MIN(n, CLOSE_MAX) : CLOSE_MAX); fd++) {
            (void)close(fd);
        }
    }
}

/* Reads the number that starts after blanks at *p, and moves *p behind it. */
static uint64_t next_number(const char **p)
{
    uint64_t value = 0;

    while (**p == ' ') {
        (*p)++;
    }
    if (**p == '-') {
        (*p)++;
    }
    while (**p >= '0' && **p <= '9') {
        value = value * 10 + (uint64_t)(*(*p)++ - '0');
    }
    return value;
}

/* proc(5), /proc/PID/stat; the name in brackets may itself hold brackets. */
static bool parse_stat(const char *text, struct process *ret)
{
    const char *p = strrchr(text, ')');

    if (!p || p[1] != ' ') {
        return false;
    }
    p += 2;
    ret->state = *p++;
    ret->parent = (int32_t)next_number(&p);
    ret->group = (int32_t)next_number(&p);
    for (int field = 6; field <= 13; field++) { /* session ... cmajflt */
        (void)next_number(&p);
    }
    ret->own_ticks = next_number(&p);
    ret->own_ticks += next_number(&p);
    ret->waited_ticks = next_number(&p);
    ret->waited_ticks += next_number(&p);
    return true;
}

static bool read_process(int proc, int pid, const char *name, struct process *ret)
{
    char path[32], text[STAT_MAX];
    size_t length = strlen(name);
    ssize_t n;
    int fd;

    memcpy(path, name, length);
    memcpy(path + length, "/stat", sizeof("/stat"));
    fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    ret->pid = pid;
    ret->ours = false;
    return parse_stat(text, ret);
}

static bool is_member(int32_t pid)
{
    return pid > 0 && pid < PID_LIMIT && (table->member[pid / 8] & (1U << (pid % 8))) != 0;
}

static void collect(int proc)
{
    struct apply_dir dir;
    struct apply_dir_entry entry;

    table->n = 0;
    if (apply_dir_open(&dir, proc) < 0) {
        return;
    }
    while (table->n < PROCESSES_MAX && apply_dir_next(&dir, &entry) > 0) {
        int pid = parse_pid(entry.name);
        if (pid > 0 && read_process(proc, pid, entry.name, &table->processes[table->n])) {
            table->n++;
        }
    }
}

/* Marks the keeper's descendants. */
static void mark(pid_t keeper)
{
    bool changed = true;

    table->member[keeper / 8] |= (uint8_t)(1U << (keeper % 8));
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < table->n; i++) {
            struct process *p = &table->processes[i];
            if (!p->ours && is_member(p->parent)) {
                p->ours = true;
                table->member[p->pid / 8] |= (uint8_t)(1U << (p->pid % 8));
                changed = true;
            }
        }
    }
    table->member[keeper / 8] &= (uint8_t) ~(1U << (keeper % 8));
    for (uint32_t i = 0; i < table->n; i++) {
        const struct process *p = &table->processes[i];
        table->member[p->pid / 8] &= (uint8_t) ~(1U << (p->pid % 8));
    }
}

/* Fills the table with all processes, the run's marked. */
static bool find_descendants(void)
{
    int proc;

    if (!table) {
        void *p = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            return false;
        }
        table = p;
    }
    proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) {
        return false;
    }
    collect(proc);
    (void)close(proc);
    mark(getpid());
    return true;
}

static uint64_t ticks_us(uint64_t ticks)
{
    return ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* /proc counts in ticks of 10 ms; the process's own clock is exact, while it lives. */
static uint64_t process_cpu_us(int32_t pid, char state, uint64_t own_ticks)
{
    clockid_t clock;
    struct timespec t;

    if (state != 'Z' && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0) {
        return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
    }
    return ticks_us(own_ticks);
}

uint64_t apply_platform_live_cpu_us(pid_t worker)
{
    uint64_t sum = 0;

    if (!find_descendants()) {
        return process_cpu_us(worker, 'R', 0);
    }
    for (uint32_t i = 0; i < table->n; i++) {
        const struct process *p = &table->processes[i];
        if (p->ours) {
            sum += process_cpu_us(p->pid, p->state, p->own_ticks) + ticks_us(p->waited_ticks);
        }
    }
    return sum;
}

bool apply_platform_kill_rest(void)
{
    int32_t keeper_group = getpgrp(), group = 0;

    if (alone_with_run) {
        (void)kill(-1, SIGKILL);
        return true;
    }
    if (!find_descendants()) {
        return false;
    }
    for (uint32_t i = 0; i < table->n; i++) {
        const struct process *p = &table->processes[i];
        if (!p->ours) {
            continue;
        }
        if (p->group > 1 && p->group != keeper_group && p->group != group) {
            group = p->group;
            (void)kill(-group, SIGKILL);
        }
        (void)kill(p->pid, SIGKILL);
    }
    return true;
}

int apply_platform_open_cpu(const struct apply_spawn *spawn)
{
    int cgroup = spawn->fds[WIRE_SPAWN_FD_CGROUP];

    return cgroup < 0 ? -1 : apply_cgroup_open_cpu(cgroup);
}

uint64_t apply_platform_sum_cpu_us(int cpu)
{
    return apply_cgroup_cpu_us(cpu);
}

uint64_t apply_platform_max_rss_kb(long ru_maxrss)
{
    return (uint64_t)ru_maxrss;
}
