/* Theory of operation: the template
 *
 * Single-threaded, and it runs nothing but this loop: a fork of it is a complete interpreter with
 * no locks held. SIGINT stays blocked here, so that an interrupt meant for somebody else does not
 * become a KeyboardInterrupt in the next worker; the kernel reaps the keepers (SA_NOCLDWAIT), whose
 * end the supervisor learns from their control sockets. When the supervisor goes, the template ends
 * without finalisation: nothing is in it that anybody would miss. Where the runs' directories lie
 * on the host, it then removes the one above them if that is empty; else the last keeper does. */

#include "template/template.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct sandbox_plan plan;
static uint64_t mapped_at_hello;
static int cgroup = -1; /* that came with the plan */
static uint32_t plan_flags;

/* Address space in bytes; 0 where /proc is missing. */
static uint64_t mapped_bytes(void)
{
    char text[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t n = read(fd, text, sizeof(text) - 1);
        (void)n;
        (void)close(fd);
    }
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int set_error(int error)
{
    errno = -error;
    (void)PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

/* The interpreter's directories, those of its executable included: both the link's and its
 * target's. */
static void add_prefixes(struct wire_hello *m)
{
    static const char *const names[] = {"base_prefix", "prefix", "base_exec_prefix", "exec_prefix"};
    char target[PATH_MAX];
    uint32_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        PyObject *value = PySys_GetObject(names[i]); /* borrowed */
        PyObject *encoded = NULL;

        if (value && PyUnicode_FSConverter(value, &encoded)) {
            (void)snprintf(m->prefixes[n++], WIRE_PREFIX_SIZE, "%s", PyBytes_AsString(encoded));
            Py_DECREF(encoded);
        }
        PyErr_Clear();
    }
    if (strrchr(m->executable, '/')) {
        (void)snprintf(m->prefixes[n++], WIRE_PREFIX_SIZE, "%.*s",
                (int)(strrchr(m->executable, '/') - m->executable), m->executable);
    }
    if (realpath(m->executable, target)) {
        (void)snprintf(m->prefixes[n++], WIRE_PREFIX_SIZE, "%.*s",
                (int)(strrchr(target, '/') - target), target);
    }
}

static int send_hello(void)
{
    struct wire_hello m = {
            .h = {.type = WIRE_HELLO, .version = WIRE_VERSION}, .pid = (int32_t)getpid()};
    PyObject *executable = PySys_GetObject("executable"); /* borrowed */
    PyObject *hexversion = PySys_GetObject("hexversion"); /* borrowed */
    PyObject *encoded = NULL;
    const char *version = Py_GetVersion();
    int r;

    m.hexversion = hexversion ? (uint32_t)PyLong_AsUnsignedLong(hexversion) : 0;
    if (!executable || !PyUnicode_FSConverter(executable, &encoded)) {
        return -1;
    }
    (void)snprintf(m.executable, sizeof(m.executable), "%s", PyBytes_AsString(encoded));
    (void)snprintf(m.version, sizeof(m.version), "%.*s", (int)strcspn(version, " "), version);
    Py_DECREF(encoded);
    add_prefixes(&m);
    r = wire_send(WIRE_TEMPLATE_FD, &m, sizeof(m), NULL, 0);
    return r < 0 ? set_error(r) : 0;
}

static long receive(void *message, uint32_t size, int fds[WIRE_FDS_MAX], uint32_t *ret_n_fds)
{
    *ret_n_fds = 0;
    return wire_recv(WIRE_TEMPLATE_FD, message, size, fds, ret_n_fds, 1);
}

/* 1, 0 when the supervisor is gone, -1 with an error. The list of modules, where there is one,
 * comes first. */
static int receive_plan(struct wire_preload *ret_preload)
{
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds;
    long n = receive(ret_preload, sizeof(*ret_preload), fds, &n_fds);
    struct wire_plan m = {.h = {.type = 0}};
    ssize_t got;

    if (n == (long)sizeof(*ret_preload) && ret_preload->h.type == WIRE_PRELOAD && n_fds == 0) {
        ret_preload->run_dir[WIRE_PATH_MAX - 1] = '\0';
        ret_preload->modules[WIRE_MODULES_SIZE - 1] = '\0';
        n = receive(&m, sizeof(m), fds, &n_fds);
    } else {
        memcpy(&m, ret_preload, sizeof(m)); /* it was the plan already */
        ret_preload->modules[0] = '\0';
    }
    if (n <= 0) {
        return n < 0 ? set_error((int)n) : 0;
    }
    if (m.h.type != WIRE_PLAN || n_fds < 1 || n_fds > 2) {
        return set_error(-EPROTO);
    }
    got = pread(fds[0], &plan, sizeof(plan), 0);
    plan_flags = m.flags;
    (void)close(fds[0]);
    cgroup = n_fds == 2 ? fds[1] : -1;
    if (got != (ssize_t)sizeof(plan) || plan.version != SANDBOX_PLAN_VERSION ||
            plan.size != sizeof(plan)) {
        return set_error(-EPROTO);
    }
    return 1;
}

static int send_ready(uint64_t *ret_preload_bytes, enum sandbox_stage stage, int error)
{
    uint64_t mapped = mapped_bytes();
    struct wire_ready m = {.h = {.type = WIRE_READY, .version = WIRE_VERSION},
            .preload_bytes = mapped > mapped_at_hello ? mapped - mapped_at_hello : 0,
            .stage = (uint32_t)stage,
            .error = error};
    int r = wire_send(WIRE_TEMPLATE_FD, &m, sizeof(m), NULL, 0);

    *ret_preload_bytes = m.preload_bytes;
    return r < 0 ? set_error(r) : 0;
}

static void close_all(const int *fds, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        close_p((int[]){fds[i]});
    }
}

/* Forks a keeper, which forks the worker. In the worker it does not return. */
static int spawn(struct worker *w, const struct process_state *original)
{
    struct wire_spawned m = {
            .h = {.type = WIRE_SPAWNED, .version = WIRE_VERSION}, .run = w->spawn.message.run};
    pid_t pid;
    int error, r;

    PyOS_BeforeFork();
    pid = apply_fork(&w->spawn);
    error = errno;
    if (pid == 0) {
        apply_keeper(&w->spawn, &w->go_fd, &w->page);
        PyOS_AfterFork_Child();
        if (preload_after_fork(worker_will_wait(w)) < 0) {
            apply_fail(w->go_fd, SANDBOX_STAGE_PYTHON, EINVAL);
        }
        worker_run(w, original);
    }
    PyOS_AfterFork_Parent();
    close_all(w->spawn.fds, ARRAY_SIZE(w->spawn.fds));
    m.keeper_pid = pid > 0 ? (int32_t)pid : 0;
    m.error = pid > 0 ? 0 : error;
    r = wire_send(WIRE_TEMPLATE_FD, &m, sizeof(m), NULL, 0);
    return r == -EPIPE || r == -ECONNRESET ? 0 : r;
}

static int loop(uint64_t preload_bytes, const struct process_state *original)
{
    for (;;) {
        static struct worker w; /* not on the stack: the interpreter's own depth stays as it is */
        int fds[WIRE_FDS_MAX];
        uint32_t n_fds = 0;
        long n;
        int r;

        w = (struct worker){
                .spawn = {.plan = &plan, .preload_bytes = preload_bytes, .template_pid = getpid()},
                .rehearse = plan_flags & WIRE_PLAN_REHEARSE,
                .always_finalize = plan_flags & WIRE_PLAN_ALWAYS_FINALIZE};
        n = wire_recv(WIRE_TEMPLATE_FD, &w.spawn.message, sizeof(w.spawn.message), fds, &n_fds, 1);
        if (n == 0 || n == -ECONNRESET) {
            apply_template_end(cgroup);
            return 0;
        }
        if (n < 0) {
            return set_error((int)n);
        }
        if (n != (long)sizeof(w.spawn.message) || w.spawn.message.h.type != WIRE_SPAWN ||
                n_fds < WIRE_SPAWN_FD_CGROUP || n_fds > _WIRE_SPAWN_FD_N) {
            close_all(fds, n_fds);
            return set_error(-EPROTO);
        }
        w.spawn.message.run_dir[WIRE_PATH_MAX - 1] = '\0';
        for (uint32_t i = 0; i < _WIRE_SPAWN_FD_N; i++) {
            w.spawn.fds[i] = i < n_fds ? fds[i] : -1;
        }
        r = spawn(&w, original);
        if (r < 0) {
            return set_error(r);
        }
    }
}

static int set_up_process(struct process_state *ret_original)
{
    struct sigaction no_zombies = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigset_t blocked;

    (void)sigemptyset(&no_zombies.sa_mask);
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGINT);
    if (sigprocmask(SIG_BLOCK, &blocked, &ret_original->mask) < 0 ||
            sigaction(SIGCHLD, &no_zombies, &ret_original->child_action) < 0 ||
            fcntl(WIRE_TEMPLATE_FD, F_SETFD, FD_CLOEXEC) < 0) {
        return set_error(-errno);
    }
    return 0;
}

/* What lives moves into the oldest generation: the programs' collections leave it alone for long,
 * and with it the pages that all workers share. It is frozen (gc.freeze) only with a preload:
 * elsewhere a program and finalisation find every object where they look for it. */
static int settle(void)
{
    if (plan_flags & WIRE_PLAN_REHEARSE) {
        static struct worker nobody = {.path = "main.py"};

        if (rehearse(&nobody) < 0) {
            return -1;
        }
    }
    (void)PyGC_Collect();
    if (leftover_baseline() < 0) {
        return -1;
    }
    return preload_was_done() ? leftover_freeze() : 0;
}

/* Modules are imported in a process as the interpreter made it. */
static int preload(
        struct wire_preload *m, struct process_state *original, enum sandbox_stage *ret_stage)
{
    int r;

    if (!m->modules[0]) {
        return 0;
    }
    if (sigaction(SIGCHLD, &original->child_action, NULL) < 0 ||
            sigprocmask(SIG_SETMASK, &original->mask, NULL) < 0) {
        *ret_stage = SANDBOX_STAGE_SESSION;
        return -errno;
    }
    r = preload_run(&plan, m, ret_stage);
    if (r == 0 && set_up_process(original) < 0) {
        *ret_stage = SANDBOX_STAGE_SESSION;
        r = -EINVAL;
    }
    return r;
}

int serve(void)
{
    static struct wire_preload modules; /* not on the stack, like all that is large */
    struct process_state original;
    uint64_t preload_bytes = 0;
    int r;

    if (set_up_process(&original) < 0) {
        return -1;
    }
    mapped_at_hello = mapped_bytes();
    if (send_hello() < 0) {
        return -1;
    }
    r = receive_plan(&modules);
    if (r > 0) {
        enum sandbox_stage stage = SANDBOX_STAGE_NONE;

        r = apply_template(&plan, &stage);
        if (r == 0) {
            r = preload(&modules, &original, &stage);
        }
        if (r < 0) {
            (void)send_ready(&preload_bytes, stage, -r);
            _exit(1);
        }
        if (settle() < 0) {
            return -1;
        }
        if (send_ready(&preload_bytes, SANDBOX_STAGE_NONE, 0) < 0) {
            return -1;
        }
        r = loop(preload_bytes, &original);
    }
    if (r < 0) {
        return -1;
    }
    _exit(0);
}
