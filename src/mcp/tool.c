#include "mcp/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "mcp/build.h"
#include "mcp/result_text.h"
#include "sandbox/sandbox.h"

/* No combinator at the root: some clients drop such a tool. `maximum` is left out on purpose: a
 * larger timeout is capped with a note, which helps a model more than a refusal by its client. */
static const char input_schema[] =
        "{\"type\":\"object\",\"properties\":{"
        "\"code\":{\"type\":\"string\",\"description\":\"The Python program to run. "
        "The value of its last expression is shown.\"},"
        "\"timeout\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
        "\"stdin\":{\"type\":\"string\",\"description\":\"The program's standard input, read by "
        "input() and sys.stdin. Empty when not given.\"}},"
        "\"required\":[\"code\"],\"additionalProperties\":false}";

/* What result_json.c puts into structuredContent, member by member. */
static const char output_schema[] =
        "{\"type\":\"object\",\"properties\":{"
        "\"stdout\":{\"type\":\"string\",\"description\":\"What the program printed; the middle is "
        "left out when it is too long.\"},"
        "\"stderr\":{\"type\":\"string\",\"description\":\"What it wrote to stderr, such as a "
        "traceback.\"},"
        "\"result\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"description\":\"repr()"
        " of the last "
        "expression's value; null when there is none.\"},"
        "\"request_id\":{\"type\":\"string\"},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"exited\",\"signaled\",\"timeout\","
        "\"cpu_limit\",\"memory_limit\",\"sandbox_error\",\"rejected\"]},"
        "\"exit_code\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}],\"description\":\"-"
        "N when signal N ended "
        "the program; null when it was stopped at a limit or did not run.\"},"
        "\"signal\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"
        "\"duration_ms\":{\"type\":\"number\"},"
        "\"cpu_ms\":{\"type\":\"number\"},"
        "\"max_rss_kb\":{\"type\":\"integer\"},"
        "\"queued_ms\":{\"type\":\"number\"}},"
        "\"required\":[\"stdout\",\"stderr\",\"result\",\"request_id\",\"status\",\"exit_code\","
        "\"signal\",\"duration_ms\",\"cpu_ms\",\"max_rss_kb\",\"queued_ms\"],"
        "\"additionalProperties\":false}";

/* Every program may change what it finds in its own process, and nothing outside of it: not
 * destructive, a closed world. */
static const char annotations[] =
        "{\"title\":\"Run Python\",\"readOnlyHint\":false,\"destructiveHint\":false,"
        "\"idempotentHint\":false,\"openWorldHint\":false}";

/* The largest result a client should let through: three sections and the words around them. Clients
 * that read `anthropic/maxResultSizeChars` take at most half a million. */
enum { RESULT_CHARS_EXTRA = 2000, RESULT_CHARS_MAX = 500000 };

bool tool_is_structured(const Settings *s, const Era *era)
{
    return s->structured_output && era->titles;
}

enum { LOADED_SIZE = 256 };

/* What costs nothing to import, where there are packages at all; a long list is no help. */
static const char *loaded_words(const Settings *s, char ret[LOADED_SIZE])
{
    bool has_any = s->site_packages && s->preload && s->preload[0];

    if (!has_any || strlen(s->preload) >= LOADED_SIZE / 2) {
        return "";
    }
    (void)snprintf(ret, LOADED_SIZE, " (quickest to import: %s)", s->preload);
    return ret;
}

const char *tool_description(const Settings *s, char ret[TOOL_TEXT_SIZE])
{
    char standard[32], max[32], loaded[LOADED_SIZE];

    (void)snprintf(ret, TOOL_TEXT_SIZE,
            "Runs a Python program in a fresh CPython process of its own and returns what it "
            "printed.\n"
            "- Each call starts from nothing: no variables, imports or files remain from earlier "
            "calls, and files the program writes are gone afterwards. Put everything into one "
            "call.\n"
            "- Shown are stdout, stderr and, when the program ends with an expression, the repr of "
            "its value (unless it is None). Top-level await works.\n"
            "- %s there%s. Packages can't be installed, notebook commands "
            "(lines with ! or %%) don't exist, and the network should not be counted on.\n"
            "- Nobody types: input() and sys.stdin read the argument `stdin`, which is empty when "
            "not given.\n"
            "- Limits: %s of wall clock unless `timeout` says otherwise (at most %s), %" PRId64
            "s of CPU time, %" PRId64 " MB of memory, %" PRId64
            " processes and threads, files of at most %" PRId64 " MB, %" PRId64
            " characters each of stdout, stderr and result (a longer one keeps its beginning and "
            "its end).\n"
            "- The last line of the result gives exit code and duration, or names the limit that "
            "ended the program; the output so far is there too. An exception in the program is an "
            "ordinary result: read the traceback in stderr.",
            s->site_packages ? "The standard library and the packages installed for this Python are"
                             : "Only the standard library is",
            loaded_words(s, loaded),
            result_text_seconds(s->default_timeout_ms, standard, sizeof(standard)),
            result_text_seconds(s->max_timeout_ms, max, sizeof(max)), s->max_cpu_seconds,
            s->max_memory_mb, s->max_processes, s->max_file_size_mb, s->max_output_chars);
    return ret;
}

const char *tool_instructions(const Settings *s, char ret[TOOL_TEXT_SIZE])
{
    char standard[32], max[32];

    (void)snprintf(ret, TOOL_TEXT_SIZE,
            "Use " TOOL_NAME " to run Python: to compute, to check an idea, to work on text or "
            "data that you put into the program or into `stdin`. Each call is a fresh CPython "
            "process: no state and no files are kept, %s there, and the "
            "network should not be counted on. The value of the last expression is shown; "
            "top-level await works. A call may take %s, or up to %s when you give `timeout` (in "
            "seconds); %" PRId64 " calls run at the same time, more of them wait in order. "
            "Isolation on this machine: %s.",
            s->site_packages ? "the standard library and the packages installed for this Python are"
                             : "only the standard library is",
            result_text_seconds(s->default_timeout_ms, standard, sizeof(standard)),
            result_text_seconds(s->max_timeout_ms, max, sizeof(max)), s->max_concurrent,
            sandbox_tier());
    return ret;
}

static Json *parse_constant(const char *text)
{
    return json_parse(text, strlen(text), NULL, 0);
}

static Json *input_schema_new(const Settings *s)
{
    char standard[32], max[32], words[160];
    Json *schema = parse_constant(input_schema);
    Json *timeout = json_get(json_get(schema, "properties"), "timeout");
    int r;

    if (schema == NULL) {
        return NULL;
    }
    (void)snprintf(words, sizeof(words),
            "Seconds of wall clock the program may take: %s when not given, at most %s. It starts "
            "with the program, not in the queue.",
            result_text_seconds(s->default_timeout_ms, standard, sizeof(standard)),
            result_text_seconds(s->max_timeout_ms, max, sizeof(max)));
    r = json_set(timeout, "description", json_new_string(words));
    if (s->default_timeout_ms % 1000 == 0) {
        r |= json_set(timeout, "default", json_new_int(s->default_timeout_ms / 1000));
    } else {
        r |= json_set(timeout, "default", json_new_real((double)s->default_timeout_ms / 1000));
    }
    return built(schema, r);
}

Json *tool_definition(const Settings *s, const Era *era)
{
    char words[TOOL_TEXT_SIZE];
    int64_t chars = MIN(3 * s->max_output_chars + RESULT_CHARS_EXTRA, (int64_t)RESULT_CHARS_MAX);
    Json *tool = json_new_object(), *meta = json_new_object();
    int r = json_set(tool, "name", json_new_string(TOOL_NAME));

    if (era->titles) {
        r |= json_set(tool, "title", json_new_string("Run Python"));
    }
    r |= json_set(tool, "description", json_new_string(tool_description(s, words)));
    r |= json_set(tool, "inputSchema", input_schema_new(s));
    if (tool_is_structured(s, era)) {
        r |= json_set(tool, "outputSchema", parse_constant(output_schema));
    }
    if (era->annotations) {
        r |= json_set(tool, "annotations", parse_constant(annotations));
    }
    r |= json_set(meta, "anthropic/maxResultSizeChars", json_new_int(chars));
    r |= json_set(tool, "_meta", meta);
    return built(tool, r);
}
