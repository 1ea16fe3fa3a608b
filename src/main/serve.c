/* The life of a server on stdio.
 *
 *   start     the template introduces itself; until then nothing is read, so that a client sees
 *             either a server that works or an exit with one sentence on stderr
 *   serving   lines from the transport to the peer, messages from the peer to the transport
 *   draining  the input has ended: calls that were read get GRACE_MS to be answered
 *   stopping  what runs is killed, what is written is flushed, for STOP_MS at the most
 *
 * A signal goes from any of these to stopping. Draining and stopping together stay below two
 * seconds: clients wait that long before they send SIGTERM, and then SIGKILL.
 */
#include "main/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/macro.h"
#include "main/cli.h"
#include "main/config.h"
#include "main/host.h"
#include "mcp/server.h"
#include "rpc/stdio.h"
#include "sandbox/sandbox.h"

#ifndef POLLRDHUP /* Linux, FreeBSD */
#define POLLRDHUP 0
#endif

enum {
    GRACE_MS = 1000,
    STOP_MS = 800,
};

typedef struct Serve {
    Host host;
    const Settings *settings;
    McpServer *mcp;
    McpPeer *peer;
    RpcStdio *stdio;
    uv_timer_t grace;
    uv_timer_t backlog; /* runs while the transport does not read because too much output waits */
    bool failed;        /* memory ran out: a reply is lost, and the client would wait for it */
    int exit_status;
} Serve;

static Serve *serve_of(Host *h)
{
    return CONTAINER_OF(h, Serve, host);
}

static void stop(Serve *s)
{
    s->peer = mcp_peer_free(s->peer); /* cancels its calls */
    host_stop(&s->host, STOP_MS);
}

/* From a timer and not directly: both the peer's and the transport's callbacks come from inside
 * code that goes on using them. */
static void on_grace_over(uv_timer_t *timer)
{
    stop(timer->data);
}

static void stop_soon(Serve *s, uint64_t ms)
{
    if (!s->host.stopping) {
        (void)uv_timer_start(&s->grace, on_grace_over, ms, 0);
    }
}

static void on_idle(void *userdata)
{
    stop_soon(userdata, 0);
}

static void on_line(void *userdata, const char *line, size_t n)
{
    Serve *s = userdata;
    if (s->peer && !s->failed) {
        mcp_peer_receive(s->peer, line, n);
    }
}

static void on_overlong(void *userdata, Json *id)
{
    Serve *s = userdata;
    if (s->peer && !s->failed) {
        mcp_peer_overlong(s->peer, id);
    }
}

static void on_eof(void *userdata)
{
    Serve *s = userdata;
    if (s->host.stopping || !s->peer) {
        return;
    }
    size_t calls = mcp_peer_calls(s->peer);
    log_debug(NULL, "the input has ended, %zu calls are open", calls);
    mcp_peer_on_idle(s->peer, on_idle, s);
    stop_soon(s, calls > 0 ? GRACE_MS : 0);
}

/* POLLHUP: no writer is left (pipe(7)); POLLRDHUP: the other side of a socket will send nothing
 * more. */
static bool input_has_hung_up(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLRDHUP)) != 0;
}

/* The transport reads nothing while too much output waits, so it does not come to the end of the
 * input either, and a client that closes our input and never reads would keep us for ever. */
static void on_backlog(uv_timer_t *timer)
{
    Serve *s = timer->data;
    if (rpc_stdio_pending(s->stdio) < RPC_STDIO_BACKLOG / 2) {
        (void)uv_timer_stop(timer);
    } else if (input_has_hung_up()) {
        (void)uv_timer_stop(timer);
        log_warning(NULL, "the client has closed our input and does not read its answers");
        stop_soon(s, GRACE_MS);
    }
}

static void watch_backlog(Serve *s)
{
    enum { EVERY_MS = 100 };
    bool is_watched =
            uv_is_active((uv_handle_t *)&s->backlog) || uv_is_active((uv_handle_t *)&s->grace);
    if (!is_watched && rpc_stdio_pending(s->stdio) > RPC_STDIO_BACKLOG) {
        (void)uv_timer_start(&s->backlog, on_backlog, EVERY_MS, EVERY_MS);
    }
}

static void on_drained(void *userdata)
{
    Serve *s = userdata;
    host_poke(&s->host);
}

static void on_message(void *userdata, const Json *message)
{
    Serve *s = userdata;
    if (!s->failed && rpc_stdio_send(s->stdio, message) < 0) {
        s->failed = true;
        s->exit_status = EXIT_RUNNER;
        log_error(NULL,
                "out of memory for a reply: stopping, so that the client does not wait for it");
        stop_soon(s, 0);
    }
    watch_backlog(s);
}

static bool is_drained(Host *h)
{
    Serve *s = serve_of(h);
    return !s->stdio || rpc_stdio_pending(s->stdio) == 0;
}

static void on_signal(Host *h, int number)
{
    log_info(NULL, "%s: stopping", signal_name(number));
    stop(serve_of(h));
}

static void log_start(const Serve *s)
{
    const Settings *c = s->settings;
    const RunnerInfo *info = runner_info(s->host.runner);
    char timeout[32];
    char max[32];
    log_info(NULL,
            "python-runner-mcp " RUNNER_VERSION
            ": CPython %s at %s; timeout %ss, at most %ss; memory "
            "%lld MB, CPU %lld s, output %lld characters, %lld processes, files of %lld MB; %lld "
            "runs "
            "at a time, %lld may wait; sandbox: %s",
            info->version, info->executable,
            config_seconds_text(c->default_timeout_ms, timeout, sizeof timeout),
            config_seconds_text(c->max_timeout_ms, max, sizeof max), (long long)c->max_memory_mb,
            (long long)c->max_cpu_seconds, (long long)c->max_output_chars,
            (long long)c->max_processes, (long long)c->max_file_size_mb,
            (long long)c->max_concurrent, (long long)c->max_queue, sandbox_tier());
    for (size_t i = 0; c->sandbox != SANDBOX_RLIMITS && i < SANDBOX_LAYERS; i++) {
        const SandboxLayer *layer = &sandbox_layers()[i];
        if (!layer->holds) {
            log_write(layer->optional ? LOG_INFO : LOG_WARNING, NULL, "sandbox: no %s: %s%s%s",
                    layer->name, layer->why, layer->advice[0] ? "; what to do: " : "",
                    layer->advice);
        }
    }
    for (const char *const *gap = sandbox_gaps(); *gap; gap++) {
        log_warning(NULL, "sandbox: %s", *gap);
    }
}

static size_t on_pending(void *userdata)
{
    Serve *s = userdata;
    return s->stdio ? rpc_stdio_pending(s->stdio) : 0;
}

static int open_conversation(Serve *s)
{
    static const RpcStdioHandlers handlers = {on_line, on_overlong, on_eof, on_drained};
    size_t line_max = (size_t)s->settings->max_request_mb << 20;
    int r = mcp_server_new(&s->mcp, &s->host.loop, s->settings, s->host.runner, RUNNER_VERSION);
    r = r < 0 ? r : mcp_peer_new(&s->peer, s->mcp, on_message, s);
    r = r < 0 ? r
              : rpc_stdio_new(&s->stdio, &s->host.loop, STDIN_FILENO, STDOUT_FILENO, line_max,
                        &handlers, s);
    if (r < 0) {
        return r;
    }
    mcp_peer_on_pending(s->peer, on_pending);
    return rpc_stdio_start(s->stdio);
}

static void on_ready(void *userdata, const char *error)
{
    Serve *s = userdata;
    if (s->host.stopping) {
        return;
    }
    if (error) {
        (void)fprintf(stderr, "python-runner-mcp: %s\n", error);
        s->exit_status = EXIT_USAGE;
        host_stop(&s->host, STOP_MS);
        return;
    }
    log_start(s);
    int r = open_conversation(s);
    if (r < 0) {
        (void)fprintf(stderr, "python-runner-mcp: can't serve on standard input and output: %s\n",
                strerror(-r));
        s->exit_status = EXIT_RUNNER;
        stop(s);
    }
}

static void say_what_this_is(void)
{
    (void)fputs(
            "python-runner-mcp: this is an MCP server. It speaks JSON-RPC on standard input and "
            "output, and is\nstarted by an MCP client. To see it work: python-runner-mcp run -c "
            "'print(1)'\nTo set up a client: python-runner-mcp config claude-desktop (--help names "
            "the others). Ctrl-D ends it.\n",
            stderr);
}

static int open_serve(Serve *s, const Settings *settings)
{
    s->settings = settings;
    int r = host_open(&s->host, settings);
    if (r < 0) {
        return r;
    }
    s->host.on_signal = on_signal;
    s->host.is_drained = is_drained;
    r = uv_timer_init(&s->host.loop, &s->grace);
    r = r < 0 ? r : uv_timer_init(&s->host.loop, &s->backlog);
    s->grace.data = s->backlog.data = s;
    return r < 0 ? r : runner_start(s->host.runner, on_ready, s);
}

int serve_main(const Settings *settings)
{
    Serve s = {0};
    if (isatty(STDIN_FILENO)) {
        say_what_this_is();
    }
    int r = open_serve(&s, settings);
    if (r < 0) {
        char why[2048];
        int status = host_refusal(settings, r, why, sizeof why);
        (void)fprintf(stderr, "python-runner-mcp: %s\n", why);
        return status;
    }
    host_run(&s.host);
    s.peer = mcp_peer_free(s.peer);
    s.mcp = mcp_server_free(s.mcp);
    s.stdio = rpc_stdio_free(s.stdio);
    uv_close((uv_handle_t *)&s.grace, NULL);
    uv_close((uv_handle_t *)&s.backlog, NULL);
    log_debug(NULL, "stopped");
    host_close(&s.host, s.exit_status);
    return s.exit_status;
}
