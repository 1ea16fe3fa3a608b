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

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

#define ALLOW SECCOMP_RET_ALLOW
#define ERROR(error) (SECCOMP_RET_ERRNO | (error))
#define DENY ERROR(EPERM)
#define NONE ERROR(ENOSYS)

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

typedef struct Case {
    const char *call;
    uint64_t args[6];
    uint32_t full;
    uint32_t bare;
} Case;

#define NOISE 0xdeadbeef00000000u /* in the half the kernel does not look at */

static const Case cases[] = {
        /* threads and fork as glibc makes them; then each namespace flag alone and in company */
        {"clone", {0x3d0f00}, ALLOW, ALLOW},
        {"clone", {0x1200011}, ALLOW, ALLOW},
        {"clone", {0x4111}, ALLOW, ALLOW},
        {"clone", {0x1200011 | NOISE}, ALLOW, ALLOW},
        {"clone", {0x00020011}, DENY, DENY},
        {"clone", {0x02000011}, DENY, DENY},
        {"clone", {0x04000011}, DENY, DENY},
        {"clone", {0x08000011}, DENY, DENY},
        {"clone", {0x10000011}, DENY, DENY},
        {"clone", {0x20000011}, DENY, DENY},
        {"clone", {0x40000011 | NOISE}, DENY, DENY},
        {"clone", {0x3d0f00 | 0x10000000}, DENY, DENY},
        {"clone", {0x00008011}, DENY, DENY},
        {"personality", {0xffffffff}, ALLOW, ALLOW},
        {"personality", {UINT64_MAX}, ALLOW, ALLOW},
        {"personality", {0}, ALLOW, ALLOW},
        {"personality", {0x0040000}, DENY, DENY},
        {"personality", {0x0040000 | NOISE}, DENY, DENY},
        {"personality", {8}, DENY, DENY},

        /* limits and priorities: 1 is the keeper, 57 anybody */
        {"prlimit64", {0, 7}, ALLOW, ALLOW},
        {"prlimit64", {NOISE, 7}, ALLOW, ALLOW},
        {"prlimit64", {1, 7}, DENY, DENY},
        {"prlimit64", {1 | NOISE, 7}, DENY, DENY},
        {"prlimit64", {57, 7}, ALLOW, DENY},
        {"prlimit64", {0xffffffff, 7}, ALLOW, ALLOW}, /* ESRCH */
        {"sched_setaffinity", {0}, ALLOW, ALLOW},
        {"sched_setaffinity", {1}, DENY, DENY},
        {"sched_setaffinity", {57}, ALLOW, DENY},
        {"sched_setparam", {1}, DENY, DENY},
        {"sched_getaffinity", {57}, ALLOW, ALLOW},
        {"get_robust_list", {1}, DENY, DENY},
        {"sched_setscheduler", {0, 0}, ALLOW, ALLOW},
        {"sched_setscheduler", {0, 3}, ALLOW, ALLOW},
        {"sched_setscheduler", {0, 5}, ALLOW, ALLOW},
        {"sched_setscheduler", {0, 0x40000003}, ALLOW, ALLOW},
        {"sched_setscheduler", {0, 1}, DENY, DENY},
        {"sched_setscheduler", {0, 2 | NOISE}, DENY, DENY},
        {"sched_setscheduler", {0, 6}, DENY, DENY},
        {"sched_setscheduler", {1, 0}, DENY, DENY},
        {"setpriority", {0, 0}, ALLOW, ALLOW},
        {"setpriority", {0, 57}, ALLOW, DENY},
        {"setpriority", {0, 1}, DENY, DENY},
        {"setpriority", {1, 0}, DENY, DENY},
        {"setpriority", {2, 0}, DENY, DENY},
        {"ioprio_set", {1, 0}, ALLOW, ALLOW},
        {"ioprio_set", {1, 1}, DENY, DENY},
        {"ioprio_set", {1, 57}, ALLOW, DENY},
        {"ioprio_set", {2, 0}, DENY, DENY},
        {"ioprio_set", {3, 0}, DENY, DENY},

        /* signals: 100 and 200 are protected where there is no namespace */
        {"kill", {57, 9}, ALLOW, ALLOW},
        {"kill", {0, 9}, ALLOW, ALLOW},
        {"kill", {1, 0}, DENY, ALLOW},
        {"kill", {1 | NOISE, 0}, DENY, ALLOW},
        {"kill", {100, 9}, ALLOW, DENY},
        {"kill", {(uint64_t)-100, 9}, ALLOW, DENY},
        {"kill", {0xffffff38, 9}, ALLOW, DENY}, /* -200 */
        {"kill", {200 | NOISE, 9}, ALLOW, DENY},
        {"kill", {(uint64_t)-1, 0}, ALLOW, DENY},
        {"tkill", {1, 0}, DENY, ALLOW},
        {"tkill", {100, 0}, ALLOW, DENY},
        {"tgkill", {57, 57, 9}, ALLOW, ALLOW},
        {"tgkill", {1, 1, 9}, DENY, ALLOW},
        {"tgkill", {100, 57, 9}, ALLOW, DENY},
        {"tgkill", {57, 200, 9}, ALLOW, DENY},
        {"rt_sigqueueinfo", {1, 0}, DENY, ALLOW},
        {"rt_sigqueueinfo", {100, 0}, ALLOW, DENY},
        {"rt_tgsigqueueinfo", {57, 1, 0}, DENY, ALLOW},
        {"rt_tgsigqueueinfo", {57, 100, 0}, ALLOW, DENY},
        {"pidfd_open", {1}, DENY, ALLOW},
        {"pidfd_open", {57}, ALLOW, ALLOW},
        {"pidfd_open", {100}, ALLOW, DENY},
        {"pidfd_send_signal", {3, 0}, DENY, DENY},

        /* ids */
        {"setuid", {0}, DENY, DENY},
        {"setuid", {NOISE}, DENY, DENY},
        {"setuid", {1000}, ALLOW, ALLOW},
        {"setgid", {0}, DENY, DENY},
        {"setreuid", {(uint64_t)-1, (uint64_t)-1}, ALLOW, ALLOW},
        {"setreuid", {1000, 0}, DENY, DENY},
        {"setregid", {0, 1000}, DENY, DENY},
        {"setresuid", {1000, 1000, 1000}, ALLOW, ALLOW},
        {"setresuid", {1000, 1000, 0}, DENY, DENY},
        {"setresgid", {1000, 0, 1000}, DENY, DENY},

        /* prctl: names and the like; what is known and refused; what is unknown */
        {"prctl", {1, 9}, ALLOW, ALLOW},
        {"prctl", {3}, ALLOW, ALLOW},
        {"prctl", {4, 1}, DENY, DENY},
        {"prctl", {4 | NOISE, 1}, DENY, DENY},
        {"prctl", {15}, ALLOW, ALLOW},
        {"prctl", {22, 2}, DENY, DENY},
        {"prctl", {35}, DENY, DENY},
        {"prctl", {36, 1}, ALLOW, ALLOW},
        {"prctl", {39}, ALLOW, ALLOW},
        {"prctl", {53}, DENY, DENY},
        {"prctl", {62}, DENY, DENY},
        {"prctl", {0x53564d41}, ALLOW, ALLOW},
        {"prctl", {0x59616d61, 1}, DENY, DENY},
        {"prctl", {9999}, ERROR(EINVAL), ERROR(EINVAL)},
        {"arch_prctl", {0x1002}, ALLOW, ALLOW},
        {"arch_prctl", {0x1012}, DENY, DENY},
        {"arch_prctl", {0x1023}, ALLOW, ALLOW},
        {"arch_prctl", {0x3001}, ERROR(EINVAL), ERROR(EINVAL)},
        {"arch_prctl", {0x5001}, ALLOW, ALLOW},
        {"arch_prctl", {0x5004}, ERROR(EINVAL), ERROR(EINVAL)},

        /* descriptors */
        {"fcntl", {0, 1}, ALLOW, ALLOW},
        {"fcntl", {0, 1030}, ALLOW, ALLOW},
        {"fcntl", {0, 8, 0}, ALLOW, ALLOW},
        {"fcntl", {0, 8, 57}, ALLOW, DENY},
        {"fcntl", {0, 8, 1}, DENY, DENY},
        {"fcntl", {0, 8 | NOISE, 1 | NOISE}, DENY, DENY},
        {"fcntl", {0, 8, (uint64_t)-57}, DENY, DENY},
        {"fcntl", {0, 8, 0xffffffff}, DENY, DENY},
        {"fcntl", {0, 15, 0x7fff0000}, DENY, DENY},
        {"ioctl", {0, 0x5401}, ALLOW, ALLOW},
        {"ioctl", {0, 0x5412}, DENY, DENY},
        {"ioctl", {0, 0x5412 | NOISE}, DENY, DENY},
        {"ioctl", {0, 0x541c | NOISE}, DENY, DENY},
        {"ioctl", {0, 0x5413}, ALLOW, ALLOW},
        {"ioctl", {0, 0x541b}, ALLOW, ALLOW},
        {"ioctl", {0, 0x5421}, ALLOW, ALLOW},
        {"ioctl", {0, 0x5423}, ERROR(ENOTTY), ERROR(ENOTTY)},
        {"ioctl", {0, 0x5451}, ALLOW, ALLOW},
        {"ioctl", {0, 0x8901}, DENY, DENY},
        {"ioctl", {0, 0x8902}, DENY, DENY},
        {"ioctl", {0, 0x8912}, ALLOW, ERROR(ENOTTY)},
        {"ioctl", {0, 0x8933}, ALLOW, ERROR(ENOTTY)},
        {"ioctl", {0, 0x8914}, ERROR(ENOTTY), ERROR(ENOTTY)},
        {"ioctl", {0, 0x40049409}, ALLOW, ALLOW},
        {"ioctl", {0, 0xb701}, ERROR(ENOTTY), ERROR(ENOTTY)},
        {"mknod", {0, 0100644}, ALLOW, ALLOW},
        {"mknod", {0, 0010600}, ALLOW, ALLOW},
        {"mknod", {0, 0140600}, ALLOW, ALLOW},
        {"mknod", {0, 0600}, ALLOW, ALLOW},
        {"mknod", {0, 0020600}, DENY, DENY},
        {"mknod", {0, 0060600 | NOISE}, DENY, DENY},
        {"mknodat", {0, 0, 0010600}, ALLOW, ALLOW},
        {"mknodat", {0, 0, 0060600}, DENY, DENY},

        /* sockets */
        {"socket", {1, 1, 0}, ALLOW, ALLOW},
        {"socket", {1 | NOISE, 5, 0}, ALLOW, ALLOW},
        {"socket", {2, 1, 0}, ALLOW, ERROR(EAFNOSUPPORT)},
        {"socket", {2, 1 | 02004000, 6}, ALLOW, ERROR(EAFNOSUPPORT)},
        {"socket", {2 | NOISE, 2, 17}, ALLOW, ERROR(EAFNOSUPPORT)},
        {"socket", {10, 1, 0}, ALLOW, ERROR(EAFNOSUPPORT)},
        {"socket", {10, 2, 58}, ALLOW, ERROR(EAFNOSUPPORT)},
        {"socket", {2, 3, 1}, ALLOW, ERROR(EAFNOSUPPORT)}, /* raw: the kernel's EPERM */
        {"socket", {2, 5, 0}, ERROR(ESOCKTNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {2, 6 | 02000000, 0}, ERROR(ESOCKTNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {2, 1, 132}, ERROR(EPROTONOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {10, 1, 262}, ERROR(EPROTONOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {16, 3, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {17, 3, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {38, 5, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {40, 1, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socket", {0, 1, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"socketpair", {1, 1, 0}, ALLOW, ALLOW},
        {"socketpair", {30, 1, 0}, ERROR(EAFNOSUPPORT), ERROR(EAFNOSUPPORT)},
        {"setsockopt", {0, 1, 2}, ALLOW, ALLOW},
        {"setsockopt", {0, 1, 26}, DENY, DENY},
        {"setsockopt", {0, 1 | NOISE, 50 | NOISE}, DENY, DENY},
        {"setsockopt", {0, 1, 52}, DENY, DENY},
        {"setsockopt", {0, 6, 1}, ALLOW, ALLOW},
        {"setsockopt", {0, 6, 31}, ERROR(ENOPROTOOPT), ERROR(ENOPROTOOPT)},
        {"setsockopt", {0, 41, 26}, ALLOW, ALLOW},
};

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
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
            check_case(&full, &cases[i], cases[i].full);
            check_case(&bare, &cases[i], cases[i].bare);
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

            for (size_t i = 0; i < N_ELEMENTS(cases) && !found; i++) {
                found = strcmp(cases[i].call, row->name) == 0;
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
            {"kill", {(uint64_t)-1, 9}, ALLOW, ALLOW},
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
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
            const int nr = nr_of_name(cases[i].call, arch);
            unsigned steps;

            (void)run(&program, nr, cases[i].args, &steps);
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
            cmocka_unit_test(test_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
