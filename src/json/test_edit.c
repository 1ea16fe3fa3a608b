#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json/edit.h"

static const char *const path[] = {"mcp", "servers", "new"};

/* Sets the last `n_path` keys of the path to {"a": 1}; fails the test when the result is another.
 */
static void assert_edit(JsonDialect dialect, size_t n_path, const char *before, const char *after)
{
    char why[256] = "";
    Buf out;
    Json *value = json_new_object();
    assert_int_equal(json_set(value, "a", json_new_int(1)), 0);
    JsonEdit e = {.dialect = dialect, .path = path + 3 - n_path, .n_path = n_path, .value = value};
    buf_init(&out, 1 << 20);
    int r = json_edit(&e, before, strlen(before), &out, why, sizeof why);
    if (r != 0) {
        fail_msg("%s: %d, %s", before, r, why);
    }
    (void)buf_append(&out, "", 1);
    assert_string_equal(out.data, after);

    /* Again: it is there now, so nothing changes. */
    size_t n = out.len - 1;
    char *once = buf_steal(&out, NULL);
    assert_int_equal(json_edit(&e, once, n, &out, why, sizeof why), 0);
    assert_int_equal(out.len, n);
    assert_memory_equal(out.data, once, n);
    buf_deinit(&out);

    Json *got = json_edit_get(dialect, once, n, e.path, n_path);
    assert_true(got && json_equal(got, value));
    json_unref(got);
    json_unref(value);
    free(once);
}

static void assert_refused(JsonDialect dialect, const char *text, const char *why_part)
{
    char why[256] = "";
    Buf out;
    Json *value = json_new_object();
    JsonEdit e = {.dialect = dialect, .path = path + 1, .n_path = 2, .value = value};
    buf_init(&out, 1 << 20);
    int r = json_edit(&e, text, strlen(text), &out, why, sizeof why);
    if (r != JSON_EDIT_E_TEXT || !strstr(why, why_part)) {
        fail_msg("%s: expected \"%s\", got %d \"%s\"", text, why_part, r, why);
    }
    assert_int_equal(out.len, 0);
    buf_deinit(&out);
    json_unref(value);
}

static void into_what_is_empty(void **state)
{
    (void)state;
    assert_edit(JSON_STRICT, 1, "{}", "{\n  \"new\": {\n    \"a\": 1\n  }\n}");
    assert_edit(JSON_STRICT, 1, " { } \n", " {\n   \"new\": {\n     \"a\": 1\n   }\n  } \n");
    assert_edit(JSON_STRICT, 1, "{\n}\n", "{\n  \"new\": {\n    \"a\": 1\n  }\n}\n");
    assert_edit(JSON_STRICT, 2, "{}",
            "{\n  \"servers\": {\n    \"new\": {\n      \"a\": 1\n    }\n  }\n}");
    assert_edit(JSON_COMMENTS, 1, "{ // none yet\n}",
            "{ // none yet\n  \"new\": {\n    \"a\": 1\n  }\n}");
    assert_edit(JSON_COMMENTS, 1, "{/* c */}", "{/* c */\n  \"new\": {\n    \"a\": 1\n  }\n}");
    assert_edit(
            JSON_STRICT, 1, "\xef\xbb\xbf{}", "\xef\xbb\xbf{\n  \"new\": {\n    \"a\": 1\n  }\n}");
}

static void behind_what_is_there(void **state)
{
    (void)state;
    assert_edit(JSON_STRICT, 2,
            "{\n    \"servers\": {\n        \"old\": {}\n    },\n    \"z\": [1]\n}\n",
            "{\n    \"servers\": {\n        \"old\": {},\n        \"new\": {\n            \"a\": "
            "1\n        }\n"
            "    },\n    \"z\": [1]\n}\n");
    assert_edit(JSON_STRICT, 2, "{\n\t\"servers\": {},\n\t\"z\": 1\n}",
            "{\n\t\"servers\": {\n\t\t\"new\": {\n\t\t\t\"a\": 1\n\t\t}\n\t},\n\t\"z\": 1\n}");
    assert_edit(JSON_STRICT, 1, "{\r\n  \"x\": 1\r\n}\r\n",
            "{\r\n  \"x\": 1,\r\n  \"new\": {\r\n    \"a\": 1\r\n  }\r\n}\r\n");
    assert_edit(JSON_STRICT, 2, "{\"x\":1,\"servers\":{\"o\":{}}}",
            "{\"x\":1,\"servers\":{\"o\":{},\"new\":{\"a\":1}}}");
    assert_edit(JSON_STRICT, 1, "{\"x\": 1}", "{\"x\": 1, \"new\":{\"a\":1}}");
    assert_edit(JSON_STRICT, 2, "{\"servers\":{}}", "{\"servers\":{\"new\":{\"a\":1}}}");
    assert_edit(JSON_STRICT, 3, "{\n  \"mcp\": {\n    \"t\": \"}\\\"{\"\n  }\n}",
            "{\n  \"mcp\": {\n    \"t\": \"}\\\"{\",\n    \"servers\": {\n      \"new\": {\n"
            "        \"a\": 1\n      }\n    }\n  }\n}");
}

static void comments_stay(void **state)
{
    (void)state;
    assert_edit(JSON_COMMENTS, 1, "// top\n{\n  // x\n  \"x\": 1 // one\n  /* last */\n}\n// end\n",
            "// top\n{\n  // x\n  \"x\": 1, // one\n  /* last */\n  \"new\": {\n    \"a\": 1\n  "
            "}\n}\n// end\n");
    assert_edit(JSON_COMMENTS, 1, "{\n  \"x\": 1, // one\n}",
            "{\n  \"x\": 1, // one\n  \"new\": {\n    \"a\": 1\n  },\n}");
    assert_edit(JSON_COMMENTS, 1, "{\"x\":1 // one\n}", "{\"x\":1, // one\n\"new\":{\"a\":1}\n}");
    assert_edit(JSON_5, 2,
            "{\n  // mine\n  servers: {\n    'old': {args: ['a', /* b */ 'c',], n: +.5e1, h: "
            "0xFF,},\n  },\n}\n",
            "{\n  // mine\n  servers: {\n    'old': {args: ['a', /* b */ 'c',], n: +.5e1, h: "
            "0xFF,},\n"
            "    \"new\": {\n      \"a\": 1\n    },\n  },\n}\n");
    assert_edit(JSON_5, 1, "{x: 'it\\'s \\\n two', y: -Infinity, z: NaN}",
            "{x: 'it\\'s \\\n two', y: -Infinity, z: NaN, \"new\":{\"a\":1}}");
}

static void what_is_there_is_replaced(void **state)
{
    (void)state;
    assert_edit(JSON_STRICT, 2,
            "{\n  \"servers\": {\n    \"new\": [\n      2\n    ],\n    \"z\": 0\n  }\n}",
            "{\n  \"servers\": {\n    \"new\": {\n      \"a\": 1\n    },\n    \"z\": 0\n  }\n}");
    /* The last of two is the one that counts, however it is spelled. */
    assert_edit(
            JSON_STRICT, 1, "{\"new\":0,\"n\\u0065w\":2}", "{\"new\":0,\"n\\u0065w\":{\"a\":1}}");
    assert_edit(JSON_5, 1, "{new:0,\\u006eew:2,'\\x6e\\ew':3}",
            "{new:0,\\u006eew:2,'\\x6e\\ew':{\"a\":1}}");
    assert_edit(JSON_STRICT, 1, "{\"newer\":0,\"ne\":1,\"new\\n\":2}",
            "{\"newer\":0,\"ne\":1,\"new\\n\":2,\"new\":{\"a\":1}}");
    /* Equal in another spelling: left alone. */
    assert_edit(JSON_STRICT, 1, "{\"new\": { \"a\" :1 } }", "{\"new\": { \"a\" :1 } }");
}

static void what_is_kept(void **state)
{
    (void)state;
    static const char text[] = "{\"new\": 5}";
    char why[256];
    Buf out;
    Json *value = json_new_int(7);
    JsonEdit e = {.path = path + 2, .n_path = 1, .value = value, .keep = true};
    buf_init(&out, 1000);
    assert_int_equal(json_edit(&e, text, strlen(text), &out, why, sizeof why), 0);
    assert_int_equal(out.len, strlen(text));
    assert_memory_equal(out.data, text, out.len);
    buf_deinit(&out);
    buf_init(&out, 5);
    e.keep = false;
    assert_int_equal(json_edit(&e, text, strlen(text), &out, why, sizeof why), -EFBIG);
    buf_deinit(&out);
    json_unref(value);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        JsonDialect dialect;
        const char *text, *why;
    } cases[] = {
            {JSON_STRICT, "", "line 1, column 1: the end"},
            {JSON_STRICT, "{\n  \"a\": 1,\n  // b\n}", "line 3, column 3: a comment"},
            {JSON_STRICT, "{\"a\":1,}", "a comma before the end"},
            {JSON_STRICT, "{a:1}", "column 2: something that is no key"},
            {JSON_COMMENTS, "{a:1}", "no key"},
            {JSON_COMMENTS, "{'a':1}", "no key"},
            {JSON_STRICT, "{\"a\":1", "the end, inside"},
            {JSON_STRICT, "{\"a\" 1}", "colon"},
            {JSON_STRICT, "{\"a\":1 \"b\":2}", "a missing comma"},
            {JSON_STRICT, "{\"a\":01}", "no value"},
            {JSON_STRICT, "{\"a\":1.}", "point"},
            {JSON_STRICT, "{\"a\":+1}", "no value"},
            {JSON_STRICT, "{\"a\":1e}", "exponent"},
            {JSON_STRICT, "{\"a\":\"\\x41\"}", "escape"},
            {JSON_STRICT, "{\"a\":\"\t\"}", "control character"},
            {JSON_5, "{\"a\":\"\n\"}", "control character"},
            {JSON_5, "{\"a\":\"\\1\"}", "escape"},
            {JSON_STRICT, "{\"a\":\"\\u12g4\"}", "hexadecimal"},
            {JSON_STRICT, "{\"a\":\"", "a string that does not end"},
            {JSON_5, "{/*", "a comment that does not end"},
            {JSON_STRICT, "{} {}", "more text"},
            {JSON_STRICT, "[1]", "its value is an array, and should be an object"},
            {JSON_STRICT, "{\"servers\": null}", "\"servers\" in it is null"},
            {JSON_STRICT, "{\"servers\": \"x\"}", "\"servers\" in it is a string"},
            {JSON_STRICT, "{\"a\": \"\xff\"}", "UTF-8"},
            {JSON_5, "{\"\xc3\xbc\xc3\xbc\": x}", "line 1, column 8"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_refused(cases[i].dialect, cases[i].text, cases[i].why);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    static char text[DEEP + 1];
    memset(text, '[', DEEP);
    assert_refused(JSON_STRICT, text, "512 levels");
}

/* Whatever is done to a text: an error, or a text that is whole and has the value. Nothing of the
 * old one is lost: without what was put in, it is the same bytes. */
static void damaged_texts(void **state)
{
    (void)state;
    static const char whole[] = "// c\n{\n  servers: {'o': {a: [1, 2.5e3, /* x */ -0x1F,], \"b\": "
                                "\"\\u0041\\\n\"}, // d\n"
                                "  }, t: true, n: null,\n}\n";
    static const char spare[] = "{}[],:'\"/*\\\n\r 0x-u";
    char text[sizeof whole];
    char why[256];
    uint32_t seed = 1;
    size_t edited = 0;
    Json *value = json_new_bool(true);
    for (int i = 0; i < 200000; i++) {
        memcpy(text, whole, sizeof whole);
        for (int k = i % 3; k >= 0; k--) {
            seed = seed * 1664525u + 1013904223u;
            text[(seed >> 8) % (sizeof whole - 1)] = spare[(seed >> 24) % (sizeof spare - 1)];
        }
        JsonEdit e = {.dialect = (JsonDialect)(i % 3 == 2 ? JSON_COMMENTS : JSON_5),
                .path = path + 1,
                .n_path = 2,
                .value = value};
        Buf out;
        buf_init(&out, 1 << 16);
        if (json_edit(&e, text, strlen(text), &out, why, sizeof why) == 0) {
            (void)buf_append(&out, "", 1);
            Json *got = json_edit_get(e.dialect, out.data, out.len - 1, e.path, 2);
            if (!got || !json_true(got)) {
                fail_msg("%s\nbecame\n%s", text, out.data);
            }
            size_t at =
                    0; /* of the old text, all of whose bytes come in this order in the new one */
            for (size_t j = 0; j < out.len - 1 && text[at]; j++) {
                at += out.data[j] == text[at];
            }
            assert_int_equal(text[at], 0);
            json_unref(got);
            edited++;
        }
        buf_deinit(&out);
    }
    json_unref(value);
    assert_in_range(edited, 1000, 199000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(into_what_is_empty),
            cmocka_unit_test(behind_what_is_there),
            cmocka_unit_test(comments_stay),
            cmocka_unit_test(what_is_there_is_replaced),
            cmocka_unit_test(what_is_kept),
            cmocka_unit_test(what_is_refused),
            cmocka_unit_test(nesting_is_bounded),
            cmocka_unit_test(damaged_texts),
    };
    return cmocka_run_group_tests_name("json edit", tests, NULL, NULL);
}
