#include "mcp/result_json.h"

#include <math.h>

#include "base/macro.h"
#include "base/utf8.h"
#include "mcp/build.h"
#include "mcp/result_text.h"
#include "mcp/tool.h"

enum {
    WORDS_BYTES_MAX = 16 * 1024, /* headers, notes, the last line, a reason */
    MARK_BYTES_MAX = 256,        /* the line in place of what is left out */
    MIN_CHARS = 64,              /* below this cutting down further gains nothing */
};

static Json *milliseconds(int64_t us)
{
    return json_new_real((double)us / 1000);
}

static bool is_truncated(const KeptText *t, size_t max_chars)
{
    return t->omitted_chars > 0 ||
           utf8_count(t->head, t->head_bytes) + utf8_count(t->tail, t->tail_bytes) > max_chars;
}

static Json *stream(const KeptText *t, size_t max_chars)
{
    Json *v = json_new_object();
    int r = json_set(v, "bytes", json_new_int((int64_t)t->total_bytes));

    r |= json_set(v, "truncated", json_new_bool(is_truncated(t, max_chars)));
    return built(v, r);
}

/* The members that outcome and structuredContent share. */
static int set_numbers(Json *v, const Outcome *o)
{
    bool by_signal = o->status == RUN_SIGNALED || o->status == RUN_MEMORY_LIMIT;
    int r = json_set(v, "request_id", json_new_string(o->request_id));

    r |= json_set(v, "status", json_new_string(run_status_name(o->status)));
    if (by_signal) {
        r |= json_set(v, "exit_code", json_new_int(-o->signal));
    } else if (o->status == RUN_EXITED) {
        r |= json_set(v, "exit_code", json_new_int(o->exit_code));
    } else {
        r |= json_set(v, "exit_code", json_new_null());
    }
    r |= json_set(v, "signal", by_signal ? json_new_int(o->signal) : json_new_null());
    r |= json_set(v, "duration_ms", milliseconds(o->duration_us));
    r |= json_set(v, "cpu_ms", milliseconds(o->cpu_us));
    r |= json_set(v, "max_rss_kb", json_new_int(o->max_rss_kb));
    r |= json_set(v, "queued_ms", milliseconds(o->queued_us));
    return r;
}

Json *result_json_outcome(const Outcome *o, size_t max_chars)
{
    Json *v = json_new_object();
    int r = set_numbers(v, o);

    r |= json_set(v, "stdout", stream(&o->out, max_chars));
    r |= json_set(v, "stderr", stream(&o->err, max_chars));
    r |= json_set(v, "result", stream(&o->result, max_chars));
    return built(v, r);
}

static size_t kept_bytes(const KeptText *t)
{
    return t->head_bytes + t->tail_bytes + MARK_BYTES_MAX;
}

static Json *kept_string(const KeptText *t, size_t max_chars)
{
    Json *v = NULL;
    Buf b;

    buf_init(&b, kept_bytes(t));
    if (kept_text_format(t, max_chars, &b, NULL) == 0) {
        v = json_new_stringn(b.len > 0 ? b.data : "", b.len);
    }
    buf_deinit(&b);
    return v;
}

static Json *structured(const Outcome *o, size_t max_chars)
{
    Json *v = json_new_object();
    int r = json_set(v, "stdout", kept_string(&o->out, max_chars));

    r |= json_set(v, "stderr", kept_string(&o->err, max_chars));
    r |= json_set(
            v, "result", o->has_result ? kept_string(&o->result, max_chars) : json_new_null());
    r |= set_numbers(v, o);
    return built(v, r);
}

static size_t text_bytes_max(const Outcome *o)
{
    return kept_bytes(&o->out) + kept_bytes(&o->err) + kept_bytes(&o->result) + WORDS_BYTES_MAX;
}

static Json *text_block(
        const ResultContext *c, const Outcome *o, const char *reason, size_t max_chars)
{
    Json *block = json_new_object();
    int r = json_set(block, "type", json_new_string("text")), formatted;
    Buf b;

    buf_init(&b, text_bytes_max(o));
    if (reason != NULL) {
        formatted = result_text_refused(o->request_id, reason, &b);
    } else {
        formatted = result_text_format(o, c->settings, c->capped_from_ms, max_chars, &b);
    }
    r |= json_set(block, "text", formatted == 0 ? json_new_stringn(b.data, b.len) : NULL);
    buf_deinit(&b);
    return built(block, r);
}

/* The members of the outcome that are the worker's own word. */
static Json *reported_members(void)
{
    Json *names = json_new_array();
    int r = json_add(names, json_new_string("cpu_ms"));

    r |= json_add(names, json_new_string("max_rss_kb"));
    return built(names, r);
}

static Json *result_with(
        const ResultContext *c, const Outcome *o, const char *reason, size_t max_chars)
{
    Json *result = json_new_object(), *content = json_new_array(), *meta = json_new_object();
    int r = json_add(content, text_block(c, o, reason, max_chars));

    r |= json_set(result, "content", content);
    r |= json_set(result, "isError", json_new_bool(reason != NULL));
    if (tool_is_structured(c->settings, c->era)) {
        r |= json_set(result, "structuredContent", structured(o, max_chars));
    }
    r |= json_set(meta, META_OUTCOME, result_json_outcome(o, max_chars));
    if (o->usage_reported) {
        r |= json_set(meta, META_REPORTED, reported_members());
    }
    r |= json_set(result, "_meta", meta);
    return built(result, r);
}

/* A byte of text becomes at most six of JSON (\u0000), and the text is there once or twice: when
 * that fits nothing needs to be measured. */
static bool fits(const ResultContext *c, const Outcome *o, const Json *result)
{
    bool fit;
    Buf b;

    if (12 * text_bytes_max(o) <= c->max_bytes) {
        return true;
    }
    buf_init(&b, c->max_bytes);
    fit = json_dump(result, &b) == 0;
    buf_deinit(&b);
    return fit;
}

static size_t kept_chars(const KeptText *t, size_t max_chars)
{
    return MIN(utf8_count(t->head, t->head_bytes) + utf8_count(t->tail, t->tail_bytes), max_chars);
}

/* The most characters that could fit at all, a byte each: large outputs are then not built in vain.
 */
static size_t first_max_chars(const ResultContext *c, const Outcome *o)
{
    size_t max_chars = (size_t)c->settings->max_output_chars;
    size_t copies = tool_is_structured(c->settings, c->era) ? 2 : 1;

    while (max_chars > MIN_CHARS &&
            copies * (kept_chars(&o->out, max_chars) + kept_chars(&o->err, max_chars) +
                             kept_chars(&o->result, max_chars)) >
                    c->max_bytes) {
        max_chars /= 2;
    }
    return max_chars;
}

Json *result_json_call(const ResultContext *c, const Outcome *o, const char *reason)
{
    size_t max_chars = first_max_chars(c, o);

    for (;;) {
        Json *result = result_with(c, o, reason, max_chars);

        if (result == NULL || max_chars <= MIN_CHARS || fits(c, o, result)) {
            return result;
        }
        (void)json_unref(result);
        max_chars /= 2;
    }
}
