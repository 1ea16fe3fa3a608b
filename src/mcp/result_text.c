#include "mcp/result_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/macro.h"

/* `r` carries the first failure of a chain of appends; buf_append() leaves the buffer unchanged on
 * failure, so going on would only leave a hole. */
#define TRY(r, expression)                                                                         \
    do {                                                                                           \
        if ((r) == 0) {                                                                            \
            (r) = (expression);                                                                    \
        }                                                                                          \
    } while (0)

const char *result_text_seconds(int64_t ms, char *ret, size_t size)
{
    int64_t thousandths = ms % 1000;
    int digits = 3;

    if (thousandths == 0) {
        (void)snprintf(ret, size, "%" PRId64 "s", ms / 1000);
        return ret;
    }
    while (thousandths % 10 == 0) {
        thousandths /= 10;
        digits--;
    }
    (void)snprintf(ret, size, "%" PRId64 ".%0*" PRId64 "s", ms / 1000, digits, thousandths);
    return ret;
}

/* A section's body is the text as it is, with a newline added when it does not end in one: what the
 * program printed is never shortened here, not even its own blank lines at the end. */
static int section(Buf *out, const char *name, const KeptText *t, size_t max_chars)
{
    int r = buf_appendf(out, "--- %s ---\n", name);

    TRY(r, kept_text_format(t, max_chars, out, NULL));
    if (r == 0 && out->data[out->len - 1] != '\n') {
        r = buf_append_str(out, "\n");
    }
    TRY(r, buf_append_str(out, "\n"));
    return r;
}

static bool is_empty(const KeptText *t)
{
    return t->head_bytes == 0 && t->tail_bytes == 0 && t->omitted_chars == 0;
}

static int capped_note(Buf *out, const Settings *s, int64_t capped_from_ms)
{
    char asked[32], allowed[32];

    return buf_appendf(out,
            "timeout: %s asked, %s allowed (RUNNER_MAX_TIMEOUT_SEC); the program ran with %s.\n",
            result_text_seconds(capped_from_ms, asked, sizeof(asked)),
            result_text_seconds(s->max_timeout_ms, allowed, sizeof(allowed)), allowed);
}

static int notes(Buf *out, const Outcome *o, const Settings *s, int64_t capped_from_ms)
{
    bool printed_nothing = is_empty(&o->out) && is_empty(&o->err) && !o->has_result;
    bool notebook = o->syntax_error && o->notebook_line;
    int r = 0;

    if (capped_from_ms == 0 && !o->memory_error && !printed_nothing && !notebook) {
        return 0;
    }
    TRY(r, buf_append_str(out, "--- note ---\n"));
    if (capped_from_ms != 0) {
        TRY(r, capped_note(out, s, capped_from_ms));
    }
    if (o->memory_error) {
        TRY(r, buf_appendf(out,
                       "MemoryError: the program may use at most %" PRId64
                       " MB of memory (RUNNER_MAX_MEMORY_MB).\n",
                       s->max_memory_mb));
    }
    if (printed_nothing) {
        TRY(r, buf_append_str(out, "The program ended without output.\n"));
    }
    if (notebook) {
        TRY(r, buf_append_str(out,
                       "Lines that start with ! or % are notebook commands, not Python; packages "
                       "can't be installed here.\n"));
    }
    TRY(r, buf_append_str(out, "\n"));
    return r;
}

/* "exit_code: -11 (SIGSEGV)": how a shell's $? and Python's subprocess count it. */
static int cause_signal(Buf *out, int signal)
{
    return buf_appendf(out, "exit_code: -%d (%s)", signal, signal_name(signal));
}

static int cause(Buf *out, const Outcome *o, const Settings *s)
{
    char limit[32];
    int r;

    switch (o->status) {
    case RUN_SIGNALED:
        return cause_signal(out, o->signal);
    case RUN_TIMEOUT:
        return buf_appendf(out, "timeout: killed after %s",
                result_text_seconds(o->timeout_ms, limit, sizeof(limit)));
    case RUN_CPU_LIMIT:
        return buf_appendf(out, "cpu limit: %" PRId64 "s exceeded", s->max_cpu_seconds);
    case RUN_MEMORY_LIMIT:
        r = buf_appendf(out, "memory limit: %" PRId64 " MB exceeded | ", s->max_memory_mb);
        TRY(r, cause_signal(out, o->signal));
        return r;
    default:
        return buf_appendf(out, "exit_code: %d", o->exit_code);
    }
}

int result_text_format(
        const Outcome *o, const Settings *s, int64_t capped_from_ms, size_t max_chars, Buf *out)
{
    int64_t duration_ms = (o->duration_us + 500) / 1000;
    int r = buf_appendf(out, "[request_id=%s]\n", o->request_id);

    if (!is_empty(&o->out)) {
        TRY(r, section(out, "stdout", &o->out, max_chars));
    }
    if (!is_empty(&o->err)) {
        TRY(r, section(out, "stderr", &o->err, max_chars));
    }
    if (o->has_result) {
        TRY(r, section(out, "result", &o->result, max_chars));
    }
    /* The section `files` has its place here. */
    TRY(r, notes(out, o, s, capped_from_ms));
    TRY(r, buf_append_str(out, "--- "));
    TRY(r, cause(out, o, s));
    TRY(r, buf_appendf(out, " | duration: %" PRId64 ".%03" PRId64 "s ---", duration_ms / 1000,
                   duration_ms % 1000));
    return r;
}

int result_text_refused(const char *request_id, const char *reason, Buf *out)
{
    return buf_appendf(out, "[request_id=%s]\n%s", request_id, reason);
}
