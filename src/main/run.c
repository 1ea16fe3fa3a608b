/* One program, its output passed through as it comes.
 *
 * Bytes go from the program's pipes to ours in order and without a limit on their amount; what
 * waits to be written is bounded by pausing the program's pipes (its clock goes on, and it is
 * killed at its limit even when nobody reads). When the program has ended, we wait for our readers
 * as any program would. A stdout that nobody will ever read ends the run, as SIGPIPE would end a
 * program in a pipeline.
 */
#include "main/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/macro.h"
#include "main/config.h"
#include "main/host.h"
#include "mcp/result_json.h"
#include "mcp/result_text.h"
#include "rpc/stdio.h"

enum {
    WAITING_MAX = 1 << 20, /* bytes for our reader, then the program's pipes are left alone */
    SIGNAL_STOP_MS = 1000,
    CODE_CHUNK = 65536,
    JSON_TEXT_MAX = 64 << 20, /* 3 captures of at most 1000000 characters, escaped */
};

typedef struct Run Run;

typedef struct Sink { /* our stdout or our stderr */
    Run *run;
    RpcStdio *writer;
    bool closed; /* nobody reads it any more */
    bool has_open_line;
} Sink;

struct Run {
    Host host;
    const Cli *cli;
    const Settings *settings;
    Buf code;
    Sink sinks[3]; /* by descriptor, 0 is not used */
    Job *job;
    bool paused;
    int exit_status;
};

static Run *run_of(Host *h)
{
    return CONTAINER_OF(h, Run, host);
}

static size_t waiting(const Run *run)
{
    size_t n = 0;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        const Sink *sink = &run->sinks[fd];
        n += sink->writer && !sink->closed ? rpc_stdio_pending(sink->writer) : 0;
    }
    return n;
}

static bool is_drained(Host *h)
{
    return waiting(run_of(h)) == 0;
}

static void stop(Run *run, int exit_status, uint64_t deadline_ms)
{
    run->exit_status = exit_status;
    if (run->job) {
        job_cancel(run->job);
        run->job = NULL;
    }
    host_stop(&run->host, deadline_ms);
}

static void sink_write(Run *run, int fd, const void *bytes, size_t n)
{
    Sink *sink = &run->sinks[fd];
    if (sink->closed || n == 0) {
        return;
    }
    sink->has_open_line = ((const char *)bytes)[n - 1] != '\n';
    if (rpc_stdio_send_bytes(sink->writer, bytes, n) < 0) {
        sink->closed = true;
        log_error(NULL, "out of memory for the program's output: stopping");
        stop(run, EXIT_RUNNER, SIGNAL_STOP_MS);
    }
}

/* A sentence of ours on stderr, behind what the program wrote and on a line of its own. */
static void PRINTF_LIKE(2, 3) say(Run *run, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (run->sinks[STDERR_FILENO].has_open_line) {
        sink_write(run, STDERR_FILENO, "\n", 1);
    }
    char line[sizeof text + 32];
    int n = snprintf(line, sizeof line, "python-runner-mcp: %s\n", text);
    sink_write(run, STDERR_FILENO, line, (size_t)n);
}

static void on_output(void *userdata, Job *job, int stream, const void *bytes, size_t n)
{
    Run *run = userdata;
    sink_write(run, stream, bytes, n);
    if (run->job == job && !run->paused && waiting(run) > WAITING_MAX) {
        run->paused = true;
        job_pause_output(job, true);
    }
}

static void on_drained(void *userdata)
{
    Sink *sink = userdata;
    Run *run = sink->run;
    if (run->paused && run->job && waiting(run) <= WAITING_MAX) {
        run->paused = false;
        job_pause_output(run->job, false);
    }
    host_poke(&run->host);
}

static void on_reader_gone(void *userdata)
{
    Sink *sink = userdata;
    Run *run = sink->run;
    sink->closed = true;
    if (sink == &run->sinks[STDOUT_FILENO]) {
        if (!run->host.stopping) {
            stop(run, EXIT_SIGNAL + SIGPIPE, SIGNAL_STOP_MS);
        } else if (run->exit_status == 0) { /* no success when the end of the output is lost */
            run->exit_status = EXIT_SIGNAL + SIGPIPE;
        }
    }
    on_drained(sink);
}

/* Writers never read; the transport wants to be told what to do with lines all the same. */
static void on_no_line(void *userdata, const char *line, size_t n)
{
    (void)userdata;
    (void)line;
    (void)n;
}

static void on_no_overlong(void *userdata, Json *id)
{
    (void)userdata;
    (void)id;
}

static void on_signal(Host *h, int number)
{
    stop(run_of(h), EXIT_SIGNAL + number, SIGNAL_STOP_MS);
}

/* The exit status, and the sentence for an end that the program did not choose. */
static int conclude(Run *run, const Outcome *o)
{
    char limit[32];
    switch (o->status) {
    case RUN_EXITED:
        return o->exit_code;
    case RUN_SIGNALED:
        say(run, "the program was ended by signal %d (%s)", o->signal, signal_name(o->signal));
        return EXIT_SIGNAL + o->signal;
    case RUN_TIMEOUT:
        say(run, "timeout: killed after %s",
                result_text_seconds(o->timeout_ms, limit, sizeof limit));
        return EXIT_TIMED_OUT;
    case RUN_CPU_LIMIT:
        say(run, "cpu limit: %" PRId64 "s exceeded", run->settings->max_cpu_seconds);
        return EXIT_SIGNAL + SIGXCPU;
    case RUN_MEMORY_LIMIT:
        say(run, "memory limit: %" PRId64 " MB exceeded", run->settings->max_memory_mb);
        return EXIT_SIGNAL + SIGKILL;
    case RUN_SANDBOX_ERROR:
    case RUN_REJECTED:
    case _RUN_STATUS_N:
        break;
    }
    if (!o->error) { /* else it is in the log, which is on stderr and always shows errors */
        say(run, "the runner failed; python-runner-mcp doctor tells more");
    }
    return EXIT_RUNNER;
}

/* As Python's own prompt does: shown to a person, and not to a program that reads our output. */
static void show_result(Run *run, const Outcome *o)
{
    if (!o->has_result || !isatty(STDOUT_FILENO)) {
        return;
    }
    Buf text;
    buf_init(&text, JSON_TEXT_MAX);
    if (kept_text_format(&o->result, (size_t)run->settings->max_output_chars, &text, NULL) == 0 &&
            buf_append_str(&text, "\n") == 0) {
        if (run->sinks[STDOUT_FILENO].has_open_line) {
            sink_write(run, STDOUT_FILENO, "\n", 1);
        }
        sink_write(run, STDOUT_FILENO, text.data, text.len);
    }
    buf_deinit(&text);
}

/* What a client gets as structuredContent; built by the same code, NULL when
 * memory is short. */
static Json *structured(const Run *run, const Outcome *o)
{
    Settings settings = *run->settings;
    settings.structured_output = true;
    const ResultContext context = {
            .settings = &settings, .era = era_latest_legacy(), .max_bytes = SIZE_MAX};
    Json *result = result_json_call(&context, o, o->error);
    Json *doc = json_get(result, "structuredContent");
    doc = doc ? json_ref(doc) : NULL;
    (void)json_unref(result);
    return doc;
}

static int show_json(Run *run, const Outcome *o)
{
    Buf text;
    buf_init(&text, JSON_TEXT_MAX);
    Json *doc = structured(run, o);
    int r = json_dump(doc, &text);
    (void)json_unref(doc);
    if (r == 0 && (r = buf_append_str(&text, "\n")) == 0) {
        sink_write(run, STDOUT_FILENO, text.data, text.len);
    }
    buf_deinit(&text);
    return r;
}

static void on_done(void *userdata, Job *job, const Outcome *o)
{
    (void)job;
    Run *run = userdata;
    run->job = NULL;
    if (!run->cli->json) {
        show_result(run, o);
    } else if (show_json(run, o) != 0) {
        say(run, "can't build the result: out of memory");
        stop(run, EXIT_RUNNER, HOST_NO_DEADLINE);
        return;
    }
    stop(run, conclude(run, o), HOST_NO_DEADLINE);
}

static int64_t timeout_for(Run *run)
{
    const Settings *s = run->settings;
    int64_t asked = run->cli->timeout_ms;
    if (asked <= s->max_timeout_ms) {
        return asked > 0 ? asked : s->default_timeout_ms;
    }
    char asked_text[32];
    char max_text[32];
    say(run, "--timeout %s is more than RUNNER_MAX_TIMEOUT_SEC allows: capped to %s",
            result_text_seconds(asked, asked_text, sizeof asked_text),
            result_text_seconds(s->max_timeout_ms, max_text, sizeof max_text));
    return s->max_timeout_ms;
}

static bool code_is_on_stdin(const Cli *cli)
{
    return !cli->code && (!cli->operand || strcmp(cli->operand, "-") == 0);
}

static void on_ready(void *userdata, const char *error)
{
    Run *run = userdata;
    if (run->host.stopping) {
        return;
    }
    if (error) {
        say(run, "%s", error);
        stop(run, EXIT_USAGE, HOST_NO_DEADLINE);
        return;
    }
    const JobHandlers handlers = {
            .on_output = run->cli->json ? NULL : on_output, .on_done = on_done};
    bool ours = !code_is_on_stdin(run->cli) && !isatty(STDIN_FILENO);
    JobRequest request = {.code = run->code.data ? run->code.data : "",
            .code_bytes = run->code.len,
            .stdin_fd = ours ? STDIN_FILENO : -1,
            .timeout_ms = timeout_for(run)};
    runner_request_id(request.request_id);
    int r = runner_submit(run->host.runner, &request, &handlers, run, &run->job);
    if (r != 0) {
        say(run, "can't start the program: %s", strerror(r < 0 ? -r : EAGAIN));
        stop(run, EXIT_RUNNER, HOST_NO_DEADLINE);
    }
}

static size_t code_max(const Run *run)
{
    return (size_t)run->settings->max_request_mb << 20;
}

/* A FILE may be a pipe, so its size is not asked for. Blocks; signals still have their defaults. */
static int read_code(Run *run, int fd)
{
    for (;;) {
        int r = buf_reserve(&run->code, CODE_CHUNK);
        if (r != 0) {
            return r < 0 ? r : -EFBIG;
        }
        ssize_t n = read(fd, run->code.data + run->code.len, CODE_CHUNK);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -errno : 0;
        }
        run->code.len += (size_t)n;
        if (run->code.len > code_max(run)) {
            return -EFBIG;
        }
    }
}

static int load_code(Run *run)
{
    const Cli *cli = run->cli;
    if (cli->code) {
        return strlen(cli->code) > code_max(run) ? -EFBIG : buf_append_str(&run->code, cli->code);
    }
    if (code_is_on_stdin(cli)) {
        return read_code(run, STDIN_FILENO);
    }
    _cleanup_(close_p) int fd = open(cli->operand, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : read_code(run, fd);
}

/* 0, or the exit status after it has been said what is wrong. */
static int get_code(Run *run)
{
    const Cli *cli = run->cli;
    if (!cli->code && !cli->operand && isatty(STDIN_FILENO)) {
        (void)fputs("python-runner-mcp: nothing to run: give -c CODE, a FILE, or - to type the "
                    "program here (see --help)\n",
                stderr);
        return EXIT_USAGE;
    }
    int r = load_code(run);
    if (r == 0) {
        return 0;
    }
    char shown[CONFIG_SHOWN_MAX];
    const char *what = cli->code               ? "the code after -c"
                       : code_is_on_stdin(cli) ? "the program on standard input"
                                               : config_shown(cli->operand, shown);
    if (r == -EFBIG) {
        (void)fprintf(stderr,
                "python-runner-mcp: %s is longer than %lld MB, which is what RUNNER_MAX_REQUEST_MB "
                "allows\n",
                what, (long long)run->settings->max_request_mb);
    } else {
        (void)fprintf(stderr, "python-runner-mcp: can't read %s: %s\n", what, strerror(-r));
    }
    return EXIT_RUNNER;
}

static int open_sinks(Run *run)
{
    static const RpcStdioHandlers handlers = {
            on_no_line, on_no_overlong, on_reader_gone, on_drained};
    enum { LINE_MAX_BYTES = 4096 };
    _cleanup_(close_p) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int r = null < 0 ? -errno : 0;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && r == 0; fd++) {
        Sink *sink = &run->sinks[fd];
        sink->run = run;
        r = rpc_stdio_new(
                &sink->writer, &run->host.loop, null, fd, LINE_MAX_BYTES, &handlers, sink);
    }
    return r;
}

static int open_run(Run *run)
{
    int r = host_open(&run->host, run->settings);
    if (r < 0) {
        return r;
    }
    run->host.on_signal = on_signal;
    run->host.is_drained = is_drained;
    r = open_sinks(run);
    return r < 0 ? r : runner_start(run->host.runner, on_ready, run);
}

int run_main(const Cli *cli, const Settings *settings)
{
    Run run = {.cli = cli, .settings = settings};
    buf_init(&run.code, code_max(&run) + CODE_CHUNK + CODE_CHUNK);
    int status = get_code(&run);
    if (status != 0) {
        buf_deinit(&run.code);
        return status;
    }
    int r = open_run(&run);
    if (r < 0) {
        char why[2048];
        status = host_refusal(settings, r, why, sizeof why);
        (void)fprintf(stderr, "python-runner-mcp: %s\n", why);
        return status;
    }
    host_run(&run.host);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        run.sinks[fd].writer = rpc_stdio_free(run.sinks[fd].writer);
    }
    buf_deinit(&run.code);
    host_close(&run.host, run.exit_status);
    return run.exit_status;
}
