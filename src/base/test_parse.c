#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macro.h"
#include "base/parse.h"

static void test_i64(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int r;
        int64_t value;
    } cases[] = {
            {"0", 0, 0}, {"10", 0, 10}, {"-0", 0, 0}, {"-7", 0, -7}, {"007", 0, 7},
            {"9223372036854775807", 0, INT64_MAX}, {"-9223372036854775808", 0, INT64_MIN},
            {"9223372036854775808", -ERANGE, 0}, {"-9223372036854775809", -ERANGE, 0},
            {"18446744073709551616", -ERANGE, 0}, {"99999999999999999999999999", -ERANGE, 0},
            {"", -EINVAL, 0}, {"-", -EINVAL, 0}, {"--1", -EINVAL, 0}, {"+1", -EINVAL, 0},
            {" 1", -EINVAL, 0}, {"1 ", -EINVAL, 0}, {"1\n", -EINVAL, 0}, {"1.0", -EINVAL, 0},
            {"1e3", -EINVAL, 0}, {"0x10", -EINVAL, 0}, {"1_000", -EINVAL, 0}, {"ten", -EINVAL, 0},
            {"\xd9\xa1", -EINVAL, 0}, /* an Arabic digit */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t value = 4711;
        int r = parse_i64(cases[i].s, INT64_MIN, INT64_MAX, &value);
        int64_t expected = cases[i].r == 0 ? cases[i].value : 4711;
        if (r != cases[i].r || value != expected) {
            fail_msg("\"%s\": %d, %lld", cases[i].s, r, (long long)value);
        }
    }
}

static void test_i64_range(void **state)
{
    (void)state;
    int64_t value = 4711;
    assert_int_equal(parse_i64("0", 1, 9, &value), -ERANGE);
    assert_int_equal(parse_i64("10", 1, 9, &value), -ERANGE);
    assert_int_equal(parse_i64("-5", 1, 9, &value), -ERANGE);
    assert_int_equal(value, 4711);
    assert_int_equal(parse_i64("1", 1, 9, &value), 0);
    assert_int_equal(value, 1);
    assert_int_equal(parse_i64("9", 1, 9, &value), 0);
    assert_int_equal(value, 9);
}

static void test_seconds(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int r;
        int64_t ms;
    } cases[] = {
            {"10", 0, 10000},
            {"0.5", 0, 500},
            {"0.25", 0, 250},
            {"2.0", 0, 2000},
            {"1.2345", 0, 1235}, /* never shorter than what was written */
            {"1.2340", 0, 1234},
            {"0.0001", 0, 1},
            {"0.001", 0, 1},
            {"60", 0, 60000},
            {"60.0001", -ERANGE, 0},
            {"0", -ERANGE, 0},
            {"0.0", -ERANGE, 0},
            {"61", -ERANGE, 0},
            {"9223372036854775807", -ERANGE, 0},
            {"99999999999999999999999.5", -ERANGE, 0},
            {"", -EINVAL, 0},
            {".5", -EINVAL, 0},
            {"5.", -EINVAL, 0},
            {"-1", -EINVAL, 0},
            {"+1", -EINVAL, 0},
            {"1e1", -EINVAL, 0},
            {"0x1", -EINVAL, 0},
            {"inf", -EINVAL, 0},
            {"nan", -EINVAL, 0},
            {"1,5", -EINVAL, 0},
            {"1.5s", -EINVAL, 0},
            {" 1", -EINVAL, 0},
            {"1 ", -EINVAL, 0},
            {"1.5.5", -EINVAL, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t ms = 4711;
        int r = parse_seconds_ms(cases[i].s, 0, 60000, &ms);
        int64_t expected = cases[i].r == 0 ? cases[i].ms : 4711;
        if (r != cases[i].r || ms != expected) {
            fail_msg("\"%s\": %d, %lld", cases[i].s, r, (long long)ms);
        }
    }
    int64_t ms = 4711;
    assert_int_equal(parse_seconds_ms("0.099", 100, 60000, &ms), -ERANGE);
    assert_int_equal(ms, 4711);
}

static void test_bool(void **state)
{
    (void)state;
    static const char *const yes[] = {"true", "TRUE", "True", "1", "yes", "YES", "on", "On"};
    static const char *const no[] = {"false", "FALSE", "0", "no", "No", "off", "OFF"};
    static const char *const neither[] = {
            "", "2", "y", "n", "t", "tru", "truee", " true", "true ", "01", "enabled"};
    for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
        bool value = false;
        assert_int_equal(parse_bool(yes[i], &value), 0);
        assert_true(value);
    }
    for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
        bool value = true;
        assert_int_equal(parse_bool(no[i], &value), 0);
        assert_false(value);
    }
    for (size_t i = 0; i < ARRAY_SIZE(neither); i++) {
        bool value = true;
        assert_int_equal(parse_bool(neither[i], &value), -EINVAL);
        assert_true(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_i64),
            cmocka_unit_test(test_i64_range),
            cmocka_unit_test(test_seconds),
            cmocka_unit_test(test_bool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
