#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rpc/message.h"

typedef struct Case {
    const char *line;
    RpcKind kind;
    int code;
    const char *id;   /* as JSON text */
    const char *part; /* of the error's text */
} Case;

#define REQ(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"
#define NOTE(rest) "{\"jsonrpc\":\"2.0\"," rest "}"

static const Case s_cases[] = {
        {REQ("1", "\"method\":\"ping\""), RPC_REQUEST, 0, "1", ""},
        {REQ("0", "\"method\":\"ping\""), RPC_REQUEST, 0, "0", ""},
        {REQ("-5", "\"method\":\"x\",\"params\":{}"), RPC_REQUEST, 0, "-5", ""},
        {REQ("\"\"", "\"method\":\"\""), RPC_REQUEST, 0, "\"\"", ""},
        {REQ("\"1\"", "\"method\":\"ping\",\"more\":[1]"), RPC_REQUEST, 0, "\"1\"", ""},
        {REQ("1", "\"method\":\"x\",\"result\":1"), RPC_REQUEST, 0, "1", ""},
        {NOTE("\"method\":\"notifications/initialized\""), RPC_NOTIFICATION, 0, NULL, ""},
        {NOTE("\"method\":\"n\",\"params\":{\"a\":1}"), RPC_NOTIFICATION, 0, NULL, ""},
        {REQ("1", "\"result\":{}"), RPC_RESPONSE, 0, "1", ""},
        {REQ("1", "\"error\":{\"code\":1,\"message\":\"m\"}"), RPC_RESPONSE, 0, "1", ""},
        {REQ("null", "\"error\":{}"), RPC_RESPONSE, 0, NULL, ""},
        {"{\"id\":1,\"result\":{}}", RPC_RESPONSE, 0, "1", ""},
        {"[{\"a\":1}]", RPC_BATCH, 0, NULL, ""},
        {"[1,2]", RPC_BATCH, 0, NULL, ""},
        {"[]", RPC_INVALID, RPC_INVALID_REQUEST, NULL, "batch is empty"},
        {"1", RPC_INVALID, RPC_INVALID_REQUEST, NULL, "JSON object"},
        {"null", RPC_INVALID, RPC_INVALID_REQUEST, NULL, "JSON object"},
        {"\"id\"", RPC_INVALID, RPC_INVALID_REQUEST, NULL, "JSON object"},
        {"{}", RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"jsonrpc\""},
        {"{\"id\":3,\"method\":\"x\"}", RPC_INVALID, RPC_INVALID_REQUEST, "3", "\"jsonrpc\""},
        {"{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"x\"}", RPC_INVALID, RPC_INVALID_REQUEST, "3",
                "\"jsonrpc\""},
        {"{\"jsonrpc\":2.0,\"id\":\"q\",\"method\":\"x\"}", RPC_INVALID, RPC_INVALID_REQUEST,
                "\"q\"", "\"jsonrpc\""},
        {"{\"jsonrpc\":\"2.0\\u0000\",\"id\":3,\"method\":\"x\"}", RPC_INVALID, RPC_INVALID_REQUEST,
                "3", "\"jsonrpc\""},
        {REQ("null", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("1.5", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("1.0", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("true", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("{}", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("[1]", "\"method\":\"x\""), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"id\""},
        {REQ("4", "\"x\":1"), RPC_INVALID, RPC_INVALID_REQUEST, "4", "\"method\" is missing"},
        {NOTE("\"x\":1"), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "\"method\" is missing"},
        {REQ("4", "\"method\":5"), RPC_INVALID, RPC_INVALID_REQUEST, "4", "must be a string"},
        {REQ("4", "\"method\":null"), RPC_INVALID, RPC_INVALID_REQUEST, "4", "must be a string"},
        {NOTE("\"method\":5"), RPC_INVALID, RPC_INVALID_REQUEST, NULL, "must be a string"},
        {REQ("4", "\"method\":\"ping\\u0000x\""), RPC_INVALID, RPC_INVALID_REQUEST, "4", "NUL"},
        {REQ("4", "\"method\":\"x\",\"params\":[1]"), RPC_INVALID, RPC_INVALID_PARAMS, "4",
                "\"params\""},
        {REQ("4", "\"method\":\"x\",\"params\":null"), RPC_INVALID, RPC_INVALID_PARAMS, "4",
                "\"params\""},
        {REQ("4", "\"method\":\"x\",\"params\":\"p\""), RPC_INVALID, RPC_INVALID_PARAMS, "4",
                "\"params\""},
        {NOTE("\"method\":\"n\",\"params\":[1]"), RPC_NOTIFICATION, RPC_INVALID_PARAMS, NULL,
                "\"params\""},
        {"{", RPC_INVALID, RPC_PARSE_ERROR, NULL, "Parse error: line 1, column 1"},
        {"hello", RPC_INVALID, RPC_PARSE_ERROR, NULL, "hello"},
        {"{\"id\":8,\"x\":\"\\ud800\"}", RPC_INVALID, RPC_PARSE_ERROR, "8", "surrogate"},
        {"{\"x\":1e999,\"id\":\"z\"}", RPC_INVALID, RPC_PARSE_ERROR, "\"z\"", "1.8e308"},
        {"{\"x\":\"\xff\",\"id\":8}", RPC_INVALID, RPC_PARSE_ERROR, "8", "not UTF-8"},
        {"{\"id\":123456789012345678901234567890,\"method\":\"x\"}", RPC_INVALID, RPC_PARSE_ERROR,
                NULL, "64 bits"},
};

static void check(const RpcMessage *m, const Case *c)
{
    Json *id = c->id ? json_parse(c->id, strlen(c->id), NULL, 0) : NULL;
    Json *words = json_new_string(m->error_text);

    if (m->kind != c->kind || m->error_code != c->code) {
        fail_msg("%s: kind %d, code %d, %s", c->line, (int)m->kind, m->error_code, m->error_text);
    }
    if (!strstr(m->error_text, c->part) || (c->code == 0 && m->error_text[0])) {
        fail_msg("%s: \"%s\"", c->line, m->error_text);
    }
    if (id ? !json_equal(id, m->id) : m->id != NULL) {
        fail_msg("%s: wrong id", c->line);
    }
    assert_non_null(words);
    if (m->kind == RPC_REQUEST || m->kind == RPC_NOTIFICATION) {
        assert_string_equal(m->method, json_string_bytes(json_get(m->doc, "method"), NULL));
        assert_true(!m->params || json_is(m->params, JSON_T_OBJECT));
        assert_true(m->error_code ? !m->params : m->params == json_get(m->doc, "params"));
    }
    json_unref(words);
    json_unref(id);
}

static void lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(s_cases); i++) {
        RpcMessage m;

        rpc_message_parse(&m, s_cases[i].line, strlen(s_cases[i].line));
        check(&m, &s_cases[i]);
        rpc_message_deinit(&m);
        rpc_message_deinit(&m);
    }
}

/* The same, as elements of a batch, where there are no batches. */
static void elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(s_cases); i++) {
        Case c = s_cases[i];
        Json *v = json_parse(c.line, strlen(c.line), NULL, 0);
        RpcMessage m;

        if (!v) {
            continue;
        }
        if (json_is(v, JSON_T_ARRAY)) {
            c.kind = RPC_INVALID;
            c.code = RPC_INVALID_REQUEST;
            c.part = "another batch";
        }
        rpc_message_from(&m, v);
        json_unref(v);
        check(&m, &c); /* has a reference of its own */
        rpc_message_deinit(&m);
    }
}

static void assert_document(Json *v, const char *expected)
{
    Buf out;

    buf_init(&out, 10000);
    assert_int_equal(json_dump(v, &out), 0);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    buf_deinit(&out);
    json_unref(v);
}

static void documents(void **state)
{
    Json *number = json_new_int(0);
    Json *string = json_new_string("0");
    Json *data = json_new_object();

    (void)state;
    assert_int_equal(json_set(data, "supported", json_new_array()), 0);
    assert_document(
            rpc_result(number, json_new_object()), "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
    assert_document(rpc_result(string, json_new_object()),
            "{\"jsonrpc\":\"2.0\",\"id\":\"0\",\"result\":{}}");
    assert_document(rpc_error(string, -32601, "no such method", NULL),
            "{\"jsonrpc\":\"2.0\",\"id\":\"0\","
            "\"error\":{\"code\":-32601,\"message\":\"no such method\"}}");
    assert_document(rpc_error(NULL, -32022, "x", data),
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32022,\"message\":\"x\","
            "\"data\":{\"supported\":[]}}}");
    assert_document(rpc_error(NULL, -32600, "a\xff\xc3", NULL),
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,"
            "\"message\":\"a\xef\xbf\xbd\xef\xbf\xbd\"}}");
    assert_document(rpc_notification("notifications/x", NULL),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    assert_document(rpc_notification("n", json_new_object()),
            "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}");
    assert_null(rpc_result(number, NULL));
    assert_null(rpc_notification(NULL, json_new_object()));
    json_unref(number);
    json_unref(string);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(lines),
            cmocka_unit_test(elements),
            cmocka_unit_test(documents),
    };

    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
