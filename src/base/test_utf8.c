#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/utf8.h"

#define R "\xef\xbf\xbd" /* U+FFFD */

static size_t clean_whole(const char *s, size_t n, char *dst, size_t *ret_chars)
{
    Utf8 utf8 = {0};
    size_t chars, end_chars;
    size_t written = utf8_clean(&utf8, s, n, dst, &chars);
    written += utf8_clean_end(&utf8, dst + written, &end_chars);
    *ret_chars = chars + end_chars;
    return written;
}

/* Unicode 15, chapter 3.9, and what browsers and CPython do. */
static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        const char *out;
        size_t chars;
    } cases[] = {
            {"", "", 0},
            {"abc", "abc", 3},
            {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 3},
            {"\xc0\xaf", R R, 2},             /* overlong */
            {"\xe0\x80\xaf", R R R, 3},       /* overlong */
            {"\xf0\x80\x80\xaf", R R R R, 4}, /* overlong */
            {"\xed\xa0\x80", R R R, 3},       /* a surrogate */
            {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80", 2},
            {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", 1}, /* the last one */
            {"\xf4\x90\x80\x80", R R R R, 4},            /* beyond it */
            {"\xf5\xff", R R, 2},
            {"\x80\xbf", R R, 2},
            {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", R R R R "A", 5}, /* table 3-11 */
            {"\xf0\x9f\x98", R, 1},                                   /* cut at the end: one */
            {"\xe2\x82", R, 1},
            {"\xc3", R, 1},
            {"\xe2\x82\xe2\x82\xac", R "\xe2\x82\xac", 2},
            {"\xc3\x41", R "A", 2},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char out[100];
        size_t chars;
        size_t n = clean_whole(cases[i].in, strlen(cases[i].in), out, &chars);
        if (n != strlen(cases[i].out) || memcmp(out, cases[i].out, n) != 0 ||
                chars != cases[i].chars) {
            fail_msg("case %zu: %zu bytes, %zu characters", i, n, chars);
        }
    }
}

/* Where a stream is cut changes nothing, and no piece writes more than UTF8_CLEAN_MAX. */
static void test_cuts_and_bounds(void **state)
{
    (void)state;
    static const unsigned char nasty[] = {0, 'a', 'b', 0x7f, 0x80, 0x90, 0xa0, 0xbf, 0xc1, 0xc3,
            0xe0, 0xe2, 0xed, 0xf0, 0xf1, 0xf4, 0xff};
    srand(1);
    for (int round = 0; round < 20000; round++) {
        char in[300], whole[UTF8_CLEAN_MAX(sizeof(in))], parts[UTF8_CLEAN_MAX(sizeof(in)) + 12];
        size_t n = (size_t)rand() % sizeof(in);
        for (size_t i = 0; i < n; i++) {
            in[i] = rand() % 4 > 0 ? 'x' : (char)nasty[(size_t)rand() % sizeof(nasty)];
        }
        size_t whole_chars;
        size_t whole_n = clean_whole(in, n, whole, &whole_chars);

        Utf8 utf8 = {0};
        size_t parts_n = 0, parts_chars = 0;
        for (size_t at = 0; at < n;) {
            size_t piece = 1 + (size_t)rand() % (n - at);
            char *exact = malloc(UTF8_CLEAN_MAX(piece)); /* for the address sanitizer */
            assert_non_null(exact);
            size_t chars;
            size_t written = utf8_clean(&utf8, in + at, piece, exact, &chars);
            assert_true(written <= UTF8_CLEAN_MAX(piece));
            memcpy(parts + parts_n, exact, written);
            free(exact);
            parts_n += written;
            parts_chars += chars;
            at += piece;
        }
        size_t chars;
        parts_n += utf8_clean_end(&utf8, parts + parts_n, &chars);
        parts_chars += chars;
        assert_int_equal(parts_n, whole_n);
        assert_memory_equal(parts, whole, whole_n);
        assert_int_equal(parts_chars, whole_chars);
        assert_int_equal(utf8_count(whole, whole_n), whole_chars);
    }
}

static void test_clean_end_starts_anew(void **state)
{
    (void)state;
    Utf8 utf8 = {0};
    char out[100];
    size_t chars = 99;
    assert_int_equal(utf8_clean(&utf8, "\xf0\x9f", 2, out, &chars), 0);
    assert_int_equal(chars, 0);
    assert_int_equal(utf8_clean_end(&utf8, out, NULL), 3);
    assert_int_equal(utf8_clean_end(&utf8, out, &chars), 0);
    assert_int_equal(chars, 0);
    assert_int_equal(utf8_clean(&utf8, "\x98\x80", 2, out, NULL), 6);
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

static void test_prefix(void **state)
{
    (void)state;
    static const char *const characters[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    enum { CHARS = 500 };
    char text[4 * CHARS];
    size_t offsets[CHARS + 1];
    size_t n = 0;
    srand(2);
    for (size_t i = 0; i < CHARS; i++) {
        const char *c = characters[rand() % 4];
        offsets[i] = n;
        n += put(text + n, c);
    }
    offsets[CHARS] = n;
    for (size_t i = 0; i <= CHARS; i++) {
        assert_int_equal(utf8_prefix(text, n, i), offsets[i]);
        assert_int_equal(utf8_count(text, offsets[i]), i);
        assert_int_equal(utf8_prefix(text, offsets[i], CHARS + 1), offsets[i]);
    }
    assert_int_equal(utf8_prefix(text, n, SIZE_MAX), n);
    assert_int_equal(utf8_prefix("", 0, 5), 0);
    assert_int_equal(utf8_count("", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_known_answers),
            cmocka_unit_test(test_cuts_and_bounds),
            cmocka_unit_test(test_clean_end_starts_anew),
            cmocka_unit_test(test_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
