/* The checks in order: what needs no program first, then programs through the real runner, one
 * after the other. A check that fails says what to do; the rest goes on as far as it can. */
#include "main/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/macro.h"
#include "main/config.h"
#include "main/host.h"
#include "main/paths.h"
#include "mcp/result_text.h"
#include "sandbox/sandbox.h"
#include "json/json.h"

enum {
    TEXT_MAX = 1 << 20,
    PROBE_TIMEOUT_MS = 200,
    FILLED_MAX_MB = 1024,
};

typedef struct Doctor Doctor;

/* A program and how its outcome has to look. The code has one %lld: the limit it tries. */
typedef struct Probe {
    const char *name;
    const char *code;
    int64_t (*limit)(const Settings *s); /* may be NULL */
    int64_t timeout_ms;                  /* 0: the default */
    RunStatus status;
    const char *output; /* what it prints; NULL: anything */
    const char *fix;
} Probe;

struct Doctor {
    Host host;
    const Cli *cli;
    Settings settings;
    size_t probe;
    bool has_failed;
    Json *checks; /* --json */
    Buf lines;    /* else */
};

static bool sums_memory(void)
{
    for (size_t i = 0; i < SANDBOX_LAYERS; i++) {
        if (strcmp(sandbox_layers()[i].name, "cgroup") == 0) {
            return sandbox_layers()[i].holds;
        }
    }
    return false;
}

static int64_t memory_limit(const Settings *s)
{
    return s->max_memory_mb;
}

static int64_t file_limit(const Settings *s)
{
    return s->max_file_size_mb;
}

static const Probe probes[] = {
        {"program", "print(6 * 7)", NULL, 0, RUN_EXITED, "42\n",
                "try `python-runner-mcp run -c 'print(1)'` with RUNNER_LOG_LEVEL=DEBUG"},
        {"memory limit",
                "try:\n"
                "    bytearray(2 * %lld * 2**20)\n"
                "    print('allocated')\n"
                "except MemoryError:\n"
                "    print('refused')\n",
                memory_limit, 0, RUN_EXITED, "refused\n",
                "programs can use more memory than RUNNER_MAX_MEMORY_MB says; does this system "
                "honour "
                "RLIMIT_AS?"},
        {"file size limit",
                "with open('probe', 'wb', 0) as f:\n"
                "    f.seek(%lld * 2**20)\n"
                "    try:\n"
                "        f.write(b'x')\n"
                "        print('written')\n"
                "    except OSError:\n"
                "        print('refused')\n",
                file_limit, 0, RUN_EXITED, "refused\n",
                "programs can write larger files than RUNNER_MAX_FILE_SIZE_MB says; does this "
                "system "
                "honour RLIMIT_FSIZE?"},
        {"time limit", "while True:\n    pass\n", NULL, PROBE_TIMEOUT_MS, RUN_TIMEOUT, NULL,
                "programs are not ended in time; is this machine overloaded, or are signals "
                "between our "
                "processes blocked?"},
};

static void PRINTF_LIKE(5, 6)
        report(Doctor *d, bool ok, const char *name, const char *fix, const char *fmt, ...)
{
    char detail[2048];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(detail, sizeof detail, fmt, args);
    va_end(args);
    d->has_failed = d->has_failed || !ok;
    if (!d->cli->json) {
        (void)buf_appendf(&d->lines, "%s %s: %s%s%s\n", ok ? "ok  " : "FAIL", name, detail,
                ok ? "" : ". What to do: ", ok ? "" : fix);
        return;
    }
    Json *check = json_new_object();
    if (!check) {
        return;
    }
    int r = json_set(check, "name", json_new_string(name));
    r |= json_set(check, "ok", json_new_bool(ok));
    r |= json_set(check, "detail", json_new_string(detail));
    if (!ok) {
        r |= json_set(check, "fix", json_new_string(fix));
    }
    (void)json_add(d->checks, r == 0 ? check : json_unref(check));
}

static Json *gaps_json(void)
{
    Json *gaps = json_new_array();
    for (const char *const *gap = sandbox_gaps(); gaps && *gap; gap++) {
        (void)json_add(gaps, json_new_string(*gap));
    }
    return gaps;
}

static Json *layers_json(void)
{
    Json *layers = json_new_array();
    for (size_t i = 0; i < SANDBOX_LAYERS; i++) {
        const SandboxLayer *layer = &sandbox_layers()[i];
        Json *j = json_new_object();
        if (!j) {
            continue;
        }
        int r = json_set(j, "name", json_new_string(layer->name));
        r |= json_set(j, "holds", json_new_bool(layer->holds));
        if (!layer->holds) {
            r |= json_set(j, "why", json_new_string(layer->why));
            r |= json_set(j, "fix", json_new_string(layer->advice));
        }
        (void)json_add(layers, r == 0 ? j : json_unref(j));
    }
    return layers;
}

static void append_layers(Doctor *d)
{
    for (size_t i = 0; i < SANDBOX_LAYERS; i++) {
        const SandboxLayer *layer = &sandbox_layers()[i];
        if (layer->holds) {
            (void)buf_appendf(&d->lines, "ok   layer %s: holds\n", layer->name);
        } else {
            (void)buf_appendf(&d->lines, "gap  layer %s: does not hold: %s%s%s\n", layer->name,
                    layer->why, layer->advice[0] ? ". What to do: " : "", layer->advice);
        }
    }
}

/* Not checks: what the sandbox does not hold here is known, and said. */
static void append_sandbox(Doctor *d)
{
    append_layers(d);
    for (const char *const *gap = sandbox_gaps(); *gap; gap++) {
        (void)buf_appendf(&d->lines, "gap  %s\n", *gap);
    }
}

static int print_report(Doctor *d)
{
    int r = 0;
    if (d->cli->json) {
        Json *doc = json_new_object();
        Json *sandbox = json_new_object();
        if (!doc || !sandbox) {
            (void)json_unref(doc);
            (void)json_unref(sandbox);
            return -ENOMEM;
        }
        r = json_set(sandbox, "tier", json_new_string(sandbox_tier()));
        r |= json_set(sandbox, "layers", layers_json());
        r |= json_set(sandbox, "gaps", gaps_json());
        r |= json_set(doc, "version", json_new_string(RUNNER_VERSION));
        r |= json_set(doc, "ok", json_new_bool(!d->has_failed));
        r |= json_set(doc, "checks", json_ref(d->checks));
        r |= json_set(doc, "sandbox", sandbox);
        r = r != 0 ? r : json_dump_pretty(doc, &d->lines);
        (void)json_unref(doc);
        r = r != 0 ? r : buf_append_str(&d->lines, "\n");
    }
    return r != 0 ? r : fd_write_all(STDOUT_FILENO, d->lines.data, d->lines.len);
}

static void check_temp_dir(Doctor *d)
{
    char path[1024];
    const char *fix = "set TMPDIR to a directory that we may write to, or make room in it";
    (void)snprintf(path, sizeof path, "%s/python-runner-doctor-XXXXXX", d->settings.temp_dir);
    if (!mkdtemp(path)) {
        report(d, false, "temporary directory", fix, "can't make a directory in %s: %s",
                d->settings.temp_dir, strerror(errno));
        return;
    }
    (void)rmdir(path);
    report(d, true, "temporary directory", "", "%s", d->settings.temp_dir);
}

static void next_probe(Doctor *d);

static bool printed(const KeptText *t, const char *text)
{
    size_t n = strlen(text);
    return t->omitted_chars == 0 && t->head_bytes + t->tail_bytes == n &&
           memcmp(t->head, text, t->head_bytes) == 0 &&
           (t->tail_bytes == 0 || memcmp(t->tail, text + t->head_bytes, t->tail_bytes) == 0);
}

/* Where a cgroup counts what is really used, the address space is larger, and trying the limit
 * fills the memory. */
static bool fills_memory(const Probe *p)
{
    return p->limit == memory_limit && sums_memory();
}

/* Known once a program has run. */
static void report_preload(Doctor *d)
{
    const Preload *p = runner_preload(d->host.runner);
    for (size_t i = 0; i < p->n; i++) {
        const PreloadModule *m = &p->modules[i];
        char name[PRELOAD_NAME_SIZE + 16];
        (void)snprintf(name, sizeof name, "preload %s", m->name);
        report(d, m->loaded, name,
                "take it out of RUNNER_PRELOAD, or make the import work by hand: python3 -I "
                "(without RUNNER_SITE_PACKAGES=true -I -S); programs run without it",
                "%s", m->loaded ? "imported beforehand" : m->reason);
    }
}

static bool is_as_expected(const Probe *p, const Outcome *o)
{
    if (fills_memory(p)) {
        return o->status == RUN_MEMORY_LIMIT;
    }
    return o->status == p->status && (!p->output || printed(&o->out, p->output));
}

static void on_done(void *userdata, Job *job, const Outcome *o)
{
    (void)job;
    Doctor *d = userdata;
    const Probe *p = &probes[d->probe];
    double ms = (double)o->duration_us / 1000;
    if (is_as_expected(p, o)) {
        report(d, true, p->name, "", "%.1f ms", ms);
    } else if (o->error) {
        report(d, false, p->name, p->fix, "%s", o->error);
    } else {
        report(d, false, p->name, p->fix,
                "%s after %.1f ms, exit code %d, stdout %.*s, stderr %.*s",
                run_status_name(o->status), ms, o->exit_code, (int)MIN(o->out.head_bytes, 200),
                o->out.head_bytes > 0 ? o->out.head : "", (int)MIN(o->err.head_bytes, 500),
                o->err.head_bytes > 0 ? o->err.head : "");
    }
    if (d->probe++ == 0) {
        report_preload(d);
    }
    next_probe(d);
}

static void next_probe(Doctor *d)
{
    if (d->probe < ARRAY_SIZE(probes) && fills_memory(&probes[d->probe]) &&
            d->settings.max_memory_mb > FILLED_MAX_MB) {
        report(d, true, probes[d->probe].name, "", "not tried, it would fill %" PRId64 " MB",
                d->settings.max_memory_mb);
        d->probe++;
    }
    if (d->probe == ARRAY_SIZE(probes)) {
        report(d, true, "sandbox", "", "%s", sandbox_tier());
        host_stop(&d->host, HOST_NO_DEADLINE);
        return;
    }
    const Probe *p = &probes[d->probe];
    char code[1024];
    char number[32] = "";
    if (p->limit) {
        (void)snprintf(number, sizeof number, "%" PRId64, p->limit(&d->settings));
    }
    const char *hole = p->limit ? strstr(p->code, "%lld") : NULL;
    int before = hole ? (int)(hole - p->code) : (int)strlen(p->code);
    (void)snprintf(code, sizeof code, "%.*s%s%s", before, p->code, number, hole ? hole + 4 : "");

    static const JobHandlers handlers = {.on_done = on_done};
    JobRequest request = {.code = code,
            .code_bytes = strlen(code),
            .stdin_fd = -1,
            .timeout_ms = p->timeout_ms > 0 ? p->timeout_ms : d->settings.default_timeout_ms};
    runner_request_id(request.request_id);
    Job *job;
    int r = runner_submit(d->host.runner, &request, &handlers, d, &job);
    if (r != 0) {
        report(d, false, p->name, p->fix, "can't start it: %s", strerror(r < 0 ? -r : EAGAIN));
        host_stop(&d->host, HOST_NO_DEADLINE);
    }
}

static void on_ready(void *userdata, const char *error)
{
    Doctor *d = userdata;
    if (d->host.stopping) {
        return;
    }
    if (error) {
        report(d, false, "interpreter",
                "install CPython 3.9 or newer, or set RUNNER_PYTHON to one that is there", "%s",
                error);
        host_stop(&d->host, HOST_NO_DEADLINE);
        return;
    }
    const RunnerInfo *info = runner_info(d->host.runner);
    report(d, true, "interpreter", "", "CPython %s at %s", info->version, info->executable);
    next_probe(d);
}

static void on_signal(Host *h, int number)
{
    Doctor *d = CONTAINER_OF(h, Doctor, host);
    report(d, false, "doctor", "let it end, it takes about a second", "interrupted by %s",
            signal_name(number));
    host_stop(h, HOST_STOP_MS);
}

static void check_programs(Doctor *d)
{
    int r = host_open(&d->host, &d->settings);
    d->host.on_signal = on_signal;
    r = r < 0 ? r : runner_start(d->host.runner, on_ready, d);
    char why[2048];
    if (r < 0 && host_refusal(&d->settings, r, why, sizeof why) == EXIT_USAGE) {
        report(d, false, "sandbox",
                "as it says, or set RUNNER_SANDBOX=auto and be content with the other layers", "%s",
                why);
        return;
    }
    if (r < 0) {
        report(d, false, "start", "see the reason; is the machine out of memory or descriptors?",
                "can't start the runner: %s", strerror(-r));
        return;
    }
    host_run(&d->host);
}

int doctor_main(const Cli *cli)
{
    Doctor d = {.cli = cli, .checks = json_new_array()};
    char error[8192];
    bool has_host = false;
    buf_init(&d.lines, TEXT_MAX);
    report(&d, true, "version", "", "python-runner-mcp " RUNNER_VERSION " at %s",
            paths_executable() ? paths_executable() : "an unknown place");
    if (config_load(&d.settings, error, sizeof error) < 0) {
        report(&d, false, "configuration", "change it, then try again", "%s", error);
    } else {
        config_warn_unknown();
        report(&d, true, "configuration", "", "every variable is good");
        report(&d, true, "template", "", "%s", d.settings.template_dir);
        check_temp_dir(&d);
        check_programs(&d);
        has_host = true;
        if (!cli->json) {
            append_sandbox(&d);
        }
    }
    int r = print_report(&d);
    buf_deinit(&d.lines);
    d.checks = json_unref(d.checks);
    int status = d.has_failed || r != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    if (has_host) {
        host_close(&d.host, status);
    }
    return status;
}
