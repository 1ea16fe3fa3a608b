#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>

#include "base/clock.h"

/* The unit is microseconds: a wait of 20 ms is at least 20,000 of them. */
static void test_unit_and_direction(void **state)
{
    (void)state;
    uint64_t before = clock_now_us();
    assert_true(before > 0);
    assert_int_equal(poll(NULL, 0, 20), 0);
    uint64_t after = clock_now_us();
    assert_true(after - before >= 20000);
    assert_true(after - before < 20000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unit_and_direction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
