/* Theory of operation: the keeper
 *
 *   template ── fork ──> keeper ── fork ──> worker
 *
 * The keeper is a fork of the template that never runs Python. It holds one descriptor, the control
 * socket, and waits in pselect(2) for two things: a word (or the end) on that socket, and SIGCHLD,
 * which is blocked everywhere else, so that no wake-up is lost. All other signals are blocked
 * always.
 *
 * The worker's end: its status is looked at while it is still a zombie, since until then its number
 * and that of its process group can't belong to anybody else; the group is killed; then it is
 * reaped and reported. What left the group is swept afterwards, the run directory removed, and the
 * end of the control stream says that nothing of the run lives. A KILL, and the supervisor's death
 * (end of stream), only kill: the rest is the same.
 *
 * CPU time is counted for the run as a whole. It can't pass the limit sooner than the rest of it
 * divided by the processors, so the keeper sleeps that long, looks, and sleeps again: a handful of
 * wake-ups a run, and exact to about CPU_SLEEP_MIN_US per processor. Time of children whose parent
 * ignores SIGCHLD is lost when they end (the kernel adds it nowhere); RLIMIT_CPU still bounds each
 * of them, and the wall clock bounds all. */

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/apply_platform.h"
#include "sandbox/apply_preload.h"
#include "sandbox/apply_worker.h"

enum {
    CONTROL_FD = 0,
    CPU_FD = 1, /* where the run has a cgroup */
    CPU_SLEEP_MIN_US = 20000,
    CPU_SLEEP_MAX_US = 60 * 1000000,
    RLIMIT_PRECISION_US = 1000000,
    SWEEP_PAUSE_US = 5000,
};

struct keeper {
    const struct apply_spawn *spawn;
    const struct sandbox_plan *plan;
    const char *run_dir;
    int control; /* -1: the supervisor has spoken its last word */
    pid_t worker;
    bool cpu_exceeded;
    bool has_cpu_fd;
    uint64_t cpu_start_us; /* of the cgroup, before the worker */
    uint64_t cpu_us;       /* the most that was seen */
    uint64_t cpu_look_us;  /* when to look again, CLOCK_MONOTONIC */
    sigset_t waiting;      /* the mask inside pselect: SIGCHLD comes through */
};

static void on_child(int signal_number)
{
    (void)signal_number; /* only to end pselect */
}

static uint64_t now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void report(int control, const struct wire_exited *m)
{
    (void)wire_send(control, m, sizeof(*m), NULL, 0); /* nobody there: nobody to tell */
}

static NORETURN void fail(const struct apply_spawn *spawn, enum sandbox_stage stage, int error)
{
    const struct wire_exited m = {
            .h = {.type = WIRE_EXITED, .version = WIRE_VERSION},
            .wait_status = APPLY_EXIT_FAILED << 8,
            .stage = (uint32_t)stage,
            .error = error,
    };

    report(spawn->fds[WIRE_SPAWN_FD_CONTROL], &m);
    apply_remove_run_dir(spawn->plan, spawn->message.run_dir);
    _exit(1);
}

/* before the worker */

static int map_page(const struct apply_spawn *spawn, struct wire_page **ret_page)
{
    void *p = mmap(NULL, WIRE_PAGE_SIZE(spawn->plan->result_bytes_max), PROT_READ | PROT_WRITE,
            MAP_SHARED, spawn->fds[WIRE_SPAWN_FD_PAGE], 0);

    if (p == MAP_FAILED) {
        return -errno;
    }
    *ret_page = p;
    return 0;
}

/* SIGCHLD has to be caught before the first child: the template lets the kernel reap its own. No
 * other signal gets through, then or later: they stay blocked. */
static int catch_children(sigset_t *ret_waiting)
{
    struct sigaction a = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigemptyset(&a.sa_mask);
    (void)sigfillset(ret_waiting);
    (void)sigdelset(ret_waiting, SIGCHLD);
    if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 || sigaction(SIGCHLD, &a, NULL) < 0) {
        return -errno;
    }
    return 0;
}

/* Libraries notice a fork by their pid being another one (OpenSSL's and tempfile's generators,
 * numexpr's threads). In a pid namespace the worker is process 2, mostly, and a template in a
 * container may have been just that: then the number is left to a process that ends at once. */
static pid_t fork_worker(pid_t template)
{
    for (;;) {
        pid_t pid = fork();

        if (pid == 0 && getpid() == template) {
            _exit(0);
        }
        if (pid != template) {
            return pid;
        }
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* with the worker */

static void kill_worker(const struct keeper *k)
{
    (void)kill(-k->worker, SIGKILL);
    (void)kill(k->worker, SIGKILL); /* before its setsid it has no group of its own */
}

/* Until SIGCHLD, a word on the control socket, or the time. */
static bool wait_event(const struct keeper *k, uint64_t timeout_us)
{
    struct timespec t = {.tv_sec = (time_t)(timeout_us / 1000000),
            .tv_nsec = (long)(timeout_us % 1000000) * 1000};
    fd_set readable;
    int n;

    FD_ZERO(&readable);
    if (k->control >= 0) {
        FD_SET(k->control, &readable);
    }
    n = pselect(k->control + 1, &readable, NULL, NULL, &t, &k->waiting);
    return n > 0;
}

/* Everything the supervisor can say means: end it. */
static void read_control(struct keeper *k)
{
    struct wire_kill m;
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds = 0;
    long n = wire_recv(k->control, &m, sizeof(m), fds, &n_fds, 1);

    for (uint32_t i = 0; n > 0 && i < n_fds; i++) {
        (void)close(fds[i]);
    }
    k->control = -1;
    kill_worker(k);
    (void)apply_platform_kill_rest();
}

static uint64_t reaped_cpu_us(struct rusage *ret_usage)
{
    return getrusage(RUSAGE_CHILDREN, ret_usage) < 0 ? 0 : apply_rusage_us(ret_usage);
}

/* A cgroup knows better: it forgets nobody, and looks at no list of processes. */
static uint64_t used_cpu_us(const struct keeper *k)
{
    struct rusage usage;

    if (k->has_cpu_fd) {
        return apply_platform_sum_cpu_us(CPU_FD) - k->cpu_start_us;
    }
    return reaped_cpu_us(&usage) + apply_platform_live_cpu_us(k->worker);
}

static void look_at_cpu(struct keeper *k)
{
    uint64_t used = used_cpu_us(k);
    uint64_t sleep_us = CPU_SLEEP_MIN_US;

    k->cpu_us = MAX(k->cpu_us, used);
    if (used >= k->plan->cpu_us) {
        k->cpu_exceeded = true;
        kill_worker(k);
        (void)apply_platform_kill_rest();
        return;
    }
    sleep_us = MAX(sleep_us, (k->plan->cpu_us - used) / MAX(k->plan->n_cpus, 1U));
    k->cpu_look_us = now_us() + MIN(sleep_us, (uint64_t)CPU_SLEEP_MAX_US);
}

/* Reaps what has ended. True when the worker is among it: it is then still to be reaped. */
static bool reap_others(const struct keeper *k)
{
    siginfo_t info;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) {
            return false;
        }
        if (info.si_pid == k->worker) {
            return true;
        }
        (void)waitpid(info.si_pid, NULL, WNOHANG);
    }
}

static void wait_for_worker(struct keeper *k)
{
    while (!reap_others(k)) {
        uint64_t now = now_us();
        uint64_t left = SWEEP_PAUSE_US;

        if (!k->cpu_exceeded && k->control >= 0) {
            left = k->cpu_look_us > now ? k->cpu_look_us - now : 0;
        }
        if (left > 0 && wait_event(k, left)) {
            read_control(k);
        } else if (!k->cpu_exceeded && k->control >= 0 && now_us() >= k->cpu_look_us) {
            look_at_cpu(k);
        }
    }
}

/* RLIMIT_CPU may be quicker than the keeper on a busy machine. A program may also send itself these
 * signals, long before. */
static bool ended_by_rlimit(const struct keeper *k, int status, uint64_t used_us)
{
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (signal_number == SIGXCPU) {
        return used_us + RLIMIT_PRECISION_US >= k->plan->cpu_us;
    }
    return signal_number == SIGKILL && k->control >= 0 && used_us >= k->plan->cpu_us;
}

/* The worker is a zombie: reaps it and says so. */
static void report_worker(struct keeper *k)
{
    struct wire_exited m = {.h = {.type = WIRE_EXITED, .version = WIRE_VERSION}};
    struct rusage usage = {.ru_maxrss = 0};
    uint64_t worker_us;
    int status = 0;

    (void)kill(-k->worker, SIGKILL);
    while (waitpid(k->worker, &status, 0) < 0 && errno == EINTR) {
    }
    worker_us = reaped_cpu_us(&usage);
    worker_us = k->has_cpu_fd ? used_cpu_us(k) : worker_us;
    m.cpu_us = MAX(k->cpu_us, worker_us);
    m.max_rss_kb = apply_platform_max_rss_kb(usage.ru_maxrss);
    m.wait_status = status;
    if (k->cpu_exceeded || ended_by_rlimit(k, status, worker_us)) {
        m.flags |= WIRE_EXITED_CPU_LIMIT;
    }
    report(CONTROL_FD, &m);
}

/* Until no descendant is left. Those in uninterruptible sleep are waited for; those that can't be
 * found (no /proc) are left to the supervisor. */
static void sweep(struct keeper *k)
{
    k->control = -1;
    for (;;) {
        pid_t pid;

        do {
            pid = waitpid(-1, NULL, WNOHANG);
        } while (pid > 0);
        if (pid < 0 && errno == ECHILD) {
            return;
        }
        if (!apply_platform_kill_rest()) {
            return;
        }
        (void)wait_event(k, SWEEP_PAUSE_US);
    }
}

static NORETURN void keep(struct keeper *k)
{
    k->cpu_look_us = now_us() + k->plan->cpu_us / MAX(k->plan->n_cpus, 1U);
    wait_for_worker(k);
    report_worker(k);
    sweep(k);
    apply_remove_run_dir(k->plan, k->run_dir);
    if (apply_platform_net_is_clean(k->spawn)) {
        const struct wire_swept m = {
                .h = {.type = WIRE_SWEPT, .version = WIRE_VERSION}, .flags = WIRE_SWEPT_NET_CLEAN};
        (void)wire_send(CONTROL_FD, &m, sizeof(m), NULL, 0);
    }
    apply_platform_clean_up();
    _exit(0);
}

/* The control socket moves to CONTROL_FD: below FD_SETSIZE, and easily told from the rest. */
static int keep_control_only(struct keeper *k, const struct apply_spawn *spawn, int cpu)
{
    int kept = CONTROL_FD;

    if (dup2(spawn->fds[WIRE_SPAWN_FD_CONTROL], CONTROL_FD) < 0) {
        return -errno;
    }
    (void)fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC);
    if (cpu >= 0 && dup2(cpu, CPU_FD) == CPU_FD) {
        (void)fcntl(CPU_FD, F_SETFD, FD_CLOEXEC);
        k->has_cpu_fd = true;
        kept = CPU_FD;
    }
    apply_platform_close_from(kept + 1);
    return 0;
}

void apply_keeper(const struct apply_spawn *spawn, int *ret_go_fd, struct wire_page **ret_page)
{
    struct keeper k = {.spawn = spawn,
            .plan = spawn->plan,
            .run_dir = spawn->message.run_dir,
            .control = CONTROL_FD};
    enum sandbox_stage stage = SANDBOX_STAGE_NONE;
    struct wire_page *page = NULL;
    pid_t keeper = getpid();
    int cpu;
    int r = setsid() < 0 ? -errno : apply_platform_become_keeper();

    if (r == 0) {
        r = catch_children(&k.waiting);
    }
    if (r < 0) {
        fail(spawn, SANDBOX_STAGE_SESSION, -r);
    }
    r = apply_platform_lock_in(spawn, &stage);
    if (r < 0) {
        fail(spawn, stage, -r);
    }
    r = apply_make_run_dir(k.plan, k.run_dir);
    if (r < 0) {
        fail(spawn, SANDBOX_STAGE_RUN_DIR, -r);
    }
    r = map_page(spawn, &page);
    if (r < 0) {
        fail(spawn, SANDBOX_STAGE_PAGE, -r);
    }
    cpu = apply_platform_open_cpu(spawn);
    k.cpu_start_us = cpu < 0 ? 0 : apply_platform_sum_cpu_us(cpu);
    k.worker = fork_worker(spawn->template_pid);
    if (k.worker < 0) {
        fail(spawn, SANDBOX_STAGE_FORK, errno);
    }
    if (k.worker == 0) {
        *ret_go_fd = apply_worker(spawn, keeper);
        *ret_page = page;
        return;
    }
    apply_platform_name_keeper();
    (void)munmap(page, WIRE_PAGE_SIZE(spawn->plan->result_bytes_max));
    if (chdir("/") < 0 || keep_control_only(&k, spawn, cpu) < 0) {
        kill_worker(&k);
    }
    keep(&k);
}
