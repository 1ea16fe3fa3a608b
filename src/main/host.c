/* How a process of ours ends.
 *
 * host_stop() asks the runner to stop and starts two clocks: one for the runner, which promises to
 * be gone within a second and is left behind when it is not (its keepers see the end of their
 * control sockets when we exit, and end everything), and, when asked for, one for the whole. The
 * loop goes on until the runner is gone and the owner says that its output has left, or until the
 * second clock has run out. Handles are closed only after that, outside of any callback.
 */
#include "main/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/macro.h"
#include "main/cli.h"
#include "sandbox/sandbox.h"

static const int end_signals[HOST_SIGNALS] = {SIGTERM, SIGINT, SIGHUP};

/* A descriptor that is closed at the start would be taken by the first file we open, and output
 * meant for a person would go there. */
static void open_standard_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY); /* the lowest: fd */
        }
    }
}

void host_prepare(void)
{
    open_standard_descriptors();
    uv_disable_stdio_inheritance();

    /* No core file is that small, and where the host has a handler of core dumps, the kernel calls
     * it for every limit but this: core(5), fs/coredump.c. */
    struct rlimit no_core = {1, 1};
    (void)setrlimit(RLIMIT_CORE, &no_core);

    (void)signal(SIGPIPE, SIG_IGN); /* EPIPE instead, from write(2) */
    (void)signal(SIGXFSZ, SIG_IGN); /* EFBIG instead, where our parent set a low RLIMIT_FSIZE */
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, it would take away every exit status, wait(2) */
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
}

static void on_signal(uv_signal_t *handle, int number)
{
    Host *h = handle->data;
    if (h->n_signals_seen++ > 0) {
        _exit(EXIT_SIGNAL + number);
    }
    h->on_signal(h, number);
}

/* A signal that our parent had ignored (nohup(1), a background job) stays ignored. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return number != SIGTERM && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static int open_handles(Host *h)
{
    int r = uv_timer_init(&h->loop, &h->runner_deadline);
    r = r < 0 ? r : uv_timer_init(&h->loop, &h->deadline);
    h->runner_deadline.data = h;
    h->deadline.data = h;
    for (int i = 0; i < HOST_SIGNALS && r == 0; i++) {
        if (is_ignored(end_signals[i])) {
            continue;
        }
        uv_signal_t *handle = &h->signals[h->n_signals];
        r = uv_signal_init(&h->loop, handle);
        if (r == 0) {
            h->n_signals++;
            handle->data = h;
            r = uv_signal_start(handle, on_signal, end_signals[i]);
        }
    }
    return r;
}

/* A test variable: the names of layers not to use, so that a test of a barrier can be run without
 * it. */
static uint32_t layers_off(void)
{
    const char *names = getenv("RUNNER_TEST_LAYERS_OFF");
    uint32_t off = 0;

    for (size_t i = 0; names && i < SANDBOX_LAYERS; i++) {
        off |= strstr(names, sandbox_layers()[i].name) ? 1U << i : 0;
    }
    return off;
}

int host_open(Host *h, const Settings *settings)
{
    (void)memset(h, 0, sizeof *h);
    int r = sandbox_adopt_orphans();
    r = r < 0 ? r : sandbox_init((SandboxMode)settings->sandbox, layers_off());
    r = r < 0 ? r : uv_loop_init(&h->loop);
    if (r < 0) {
        return r;
    }
    r = open_handles(h);
    return r < 0 ? r : runner_new(&h->runner, &h->loop, settings);
}

int host_refusal(const Settings *settings, int error, char *ret, size_t size)
{
    size_t n = 0;

    if (settings->sandbox != SANDBOX_STRICT || error != -EPERM) {
        (void)snprintf(ret, size, "can't start: %s", strerror(-error));
        return EXIT_RUNNER;
    }
    for (size_t i = 0; i < SANDBOX_LAYERS && n < size; i++) {
        const SandboxLayer *layer = &sandbox_layers()[i];

        if (!layer->holds && !layer->optional) {
            n += (size_t)snprintf(ret + n, size - n, "%s the layer %s (%s%s%s)",
                    n == 0 ? "RUNNER_SANDBOX=strict, but this does not hold here:" : " and",
                    layer->name, layer->why, layer->advice[0] ? "; what to do: " : "",
                    layer->advice);
        }
    }
    return EXIT_USAGE;
}

void host_run(Host *h)
{
    while (!h->finished) {
        (void)uv_run(&h->loop, UV_RUN_ONCE);
    }
}

void host_poke(Host *h)
{
    if (!h->stopping) {
        return;
    }
    bool drained = !h->is_drained || h->is_drained(h);
    if (h->overdue || (h->runner_gone && drained)) {
        h->finished = true;
    }
}

static void on_runner_stopped(void *userdata)
{
    Host *h = userdata;
    h->runner_gone = true;
    host_poke(h);
}

static void on_runner_overdue(uv_timer_t *timer)
{
    on_runner_stopped(timer->data);
}

static void stop_runner(uv_timer_t *timer)
{
    Host *h = timer->data;
    (void)uv_timer_start(timer, on_runner_overdue, HOST_STOP_MS, 0);
    runner_stop(h->runner, on_runner_stopped, h);
}

static void on_deadline(uv_timer_t *timer)
{
    Host *h = timer->data;
    h->overdue = true;
    host_poke(h);
}

void host_stop(Host *h, uint64_t deadline_ms)
{
    if (deadline_ms != HOST_NO_DEADLINE) {
        (void)uv_timer_start(&h->deadline, on_deadline, deadline_ms, 0);
    }
    if (h->stopping) {
        return;
    }
    h->stopping = true;
    /* In the next turn: this may be the runner's own on_ready or on_done, deep in its code. */
    (void)uv_timer_start(&h->runner_deadline, stop_runner, 0, 0);
}

void host_close(Host *h, int exit_status)
{
    enum { ROUNDS_MAX = 100 };
    if (!h->runner_gone) {
        _exit(exit_status); /* the runner still uses the loop; the kernel clears up */
    }
    h->runner = runner_free(h->runner);
    sandbox_deinit();
    for (int i = 0; i < h->n_signals; i++) {
        uv_close((uv_handle_t *)&h->signals[i], NULL);
    }
    uv_close((uv_handle_t *)&h->runner_deadline, NULL);
    uv_close((uv_handle_t *)&h->deadline, NULL);
    for (int i = 0; i < ROUNDS_MAX && uv_loop_alive(&h->loop); i++) {
        (void)uv_run(&h->loop, UV_RUN_NOWAIT);
    }
    (void)uv_loop_close(&h->loop);
}
