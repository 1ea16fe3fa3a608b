/* Which revision a request belongs to, and what each revision gets to see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/macro.h"
#include "mcp/envelope.h"
#include "mcp/result_json.h"
#include "mcp/tool.h"

static Settings settings = {
        .default_timeout_ms = 10000,
        .max_timeout_ms = 60000,
        .max_output_chars = 20000,
        .max_memory_mb = 256,
        .max_cpu_seconds = 10,
        .max_processes = 32,
        .max_file_size_mb = 10,
        .max_concurrent = 4,
};

static const Era *era(const char *version)
{
    return era_find(version, strlen(version));
}

static void test_table(void **state UNUSED)
{
    static const char *const versions[] = {
            "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        assert_string_equal(era_at(i)->version, versions[i]);
        assert_ptr_equal(era(versions[i]), era_at(i));
        assert_int_equal(era_at(i)->modern, i == 4);
        assert_int_equal(era_at(i)->batches, i == 1);
        assert_int_equal(era_at(i)->annotations, i >= 1);
        assert_int_equal(era_at(i)->progress_message, i >= 1);
        assert_int_equal(era_at(i)->titles, i >= 2);
        assert_int_equal(era_at(i)->errors_without_id, i >= 3);
    }
    assert_null(era_at(ARRAY_SIZE(versions)));
    assert_null(era("2025-11-2"));
    assert_null(era("2025-11-255"));
    assert_null(era(""));
    assert_string_equal(era_latest_legacy()->version, "2025-11-25");
}

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define INFO "\"io.modelcontextprotocol/clientInfo\":"
#define LEVEL "\"io.modelcontextprotocol/logLevel\":"

static void test_envelope(void **state UNUSED)
{
    static const struct {
        const char *params;
        EnvelopeKind kind;
        const char *named; /* in the error */
    } rows[] = {
            {NULL, ENVELOPE_NONE, NULL},
            {"{}", ENVELOPE_NONE, NULL},
            {"{\"_meta\":{}}", ENVELOPE_NONE, NULL},
            {"{\"_meta\":7}", ENVELOPE_NONE, NULL},
            {"{\"_meta\":{\"progressToken\":1}}", ENVELOPE_NONE, NULL},
            {"{\"_meta\":{\"io.modelcontextprotocol/related-task\":{}}}", ENVELOPE_NONE, NULL},
            {"{\"_meta\":{" VERSION "," CAPABILITIES "}}", ENVELOPE_VALID, NULL},
            {"{\"_meta\":{" VERSION "," CAPABILITIES "," INFO "{\"name\":\"a\"}}}", ENVELOPE_VALID,
                    NULL},
            {"{\"_meta\":{" VERSION "}}", ENVELOPE_BROKEN, META_CLIENT_CAPABILITIES},
            {"{\"_meta\":{" CAPABILITIES "}}", ENVELOPE_BROKEN, META_PROTOCOL_VERSION},
            {"{\"_meta\":{" INFO "{}}}", ENVELOPE_BROKEN, META_PROTOCOL_VERSION},
            {"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7," CAPABILITIES "}}",
                    ENVELOPE_BROKEN, META_PROTOCOL_VERSION},
            {"{\"_meta\":{" VERSION ",\"io.modelcontextprotocol/clientCapabilities\":[]}}",
                    ENVELOPE_BROKEN, META_CLIENT_CAPABILITIES},
            {"{\"_meta\":{" VERSION "," CAPABILITIES "," INFO "\"me\"}}", ENVELOPE_BROKEN,
                    META_CLIENT_INFO},
            {"{\"_meta\":{" VERSION "," CAPABILITIES "," LEVEL "\"loud\"}}", ENVELOPE_BROKEN,
                    META_LOG_LEVEL},
            {"{\"_meta\":{" VERSION "," CAPABILITIES "," LEVEL "3}}", ENVELOPE_BROKEN,
                    META_LOG_LEVEL},
            {"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"," CAPABILITIES
             "}}",
                    ENVELOPE_UNSUPPORTED, NULL},
            /* known, but opened by initialize only */
            {"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"," CAPABILITIES
             "}}",
                    ENVELOPE_UNSUPPORTED, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        Json *params = rows[i].params != NULL
                               ? json_parse(rows[i].params, strlen(rows[i].params), NULL, 0)
                               : NULL;
        Envelope e;

        assert_true(rows[i].params == NULL || params != NULL);
        envelope_read(params, &e);
        assert_int_equal(e.kind, rows[i].kind);
        if (rows[i].named != NULL) {
            assert_non_null(strstr(e.error, rows[i].named));
        }
        assert_int_equal(e.kind == ENVELOPE_VALID, e.era != NULL);
        (void)json_unref(params);
    }
}

static void test_envelope_log_level(void **state UNUSED)
{
    static const char text[] = "{\"_meta\":{" VERSION "," CAPABILITIES "," LEVEL "\"warning\"}}";
    Json *params = json_parse(text, strlen(text), NULL, 0);
    Envelope e;

    envelope_read(params, &e);
    assert_int_equal(e.kind, ENVELOPE_VALID);
    assert_int_equal(e.log_level, MCP_LOG_WARNING);
    (void)json_unref(params);
}

static void test_tool_by_revision(void **state UNUSED)
{
    for (int structured = 0; structured < 2; structured++) {
        settings.structured_output = structured == 1;
        for (size_t i = 0; era_at(i) != NULL; i++) {
            Json *tool = tool_definition(&settings, era_at(i));

            assert_non_null(tool);
            assert_int_equal(json_get(tool, "title") != NULL, i >= 2);
            assert_int_equal(json_get(tool, "annotations") != NULL, i >= 1);
            assert_int_equal(json_get(tool, "outputSchema") != NULL, structured == 1 && i >= 2);
            (void)json_unref(tool);
        }
    }
    settings.structured_output = false;
}

/* Clients cut descriptions and instructions at 2 KB. */
static void test_texts_are_short(void **state UNUSED)
{
    Settings large = {
            .default_timeout_ms = INT64_MAX / 2,
            .max_timeout_ms = INT64_MAX / 2,
            .max_output_chars = INT64_MAX,
            .max_memory_mb = INT64_MAX,
            .max_cpu_seconds = INT64_MAX,
            .max_processes = INT64_MAX,
            .max_file_size_mb = INT64_MAX,
            .max_concurrent = INT64_MAX,
    };
    char text[TOOL_TEXT_SIZE];

    assert_true(strlen(tool_description(&large, text)) < TOOL_TEXT_SIZE - 1);
    assert_true(strlen(tool_instructions(&large, text)) < TOOL_TEXT_SIZE - 1);
    tool_description(&settings, text);
    assert_non_null(strstr(text, "10s of wall clock"));
    assert_non_null(strstr(text, "at most 60s"));
    assert_non_null(strstr(text, "256 MB of memory"));
    assert_non_null(strstr(text, "32 processes"));
    assert_non_null(strstr(text, "20000 characters"));
}

static void test_input_schema(void **state UNUSED)
{
    Json *tool = tool_definition(&settings, era_latest_legacy());
    const Json *schema = json_get(tool, "inputSchema");
    const Json *timeout = json_get(json_get(schema, "properties"), "timeout");

    assert_non_null(timeout);
    assert_null(json_get(schema, "oneOf"));
    assert_null(json_get(schema, "anyOf"));
    assert_null(json_get(schema, "allOf"));
    assert_true(json_is(json_get(schema, "additionalProperties"), JSON_T_BOOL));
    assert_false(json_true(json_get(schema, "additionalProperties")));
    assert_int_equal(json_int(json_get(timeout, "default")), 10);
    (void)json_unref(tool);
}

static Json *result(const Era *e, const Outcome *o, const char *reason, size_t max_bytes)
{
    ResultContext c = {.settings = &settings, .era = e, .max_bytes = max_bytes};
    Json *v = result_json_call(&c, o, reason);

    assert_non_null(v);
    return v;
}

/* Each member of structuredContent is in the schema and the other way round. */
static void test_structured_matches_schema(void **state UNUSED)
{
    Outcome o = {.request_id = "a1b2c3d4", .status = RUN_REJECTED};
    Json *tool, *v;
    const Json *properties, *structured;

    settings.structured_output = true;
    tool = tool_definition(&settings, era_latest_legacy());
    v = result(era_latest_legacy(), &o, "no", 1 << 20);
    properties = json_get(json_get(tool, "outputSchema"), "properties");
    structured = json_get(v, "structuredContent");
    assert_int_equal(json_size(properties), json_size(structured));
    assert_int_equal(
            json_size(json_get(json_get(tool, "outputSchema"), "required")), json_size(structured));
    for (void *it = json_iter(structured); it != NULL; it = json_iter_next(structured, it)) {
        assert_non_null(json_get(properties, json_iter_key(it)));
    }
    (void)json_unref(v);
    v = result(era("2025-03-26"), &o, "no", 1 << 20);
    assert_null(json_get(v, "structuredContent"));
    (void)json_unref(v);
    (void)json_unref(tool);
    settings.structured_output = false;
}

static void assert_dumps(const Json *v, const char *expected)
{
    Buf b;

    buf_init(&b, 1 << 20);
    assert_int_equal(json_dump(v, &b), 0);
    assert_int_equal(buf_append(&b, "", 1), 0);
    assert_string_equal(b.data, expected);
    buf_deinit(&b);
}

static void test_outcome(void **state UNUSED)
{
    Outcome o = {.request_id = "a1b2c3d4",
            .status = RUN_SIGNALED,
            .signal = 11,
            .duration_us = 41250,
            .cpu_us = 30000,
            .queued_us = 1,
            .max_rss_kb = 9000,
            .out = {.head = "ab", .head_bytes = 2, .total_bytes = 5, .omitted_chars = 3}};
    Json *v = result_json_outcome(&o, 20000);

    assert_dumps(v,
            "{\"request_id\":\"a1b2c3d4\",\"status\":\"signaled\",\"exit_code\":-11,\"signal\":11,"
            "\"duration_ms\":41.25,\"cpu_ms\":30.0,\"max_rss_kb\":9000,\"queued_ms\":0.001,"
            "\"stdout\":{\"bytes\":5,\"truncated\":true},"
            "\"stderr\":{\"bytes\":0,\"truncated\":false},"
            "\"result\":{\"bytes\":0,\"truncated\":false}}");
    (void)json_unref(v);

    o.status = RUN_EXITED;
    o.exit_code = 3;
    v = result_json_outcome(&o, 20000);
    assert_int_equal(json_int(json_get(v, "exit_code")), 3);
    assert_true(json_is(json_get(v, "signal"), JSON_T_NULL));
    (void)json_unref(v);
}

static void test_outcome_without_exit_code(void **state UNUSED)
{
    static const RunStatus rows[] = {RUN_TIMEOUT, RUN_CPU_LIMIT, RUN_REJECTED, RUN_SANDBOX_ERROR};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        Outcome o = {.request_id = "a1b2c3d4", .status = rows[i], .exit_code = 7, .signal = 9};
        Json *v = result_json_outcome(&o, 20000);

        assert_true(json_is(json_get(v, "exit_code"), JSON_T_NULL));
        assert_true(json_is(json_get(v, "signal"), JSON_T_NULL));
        (void)json_unref(v);
    }
}

/* A reply that would be too large is cut down until it fits, and says so. */
static void test_large_reply(void **state UNUSED)
{
    static const size_t size = 200000, max_bytes = 300000;
    char *text = malloc(size);
    Outcome o = {.request_id = "a1b2c3d4", .status = RUN_EXITED};
    Json *v;
    Buf b;

    assert_non_null(text);
    memset(text, 1, size); /* six bytes of JSON each */
    o.out = (KeptText){.head = text, .head_bytes = size, .total_bytes = size};
    settings.max_output_chars = (int64_t)size;
    v = result(era_latest_legacy(), &o, NULL, max_bytes);
    buf_init(&b, 2 * max_bytes);
    assert_int_equal(json_dump(v, &b), 0);
    assert_true(b.len <= max_bytes);
    assert_true(b.len > max_bytes / 4);
    assert_true(json_true(json_get(
            json_get(json_get(json_get(v, "_meta"), META_OUTCOME), "stdout"), "truncated")));
    buf_deinit(&b);
    (void)json_unref(v);
    settings.max_output_chars = 20000;
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_table),
            cmocka_unit_test(test_envelope),
            cmocka_unit_test(test_envelope_log_level),
            cmocka_unit_test(test_tool_by_revision),
            cmocka_unit_test(test_texts_are_short),
            cmocka_unit_test(test_input_schema),
            cmocka_unit_test(test_structured_matches_schema),
            cmocka_unit_test(test_outcome),
            cmocka_unit_test(test_outcome_without_exit_code),
            cmocka_unit_test(test_large_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
