#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rpc/scan.h"

/* expected: the id as JSON text, NULL for none. */
static void check(RpcScan *s, const char *what, const char *expected)
{
    Json *id = rpc_scan_id(s);
    Json *want = expected ? json_parse(expected, strlen(expected), NULL, 0) : NULL;

    if (id ? !json_equal(id, want) : want != NULL) {
        fail_msg("%s: expected %s", what, expected ? expected : "no id");
    }
    json_unref(want);
    json_unref(id);
}

/* In one piece, in single bytes, and cut in two at every place. */
static void scan(const char *text, size_t n, const char *expected)
{
    RpcScan s;

    rpc_scan_init(&s);
    rpc_scan_feed(&s, text, n);
    check(&s, text, expected);
    rpc_scan_init(&s);
    for (size_t i = 0; i < n; i++) {
        rpc_scan_feed(&s, text + i, 1);
    }
    check(&s, text, expected);
    for (size_t cut = 0; cut <= n; cut++) {
        rpc_scan_init(&s);
        rpc_scan_feed(&s, text, cut);
        rpc_scan_feed(&s, NULL, 0);
        rpc_scan_feed(&s, text + cut, n - cut);
        check(&s, text, expected);
    }
}

typedef struct Case {
    const char *text;
    const char *id;
} Case;

/* Whole objects; the JSON parser sees the same id in them. */
static void same_as_the_parser(void **state)
{
    static const Case cases[] = {
            {"{\"id\":1}", "1"},
            {"{\"id\":0}", "0"},
            {"{\"id\":-42}", "-42"},
            {"{\"id\":9223372036854775807}", "9223372036854775807"},
            {"{\"id\":\"abc\"}", "\"abc\""},
            {"{\"id\":\"\"}", "\"\""},
            {"{\"id\":\"a\\\"b\\\\\"}", "\"a\\\"b\\\\\""},
            {"{\"id\":\"\\u0041\\u00e9\\ud83d\\ude00\\u0000\"}",
                    "\"\\u0041\\u00e9\\ud83d\\ude00\\u0000\""},
            {"{\"id\":\"\xc3\xa9\"}", "\"\xc3\xa9\""},
            {" \t{ \"id\" : 7 , \"x\" : 1 } ", "7"},
            {"{\"x\":1,\"id\":7}", "7"},
            {"{\"x\":\"id\",\"y\":\"\\\"id\\\":5\",\"id\":7}", "7"},
            {"{\"x\":{\"id\":5},\"id\":7}", "7"},
            {"{\"id\":7,\"x\":{\"id\":5}}", "7"},
            {"{\"x\":[{\"id\":5},\"}\",[\"]\"]],\"id\":7}", "7"},
            {"{\"x\":\"}\",\"id\":7}", "7"},
            {"{\"x\":\"\\\\\",\"id\":7}", "7"},
            {"{\"x\":\"\\\\\\\"\",\"id\":7}", "7"},
            {"{\"\\u0069d\":7}", "7"},
            {"{\"i\\u0064\":7}", "7"},
            {"{\"\\u0069\\u0064\":7}", "7"},
            {"{\"id\":1,\"id\":2}", "2"},
            {"{\"id\":1,\"\\u0069d\":\"b\"}", "\"b\""},
            {"{\"id\":1,\"id\":null}", NULL},
            {"{\"id\":1,\"id\":{\"a\":2}}", NULL},
            {"{\"id\":1,\"id\":1.5}", NULL},
            {"{\"id\":null}", NULL},
            {"{\"id\":true}", NULL},
            {"{\"id\":1.0}", NULL},
            {"{\"id\":1e3}", NULL},
            {"{\"id\":[1]}", NULL},
            {"{\"id\":{\"id\":1}}", NULL},
            {"{\"ID\":1}", NULL},
            {"{\"idx\":1}", NULL},
            {"{\"i\":1,\"d\":2}", NULL},
            {"{\"\":1}", NULL},
            {"{\"\\u0069\\u0064\\u0064\":1}", NULL},
            {"{\"a very long key that ends in id\":1,\"id\":3}", "3"},
            {"{}", NULL},
            {"[]", NULL},
            {"[{\"id\":1}]", NULL},
            {"\"id\"", NULL},
            {"17", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t n = strlen(cases[i].text);
        Json *doc = json_parse(cases[i].text, n, NULL, 0);
        Json *id = json_get(doc, "id");

        assert_non_null(doc);
        if (json_is(id, JSON_T_STRING) || json_is(id, JSON_T_INTEGER)) {
            Json *want = json_parse(cases[i].id, strlen(cases[i].id), NULL, 0);

            assert_true(json_equal(id, want));
            json_unref(want);
        } else {
            assert_null(cases[i].id);
        }
        json_unref(doc);
        scan(cases[i].text, n, cases[i].id);
    }
}

#define SCAN(text, expected) scan(text, sizeof(text) - 1, expected)

/* Lines that the parser refuses, and lines that are cut. */
static void not_quite_json(void **state)
{
    (void)state;
    SCAN("{\"x\":\"\\ud800\",\"id\":7}", "7");
    SCAN("{\"id\":7,\"x\":\"\\ud800\"}", "7");
    SCAN("{\"x\":1e999,\"id\":7}", "7");
    SCAN("{\"x\":123456789012345678901234567890,\"id\":7}", "7");
    SCAN("{\"x\":\"a\tb\0\xff\",\"id\":7}", "7");
    SCAN("{\"x\":NaN,\"id\":7}", "7");
    SCAN("{\"x\":[1,],\"id\":7}", "7");
    SCAN("{\"id\":7,}", "7");
    SCAN("{\"id\":7,\"x\":\"cut", "7");
    SCAN("{\"id\":\"a\"", "\"a\"");
    SCAN("{\"id\":7}}}{\"id\":8}", "7");
    SCAN("{\"x\" \"id\":7}", "7");
    SCAN("{\"x\":,\"id\":7}", "7");
    SCAN("{{\"id\":5},\"id\":7}", "7");
    SCAN("{x:1,\"id\":7}", "7");
    SCAN("\xef\xbb\xbf{\"id\":7}", "7");
    /* The id itself is not whole. */
    SCAN("{\"id\":7", NULL);
    SCAN("{\"id\":\"a", NULL);
    SCAN("{\"id\":\"a\\", NULL);
    SCAN("{\"id\":", NULL);
    SCAN("{\"id\"", NULL);
    SCAN("{\"id\":\"\\ud800\"}", NULL);
    SCAN("{\"id\":123456789012345678901234567890}", NULL);
    SCAN("{\"id\":7x}", NULL);
    SCAN("{\"id\":}", NULL);
    SCAN("", NULL);
    SCAN("\0", NULL);
    SCAN("garbage {\"id\":7}", NULL);
}

/* Deeper than a parser goes; and an id after it. */
static void any_depth(void **state)
{
    enum { DEPTH = 100000 };
    RpcScan s;

    (void)state;
    rpc_scan_init(&s);
    rpc_scan_feed(&s, "{\"x\":", 5);
    for (int i = 0; i < DEPTH; i++) {
        rpc_scan_feed(&s, "[{\"id\":1,\"a\":", 13);
    }
    rpc_scan_feed(&s, "0", 1);
    for (int i = 0; i < DEPTH; i++) {
        rpc_scan_feed(&s, "}]", 2);
    }
    rpc_scan_feed(&s, ",\"id\":7}", 8);
    check(&s, "deep", "7");
}

static void long_ids_are_given_up(void **state)
{
    char text[RPC_SCAN_ID_MAX + 64];
    char id[RPC_SCAN_ID_MAX + 8];

    (void)state;
    for (int extra = -1; extra <= 1; extra++) {
        size_t n = (size_t)RPC_SCAN_ID_MAX + (size_t)extra;

        memset(id, 'x', n);
        id[0] = id[n - 1] = '"';
        id[n] = '\0';
        (void)snprintf(text, sizeof(text), "{\"id\":%s}", id);
        scan(text, strlen(text), extra > 0 ? NULL : id);
        (void)snprintf(text, sizeof(text), "{\"id\":%s,\"id\":3}", id);
        scan(text, strlen(text), "3");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(same_as_the_parser),
            cmocka_unit_test(not_quite_json),
            cmocka_unit_test(any_depth),
            cmocka_unit_test(long_ids_are_given_up),
    };

    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
