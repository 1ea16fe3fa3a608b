#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void test_maximum(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, 5);
    assert_null(b.data);
    assert_int_equal(buf_append(&b, "abc", 3), 0);
    assert_int_equal(buf_append(&b, "def", 3), BUF_E_FULL);
    assert_int_equal(b.len, 3);
    assert_memory_equal(b.data, "abc", 3);
    assert_int_equal(buf_append(&b, "de", 2), 0);
    assert_int_equal(buf_reserve(&b, 1), BUF_E_FULL);
    assert_int_equal(buf_append(&b, NULL, 0), 0);
    assert_int_equal(b.len, 5);
    assert_true(b.cap <= 5);
    buf_deinit(&b);
    assert_null(b.data);
    assert_int_equal(buf_append_str(&b, "123456"), BUF_E_FULL); /* the maximum outlives deinit */
    assert_int_equal(buf_append_str(&b, "12345"), 0);
    buf_deinit(&b);
}

/* The address sanitizer aborts where malloc(3) returns NULL, unless it is told not to. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void test_huge_requests(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, SIZE_MAX);
    assert_int_equal(buf_append_str(&b, "kept"), 0);
    assert_int_equal(buf_reserve(&b, SIZE_MAX), BUF_E_FULL);
    assert_int_equal(buf_reserve(&b, (size_t)PTRDIFF_MAX - 8), -ENOMEM);
    assert_int_equal(b.len, 4);
    assert_memory_equal(b.data, "kept", 4);
    buf_deinit(&b);
}

static void test_growth(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, 100000);
    for (size_t i = 0; i < 100000; i++) {
        char c = (char)('a' + i % 26);
        assert_int_equal(buf_append(&b, &c, 1), 0);
        assert_true(b.cap < 64 || b.cap <= 2 * b.len + 64);
    }
    assert_int_equal(buf_append(&b, "x", 1), BUF_E_FULL);
    for (size_t i = 0; i < b.len; i++) {
        assert_int_equal(b.data[i], (char)('a' + i % 26));
    }
    buf_deinit(&b);
}

static void test_appendf(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, 8);
    assert_int_equal(buf_appendf(&b, "%s", ""), 0);
    assert_int_equal(b.len, 0);
    assert_int_equal(buf_appendf(&b, "%d-%s", 12, "abc"), 0);
    assert_int_equal(buf_appendf(&b, "%d", 345), BUF_E_FULL);
    assert_int_equal(b.len, 6);
    assert_int_equal(buf_appendf(&b, "%d", 34), 0); /* exactly full: the NUL needs no room */
    assert_memory_equal(b.data, "12-abc34", 8);
    buf_deinit(&b);
}

static void test_consume_and_clear(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, 100);
    buf_consume(&b, 0);
    assert_int_equal(buf_append_str(&b, "hello world"), 0);
    buf_consume(&b, 6);
    assert_int_equal(b.len, 5);
    assert_memory_equal(b.data, "world", 5);
    buf_shrink(&b, 0);
    assert_int_equal(b.len, 5); /* not empty: kept */
    buf_clear(&b);
    assert_int_equal(b.len, 0);
    assert_non_null(b.data);
    buf_shrink(&b, 1000);
    assert_non_null(b.data);
    buf_shrink(&b, 10);
    assert_null(b.data);
    assert_int_equal(b.cap, 0);
    assert_int_equal(buf_append_str(&b, "again"), 0);
    buf_deinit(&b);
}

static void test_steal(void **state)
{
    (void)state;
    Buf b;
    buf_init(&b, 3);
    size_t n = 99;
    char *s = buf_steal(&b, &n);
    assert_string_equal(s, "");
    assert_int_equal(n, 0);
    free(s);

    assert_int_equal(buf_append_str(&b, "abc"), 0);
    s = buf_steal(&b, &n);
    assert_string_equal(s, "abc");
    assert_int_equal(n, 3);
    assert_null(b.data);
    assert_int_equal(b.len, 0);
    assert_int_equal(buf_append_str(&b, "abcd"), BUF_E_FULL);
    assert_int_equal(buf_append_str(&b, "xyz"), 0);
    assert_string_equal(s, "abc");
    free(s);
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_maximum),
            cmocka_unit_test(test_huge_requests),
            cmocka_unit_test(test_growth),
            cmocka_unit_test(test_appendf),
            cmocka_unit_test(test_consume_and_clear),
            cmocka_unit_test(test_steal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
