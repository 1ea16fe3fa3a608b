/* The conversation, message by message, as far as no program runs: the runner is only reached by
 * calls whose arguments are right, and those are tested end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "mcp/server.h"

static const Settings settings = {
        .default_timeout_ms = 10000,
        .max_timeout_ms = 60000,
        .max_output_chars = 20000,
        .max_memory_mb = 256,
        .max_cpu_seconds = 10,
        .max_processes = 32,
        .max_file_size_mb = 10,
        .max_concurrent = 4,
        .max_queue = 256,
        .max_request_mb = 16,
};

typedef struct Talk {
    McpServer *server;
    McpPeer *peer;
    Json *sent; /* an array of all messages, not yet looked at */
    size_t next;
} Talk;

static void on_send(void *userdata, const Json *message)
{
    Talk *t = userdata;

    assert_int_equal(json_add(t->sent, json_ref((Json *)message)), 0);
}

static int talk_open(void **state)
{
    Talk *t = calloc(1, sizeof(*t));

    assert_non_null(t);
    t->sent = json_new_array();
    assert_int_equal(mcp_server_new(&t->server, NULL, &settings, NULL, "1.2.3"), 0);
    assert_int_equal(mcp_peer_new(&t->peer, t->server, on_send, t), 0);
    *state = t;
    return 0;
}

static int talk_close(void **state)
{
    Talk *t = *state;

    t->peer = mcp_peer_free(t->peer);
    t->server = mcp_server_free(t->server);
    (void)json_unref(t->sent);
    free(t);
    return 0;
}

static void say(Talk *t, const char *line)
{
    mcp_peer_receive(t->peer, line, strlen(line));
}

static void hear_nothing(const Talk *t)
{
    assert_int_equal(json_size(t->sent), t->next);
}

static const Json *hear_one(Talk *t)
{
    assert_true(json_size(t->sent) > t->next);
    return json_at(t->sent, t->next++);
}

static const Json *ask(Talk *t, const char *line)
{
    const Json *answer;

    say(t, line);
    answer = hear_one(t);
    hear_nothing(t);
    return answer;
}

static const char *text_of(const Json *v)
{
    const char *s = json_string_bytes(v, NULL);

    assert_non_null(s);
    return s;
}

static void assert_json(const Json *v, const char *expected)
{
    Buf b;

    assert_non_null(v);
    buf_init(&b, 1 << 20);
    assert_int_equal(json_dump(v, &b), 0);
    assert_int_equal(buf_append(&b, "", 1), 0);
    assert_string_equal(b.data, expected);
    buf_deinit(&b);
}

static const Json *assert_error(const Json *answer, int code, const char *words)
{
    const Json *error = json_get(answer, "error");

    assert_non_null(error);
    assert_null(json_get(answer, "result"));
    assert_int_equal(json_int(json_get(error, "code")), code);
    assert_non_null(strstr(text_of(json_get(error, "message")), words));
    return error;
}

static const Json *initialize(Talk *t, const char *version)
{
    char line[256];

    (void)snprintf(line, sizeof(line),
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
            "\"protocolVersion\":\"%s\",\"capabilities\":{},"
            "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
            version);
    return json_get(ask(t, line), "result");
}

#define REQUEST(id, method, params)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(id, method) REQUEST(id, method, "{" META "}")
#define MODERN_WITH(id, method, members) REQUEST(id, method, "{" META "," members "}")
#define NOTIFY(method) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\"}"
#define NOTIFY_WITH(method, params)                                                                \
    "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}"
#define BARE(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"

/* Legacy ------------------------------------------------------------------------------------ */

static void test_initialize_versions(void **state)
{
    static const char *const rows[][2] = {
            {"2024-11-05", "2024-11-05"},
            {"2025-03-26", "2025-03-26"},
            {"2025-06-18", "2025-06-18"},
            {"2025-11-25", "2025-11-25"},
            {"2026-07-28", "2025-11-25"},
            {"1900-01-01", "2025-11-25"},
            {"", "2025-11-25"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const Json *r = initialize(*state, rows[i][0]);
        const Json *info = json_get(r, "serverInfo");

        assert_string_equal(text_of(json_get(r, "protocolVersion")), rows[i][1]);
        assert_string_equal(text_of(json_get(info, "name")), "python-runner-mcp");
        assert_string_equal(text_of(json_get(info, "version")), "1.2.3");
        assert_json(json_get(r, "capabilities"), "{\"tools\":{},\"logging\":{}}");
        assert_null(json_get(r, "resultType"));
    }
}

static void test_initialize_wrong(void **state)
{
    assert_error(ask(*state, BARE("1", "initialize")), -32602, "protocolVersion");
    assert_error(ask(*state, REQUEST("1", "initialize", "{\"protocolVersion\":1}")), -32602,
            "protocolVersion");
}

static void test_before_initialize(void **state)
{
    assert_json(ask(*state, BARE("0", "ping")), "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
    assert_int_equal(
            json_size(json_get(json_get(ask(*state, BARE("1", "tools/list")), "result"), "tools")),
            1);
    assert_error(ask(*state, BARE("1", "server/discover")), -32602,
            "io.modelcontextprotocol/protocolVersion");
}

static void test_ids_keep_their_type(void **state)
{
    assert_json(
            ask(*state, BARE("\"7\"", "ping")), "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}");
    assert_json(ask(*state, BARE("-9223372036854775808", "ping")),
            "{\"jsonrpc\":\"2.0\",\"id\":-9223372036854775808,\"result\":{}}");
}

static void test_lists(void **state)
{
    assert_json(json_get(ask(*state, BARE("1", "resources/list")), "result"), "{\"resources\":[]}");
    assert_json(json_get(ask(*state, BARE("1", "resources/templates/list")), "result"),
            "{\"resourceTemplates\":[]}");
    assert_json(json_get(ask(*state, BARE("1", "prompts/list")), "result"), "{\"prompts\":[]}");
    assert_error(ask(*state, REQUEST("1", "tools/list", "{\"cursor\":\"x\"}")), -32602, "cursor");
    assert_error(ask(*state, REQUEST("1", "prompts/list", "{\"cursor\":\"\"}")), -32602, "cursor");
}

static void test_not_found(void **state)
{
    const Json *e;

    e = assert_error(
            ask(*state, REQUEST("1", "resources/read", "{\"uri\":\"a:b\"}")), -32002, "a:b");
    assert_json(json_get(e, "data"), "{\"uri\":\"a:b\"}");
    e = assert_error(
            ask(*state, MODERN_WITH("1", "resources/read", "\"uri\":\"a:b\"")), -32602, "a:b");
    assert_json(json_get(e, "data"), "{\"uri\":\"a:b\"}");
    assert_error(ask(*state, BARE("1", "resources/read")), -32602, "uri");
    assert_error(ask(*state, REQUEST("1", "prompts/get", "{\"name\":\"p\"}")), -32602, "p");
    assert_error(ask(*state, BARE("1", "completion/complete")), -32601, "completion/complete");
    assert_error(ask(*state, BARE("1", "resources/subscribe")), -32601, "resources/subscribe");
    assert_error(ask(*state, BARE("1", "no/such")), -32601, "no/such");
    assert_error(ask(*state, BARE("1", "")), -32601, "");
}

static void test_set_level(void **state)
{
    assert_json(json_get(ask(*state, REQUEST("1", "logging/setLevel", "{\"level\":\"info\"}")),
                        "result"),
            "{}");
    assert_error(ask(*state, REQUEST("1", "logging/setLevel", "{\"level\":\"loud\"}")), -32602,
            "emergency");
    assert_error(ask(*state, BARE("1", "logging/setLevel")), -32602, "level");
}

static void test_notifications_are_never_answered(void **state)
{
    static const char *const rows[] = {
            NOTIFY("notifications/initialized"),
            NOTIFY("notifications/cancelled"),
            NOTIFY_WITH("notifications/cancelled", "{\"requestId\":77}"),
            NOTIFY_WITH("notifications/cancelled", "{\"requestId\":[]}"),
            NOTIFY("notifications/roots/list_changed"),
            NOTIFY("notifications/no/such"),
            NOTIFY_WITH("tools/call", "{}"),
            NOTIFY_WITH("tools/call", "[]"),
            NOTIFY("ping"),
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}",
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":1,\"message\":\"\"}}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        say(*state, rows[i]);
        hear_nothing(*state);
    }
}

/* Modern ------------------------------------------------------------------------------------ */

static void test_discover(void **state)
{
    const Json *r = json_get(ask(*state, MODERN("1", "server/discover")), "result");
    const Json *info = json_get(json_get(r, "_meta"), "io.modelcontextprotocol/serverInfo");

    assert_json(json_get(r, "supportedVersions"), "[\"2026-07-28\"]");
    assert_string_equal(text_of(json_get(r, "resultType")), "complete");
    assert_string_equal(text_of(json_get(r, "cacheScope")), "public");
    assert_true(json_int(json_get(r, "ttlMs")) >= 0);
    assert_json(json_get(r, "capabilities"), "{\"tools\":{},\"logging\":{}}");
    assert_string_equal(text_of(json_get(info, "name")), "python-runner-mcp");
}

static void test_modern_results(void **state)
{
    static const char *const cacheable[] = {
            MODERN("1", "tools/list"),
            MODERN("1", "resources/list"),
            MODERN("1", "resources/templates/list"),
            MODERN("1", "prompts/list"),
    };

    for (size_t i = 0; i < ARRAY_SIZE(cacheable); i++) {
        const Json *r = json_get(ask(*state, cacheable[i]), "result");

        assert_string_equal(text_of(json_get(r, "resultType")), "complete");
        assert_non_null(json_get(json_get(r, "_meta"), "io.modelcontextprotocol/serverInfo"));
        assert_true(json_is(json_get(r, "ttlMs"), JSON_T_INTEGER));
        assert_string_equal(text_of(json_get(r, "cacheScope")), "public");
    }
}

static void test_modern_removed(void **state)
{
    assert_error(ask(*state, MODERN("1", "ping")), -32601, "ping");
    assert_error(ask(*state, MODERN("1", "logging/setLevel")), -32601, "logging/setLevel");
    assert_error(ask(*state, MODERN("1", "resources/subscribe")), -32601, "resources/subscribe");
    assert_error(ask(*state, MODERN("1", "initialize")), -32601, "initialize");
}

static void test_modern_refused(void **state)
{
    const Json *e;

    assert_error(ask(*state, REQUEST("1", "tools/list",
                                     "{\"_meta\":{\"io.modelcontextprotocol/"
                                     "protocolVersion\":\"2026-07-28\"}}")),
            -32602, "io.modelcontextprotocol/clientCapabilities");
    e = assert_error(
            ask(*state, REQUEST("1", "tools/list",
                                "{\"_meta\":{\"io.modelcontextprotocol/"
                                "protocolVersion\":\"1900-01-01\",\"io.modelcontextprotocol/"
                                "clientCapabilities\":{}}}")),
            -32022, "Unsupported protocol version");
    assert_json(
            json_get(e, "data"), "{\"supported\":[\"2026-07-28\"],\"requested\":\"1900-01-01\"}");
}

static void test_eras_side_by_side(void **state)
{
    (void)initialize(*state, "2024-11-05");
    assert_non_null(json_get(json_get(ask(*state, MODERN("1", "tools/list")), "result"), "ttlMs"));
    assert_null(json_get(json_get(ask(*state, BARE("2", "tools/list")), "result"), "ttlMs"));
    assert_json(json_get(ask(*state, BARE("3", "ping")), "result"), "{}");
}

static void test_listen(void **state)
{
    Talk *t = *state;

    assert_error(ask(t, MODERN("1", "subscriptions/listen")), -32602, "notifications");
    assert_json(ask(t, MODERN_WITH("1", "subscriptions/listen",
                               "\"notifications\":{\"toolsListChanged\":true}")),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
            "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
            "subscriptionId\":1},\"notifications\":{}}}");
    assert_json(json_get(json_get(ask(t, MODERN_WITH("\"1\"", "subscriptions/listen",
                                                 "\"notifications\":{}")),
                                 "params"),
                        "_meta"),
            "{\"io.modelcontextprotocol/subscriptionId\":\"1\"}");
    assert_int_equal(mcp_peer_calls(t->peer), 0);
    say(t, NOTIFY_WITH("notifications/cancelled", "{\"requestId\":1}"));
    hear_nothing(t);
    /* The other one is answered at the end. */
    t->peer = mcp_peer_free(t->peer);
    const Json *end = hear_one(t);

    hear_nothing(t);
    assert_string_equal(text_of(json_get(end, "id")), "1");
    assert_string_equal(text_of(json_get(json_get(end, "result"), "resultType")), "complete");
    assert_string_equal(text_of(json_get(json_get(json_get(end, "result"), "_meta"),
                                "io.modelcontextprotocol/subscriptionId")),
            "1");
}

static void test_listens_are_bounded(void **state)
{
    static const char line[] = MODERN_WITH("1", "subscriptions/listen", "\"notifications\":{}");

    for (int i = 0; i < 16; i++) {
        assert_non_null(json_get(ask(*state, line), "method"));
    }
    assert_error(ask(*state, line), -32603, "16");
}

/* tools/call without a program -------------------------------------------------------------- */

static void test_call_protocol_errors(void **state)
{
    assert_error(ask(*state, BARE("1", "tools/call")), -32602, "name");
    assert_error(ask(*state, REQUEST("1", "tools/call", "{\"name\":5}")), -32602, "name");
    assert_error(ask(*state, REQUEST("1", "tools/call", "{\"name\":\"rm\"}")), -32602,
            "Unknown tool: rm");
    assert_error(ask(*state, REQUEST("1", "tools/call", "{\"name\":\"run_python\\u0000x\"}")),
            -32602, "Unknown tool");
}

static void test_call_rejected(void **state)
{
    const Json *r = json_get(
            ask(*state, REQUEST("1", "tools/call", "{\"name\":\"run_python\"}")), "result");
    const Json *outcome = json_get(json_get(r, "_meta"), "python-runner/outcome");
    const char *id = text_of(json_get(outcome, "request_id"));
    const Json *block = json_at(json_get(r, "content"), 0);
    char expected[128];

    assert_int_equal(strlen(id), 8);
    assert_int_equal(strspn(id, "0123456789abcdef"), 8);
    assert_true(json_true(json_get(r, "isError")));
    assert_string_equal(text_of(json_get(outcome, "status")), "rejected");
    assert_string_equal(text_of(json_get(block, "type")), "text");
    (void)snprintf(expected, sizeof(expected), "[request_id=%s]\nargument 'code' is missing", id);
    assert_memory_equal(text_of(json_get(block, "text")), expected, strlen(expected));
    assert_null(json_get(r, "structuredContent"));
    assert_int_equal(mcp_peer_calls(((Talk *)*state)->peer), 0);
}

static void test_modern_call_rejected(void **state)
{
    const Json *r = json_get(
            ask(*state, MODERN_WITH("1", "tools/call", "\"name\":\"run_python\",\"arguments\":[]")),
            "result");

    assert_string_equal(text_of(json_get(r, "resultType")), "complete");
    assert_non_null(json_get(json_get(r, "_meta"), "io.modelcontextprotocol/serverInfo"));
    assert_non_null(json_get(json_get(r, "_meta"), "python-runner/outcome"));
    assert_null(json_get(r, "ttlMs"));
}

/* Bad input --------------------------------------------------------------------------------- */

static void test_parse_errors(void **state)
{
    const Json *e;

    e = ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":");
    assert_error(e, -32700, "");
    assert_int_equal(json_int(json_get(e, "id")), 5);
    e = ask(*state, "garbage");
    assert_error(e, -32700, "");
    assert_null(json_get(e, "id"));
    e = ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}");
    assert_error(e, -32600, "");
    assert_null(json_get(e, "id"));

    (void)initialize(*state, "2025-06-18"); /* its errors must have an id */
    say(*state, "garbage");
    say(*state, "7");
    hear_nothing(*state);
    e = ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":");
    assert_error(e, -32700, "");
    assert_string_equal(text_of(json_get(e, "id")), "a");
    (void)initialize(*state, "2025-11-25");
    assert_error(ask(*state, "garbage"), -32700, "");
}

static void test_long_id(void **state)
{
    const Json *answer;
    Talk *t = *state;

    (void)initialize(t, "2025-03-26");
    for (int n = 1024; n <= 1025; n++) {
        char id[1100];
        Buf b;

        memset(id, 'x', (size_t)n);
        id[n] = '\0';
        buf_init(&b, 1 << 20);
        assert_int_equal(buf_appendf(&b, "[" BARE("\"%s\"", "ping") "]", id), 0);
        mcp_peer_receive(t->peer, b.data, b.len);
        buf_deinit(&b);
        answer = hear_one(t);
        hear_nothing(t);
        if (n == 1024) {
            assert_json(json_get(json_at(answer, 0), "result"), "{}");
        } else {
            assert_error(answer, -32600, "1024");
            assert_string_equal(text_of(json_get(answer, "id")), id);
        }
    }
}

static void test_overlong(void **state)
{
    Talk *t = *state;
    Json *id = json_new_int(8);

    mcp_peer_overlong(t->peer, id);
    (void)json_unref(id);
    const Json *e = hear_one(t);

    assert_error(e, -32600, "RUNNER_MAX_REQUEST_MB=16");
    assert_int_equal(json_int(json_get(e, "id")), 8);
    mcp_peer_overlong(t->peer, NULL);
    assert_null(json_get(hear_one(t), "id"));
    (void)initialize(t, "2025-03-26");
    mcp_peer_overlong(t->peer, NULL);
    hear_nothing(t);
}

/* Batches ----------------------------------------------------------------------------------- */

#define NOTE NOTIFY("notifications/initialized")

static void test_batch(void **state)
{
    Talk *t = *state;
    const Json *answers;

    (void)initialize(t, "2025-03-26");
    answers = ask(t, "[" BARE("1", "ping") "," NOTE "," BARE("\"b\"", "no/such") "]");
    assert_int_equal(json_size(answers), 2);
    assert_int_equal(json_int(json_get(json_at(answers, 0), "id")), 1);
    assert_error(json_at(answers, 1), -32601, "no/such");
    say(t, "[" NOTE "," NOTE "]");
    hear_nothing(t);
    say(t, "[]");
    say(t, "[1,[],null]");
    hear_nothing(t);
    answers = ask(t, "[" MODERN("1", "tools/list") "]");
    assert_error(json_at(answers, 0), -32600, "batch");
    answers = ask(t, "[" BARE("1", "initialize") ",{\"id\":2}]");
    assert_error(json_at(answers, 0), -32600, "initialize");
    assert_error(json_at(answers, 1), -32600, "");
}

static void test_batch_elsewhere(void **state)
{
    Talk *t = *state;
    const Json *e = ask(t, "[" BARE("1", "ping") "," BARE("2", "ping") "]");

    assert_error(e, -32600, "2025-11-25");
    assert_null(json_get(e, "id"));
    (void)initialize(t, "2025-06-18");
    say(t, "[" BARE("1", "ping") "," NOTE "," BARE("2", "ping") "]");
    for (int id = 1; id <= 2; id++) {
        e = hear_one(t);
        assert_error(e, -32600, "2025-06-18");
        assert_int_equal(json_int(json_get(e, "id")), id);
    }
    hear_nothing(t);
}

static void test_batch_is_bounded(void **state)
{
    static const int max = 1000;
    Talk *t = *state;

    (void)initialize(t, "2025-03-26");
    for (int n = max; n <= max + 1; n++) {
        Buf b;

        buf_init(&b, 1 << 20);
        for (int i = 0; i < n; i++) {
            assert_int_equal(buf_appendf(&b, "%s" BARE("%d", "ping"), i == 0 ? "[" : ",", i), 0);
        }
        assert_int_equal(buf_append_str(&b, "]"), 0);
        mcp_peer_receive(t->peer, b.data, b.len);
        buf_deinit(&b);
        if (n == max) {
            assert_int_equal(json_size(hear_one(t)), max);
            hear_nothing(t);
        } else {
            assert_error(hear_one(t), -32600, "1000");
        }
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, talk_open, talk_close)
    const struct CMUnitTest tests[] = {
            TEST(test_initialize_versions),
            TEST(test_initialize_wrong),
            TEST(test_before_initialize),
            TEST(test_ids_keep_their_type),
            TEST(test_lists),
            TEST(test_not_found),
            TEST(test_set_level),
            TEST(test_notifications_are_never_answered),
            TEST(test_discover),
            TEST(test_modern_results),
            TEST(test_modern_removed),
            TEST(test_modern_refused),
            TEST(test_eras_side_by_side),
            TEST(test_listen),
            TEST(test_listens_are_bounded),
            TEST(test_call_protocol_errors),
            TEST(test_call_rejected),
            TEST(test_modern_call_rejected),
            TEST(test_parse_errors),
            TEST(test_long_id),
            TEST(test_overlong),
            TEST(test_batch),
            TEST(test_batch_elsewhere),
            TEST(test_batch_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
