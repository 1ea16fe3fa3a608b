#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json/json.h"

static Json *parse(const char *text)
{
    char why[256] = "";
    Json *v = json_parse(text, strlen(text), why, sizeof(why));

    if (!v) {
        fail_msg("%s: %s", text, why);
    }
    return v;
}

static void assert_dump(const Json *v, const char *expected)
{
    Buf out;

    buf_init(&out, 1 << 20);
    assert_int_equal(json_dump(v, &out), 0);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    buf_deinit(&out);
}

/* The text is refused, in words that hold `part`. */
static void assert_refused(const char *text, size_t n, const char *part)
{
    char why[256] = "";
    Json *v = json_parse(text, n, why, sizeof(why));
    Json *words;

    assert_null(v);
    assert_memory_equal(why, "line ", 5);
    if (!strstr(why, part)) {
        fail_msg("expected \"%s\" in \"%s\"", part, why);
    }
    words = json_new_string(why); /* it must fit into an answer */
    assert_non_null(words);
    json_unref(words);
    assert_null(json_parse(text, n, NULL, 0));
}

static void same_text_comes_back(void **state)
{
    static const char *const texts[] = {
            "null",
            "true",
            "false",
            "0",
            "-1",
            "9223372036854775807",
            "-9223372036854775808",
            "1.0",
            "0.1",
            "0.0",
            "-0.0",
            "-0.5",
            "0.001",
            "0.012",
            "0.1234",
            "12.34",
            "10.0",
            "999999999999.999",
            "1000000000000.0",
            "1234567890123.45",
            "-2.5e-10",
            "1e22",
            "4.94065645841247e-324",
            "1.7976931348623157e308",
            "\"\"",
            "\"a b\"",
            "\"\\u0000\\u0001\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\"",
            "\"\x7f\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"",
            "\"\\u2028 \\u2029\"",
            "\"\xe2\x80\xa7\xe2\x80\xaa\xe2\x94\x80\"", /* their neighbours stay */
            "[]",
            "{}",
            "[[],{},\"\",0]",
            "{\"z\":1,\"a\":{\"m\":[1,2.5,\"x\"]},\"\xc3\xa9\\n\":null}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        Json *v = parse(texts[i]);

        assert_dump(v, texts[i]);
        json_unref(v);
    }
}

/* Short of the way that most numbers don't go, and equal to it. */
static void thousandths(void **state)
{
    (void)state;
    for (int64_t n = 1; n < INT64_C(1000000000000000); n += 1 + n / 7) {
        char text[40];
        Json *v = json_new_real((double)n / 1000);

        (void)snprintf(text, sizeof(text), "%.15g", (double)n / 1000);
        (void)snprintf(text + strlen(text), 3, "%s", strchr(text, '.') ? "" : ".0");
        assert_dump(v, text);
        json_unref(v);
    }
}

static void types(void **state)
{
    static const struct {
        const char *text;
        JsonType type;
        const char *name;
    } cases[] = {
            {"{}", JSON_T_OBJECT, "object"},
            {"[]", JSON_T_ARRAY, "array"},
            {"\"x\"", JSON_T_STRING, "string"},
            {"1", JSON_T_INTEGER, "integer"},
            {"1.0", JSON_T_REAL, "number"},
            {"1E2", JSON_T_REAL, "number"},
            {"true", JSON_T_BOOL, "boolean"},
            {"false", JSON_T_BOOL, "boolean"},
            {"null", JSON_T_NULL, "null"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        Json *v = parse(cases[i].text);

        assert_int_equal(json_type(v), cases[i].type);
        assert_string_equal(json_type_name(v), cases[i].name);
        for (JsonType t = JSON_T_OBJECT; t <= JSON_T_NULL; t++) {
            assert_int_equal(json_is(v, t), t == cases[i].type);
        }
        json_unref(v);
    }
    assert_false(json_is(NULL, JSON_T_NULL));
}

static void access_to_parts(void **state)
{
    Json *v =
            parse("{\"s\":\"a\\u0000b\",\"i\":-7,\"r\":2.5,\"t\":true,\"f\":false,\"a\":[10,20]}");
    size_t n = 0;
    const char *s = json_string_bytes(json_get(v, "s"), &n);
    size_t members = 0;

    (void)state;
    assert_int_equal(n, 3);
    assert_memory_equal(s, "a\0b", 4);
    assert_null(json_string_bytes(json_get(v, "i"), &n));
    assert_null(json_string_bytes(NULL, &n));
    assert_int_equal(n, 3);
    assert_true(json_int(json_get(v, "i")) == -7);
    assert_true(json_number(json_get(v, "i")) == -7.0);
    assert_true(json_number(json_get(v, "r")) == 2.5);
    assert_true(json_true(json_get(v, "t")));
    assert_false(json_true(json_get(v, "f")));
    assert_false(json_true(json_get(v, "i")));
    assert_false(json_true(NULL));
    assert_int_equal(json_size(v), 6);
    assert_int_equal(json_size(json_get(v, "a")), 2);
    assert_int_equal(json_size(json_get(v, "s")), 0);
    assert_int_equal(json_size(NULL), 0);
    assert_true(json_int(json_at(json_get(v, "a"), 1)) == 20);
    assert_null(json_at(json_get(v, "a"), 2));
    assert_null(json_get(v, "none"));
    assert_null(json_get(json_get(v, "a"), "x"));
    assert_null(json_get(NULL, "x"));
    for (void *it = json_iter(v); it; it = json_iter_next(v, it)) {
        assert_true(json_get(v, json_iter_key(it)) == json_iter_value(it));
        assert_int_equal(json_iter_key(it)[0], "sirtfa"[members]);
        members++;
    }
    assert_int_equal(members, 6);
    assert_null(json_unref(v));
    assert_null(json_unref(NULL));
}

/* Two of our functions are named like the library's: neither side may get the other's. */
static void names_are_kept_apart(void **state)
{
    Json *a = parse("[true,{\"a\":1,\"b\":2}]");
    Json *b = parse("[true,{\"b\":2,\"a\":1}]");
    Json *c = parse("[true,{\"b\":2,\"a\":1.0}]");

    (void)state;
    assert_true(json_true(json_at(a, 0)));
    assert_true(json_equal(a, b));
    assert_false(json_equal(a, c));
    assert_false(json_equal(a, NULL));
    assert_false(json_equal(NULL, NULL));
    json_unref(a);
    json_unref(b);
    json_unref(c);
}

static void the_last_of_two_keys_wins(void **state)
{
    Json *v = parse("{\"a\":1,\"b\":2,\"\\u0061\":3}");

    (void)state;
    assert_dump(v, "{\"a\":3,\"b\":2}");
    json_unref(v);
}

#define REFUSED(text, part) assert_refused(text, sizeof(text) - 1, part)

static void what_is_no_json(void **state)
{
    (void)state;
    REFUSED("", "empty");
    REFUSED("  ", "line 1, column 2");
    REFUSED("{\"a\":1", "the text ends in the middle");
    REFUSED("{\"a\"", "the text ends in the middle");
    REFUSED("\"abc", "the text ends in the middle");
    REFUSED("{\"a\":1}}", "more text follows");
    REFUSED("1 2", "more text follows");
    REFUSED("{\"a\":1,}", "line 1, column 8");
    REFUSED("[1,]", "column 4");
    REFUSED("{a:1}", "column 2");
    REFUSED("{'a':1}", "column 2");
    REFUSED("[1] // x", "more text");
    REFUSED("NaN", "NaN");
    REFUSED("[Infinity]", "Infinity");
    REFUSED("[-Infinity]", "column 2");
    REFUSED("True", "True");
    REFUSED("01", "column");
    REFUSED("1.", "column");
    REFUSED(".5", "column");
    REFUSED("+1", "column");
    REFUSED("0x10", "column");
    REFUSED("\"\\x41\"", "invalid escape");
    REFUSED("\"\\u12g4\"", "invalid escape");
    REFUSED("\"a\tb\"", "as an escape");
    REFUSED("\"a\nb\"", "as an escape");
    REFUSED("[1,\n2,\n,]", "line 3, column 1");
    REFUSED("\"a\0b\"", "as an escape");
    REFUSED("[1,\0 2]", "column");
    REFUSED("\0", "column");
    REFUSED("{\"a\\u0000b\":1}", "NUL byte in object key");
    REFUSED("\xef\xbb\xbf{}", "byte order mark");
}

static void what_is_no_text(void **state)
{
    (void)state;
    REFUSED("\"\xff\"", "not UTF-8");
    REFUSED("\"\xc3\"", "not UTF-8");
    REFUSED("\"\xc0\xaf\"", "not UTF-8");
    REFUSED("\"\xed\xa0\x80\"", "not UTF-8"); /* a surrogate, encoded */
    REFUSED("\"\xf4\x90\x80\x80\"", "not UTF-8");
    REFUSED("\"abc\xe2\x80", "not UTF-8");
    REFUSED("\xff", "not UTF-8");
    REFUSED("\"\\ud800\"", "surrogate");
    REFUSED("\"\\udc00\"", "surrogate");
    REFUSED("\"\\ud800\\u0041\"", "surrogate");
    REFUSED("\"\\ud83dx\"", "surrogate");
    /* What is quoted is cut in characters, and may itself be no ASCII. */
    REFUSED("{\"k\" \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
            "column");
    REFUSED("[\xe4\xb8\xad]", "column 2");
}

static void numbers_have_limits(void **state)
{
    (void)state;
    REFUSED("9223372036854775808", "64 bits");
    REFUSED("-9223372036854775809", "64 bits");
    REFUSED("{\"id\":123456789012345678901234567890}", "64 bits");
    REFUSED("1e999", "1.8e308");
    REFUSED("-1e999", "1.8e308");
}

static void nesting_has_a_limit(void **state)
{
    enum { LIMIT = 2048 };
    static char text[2 * (LIMIT + 1)];
    Buf out;
    Json *v;

    (void)state;
    memset(text, '[', LIMIT);
    memset(text + LIMIT, ']', LIMIT);
    v = json_parse(text, (size_t)2 * LIMIT, NULL, 0);
    assert_non_null(v);
    buf_init(&out, sizeof(text));
    assert_int_equal(json_dump(v, &out), 0);
    assert_int_equal(out.len, 2 * LIMIT);
    assert_memory_equal(out.data, text, out.len);
    buf_deinit(&out);
    json_unref(v);

    memset(text, '[', LIMIT + 1);
    memset(text + LIMIT + 1, ']', LIMIT + 1);
    assert_refused(text, sizeof(text), "2048 deep");
    assert_refused(text, LIMIT + 1, "2048 deep");
}

static void errors_are_cut_to_their_room(void **state)
{
    char why[20];

    (void)state;
    memset(why, 'x', sizeof(why));
    assert_null(json_parse("[tru]", 5, why, 10));
    assert_string_equal(why, "line 1, c");
    assert_int_equal(why[10], 'x');
}

static void building(void **state)
{
    Json *o = json_new_object();
    Json *a = json_new_array();

    (void)state;
    assert_int_equal(json_add(a, json_new_int(INT64_MIN)), 0);
    assert_int_equal(json_add(a, json_new_real(1)), 0);
    assert_int_equal(json_add(a, json_new_bool(true)), 0);
    assert_int_equal(json_add(a, json_new_bool(false)), 0);
    assert_int_equal(json_add(a, json_new_null()), 0);
    assert_int_equal(json_set(o, "z", json_new_string("s")), 0);
    assert_int_equal(json_set(o, "a", a), 0);
    assert_int_equal(json_set(o, "n", json_new_stringn("x\0y", 3)), 0);
    assert_int_equal(json_set(o, "e", json_new_stringn(NULL, 0)), 0);
    assert_int_equal(json_set(o, "again", json_ref(json_get(o, "z"))), 0);
    assert_int_equal(json_set(o, "z", json_new_string("t")), 0);
    assert_dump(o, "{\"z\":\"t\",\"a\":[-9223372036854775808,1.0,true,false,null],"
                   "\"n\":\"x\\u0000y\",\"e\":\"\",\"again\":\"s\"}");
    json_unref(o);
}

static void what_cannot_be_built(void **state)
{
    (void)state;
    assert_null(json_new_string("\xff"));
    assert_null(json_new_stringn("\xed\xa0\x80", 3));
    assert_null(json_new_stringn("\xc3\xa9", 1));
    assert_null(json_new_real((double)INFINITY));
    assert_null(json_new_real((double)NAN));
}

/* A chain of calls is checked once, at its end. */
static void a_failed_part_fails_the_dump(void **state)
{
    Json *o = json_new_object();
    Json *a = json_new_array();
    Json *outer = json_new_object();
    Buf out;

    (void)state;
    buf_init(&out, 1000);
    assert_int_equal(buf_append_str(&out, "kept"), 0);
    assert_int_equal(json_set(o, "x", json_new_string("\xff")), -ENOMEM);
    assert_int_equal(json_set(o, "x", json_new_int(1)), 0);
    assert_int_equal(json_dump(o, &out), -ENOMEM);
    assert_int_equal(json_set(outer, "inner", o), 0);
    assert_int_equal(json_dump(outer, &out), -ENOMEM);
    assert_int_equal(json_dump_pretty(outer, &out), -ENOMEM);
    assert_int_equal(json_add(a, NULL), -ENOMEM);
    assert_int_equal(json_add(a, json_new_int(1)), 0);
    assert_int_equal(json_dump(a, &out), -ENOMEM);
    assert_int_equal(json_dump(NULL, &out), -ENOMEM);
    assert_int_equal(json_set(NULL, "x", json_new_int(1)), -ENOMEM);
    assert_int_equal(json_set(a, "x", json_new_int(1)), -ENOMEM);
    assert_int_equal(json_add(outer, json_new_int(1)), -ENOMEM);
    assert_int_equal(json_set(outer, "\xff", json_new_int(1)), -ENOMEM);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.data, "kept", 4);
    json_unref(a);
    json_unref(outer);
    buf_deinit(&out);
}

/* The maximum is exact: the text fits into just its own length. */
static void dump_into_too_little_room(void **state)
{
    Json *v = parse("{\"k\":[\"a\\n\\u2028\\u0001b\",1,2.5,true,null,{}]}");
    Buf out;
    size_t size;

    (void)state;
    buf_init(&out, 1000);
    assert_int_equal(json_dump(v, &out), 0);
    size = out.len;
    buf_deinit(&out);
    for (size_t max = 0; max <= size; max++) {
        buf_init(&out, max);
        assert_int_equal(json_dump(v, &out), max < size ? BUF_E_FULL : 0);
        assert_int_equal(out.len, max < size ? 0 : size);
        buf_deinit(&out);
    }
    json_unref(v);
}

static void pretty(void **state)
{
    Json *v = parse("{\"a\":[1,{\"b\":\"x\\ny\"}],\"c\":{},\"d\":[]}");
    const char *expected = "{\n"
                           "  \"a\": [\n"
                           "    1,\n"
                           "    {\n"
                           "      \"b\": \"x\\ny\"\n"
                           "    }\n"
                           "  ],\n"
                           "  \"c\": {},\n"
                           "  \"d\": []\n"
                           "}";
    Buf out;

    (void)state;
    buf_init(&out, 1000);
    assert_int_equal(json_dump_pretty(v, &out), 0);
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    buf_deinit(&out);
    json_unref(v);
}

/* Each special byte at each place of the words that are looked at eight bytes at a time. */
static void specials_at_every_offset(void **state)
{
    static const struct {
        const char *text;
        const char *escaped;
    } cases[] = {
            {"\"", "\\\""},
            {"\\", "\\\\"},
            {"\n", "\\n"},
            {"\x1f", "\\u001f"},
            {" ", " "},
            {"\x7f", "\x7f"},
            {"\xe2\x80\xa8", "\\u2028"},
            {"\xe2\x80\xa9", "\\u2029"},
            {"\xe2\x80\xaa", "\xe2\x80\xaa"},
            {"\xe2\x94\x80", "\xe2\x94\x80"},
            {"\xc3\xa2", "\xc3\xa2"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (int before = 0; before < 20; before++) {
            for (int after = 0; after < 12; after++) {
                char text[64];
                char expected[64];
                Json *v;

                (void)snprintf(text, sizeof(text), "%.*s%s%.*s", before, "aaaaaaaaaaaaaaaaaaaa",
                        cases[i].text, after, "bbbbbbbbbbbb");
                (void)snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", before,
                        "aaaaaaaaaaaaaaaaaaaa", cases[i].escaped, after, "bbbbbbbbbbbb");
                v = json_new_string(text);
                assert_dump(v, expected);
                json_unref(v);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(same_text_comes_back),
            cmocka_unit_test(thousandths),
            cmocka_unit_test(types),
            cmocka_unit_test(access_to_parts),
            cmocka_unit_test(names_are_kept_apart),
            cmocka_unit_test(the_last_of_two_keys_wins),
            cmocka_unit_test(what_is_no_json),
            cmocka_unit_test(what_is_no_text),
            cmocka_unit_test(numbers_have_limits),
            cmocka_unit_test(nesting_has_a_limit),
            cmocka_unit_test(errors_are_cut_to_their_room),
            cmocka_unit_test(building),
            cmocka_unit_test(what_cannot_be_built),
            cmocka_unit_test(a_failed_part_fails_the_dump),
            cmocka_unit_test(dump_into_too_little_room),
            cmocka_unit_test(pretty),
            cmocka_unit_test(specials_at_every_offset),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
