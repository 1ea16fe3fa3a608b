#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "exec/capture.h"

/* Without the NUL. Returns the bytes put. */
static size_t put(char *dst, const char *s)
{
    size_t n = 0;
    for (; s[n] != '\0'; n++) {
        dst[n] = s[n];
    }
    return n;
}

/* The whole text, cleaned in one go. */
typedef struct Whole {
    char *text;
    size_t n;
    size_t chars;
} Whole;

static Whole whole_of(const char *raw, size_t n)
{
    Whole w = {.text = malloc(UTF8_CLEAN_MAX(n) + 3)};
    assert_non_null(w.text);
    Utf8 utf8 = {0};
    size_t end_chars;
    w.n = utf8_clean(&utf8, raw, n, w.text, &w.chars);
    w.n += utf8_clean_end(&utf8, w.text + w.n, &end_chars);
    w.chars += end_chars;
    return w;
}

static void feed_in_pieces(Capture *c, const char *raw, size_t n, size_t piece_max)
{
    for (size_t at = 0; at < n;) {
        size_t piece = 1 + (size_t)rand() % piece_max;
        piece = MIN(piece, n - at);
        char *exact = malloc(1 + piece); /* ends where the piece ends */
        assert_non_null(exact);
        memcpy(exact + 1, raw + at, piece);
        assert_int_equal(capture_feed(c, exact + 1, piece), 0);
        free(exact);
        at += piece;
    }
}

static void check_kept(const char *raw, size_t n, size_t max_chars, size_t piece_max)
{
    Whole w = whole_of(raw, n);
    Capture c;
    capture_init(&c, max_chars);
    feed_in_pieces(&c, raw, n, piece_max);
    assert_int_equal(capture_end(&c), 0);
    KeptText t;
    capture_text(&c, &t);
    assert_int_equal(t.total_bytes, n);
    if (w.chars <= max_chars) {
        assert_int_equal(t.omitted_chars, 0);
        assert_int_equal(t.head_bytes + t.tail_bytes, w.n);
        assert_memory_equal(t.head, w.text, t.head_bytes);
        assert_memory_equal(t.tail, w.text + t.head_bytes, t.tail_bytes);
    } else {
        size_t head = max_chars / 2, tail = max_chars - head;
        assert_int_equal(t.omitted_chars, w.chars - max_chars);
        assert_int_equal(t.head_bytes, utf8_prefix(w.text, w.n, head));
        assert_memory_equal(t.head, w.text, t.head_bytes);
        size_t tail_start = utf8_prefix(w.text, w.n, w.chars - tail);
        assert_int_equal(t.tail_bytes, w.n - tail_start);
        assert_memory_equal(t.tail, w.text + tail_start, t.tail_bytes);
    }
    assert_true(c.head.cap + c.tail.cap <= 4 * max_chars);
    capture_deinit(&c);
    free(w.text);
}

static void fill(char *raw, size_t n, int kind)
{
    static const char *const parts[] = {"x", "hello\n", "\xc3\xa4", "\xe2\x82\xac",
            "\xf0\x9f\x98\x80", "\xff", "\xe2\x82", "\xf0\x9f", "\x80", "\n"};
    for (size_t at = 0; at < n;) {
        const char *part = parts[kind == 0 ? rand() % 2 : kind == 1 ? rand() % 5 : rand() % 10];
        for (; *part != '\0' && at < n; part++) {
            raw[at++] = *part;
        }
    }
}

static void test_head_and_tail(void **state)
{
    (void)state;
    static const size_t maxima[] = {0, 1, 2, 3, 7, 100, 1000, 5000, 20000, SIZE_MAX};
    static char raw[200000];
    srand(1);
    for (size_t i = 0; i < ARRAY_SIZE(maxima); i++) {
        for (int round = 0; round < 60; round++) {
            size_t n = (size_t)rand() % (round % 4 == 0 ? sizeof(raw) : 300);
            fill(raw, n, round % 3);
            check_kept(raw, n, maxima[i], round % 2 == 0 ? 70000 : 50);
        }
    }
}

/* Exactly the maximum, one less, one more. */
static void test_around_the_maximum(void **state)
{
    (void)state;
    static char raw[3 * 130];
    for (size_t i = 0; i < sizeof(raw); i += 3) {
        (void)put(raw + i, "\xe2\x82\xac");
    }
    for (size_t max = 120; max <= 130; max++) {
        for (size_t chars = max - 2; chars <= MIN(max + 2, (size_t)130); chars++) {
            check_kept(raw, 3 * chars, max, 1);
            check_kept(raw, 3 * chars, max, 1000);
        }
    }
}

static void test_memory(void **state)
{
    (void)state;
    enum { MAX = 20000, CHUNK = 1 << 16 };
    static char chunk[CHUNK];
    Capture c;
    KeptText t;
    capture_init(&c, MAX);
    assert_int_equal(capture_feed(&c, NULL, 0), 0);
    assert_int_equal(capture_end(&c), 0);
    capture_text(&c, &t);
    assert_null(c.head.data); /* a program that prints nothing costs nothing */
    assert_null(c.tail.data);
    assert_int_equal(t.head_bytes + t.tail_bytes, 0);
    assert_non_null(t.head);
    capture_deinit(&c);

    capture_init(&c, MAX);
    assert_int_equal(capture_feed(&c, "hello\n", 6), 0);
    assert_true(c.head.cap + c.tail.cap <= 64);

    memset(chunk, 'x', sizeof(chunk));
    uint64_t total = 6;
    for (int i = 0; i < 8000; i++) { /* half a gigabyte */
        assert_int_equal(capture_feed(&c, chunk, sizeof(chunk)), 0);
        total += sizeof(chunk);
    }
    assert_true(c.head.cap + c.tail.cap <= (size_t)4 * MAX);
    assert_int_equal(capture_end(&c), 0);
    capture_text(&c, &t);
    assert_int_equal(t.total_bytes, total);
    assert_int_equal(t.omitted_chars, total - MAX);
    assert_int_equal(t.head_bytes, MAX / 2);
    assert_int_equal(t.tail_bytes, MAX / 2);
    assert_memory_equal(t.head, "hello\nxxx", 9);
    capture_deinit(&c);
}

static void assert_last_line(const char *raw, const char *expected)
{
    size_t n = strlen(raw);
    for (size_t piece = 1; piece <= n + 1; piece += piece < 8 ? 1 : n / 3 + 1) {
        Capture c;
        char line[CAPTURE_LINE_SIZE];
        capture_init(&c, 2);
        for (size_t at = 0; at < n; at += piece) {
            assert_int_equal(capture_feed(&c, raw + at, MIN(piece, n - at)), 0);
        }
        size_t line_n = capture_last_line(&c, line);
        assert_int_equal(line_n, strlen(line));
        assert_string_equal(line, expected);
        capture_deinit(&c);
    }
}

static void test_last_line(void **state)
{
    (void)state;
    assert_last_line("", "");
    assert_last_line("par", "par");
    assert_last_line("one\npar", "one");
    assert_last_line("one\ntwo\npar", "two");
    assert_last_line("one\n\n\n", "one"); /* a blank line says nothing */
    assert_last_line("one\n  \n\t\npar", "one");
    assert_last_line("\n  \npar", "par");
    assert_last_line("\n\n", "");
    assert_last_line("  indented\n", "  indented");
    assert_last_line("one\r\ntwo\r\n", "two");
    assert_last_line("10%\r20%\r30%", "30%"); /* a progress bar */
    assert_last_line("\r10%\r20%", "20%");
    assert_last_line("10%\r20%\r", "20%");
    assert_last_line("10%\r20%\n", "20%");
    assert_last_line("10%\rdone\nnext", "done");
    assert_last_line("a\tb\x01\x7f\xc2\x85"
                     "c\n",
            "a bc");
    assert_last_line("\x1b[1;31mred\x1b[0m \x1b[Kend\n", "red end");
    assert_last_line("\x1b[31", "");
    assert_last_line("gr\xc3\xbc\xc3\x9f\xff\n", "gr\xc3\xbc\xc3\x9f\xef\xbf\xbd");
    assert_last_line("cut \xe2\x82\n", "cut \xef\xbf\xbd");
    assert_last_line("not yet \xe2\x82", "not yet "); /* the rest may still come */
}

static void test_last_line_length(void **state)
{
    (void)state;
    char raw[3 * 1000 + 2], expected[CAPTURE_LINE_SIZE];
    for (size_t i = 0; i < 1000; i++) {
        memcpy(raw + 3 * i, "\xe2\x82\xac", 3);
    }
    memcpy(raw + 3000, "\n", 2);
    memcpy(expected, raw, 600);
    expected[600] = '\0';
    assert_last_line(raw, expected);
    raw[3000] = '\0';
    assert_last_line(raw, expected);
    memset(raw, 'x', 3000);
    memset(expected, 'x', 200);
    expected[200] = '\0';
    assert_last_line(raw, expected);
    for (size_t i = 0; i < 300; i++) { /* the largest there is */
        memcpy(raw + 4 * i, "\xf0\x9f\x98\x80", 5);
    }
    memcpy(expected, raw, 800);
    expected[800] = '\0';
    assert_last_line(raw, expected);
}

/* The same line, however the output was cut. */
static void test_last_line_cuts(void **state)
{
    (void)state;
    static const char alphabet[] = "ab \n\n\r\t\xc3\xa4";
    srand(3);
    for (int round = 0; round < 20000; round++) {
        char raw[40], whole[CAPTURE_LINE_SIZE], pieces[CAPTURE_LINE_SIZE];
        size_t n = (size_t)rand() % sizeof(raw);
        for (size_t i = 0; i < n; i++) {
            raw[i] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
        }
        Capture c;
        capture_init(&c, 0);
        assert_int_equal(capture_feed(&c, raw, n), 0);
        (void)capture_last_line(&c, whole);
        capture_deinit(&c);
        capture_init(&c, 0);
        feed_in_pieces(&c, raw, n, 6);
        (void)capture_last_line(&c, pieces);
        capture_deinit(&c);
        assert_string_equal(whole, pieces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_head_and_tail),
            cmocka_unit_test(test_around_the_maximum),
            cmocka_unit_test(test_memory),
            cmocka_unit_test(test_last_line),
            cmocka_unit_test(test_last_line_length),
            cmocka_unit_test(test_last_line_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
