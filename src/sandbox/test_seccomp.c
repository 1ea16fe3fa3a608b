/* The finished program, simulated on both architectures: every number against the tables, every
 * argument rule against a list of what is to come out. */
#include "sandbox/seccomp_program.h"

#include <errno.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/syscalls.h"
#include "sandbox/test_bpf_simulation.h"
#include "sandbox/test_seccomp_cases.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

enum {
    HOT_STEPS_MAX = 14,
    ANY_STEPS_MAX = 64,
};

/* The strongest tier, and one without any namespace. */
static const SeccompOptions tier_full = {.inet = true, .pid_namespace = true};
static const SeccompOptions tier_bare = {.protected_pids = {100, 200}, .n_protected = 2};
static const SeccompOptions tier_scoped = {
        .protected_pids = {100, 200}, .n_protected = 2, .signals_scoped = true};
static const SeccompOptions tier_scoped_full = {
        .inet = true, .pid_namespace = true, .signals_scoped = true};
static const SeccompOptions *const tiers[] = {
        &tier_full, &tier_bare, &tier_scoped, &tier_scoped_full};

static const uint32_t audit_archs[_SECCOMP_ARCH_N] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64};

typedef struct Program {
    struct sock_filter insns[SECCOMP_PROGRAM_MAX];
    size_t n;
    SeccompArch arch;
} Program;

static void build(Program *program, const SeccompOptions *tier, SeccompArch arch)
{
    SeccompOptions options = *tier;

    options.arch = arch;
    program->arch = arch;
    assert_int_equal(
            seccomp_program_build(&options, program->insns, SECCOMP_PROGRAM_MAX, &program->n), 0);
}

static uint32_t run(const Program *program, int nr, const uint64_t args[6], unsigned *ret_steps)
{
    struct seccomp_data data = {.nr = nr, .arch = audit_archs[program->arch]};

    if (args) {
        memcpy(data.args, args, sizeof(data.args));
    }
    return simulation_run(program->insns, program->n, &data, ret_steps);
}

static int row_nr(const Syscall *row, SeccompArch arch)
{
    return arch == SECCOMP_ARCH_X86_64 ? row->x86_64 : row->arm64;
}

static const Syscall *row_of_nr(int nr, SeccompArch arch)
{
    if (nr < 0) {
        return NULL; /* -1 in a row is "not here" */
    }
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            if (row_nr(&syscall_tables[t]->rows[i], arch) == nr) {
                return &syscall_tables[t]->rows[i];
            }
        }
    }
    return NULL;
}

static int nr_of_name(const char *name, SeccompArch arch)
{
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            if (strcmp(syscall_tables[t]->rows[i].name, name) == 0) {
                return row_nr(&syscall_tables[t]->rows[i], arch);
            }
        }
    }
    fail_msg("no row for %s", name);
    return -1;
}

/* --- the kernel takes it, and it is the same every time --- */

static void test_program_is_sound(void **state)
{
    (void)state;
    for (size_t t = 0; t < N_ELEMENTS(tiers); t++) {
        for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
            Program one;
            Program two;

            memset(&one, 0xaa, sizeof(one));
            memset(&two, 0x55, sizeof(two));
            build(&one, tiers[t], arch);
            build(&two, tiers[t], arch);
            simulation_check(one.insns, one.n);
            assert_int_equal(one.n, two.n);
            assert_memory_equal(one.insns, two.insns, one.n * sizeof(one.insns[0]));
            print_message("tier %zu, arch %d: %zu instructions\n", t, (int)arch, one.n);
        }
    }
}

static void test_room(void **state)
{
    Program program;

    (void)state;
    build(&program, &tier_full, SECCOMP_ARCH_X86_64);
    for (size_t max = 0; max <= program.n; max += max + 50 < program.n ? 50 : 1) {
        struct sock_filter *room = calloc(max + 1, sizeof(*room));
        size_t n = 4711;
        const int r = seccomp_program_build(&tier_full, room, max, &n);

        assert_int_equal(r, max < program.n ? -E2BIG : 0);
        assert_int_equal(n, max < program.n ? 4711 : program.n);
        assert_int_equal(room[max].code, 0);
        free(room);
    }
}

static void test_options(void **state)
{
    struct sock_filter insns[SECCOMP_PROGRAM_MAX];
    SeccompOptions options = {.n_protected = SECCOMP_PROTECTED_MAX + 1};
    size_t n;

    (void)state;
    assert_int_equal(seccomp_program_build(&options, insns, SECCOMP_PROGRAM_MAX, &n), -EINVAL);
    options.n_protected = SECCOMP_PROTECTED_MAX; /* pids of 0 would be "oneself" */
    assert_int_equal(seccomp_program_build(&options, insns, SECCOMP_PROGRAM_MAX, &n), -EINVAL);
    for (size_t i = 0; i < SECCOMP_PROTECTED_MAX; i++) {
        options.protected_pids[i] = 1000 + (pid_t)i;
    }
    assert_int_equal(seccomp_program_build(&options, insns, SECCOMP_PROGRAM_MAX, &n), 0);
    simulation_check(insns, n);
    options.arch = _SECCOMP_ARCH_N;
    assert_int_equal(seccomp_program_build(&options, insns, SECCOMP_PROGRAM_MAX, &n), -EINVAL);
}

/* --- numbers --- */

static void check_number(const Program *program, int nr)
{
    const Syscall *row = row_of_nr(nr, program->arch);
    const uint32_t answer = run(program, nr, NULL, NULL);

    if (row == NULL) {
        assert_int_equal(answer, NONE);
        return;
    }
    switch (row->class) {
    case SYSCALL_ALLOW:
        assert_int_equal(answer, ALLOW);
        break;
    case SYSCALL_ENOSYS:
        assert_int_equal(answer, NONE);
        break;
    case SYSCALL_EPERM:
        assert_int_equal(answer, DENY);
        break;
    case SYSCALL_ARGS: /* a rule, and never a kill */
        assert_true(answer == ALLOW || (answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
        break;
    }
}

static void test_every_number(void **state)
{
    (void)state;
    for (size_t t = 0; t < N_ELEMENTS(tiers); t++) {
        for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
            Program program;

            build(&program, tiers[t], arch);
            for (int nr = 0; nr < 1024; nr++) {
                check_number(&program, nr);
            }
            for (int bit = 10; bit < 31; bit++) {
                check_number(&program, 1 << bit);
            }
            check_number(&program, -1);
        }
    }
}

/* x32 calls come through the same entry with a bit set, and through their own numbers from 512. */
static void test_x32(void **state)
{
    Program program;

    (void)state;
    build(&program, &tier_full, SECCOMP_ARCH_X86_64);
    for (int nr = 0; nr < 1024; nr++) {
        assert_int_equal(run(&program, 0x40000000 | nr, NULL, NULL), NONE);
    }
}

/* The same numbers mean other calls there: 1 is exit on i386, and 4 is write. */
static void test_other_entries(void **state)
{
    static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64,
            AUDIT_ARCH_AARCH64, AUDIT_ARCH_X86_64, 0};

    (void)state;
    for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
        Program program;

        build(&program, &tier_full, arch);
        for (size_t i = 0; i < N_ELEMENTS(others); i++) {
            for (int nr = 0; nr < 512 && others[i] != audit_archs[arch]; nr++) {
                const struct seccomp_data data = {.nr = nr, .arch = others[i]};

                assert_int_equal(simulation_run(program.insns, program.n, &data, NULL), NONE);
            }
        }
    }
}

/* --- arguments --- */

static void check_case(const Program *program, const Case *c, uint32_t expected)
{
    const int nr = nr_of_name(c->call, program->arch);
    uint32_t answer;

    if (nr < 0) {
        return; /* arch_prctl, mknod: only one architecture has them */
    }
    answer = run(program, nr, c->args, NULL);
    if (answer != expected) {
        fail_msg("%s(%#llx, %#llx, %#llx): %#x, not %#x", c->call, (unsigned long long)c->args[0],
                (unsigned long long)c->args[1], (unsigned long long)c->args[2], answer, expected);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
        Program full;
        Program bare;

        build(&full, &tier_full, arch);
        build(&bare, &tier_bare, arch);
        for (size_t i = 0; i < n_seccomp_cases; i++) {
            check_case(&full, &seccomp_cases[i], seccomp_cases[i].full);
            check_case(&bare, &seccomp_cases[i], seccomp_cases[i].bare);
        }
    }
}

/* Every call with an argument rule has at least one case that passes or one that does not. */
static void test_every_rule_has_a_case(void **state)
{
    (void)state;
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t r = 0; r < syscall_tables[t]->n_rows; r++) {
            const Syscall *row = &syscall_tables[t]->rows[r];
            bool found = row->class != SYSCALL_ARGS;

            for (size_t i = 0; i < n_seccomp_cases && !found; i++) {
                found = strcmp(seccomp_cases[i].call, row->name) == 0;
            }
            if (!found) {
                fail_msg("no case for %s", row->name);
            }
        }
    }
}

static void test_scoped_signals(void **state)
{
    static const Case scoped[] = {
            {"pidfd_send_signal", {3, 9}, ALLOW, ALLOW},
            {"kill", {(uint64_t)-1, 9}, ALLOW, DENY},
            {"kill", {100, 9}, ALLOW, DENY},
            {"kill", {(uint64_t)-200, 9}, ALLOW, DENY},
            {"kill", {1, 9}, DENY, ALLOW},
    };

    (void)state;
    for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
        Program full;
        Program bare;

        build(&full, &tier_scoped_full, arch);
        build(&bare, &tier_scoped, arch);
        for (size_t i = 0; i < N_ELEMENTS(scoped); i++) {
            check_case(&full, &scoped[i], scoped[i].full);
            check_case(&bare, &scoped[i], scoped[i].bare);
        }
    }
}

/* --- cost --- */

static uint32_t limits(
        const Program *program, const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t args[6] = {a, b, c, d};

    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            if (strcmp(syscall_tables[t]->rows[i].name, name) == 0) {
                return run(program, row_nr(&syscall_tables[t]->rows[i], program->arch), args, NULL);
            }
        }
    }
    fail_msg("there is no %s", name);
    return 0;
}

static void test_kept_core_limit(void **state)
{
    const uint32_t done = SECCOMP_RET_ERRNO | 0;
    const uint64_t high = 1ULL << 32; /* a pointer whose low half is 0 */
    const SeccompOptions options = {.pid_namespace = true, .core_limit_kept = true};
    Program kept, free;

    (void)state;
    for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
        build(&kept, &options, arch);
        build(&free, &tier_full, arch);
        assert_int_equal(limits(&kept, "setrlimit", 4, 1000, 0, 0), done);
        assert_int_equal(limits(&kept, "setrlimit", 7, 1000, 0, 0), SECCOMP_RET_ALLOW);
        assert_int_equal(limits(&free, "setrlimit", 4, 1000, 0, 0), SECCOMP_RET_ALLOW);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, 1000, 0), done);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, high, 0), done);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, 0, 1000), SECCOMP_RET_ALLOW);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, 0, high), SECCOMP_RET_ALLOW);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, 1000, 1000), SECCOMP_RET_ERRNO | EPERM);
        assert_int_equal(limits(&kept, "prlimit64", 0, 4, high, high), SECCOMP_RET_ERRNO | EPERM);
        assert_int_equal(limits(&kept, "prlimit64", 0, 7, 1000, 1000), SECCOMP_RET_ALLOW);
        assert_int_equal(limits(&kept, "prlimit64", 1, 4, 0, 1000), SECCOMP_RET_ERRNO | EPERM);
        assert_int_equal(limits(&free, "prlimit64", 0, 4, 1000, 1000), SECCOMP_RET_ALLOW);
    }
}

static void test_steps(void **state)
{
    static const char *const hot[] = {"read", "write", "openat", "close", "futex", "mmap", "munmap",
            "madvise", "lseek", "epoll_wait", "epoll_pwait", "newfstatat", "fstat", "recvmsg",
            "sendmsg", "clock_nanosleep", "wait4", "getrandom", "getpid"};

    (void)state;
    for (SeccompArch arch = 0; arch < _SECCOMP_ARCH_N; arch++) {
        Program program;
        unsigned most = 0;

        build(&program, &tier_full, arch);
        for (size_t i = 0; i < N_ELEMENTS(hot); i++) {
            const int nr = nr_of_name(hot[i], arch);
            unsigned steps;

            if (nr < 0) {
                continue;
            }
            assert_int_equal(run(&program, nr, NULL, &steps), ALLOW);
            assert_in_range(steps, 1, HOT_STEPS_MAX);
            print_message("arch %d: %s takes %u steps\n", (int)arch, hot[i], steps);
        }
        for (int nr = 0; nr < 1024; nr++) {
            unsigned steps;

            (void)run(&program, nr, NULL, &steps);
            most = steps > most ? steps : most;
        }
        for (size_t i = 0; i < n_seccomp_cases; i++) {
            const int nr = nr_of_name(seccomp_cases[i].call, arch);
            unsigned steps;

            (void)run(&program, nr, seccomp_cases[i].args, &steps);
            most = steps > most ? steps : most;
        }
        print_message("arch %d: at most %u steps\n", (int)arch, most);
        assert_in_range(most, 1, ANY_STEPS_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_program_is_sound),
            cmocka_unit_test(test_room),
            cmocka_unit_test(test_options),
            cmocka_unit_test(test_every_number),
            cmocka_unit_test(test_x32),
            cmocka_unit_test(test_other_entries),
            cmocka_unit_test(test_arguments),
            cmocka_unit_test(test_every_rule_has_a_case),
            cmocka_unit_test(test_scoped_signals),
            cmocka_unit_test(test_kept_core_limit),
            cmocka_unit_test(test_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
