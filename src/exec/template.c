/* Theory of operation
 *
 * The template is `PYTHON -I -S main.py` (without -S where programs see site-packages), started in
 * the directory that holds our main.py and the extension module: what a program later sees as its
 * own command line is then true without any disguise. It gets an environment of its own
 * (exec/environment.c), /dev/null, and one pipe for stdout and stderr together: pipes, because the
 * interpreter looks at its streams' kind when it starts, and a program's streams are pipes.
 *
 * What it writes before its hello is a sentence for people: the interpreter refuses itself by name
 * there, a shim says that it can't find anything, the loader that a library is missing. The last
 * line of it becomes the reason of on_ended; the first, where the exit status is the shell's for a
 * command that was not found: advice follows it.
 *
 * RUNNER_PYTHON may be a script that finds the real interpreter, slowly, and leaves its own
 * variables in the environment. What says hello is then another executable than was started: it is
 * ended, and from there on that executable is started directly, with a clean environment. */

#include "exec/template.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/macro.h"
#include "exec/environment.h"
#include "exec/job.h"
#include "exec/watch.h"
#include "sandbox/sandbox.h"

enum { LINE_MAX_BYTES = 400 };

enum net_state { NET_NONE, NET_CLEAN, NET_TAKEN };

struct Template {
    uv_loop_t *loop;
    const Settings *settings;
    const struct sandbox_plan *plan;
    Preload *preload;
    TemplateHandlers handlers;
    void *userdata;
    TemplateState state;
    pid_t pid;
    bool reaped;
    int wait_status;
    Watch *socket;
    Watch *text; /* its stdout and stderr */
    Timer *hello_timer;
    bool hello_late;
    int plan_error;              /* errno */
    uint64_t life;               /* counts its processes */
    uint8_t nets[WIRE_NETS_MAX]; /* enum net_state */
    PreloadModule *importing;    /* between its hello and READY */
    char preload_dir[WIRE_PATH_MAX];
    char line[LINE_MAX_BYTES]; /* the newest line it wrote, complete or not */
    size_t n_line;
    bool line_ended;
    char first[LINE_MAX_BYTES]; /* the first line it wrote; "" when there was one at most */
    char executable[sizeof(((struct wire_hello *)NULL)->executable)];
    char version[sizeof(((struct wire_hello *)NULL)->version)];
    RunnerInfo info;
};

static void on_hello_timeout(void *userdata);
static void on_socket(void *userdata);
static void on_text(void *userdata);

int template_new(Template **ret, uv_loop_t *loop, const Settings *settings,
        const struct sandbox_plan *plan, Preload *preload, const TemplateHandlers *handlers,
        void *userdata)
{
    Template *t = calloc(1, sizeof(*t));
    int r;

    if (!t) {
        return -ENOMEM;
    }
    t->loop = loop;
    t->settings = settings;
    t->plan = plan;
    t->preload = preload;
    t->handlers = *handlers;
    t->userdata = userdata;
    t->info = (RunnerInfo){.executable = t->executable, .version = t->version};
    r = timer_new(&t->hello_timer, loop, on_hello_timeout, t);
    if (r < 0) {
        free(t);
        return r;
    }
    *ret = t;
    return 0;
}

int template_new_like(Template **ret, const Template *t)
{
    Template *new;
    int r = template_new(
            &new, t->loop, t->settings, t->plan, t->preload, &t->handlers, t->userdata);

    if (r < 0) {
        return r;
    }
    memcpy(new->executable, t->executable, sizeof(new->executable));
    memcpy(new->version, t->version, sizeof(new->version));
    *ret = new;
    return 0;
}

TemplateState template_state(const Template *t)
{
    return t->state;
}

pid_t template_pid(const Template *t)
{
    return t->pid;
}

const RunnerInfo *template_info(const Template *t)
{
    return &t->info;
}

/* In the forked child: becomes the interpreter, or says why not where the supervisor reads it. */
NORETURN static void exec_template(
        const Template *t, const char *python, char *const env[], int socket, int text)
{
    const char *directory = t->settings->template_dir;
    uint32_t stage;
    bool site = t->settings->site_packages;
    char *argv[] = {(char *)python, (char *)"-I", (char *)(site ? "main.py" : "-S"),
            (char *)(site ? NULL : "main.py"), NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;
    int r;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < NSIG; s++) {
        (void)signal(s, SIG_DFL); /* ignored signals survive exec, signal(7) */
    }
    (void)umask(022); /* a parent's stricter one would keep runs from their own directories */
    (void)setsid();   /* out of reach of the terminal's signals */
    /* Above the targets first, so that no dup2() closes what a later one needs. */
    socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    text = fcntl(text, F_DUPFD_CLOEXEC, 10);
    if (socket < 0 || text < 0 || dup2(text, STDERR_FILENO) < 0 || dup2(text, STDOUT_FILENO) < 0 ||
            dup2(null, STDIN_FILENO) < 0 || dup2(socket, WIRE_TEMPLATE_FD) < 0) {
        _exit(127);
    }
    if (chdir(directory) < 0) {
        (void)dprintf(STDERR_FILENO, "cannot enter %s: %s\n", directory, strerror(errno));
        _exit(127);
    }
    r = sandbox_before_interpreter(t->plan, python, &stage);
    if (r < 0) {
        (void)dprintf(STDERR_FILENO, "%s: %s\n", sandbox_stage_name(stage), strerror(-r));
        _exit(127);
    }
    (void)execve(python, argv, env);
    (void)dprintf(STDERR_FILENO, "cannot execute it: %s\n", strerror(errno));
    _exit(127);
}

static int fork_template(Template *t, int socket, int text)
{
    const char *python = t->executable[0] ? t->executable : t->settings->python;
    char **env = environment_new();
    pid_t pid;

    if (!env) {
        return -ENOMEM;
    }
    pid = fork();
    if (pid == 0) {
        exec_template(t, python, env, socket, text);
    }
    environment_free(env);
    if (pid < 0) {
        return -errno;
    }
    t->pid = pid;
    t->reaped = false;
    return 0;
}

static int open_channels(Template *t, int *ret_socket, int *ret_text)
{
    _cleanup_(close_p) int ours = -1, theirs = -1, text_read = -1, text_write = -1;
    int r;

    r = fd_socketpair_seqpacket(&ours, &theirs);
    if (r < 0) {
        return r;
    }
    r = fd_pipe(&text_read, &text_write);
    if (r < 0) {
        return r;
    }
    r = watch_new(&t->socket, t->loop, ours, on_socket, t);
    if (r < 0) {
        return r;
    }
    (void)take_fd(&ours);
    r = watch_new(&t->text, t->loop, text_read, on_text, t);
    if (r < 0) {
        t->socket = watch_free(t->socket);
        return r;
    }
    (void)take_fd(&text_read);
    *ret_socket = take_fd(&theirs);
    *ret_text = take_fd(&text_write);
    return 0;
}

int template_start(Template *t)
{
    _cleanup_(close_p) int socket = -1, text = -1;
    int r;

    if (t->state != TEMPLATE_DOWN) {
        return -EALREADY;
    }
    r = open_channels(t, &socket, &text);
    if (r < 0) {
        return r;
    }
    r = fork_template(t, socket, text);
    if (r < 0) {
        t->socket = watch_free(t->socket);
        t->text = watch_free(t->text);
        return r;
    }
    t->state = TEMPLATE_STARTING;
    t->life++;
    memset(t->nets, NET_NONE, sizeof(t->nets));
    t->importing = NULL;
    t->n_line = 0;
    t->first[0] = '\0';
    t->hello_late = false;
    t->plan_error = 0;
    timer_start(t->hello_timer, TEMPLATE_HELLO_TIMEOUT_MS);
    log_debug(NULL, "template %d started", (int)t->pid);
    return 0;
}

static TemplateNet take_net(Template *t)
{
    const uint8_t *clean = memchr(t->nets, NET_CLEAN, sizeof(t->nets));
    const uint8_t *found = clean ? clean : memchr(t->nets, NET_NONE, sizeof(t->nets));
    TemplateNet net = {.life = t->life};

    if (found && t->plan->layers & SANDBOX_NAMESPACES) {
        net.number = (uint32_t)(found - t->nets);
        net.flags = WIRE_SPAWN_NET | (clean ? 0 : WIRE_SPAWN_NET_NEW);
        t->nets[net.number] = NET_TAKEN;
    }
    return net;
}

void template_free_net(Template *t, const TemplateNet *net, bool clean)
{
    if (net->flags && net->life == t->life) {
        t->nets[net->number] = clean ? NET_CLEAN : NET_NONE;
    }
}

int template_spawn(Template *t, uint64_t run, uint32_t host_uid, const char *run_dir,
        const int fds[_WIRE_SPAWN_FD_N], TemplateNet *ret_net)
{
    struct wire_spawn m = {.h = {WIRE_SPAWN, WIRE_VERSION}, .run = run, .host_uid = host_uid};

    if (t->state != TEMPLATE_READY) {
        return -ENOTCONN;
    }
    if (strlen(run_dir) >= sizeof(m.run_dir)) {
        return -ENAMETOOLONG;
    }
    memcpy(m.run_dir, run_dir, strlen(run_dir) + 1);
    *ret_net = take_net(t);
    m.flags = ret_net->flags;
    m.net = ret_net->number;
    return wire_send(watch_fd(t->socket), &m, sizeof(m), fds,
            fds[WIRE_SPAWN_FD_CGROUP] < 0 ? WIRE_SPAWN_FD_CGROUP : _WIRE_SPAWN_FD_N);
}

static void take_text(Template *t, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n') {
            t->line_ended = true;
            continue;
        }
        if (t->line_ended) {
            if (t->first[0] == '\0') {
                memcpy(t->first, t->line, t->n_line);
                t->first[t->n_line] = '\0';
            }
            t->n_line = 0;
            t->line_ended = false;
        }
        if (t->n_line + 1 < sizeof(t->line)) {
            t->line[t->n_line++] = text[i];
        }
    }
}

static void read_text(Template *t)
{
    enum { CHUNKS_MAX = 16 }; /* then others have their turn, however much it writes */
    char chunk[4096];
    ssize_t n = -1;

    for (int i = 0; i < CHUNKS_MAX; i++) {
        n = read(watch_fd(t->text), chunk, sizeof(chunk));
        if (n <= 0) {
            break;
        }
        take_text(t, chunk, (size_t)n);
    }
    t->line[t->n_line] = '\0';
    if (n == 0) {
        watch_pause(t->text, true); /* its end is seen on the socket */
    }
}

static void on_text(void *userdata)
{
    read_text(userdata);
}

static void describe_end(const Template *t, char *ret, size_t size)
{
    enum { COMMAND_NOT_FOUND = 127 }; /* sh(1), "Exit Status for Commands" */
    const char *said = t->n_line ? t->line : "";
    char how[64];

    if (t->plan_error) {
        (void)snprintf(how, sizeof(how), "can't be sent its plan: %s", strerror(t->plan_error));
    } else if (t->hello_late) {
        (void)snprintf(how, sizeof(how), "gave no sign within %d s",
                (t->importing ? TEMPLATE_IMPORT_TIMEOUT_MS : TEMPLATE_HELLO_TIMEOUT_MS) / 1000);
    } else if (!t->reaped) {
        (void)snprintf(how, sizeof(how), "ended");
    } else if (WIFSIGNALED(t->wait_status)) {
        (void)snprintf(how, sizeof(how), "was killed by %s", signal_name(WTERMSIG(t->wait_status)));
    } else {
        (void)snprintf(how, sizeof(how), "ended with exit code %d", WEXITSTATUS(t->wait_status));
        if (WEXITSTATUS(t->wait_status) == COMMAND_NOT_FOUND && t->first[0]) {
            said = t->first;
        }
    }
    (void)snprintf(ret, size, "%s%s%s", how, said[0] ? ": " : "", said);
}

/* With a private root the directories of a run have their own names in each. */
static int send_preload(Template *t)
{
    static struct wire_preload m; /* large */
    int r;

    if (!preload_message(t->preload, &m)) {
        return 0;
    }
    r = slot_run_dir(t->plan, t->settings, m.run_dir);
    if (r < 0) {
        return r;
    }
    memcpy(t->preload_dir, m.run_dir, sizeof(t->preload_dir));
    timer_start(t->hello_timer, TEMPLATE_IMPORT_TIMEOUT_MS);
    return wire_send(watch_fd(t->socket), &m, sizeof(m), NULL, 0);
}

static int send_plan(Template *t)
{
    struct wire_plan m = {.h = {WIRE_PLAN, WIRE_VERSION}};
    const char *finalize = getenv("RUNNER_TEST_FINALIZE"); /* a test variable: leaves nothing out */
    _cleanup_(close_p) int fd = -1;
    int fds[2];
    int r;

    r = fd_from_bytes(t->plan, sizeof(*t->plan), &fd);
    if (r < 0) {
        return r;
    }
    m.flags |= t->settings->warm_workers > 0 ? WIRE_PLAN_REHEARSE : 0;
    m.flags |= finalize && strcmp(finalize, "always") == 0 ? WIRE_PLAN_ALWAYS_FINALIZE : 0;
    fds[0] = fd;
    fds[1] = sandbox_cgroup_fd();
    return wire_send(watch_fd(t->socket), &m, sizeof(m), fds, fds[1] < 0 ? 1 : 2);
}

/* That of a template which ended while it imported. */
static void remove_preload_dir(Template *t)
{
    if (t->preload_dir[0] && !(t->plan->layers & SANDBOX_NAMESPACES)) {
        sandbox_remove_run_dir(t->preload_dir);
    }
    t->preload_dir[0] = '\0';
}

/* Ends the process, which nobody has heard of yet or whose end has been told. */
static void close_template(Template *t)
{
    if (t->pid > 0 && !t->reaped) {
        (void)kill(t->pid, SIGKILL);
        t->reaped = waitpid(t->pid, &t->wait_status, 0) == t->pid;
    }
    if (t->text) {
        read_text(t);
    }
    t->socket = watch_free(t->socket);
    t->text = watch_free(t->text);
    timer_stop(t->hello_timer);
    t->pid = 0;
    t->state = TEMPLATE_DOWN;
    remove_preload_dir(t);
}

void template_retire(Template *t)
{
    close_template(t);
}

static void template_ended(Template *t)
{
    char reason[sizeof(t->line) + 80];

    /* Its socket is closed: it is exiting or has broken its word. An exit under way keeps its own
     * status. */
    close_template(t);
    describe_end(t, reason, sizeof(reason));
    if (t->importing) {
        if (t->hello_late) {
            preload_leave_out(t->preload, t->importing, reason);
        } else {
            (void)preload_ended(t->preload, t->importing, reason);
        }
        if (template_start(t) == 0) {
            return;
        }
    }
    t->handlers.on_ended(t->userdata, t, reason);
}

static void on_hello_timeout(void *userdata)
{
    Template *t = userdata;

    t->hello_late = true;
    template_ended(t);
}

/* The executable that a script has led to is started without the script. */
static int start_directly(Template *t)
{
    log_debug(NULL, "%s leads to %s", t->settings->python, t->executable);
    close_template(t);
    return template_start(t);
}

static int handle_hello(Template *t, const struct wire_hello *m, size_t n)
{
    int r;

    if (n != sizeof(*m) || !memchr(m->executable, '\0', sizeof(m->executable)) ||
            !memchr(m->version, '\0', sizeof(m->version))) {
        return -EPROTO;
    }
    timer_stop(t->hello_timer);
    if (!t->executable[0] && m->executable[0] == '/') {
        memcpy(t->executable, m->executable, sizeof(t->executable));
        if (strcmp(t->executable, t->settings->python) != 0) {
            return start_directly(t);
        }
    }
    memcpy(t->version, m->version, sizeof(t->version));
    log_debug(NULL, "template %d is %s, Python %s", (int)t->pid, t->executable, t->version);
    t->handlers.on_hello(t->userdata, m);
    r = send_preload(t);
    r = r < 0 ? r : send_plan(t);
    t->plan_error = r < 0 ? -r : 0;
    return r;
}

static int handle_preloading(Template *t, const struct wire_preloading *m, size_t n)
{
    PreloadModule *module = preload_module(t->preload, m->index);

    if (n != sizeof(*m) || !module || !memchr(m->reason, '\0', sizeof(m->reason))) {
        return -EPROTO;
    }
    if (m->failed) {
        preload_leave_out(t->preload, module, m->reason);
        close_template(t);
        return template_start(t);
    }
    t->importing = module;
    timer_start(t->hello_timer, TEMPLATE_IMPORT_TIMEOUT_MS);
    log_debug(NULL, "template %d imports %s", (int)t->pid, module->name);
    return 0;
}

static int handle_ready(Template *t, const struct wire_ready *ready, size_t n)
{
    if (n != sizeof(*ready)) {
        return -EPROTO;
    }
    t->importing = NULL;
    timer_stop(t->hello_timer);
    if (ready->stage) {
        (void)snprintf(t->line, sizeof(t->line), "%s: %s", sandbox_stage_name(ready->stage),
                strerror(ready->error));
        t->n_line = strlen(t->line);
        return -EPROTO;
    }
    t->state = TEMPLATE_READY;
    t->preload_dir[0] = '\0'; /* it has removed it */
    preload_done(t->preload);
    log_debug(NULL, "template %d is ready, %llu KB preloaded", (int)t->pid,
            (unsigned long long)ready->preload_bytes / 1024);
    t->handlers.on_ready(t->userdata, t);
    return 0;
}

static int handle_message(Template *t, const void *message, size_t n)
{
    const struct wire_header *h = message;
    const struct wire_spawned *spawned = message;

    switch (h->type) {
    case WIRE_HELLO:
        return handle_hello(t, message, n);
    case WIRE_READY:
        return handle_ready(t, message, n);
    case WIRE_PRELOADING:
        return handle_preloading(t, message, n);
    case WIRE_SPAWNED:
        if (n != sizeof(*spawned)) {
            return -EPROTO;
        }
        t->handlers.on_spawned(t->userdata, t, spawned->run, spawned->keeper_pid, spawned->error);
        return 0;
    default:
        return -EPROTO;
    }
}

static void on_socket(void *userdata)
{
    Template *t = userdata;
    union {
        struct wire_header h;
        struct wire_hello hello;
        struct wire_ready ready;
        struct wire_preloading preloading;
        struct wire_spawned spawned;
    } m;
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds;

    while (t->socket) {
        long n = wire_recv(watch_fd(t->socket), &m, sizeof(m), fds, &n_fds, 1);

        if (n == -EAGAIN) {
            return;
        }
        for (uint32_t i = 0; n > 0 && i < n_fds; i++) {
            close_p(&fds[i]); /* it has none to give */
        }
        if (n <= 0 || handle_message(t, &m, (size_t)n) < 0) {
            template_ended(t);
            return;
        }
    }
}

bool template_reaped(Template *t, pid_t pid, int wait_status)
{
    if (pid != t->pid || t->state == TEMPLATE_DOWN) {
        return false;
    }
    t->reaped = true;
    t->wait_status = wait_status;
    return true;
}

Template *template_free(Template *t)
{
    if (t) {
        if (t->state != TEMPLATE_DOWN && !t->reaped) {
            (void)kill(t->pid, SIGKILL);
            (void)waitpid(t->pid, NULL, 0);
        }
        remove_preload_dir(t);
        watch_free(t->socket);
        watch_free(t->text);
        timer_free(t->hello_timer);
        free(t);
    }
    return NULL;
}
