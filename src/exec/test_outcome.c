#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/utf8.h"
#include "exec/outcome.h"

#define DOTS "\xe2\x80\xa6"
#define MARKER(n) DOTS " [" n " characters omitted] " DOTS "\n"

static void test_names(void **state)
{
    (void)state;
    static const char *const names[_RUN_STATUS_N] = {"exited", "signaled", "timeout", "cpu_limit",
            "memory_limit", "sandbox_error", "rejected"};
    for (int i = 0; i < _RUN_STATUS_N; i++) {
        assert_string_equal(run_status_name((RunStatus)i), names[i]);
    }
    assert_string_equal(signal_name(SIGSEGV), "SIGSEGV");
    assert_string_equal(signal_name(SIGKILL), "SIGKILL");
    assert_string_equal(signal_name(SIGABRT), "SIGABRT");
    assert_string_equal(signal_name(SIGXCPU), "SIGXCPU");
    assert_string_equal(signal_name(SIGSYS), "SIGSYS");
    assert_string_equal(signal_name(35), "SIG35");
    assert_string_equal(signal_name(64), "SIG64");
    assert_string_equal(signal_name(0), "SIG0");
    assert_string_equal(signal_name(-5), "SIG-5");
    assert_string_equal(signal_name(INT32_MAX), "SIG2147483647");
    for (int i = 1; i < 32; i++) {
        char plain[16];
        (void)snprintf(plain, sizeof(plain), "SIG%d", i);
        assert_string_not_equal(signal_name(i), plain); /* every standard one has its name */
    }
}

static void test_format(void **state)
{
    (void)state;
    static const struct {
        const char *head, *tail;
        uint64_t omitted;
        size_t max_chars;
        const char *text;
    } cases[] = {
            {"", "", 0, 10, ""},
            {"abc", "", 0, 10, "abc"},
            {"", "abc", 0, 10, "abc"},
            {"abc", "def", 0, 6, "abcdef"}, /* exactly the maximum */
            {"abc\n", "def", 7, 10, "abc\n" MARKER("7") "def"},
            {"abc", "def\n", 7, 10, "abc\n" MARKER("7") "def\n"},
            {"abc", "", 5, 10, "abc\n" MARKER("5")},
            {"", "def", 5, 10, MARKER("5") "def"}, /* no line begun: no newline to end it */
            {"abc", "defg", 0, 6, "abc\n" MARKER("1") "efg"},
            {"abcdefg", "", 0, 5, "ab\n" MARKER("2") "efg"},
            {"", "abcdefg", 0, 5, "ab\n" MARKER("2") "efg"},
            {"abcdef", "g", 0, 4, "ab\n" MARKER("3") "fg"}, /* the tail begins in the head */
            {"a", "bcdefg", 0, 4, "ab\n" MARKER("3") "fg"}, /* the head ends in the tail */
            {"abcdef", "uvwxyz", 100, 6, "abc\n" MARKER("106") "xyz"},
            {"abcdef", "z", 100, 4, "abc\n" MARKER("103") "z"},
            {"a", "uvwxyz", 100, 4, "a\n" MARKER("103") "xyz"},
            {"abcdef", "uvwxyz", 100, 1, MARKER("111") "z"},
            {"abcdef", "uvwxyz", 100, 0, MARKER("112")},
            {"abcdef", "", 0, 0, MARKER("6")},
            {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 0, 2,
                    "\xc3\xa4\n" MARKER("4") "\xf0\x9f\x98\x80"},
            {"abc", "def", UINT64_C(10000000000), 6, "abc\n" MARKER("10000000000") "def"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        KeptText t = {.head = cases[i].head,
                .head_bytes = strlen(cases[i].head),
                .tail = cases[i].tail,
                .tail_bytes = strlen(cases[i].tail),
                .omitted_chars = cases[i].omitted};
        Buf out;
        buf_init(&out, 1000);
        bool truncated = !(cases[i].omitted > 0);
        assert_int_equal(buf_append_str(&out, "before\n"), 0);
        assert_int_equal(kept_text_format(&t, cases[i].max_chars, &out, &truncated), 0);
        size_t n;
        char *text = buf_steal(&out, &n);
        if (strcmp(text + 7, cases[i].text) != 0) {
            fail_msg("case %zu: %s", i, text);
        }
        assert_int_equal(truncated, strstr(cases[i].text, "omitted") != NULL);
        free(text);
    }
}

/* A text that has no parts at all, as an outcome without a result has it. */
static void test_format_nothing(void **state)
{
    (void)state;
    KeptText t = {0};
    Buf out;
    bool truncated = true;
    buf_init(&out, 0);
    assert_int_equal(kept_text_format(&t, 10, &out, &truncated), 0);
    assert_int_equal(out.len, 0);
    assert_false(truncated);
    assert_int_equal(kept_text_format(&t, 0, &out, NULL), 0);
    buf_deinit(&out);
}

/* What does not fit leaves no half behind. */
static void test_format_full(void **state)
{
    (void)state;
    KeptText t = {
            .head = "abc", .head_bytes = 3, .tail = "def", .tail_bytes = 3, .omitted_chars = 5};
    const size_t whole = strlen("abc\n" MARKER("5") "def");
    for (size_t max = 2; max <= 2 + whole; max++) {
        Buf out;
        bool truncated = false;
        buf_init(&out, max);
        assert_int_equal(buf_append(&out, "--", 2), 0);
        int r = kept_text_format(&t, 10, &out, &truncated);
        assert_int_equal(r, max < 2 + whole ? BUF_E_FULL : 0);
        assert_int_equal(out.len, r == 0 ? 2 + whole : 2);
        assert_int_equal(truncated, r == 0);
        buf_deinit(&out);
    }
}

/* Without the NUL. Returns the bytes put. */
static size_t put(char *dst, const char *s)
{
    size_t n = 0;
    for (; s[n] != '\0'; n++) {
        dst[n] = s[n];
    }
    return n;
}

/* For any text, gap and maximum: what is shown and what is missing add up. */
static void test_format_adds_up(void **state)
{
    (void)state;
    static const char *const characters[] = {
            "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n"};
    srand(4);
    for (int round = 0; round < 20000; round++) {
        char text[4 * 60];
        size_t n = 0, chars = (size_t)rand() % 60;
        for (size_t i = 0; i < chars; i++) {
            const char *c = characters[rand() % 5];
            n += put(text + n, c);
        }
        size_t head_bytes = utf8_prefix(text, n, (size_t)rand() % (chars + 1));
        uint64_t omitted = rand() % 2 == 0 ? 0 : (uint64_t)rand() % 1000;
        KeptText t = {.head = text,
                .head_bytes = head_bytes,
                .tail = text + head_bytes,
                .tail_bytes = n - head_bytes,
                .omitted_chars = omitted};
        size_t max_chars = (size_t)rand() % 70;
        Buf out;
        bool truncated;
        buf_init(&out, 1000);
        assert_int_equal(kept_text_format(&t, max_chars, &out, &truncated), 0);
        char *shown = buf_steal(&out, NULL);
        char *marker = strstr(shown, DOTS " [");
        if (!truncated) {
            assert_true(omitted == 0 && chars <= max_chars && !marker);
            assert_memory_equal(shown, text, n);
            free(shown);
            continue;
        }
        uint64_t missing = 0;
        int length = -1;
        assert_int_equal(sscanf(marker, DOTS " [%" SCNu64 " characters omitted] " DOTS "%n",
                                 &missing, &length),
                1);
        assert_int_equal(marker[length], '\n');
        assert_true(marker == shown || marker[-1] == '\n');
        const char *back = marker + length + 1;
        size_t front_n = (size_t)(marker - shown);
        size_t back_chars = utf8_count(back, strlen(back));
        if (utf8_count(shown, front_n) + back_chars > MIN(chars, max_chars)) {
            front_n--; /* the newline that is not the program's */
            assert_int_equal(shown[front_n], '\n');
        }
        assert_memory_equal(shown, text, front_n);
        assert_memory_equal(back, text + n - strlen(back), strlen(back));
        size_t shown_chars = utf8_count(shown, front_n) + back_chars;
        assert_int_equal(shown_chars, MIN(chars, max_chars));
        assert_int_equal(shown_chars + missing, chars + omitted);
        free(shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_names),
            cmocka_unit_test(test_format),
            cmocka_unit_test(test_format_nothing),
            cmocka_unit_test(test_format_full),
            cmocka_unit_test(test_format_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
