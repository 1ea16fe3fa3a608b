/* The tables themselves: no call of the kernel without a row, no number twice, a reason in each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/syscalls.h"
#include "sandbox/test_syscalls.h"

enum {
    ARCH_N = 2,
};

static int row_nr(const Syscall *row, int arch)
{
    return arch == 0 ? row->x86_64 : row->arm64;
}

static const Syscall *find(const char *name)
{
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            if (strcmp(syscall_tables[t]->rows[i].name, name) == 0) {
                return &syscall_tables[t]->rows[i];
            }
        }
    }
    return NULL;
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            const Syscall *row = &syscall_tables[t]->rows[i];

            assert_ptr_equal(find(row->name), row); /* no name twice */
            assert_true(strlen(row->reason) > 5);
            assert_true(row->x86_64 >= 0 || row->arm64 >= 0);
            assert_int_equal(row->class == SYSCALL_ARGS, row->rule != NULL);
        }
    }
}

static void test_no_number_twice(void **state)
{
    (void)state;
    for (int arch = 0; arch < ARCH_N; arch++) {
        const char *names[SYSCALL_NR_END] = {NULL};

        for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
            for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
                const Syscall *row = &syscall_tables[t]->rows[i];
                const int nr = row_nr(row, arch);

                assert_in_range(nr + 1, 0, SYSCALL_NR_END);
                if (nr >= 0 && names[nr] != NULL) {
                    fail_msg("%s and %s are both %d", row->name, names[nr], nr);
                }
                if (nr >= 0) {
                    names[nr] = row->name;
                }
            }
        }
    }
}

/* From 424 on, numbers are the same everywhere but for calls that only one architecture has. */
static void test_new_numbers_agree(void **state)
{
    (void)state;
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            const Syscall *row = &syscall_tables[t]->rows[i];

            if (row->x86_64 >= 424 || row->arm64 >= 424) {
                assert_int_equal(row->x86_64, row->arm64);
            }
        }
    }
}

/* Names in the generic header that are no calls. */
static int is_no_call(const char *name)
{
    return strcmp(name, "syscalls") == 0 || strcmp(name, "arch_specific_syscall") == 0;
}

static void check_against(const HeaderSyscall *header, int arch)
{
    size_t n_calls = 0;

    for (const HeaderSyscall *call = header; call->name; call++) {
        const Syscall *row = find(call->name);

        if (is_no_call(call->name)) {
            continue;
        }
        if (row == NULL) {
            fail_msg("the kernel's %s (%d) has no row", call->name, call->nr);
        } else if (row_nr(row, arch) != call->nr) {
            fail_msg("%s is %d, not %d", call->name, call->nr, row_nr(row, arch));
        }
        n_calls++;
    }
    assert_in_range(n_calls, 300, SYSCALL_NR_END);
}

static void test_headers_x86_64(void **state)
{
    (void)state;
    if (!header_syscalls_x86_64) {
        skip(); /* not installed with this architecture's headers */
    }
    check_against(header_syscalls_x86_64, 0);
}

static void test_headers_arm64(void **state)
{
    (void)state;
    if (!header_syscalls_arm64) {
        fail_msg("every architecture's headers have the generic table");
    }
    check_against(header_syscalls_arm64, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_rows_are_whole),
            cmocka_unit_test(test_no_number_twice),
            cmocka_unit_test(test_new_numbers_agree),
            cmocka_unit_test(test_headers_x86_64),
            cmocka_unit_test(test_headers_arm64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
