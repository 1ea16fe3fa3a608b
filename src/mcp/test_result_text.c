/* The words of a result, each row of the contract as an exact string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "mcp/result_text.h"

static const Settings settings = {
        .default_timeout_ms = 10000,
        .max_timeout_ms = 60000,
        .max_output_chars = 20000,
        .max_memory_mb = 256,
        .max_cpu_seconds = 10,
};

static KeptText kept(const char *s)
{
    return (KeptText){.head = s, .head_bytes = strlen(s), .total_bytes = strlen(s)};
}

static Outcome outcome(RunStatus status)
{
    Outcome o = {
            .request_id = "a1b2c3d4",
            .status = status,
            .timeout_ms = 10000,
            .duration_us = 41000,
            .out = kept("45\n"),
    };
    return o;
}

static void assert_text(const Outcome *o, int64_t capped_from_ms, const char *expected)
{
    Buf b;

    buf_init(&b, 1 << 20);
    assert_int_equal(result_text_format(o, &settings, capped_from_ms, 20000, &b), 0);
    assert_int_equal(buf_append(&b, "", 1), 0);
    assert_string_equal(b.data, expected);
    buf_deinit(&b);
}

static void test_last_line(void **state UNUSED)
{
    static const struct {
        RunStatus status;
        int exit_code, signal;
        int64_t timeout_ms, duration_us;
        const char *line;
    } rows[] = {
            {RUN_EXITED, 0, 0, 10000, 41000, "exit_code: 0 | duration: 0.041s"},
            {RUN_EXITED, 3, 0, 10000, 41000, "exit_code: 3 | duration: 0.041s"},
            {RUN_EXITED, 255, 0, 10000, 12345678, "exit_code: 255 | duration: 12.346s"},
            {RUN_EXITED, 0, 0, 10000, 0, "exit_code: 0 | duration: 0.000s"},
            {RUN_EXITED, 0, 0, 10000, 999600, "exit_code: 0 | duration: 1.000s"},
            {RUN_SIGNALED, 0, SIGSEGV, 10000, 41000, "exit_code: -11 (SIGSEGV) | duration: 0.041s"},
            {RUN_SIGNALED, 0, SIGKILL, 10000, 41000, "exit_code: -9 (SIGKILL) | duration: 0.041s"},
            {RUN_TIMEOUT, 0, 0, 2000, 2002000, "timeout: killed after 2s | duration: 2.002s"},
            {RUN_TIMEOUT, 0, 0, 200, 201000, "timeout: killed after 0.2s | duration: 0.201s"},
            {RUN_CPU_LIMIT, 0, 0, 60000, 10104000, "cpu limit: 10s exceeded | duration: 10.104s"},
            {RUN_MEMORY_LIMIT, 0, SIGKILL, 10000, 312000,
                    "memory limit: 256 MB exceeded | exit_code: -9 (SIGKILL) | duration: 0.312s"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        Outcome o = outcome(rows[i].status);
        char expected[256];

        o.exit_code = rows[i].exit_code;
        o.signal = rows[i].signal;
        o.timeout_ms = rows[i].timeout_ms;
        o.duration_us = rows[i].duration_us;
        (void)snprintf(expected, sizeof(expected),
                "[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n--- %s ---", rows[i].line);
        assert_text(&o, 0, expected);
    }
}

static void test_sections(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);

    o.out = kept("out, no newline");
    o.err = kept("err\n");
    o.result = kept("42");
    o.has_result = true;
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n"
            "--- stdout ---\nout, no newline\n\n"
            "--- stderr ---\nerr\n\n"
            "--- result ---\n42\n\n"
            "--- exit_code: 0 | duration: 0.041s ---");
}

/* The program's own blank lines stay. */
static void test_body_is_kept_as_it_is(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);

    o.out = kept("\n");
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- stdout ---\n\n\n--- exit_code: 0 | duration: 0.041s ---");
    o.out = kept("a\n\n\n");
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- stdout ---\na\n\n\n\n"
            "--- exit_code: 0 | duration: 0.041s ---");
}

static void test_nul_and_wide_characters(void **state UNUSED)
{
    static const char expected[] = "[request_id=a1b2c3d4]\n--- stdout ---\na\0ü€\n\n"
                                   "--- exit_code: 0 | duration: 0.041s ---";
    Outcome o = outcome(RUN_EXITED);
    Buf b;

    o.out = (KeptText){.head = "a\0ü€", .head_bytes = sizeof("a\0ü€") - 1};
    buf_init(&b, 1 << 20);
    assert_int_equal(result_text_format(&o, &settings, 0, 20000, &b), 0);
    assert_int_equal(b.len, sizeof(expected) - 1);
    assert_memory_equal(b.data, expected, b.len);
    buf_deinit(&b);
}

static void test_cut(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);

    o.out = (KeptText){.head = "START\n",
            .head_bytes = 6,
            .tail = "END\n",
            .tail_bytes = 4,
            .omitted_chars = 1234,
            .total_bytes = 1244};
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- stdout ---\nSTART\n"
            "… [1234 characters omitted] …\nEND\n\n"
            "--- exit_code: 0 | duration: 0.041s ---");
}

static void test_notes(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);

    o.out = (KeptText){0};
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- note ---\nThe program ended without output.\n\n"
            "--- exit_code: 0 | duration: 0.041s ---");

    o = outcome(RUN_EXITED);
    assert_text(&o, 100000,
            "[request_id=a1b2c3d4]\n--- stdout ---\n45\n\n"
            "--- note ---\ntimeout: 100s asked, 60s allowed (RUNNER_MAX_TIMEOUT_SEC); the program "
            "ran with 60s.\n\n"
            "--- exit_code: 0 | duration: 0.041s ---");

    o = outcome(RUN_EXITED);
    o.exit_code = 1;
    o.out = (KeptText){0};
    o.err = kept("MemoryError\n");
    o.memory_error = true;
    assert_text(&o, 61500,
            "[request_id=a1b2c3d4]\n--- stderr ---\nMemoryError\n\n"
            "--- note ---\ntimeout: 61.5s asked, 60s allowed (RUNNER_MAX_TIMEOUT_SEC); the program "
            "ran with 60s.\n"
            "MemoryError: the program may use at most 256 MB of memory (RUNNER_MAX_MEMORY_MB).\n\n"
            "--- exit_code: 1 | duration: 0.041s ---");
}

static void test_notebook_note(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);

    o.exit_code = 1;
    o.out = (KeptText){0};
    o.err = kept("SyntaxError: invalid syntax\n");
    o.notebook_line = true; /* as in a string of a program that compiled */
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- stderr ---\nSyntaxError: invalid syntax\n\n"
            "--- exit_code: 1 | duration: 0.041s ---");
    o.syntax_error = true;
    assert_text(&o, 0,
            "[request_id=a1b2c3d4]\n--- stderr ---\nSyntaxError: invalid syntax\n\n"
            "--- note ---\nLines that start with ! or % are notebook commands, not Python; "
            "packages can't be installed here.\n\n"
            "--- exit_code: 1 | duration: 0.041s ---");
}

static void test_refused(void **state UNUSED)
{
    Buf b;

    buf_init(&b, 1024);
    assert_int_equal(result_text_refused("a1b2c3d4", "argument 'code' is missing", &b), 0);
    assert_int_equal(buf_append(&b, "", 1), 0);
    assert_string_equal(b.data, "[request_id=a1b2c3d4]\nargument 'code' is missing");
    buf_deinit(&b);
}

static void test_full_buffer_is_reported(void **state UNUSED)
{
    Outcome o = outcome(RUN_EXITED);
    Buf b;

    buf_init(&b, 40);
    assert_int_equal(result_text_format(&o, &settings, 0, 20000, &b), BUF_E_FULL);
    buf_deinit(&b);
}

static void test_seconds(void **state UNUSED)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
            {0, "0s"},
            {1, "0.001s"},
            {10, "0.01s"},
            {200, "0.2s"},
            {1250, "1.25s"},
            {2000, "2s"},
            {10050, "10.05s"},
            {60000, "60s"},
            {1000000000000000, "1000000000000s"},
    };
    char text[32];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_string_equal(result_text_seconds(rows[i].ms, text, sizeof(text)), rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_last_line),
            cmocka_unit_test(test_sections),
            cmocka_unit_test(test_body_is_kept_as_it_is),
            cmocka_unit_test(test_nul_and_wide_characters),
            cmocka_unit_test(test_cut),
            cmocka_unit_test(test_notes),
            cmocka_unit_test(test_notebook_note),
            cmocka_unit_test(test_refused),
            cmocka_unit_test(test_full_buffer_is_reported),
            cmocka_unit_test(test_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
