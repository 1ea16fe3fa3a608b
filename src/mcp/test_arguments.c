/* The arguments of run_python: what is taken, what is refused and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/macro.h"
#include "mcp/arguments.h"

static const Settings settings = {.default_timeout_ms = 10000, .max_timeout_ms = 60000};

static int parse(const char *text, Json **doc, Arguments *a, char reason[ARGUMENTS_REASON_SIZE])
{
    *doc = NULL;
    if (text != NULL) {
        *doc = json_parse(text, strlen(text), NULL, 0);
        assert_non_null(*doc);
    }
    return arguments_read(*doc, &settings, a, reason);
}

static void test_taken(void **state UNUSED)
{
    static const struct {
        const char *json, *code, *stdin_bytes;
        int64_t timeout_ms, capped_from_ms;
    } rows[] = {
            {"{\"code\":\"print(1)\"}", "print(1)", NULL, 10000, 0},
            {"{\"code\":\"\"}", "", NULL, 10000, 0},
            {"{\"code\":\"x\",\"stdin\":\"in\",\"timeout\":2}", "x", "in", 2000, 0},
            {"{\"code\":\"x\",\"stdin\":\"\"}", "x", "", 10000, 0},
            {"{\"code\":\"x\",\"stdin\":null,\"timeout\":null}", "x", NULL, 10000, 0},
            {"{\"code\":\"x\",\"timeout\":0.2}", "x", NULL, 200, 0},
            {"{\"code\":\"x\",\"timeout\":1e-9}", "x", NULL, 1, 0},
            {"{\"code\":\"x\",\"timeout\":60}", "x", NULL, 60000, 0},
            {"{\"code\":\"x\",\"timeout\":60.5}", "x", NULL, 60000, 60500},
            {"{\"code\":\"x\",\"timeout\":1e12}", "x", NULL, 60000, 1000000000000000},
            {"{\"code\":\"x\",\"timeout\":1e308}", "x", NULL, 60000, 1000000000000000},
            {"{\"code\":\"x\",\"timeout\":9223372036854775807}", "x", NULL, 60000,
                    1000000000000000},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char reason[ARGUMENTS_REASON_SIZE];
        Arguments a;
        Json *doc;

        assert_int_equal(parse(rows[i].json, &doc, &a, reason), 0);
        assert_int_equal(a.code_bytes, strlen(rows[i].code));
        assert_memory_equal(a.code, rows[i].code, a.code_bytes);
        if (rows[i].stdin_bytes == NULL) {
            assert_null(a.stdin_bytes);
        } else {
            assert_non_null(a.stdin_bytes);
            assert_int_equal(a.stdin_n, strlen(rows[i].stdin_bytes));
            assert_memory_equal(a.stdin_bytes, rows[i].stdin_bytes, a.stdin_n);
        }
        assert_int_equal(a.timeout_ms, rows[i].timeout_ms);
        assert_int_equal(a.capped_from_ms, rows[i].capped_from_ms);
        (void)json_unref(doc);
    }
}

static void test_nul_is_passed_on(void **state UNUSED)
{
    char reason[ARGUMENTS_REASON_SIZE];
    Arguments a;
    Json *doc;

    assert_int_equal(parse("{\"code\":\"a\\u0000b\"}", &doc, &a, reason), 0);
    assert_int_equal(a.code_bytes, 3);
    assert_memory_equal(a.code, "a\0b", 3);
    (void)json_unref(doc);
}

#define NOT_TIMEOUT                                                                                \
    "argument 'timeout' must be a number of seconds greater than 0, at most 60s (10s when not "    \
    "given), not "

static void test_refused(void **state UNUSED)
{
    static const struct {
        const char *json, *reason;
    } rows[] = {
            {NULL, "argument 'code' is missing: give the Python program to run as a string"},
            {"null", "argument 'code' is missing: give the Python program to run as a string"},
            {"{}", "argument 'code' is missing: give the Python program to run as a string"},
            {"[]", "the arguments must be an object with the members code, timeout, stdin, not "
                   "array"},
            {"\"print(1)\"",
                    "the arguments must be an object with the members code, timeout, stdin, not "
                    "string"},
            {"{\"code\":null}",
                    "argument 'code' must be a string that holds the Python program, not null"},
            {"{\"code\":5}",
                    "argument 'code' must be a string that holds the Python program, not integer"},
            {"{\"code\":[\"x\"]}",
                    "argument 'code' must be a string that holds the Python program, not array"},
            {"{\"code\":{\"a\":1}}",
                    "argument 'code' must be a string that holds the Python program, not object"},
            {"{\"code\":true}",
                    "argument 'code' must be a string that holds the Python program, not boolean"},
            {"{\"code\":\"x\",\"timeout\":0}", NOT_TIMEOUT "0"},
            {"{\"code\":\"x\",\"timeout\":0.0}", NOT_TIMEOUT "0"},
            {"{\"code\":\"x\",\"timeout\":-1}", NOT_TIMEOUT "-1"},
            {"{\"code\":\"x\",\"timeout\":-0.5}", NOT_TIMEOUT "-0.5"},
            {"{\"code\":\"x\",\"timeout\":true}", NOT_TIMEOUT "boolean"},
            {"{\"code\":\"x\",\"timeout\":\"5\"}", NOT_TIMEOUT "string"},
            {"{\"code\":\"x\",\"timeout\":[1]}", NOT_TIMEOUT "array"},
            {"{\"code\":\"x\",\"stdin\":7}",
                    "argument 'stdin' must be a string, the program's standard input, not integer"},
            {"{\"code\":\"x\",\"stdin\":[\"a\"]}",
                    "argument 'stdin' must be a string, the program's standard input, not array"},
            {"{\"code\":\"x\",\"language\":\"py\"}",
                    "unknown argument 'language'; the arguments are: code, timeout, stdin"},
            {"{\"Code\":\"x\"}",
                    "unknown argument 'Code'; the arguments are: code, timeout, stdin"},
            {"{\"code\":\"x\",\"\":1}",
                    "unknown argument ''; the arguments are: code, timeout, stdin"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char reason[ARGUMENTS_REASON_SIZE];
        Arguments a = {.timeout_ms = 77};
        Json *doc;

        assert_int_equal(parse(rows[i].json, &doc, &a, reason), ARGUMENTS_E_REFUSED);
        assert_string_equal(reason, rows[i].reason);
        assert_int_equal(a.timeout_ms, 77); /* outputs are untouched on failure */
        (void)json_unref(doc);
    }
}

/* A name of any length is cut between characters, so that the reason stays well-formed. */
static void test_long_unknown_name(void **state UNUSED)
{
    char reason[ARGUMENTS_REASON_SIZE];
    Json *doc, *words;
    Arguments a;
    Buf b;

    buf_init(&b, 1 << 20);
    assert_int_equal(buf_append_str(&b, "{\""), 0);
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(buf_append_str(&b, "€"), 0);
    }
    assert_int_equal(buf_append(&b, "\":1}", sizeof("\":1}")), 0);
    assert_int_equal(parse(b.data, &doc, &a, reason), ARGUMENTS_E_REFUSED);
    words = json_new_string(reason);
    assert_non_null(words);
    assert_non_null(strstr(reason, "€…'; the arguments are: code, timeout, stdin"));
    (void)json_unref(words);
    (void)json_unref(doc);
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_taken),
            cmocka_unit_test(test_nul_is_passed_on),
            cmocka_unit_test(test_refused),
            cmocka_unit_test(test_long_unknown_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
