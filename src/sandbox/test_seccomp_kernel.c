/* The program in the real kernel: children install it and try calls. Each refusal is also tried
 * without the filter, where it must not come out the same, or the row says who else refuses. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/seccomp_program.h"
#include "sandbox/syscalls.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static SeccompArch native;

static void install(const SeccompOptions *tier)
{
    static struct sock_filter insns[SECCOMP_PROGRAM_MAX];
    struct sock_fprog program = {.filter = insns};
    SeccompOptions options = *tier;
    size_t n;

    options.arch = native;
    if (seccomp_program_build(&options, insns, SECCOMP_PROGRAM_MAX, &n) < 0) {
        _exit(100);
    }
    program.len = (unsigned short)n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
            syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
        _exit(101);
    }
}

/* Runs `body` in a child, with the filter where `tier` is not NULL. What it returns, or -signal. */
static int in_child(const SeccompOptions *tier, int (*body)(void))
{
    int status;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (tier) {
            install(tier);
        }
        _exit(body());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int native_nr(const Syscall *row)
{
    return native == SECCOMP_ARCH_X86_64 ? row->x86_64 : row->arm64;
}

/* --- whole classes --- */

/* Every refused row, with arguments no call takes. Answers are the filter's: the calls do not run.
 */
static int try_refused_rows(void)
{
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        for (size_t i = 0; i < syscall_tables[t]->n_rows; i++) {
            const Syscall *row = &syscall_tables[t]->rows[i];
            const int expected = row->class == SYSCALL_EPERM ? EPERM : ENOSYS;

            if ((row->class != SYSCALL_EPERM && row->class != SYSCALL_ENOSYS) ||
                    native_nr(row) < 0) {
                continue;
            }
            errno = 0;
            if (syscall(native_nr(row), -1L, -1L, -1L, -1L, -1L, -1L) != -1 || errno != expected) {
                (void)fprintf(stderr, "%s: %s\n", row->name, strerror(errno));
                return 1;
            }
        }
    }
    for (long nr = SYSCALL_NR_END; nr < 2048; nr++) {
        if (syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L) != -1 || errno != ENOSYS) {
            return 2;
        }
    }
    return 0;
}

static void test_refused_rows(void **state)
{
    const SeccompOptions tier = {.inet = true, .pid_namespace = true};

    (void)state;
    assert_int_equal(in_child(&tier, try_refused_rows), 0);
}

/* --- single refusals, with and without --- */

static int outcome(long result)
{
    return result == -1 ? errno : 0;
}

static int try_ptrace(void)
{
    return outcome(syscall(SYS_ptrace, 0L, 0L, 0L, 0L));
}

static int try_unshare(void)
{
    return outcome(unshare(CLONE_NEWUSER));
}

static int try_clone_newuser(void)
{
    const long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0L, 0L, 0L, 0L);

    if (pid == 0) {
        _exit(0);
    }
    return outcome(pid);
}

static int try_personality(void)
{
    return outcome(personality(ADDR_NO_RANDOMIZE));
}

static int try_netlink(void)
{
    return outcome(socket(AF_NETLINK, SOCK_RAW, 0));
}

static int try_inet(void)
{
    return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_parent_limits(void)
{
    struct rlimit limit;

    return outcome(prlimit(getppid(), RLIMIT_CPU, NULL, &limit));
}

static int try_parent_priority(void)
{
    return outcome(setpriority(PRIO_PROCESS, (id_t)getppid(), 0));
}

static int try_parent_signal(void)
{
    return outcome(kill(getppid(), 0));
}

static int try_set_owner(void)
{
    return outcome(fcntl(0, F_SETOWN, getppid()));
}

static int try_set_owner_ioctl(void)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const int pid = getppid();

    return outcome(syscall(SYS_ioctl, fd, 0x8901L, &pid));
}

static int try_seccomp_again(void)
{
    struct sock_filter pass = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
    struct sock_fprog program = {.len = 1, .filter = &pass};

    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return outcome(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

static int try_dumpable(void)
{
    return outcome(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

static int try_socket_filter(void)
{
    struct sock_filter pass = {.code = BPF_RET | BPF_K, .k = 0xffff};
    struct sock_fprog program = {.len = 1, .filter = &pass};
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    return outcome(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
}

static int try_memfd_secret(void)
{
    const int r = outcome(syscall(447L, 0L));

    return r == ENOSYS ? 0 : r; /* a kernel without it */
}

static int try_shmget(void)
{
    const long id = syscall(SYS_shmget, 0L, 4096L, 0600L);

    if (id >= 0) {
        (void)syscall(SYS_shmctl, id, 0L, 0L);
    }
    return outcome(id);
}

static int try_sched_batch_of_parent(void)
{
    struct sched_param param = {.sched_priority = 0};

    return outcome(sched_setscheduler(getppid(), SCHED_OTHER, &param));
}

static int try_write_through_vmsplice(void)
{
    int fds[2];
    char byte = 'x';
    struct iovec iov = {&byte, 1};

    if (pipe2(fds, O_CLOEXEC) < 0) {
        return 99;
    }
    return outcome(vmsplice(fds[1], &iov, 1, 0));
}

typedef struct Refusal {
    const char *what;
    int (*body)(void);
    int bare;             /* the error with the filter, in a tier without namespaces */
    bool host_may_refuse; /* sysctls and security modules forbid it as well */
} Refusal;

static const Refusal refusals[] = {
        {"ptrace", try_ptrace, EPERM, false},
        {"unshare", try_unshare, EPERM, true},
        {"clone(CLONE_NEWUSER)", try_clone_newuser, EPERM, true},
        {"personality", try_personality, EPERM, false},
        {"netlink", try_netlink, EAFNOSUPPORT, false},
        {"inet", try_inet, EACCES, false},
        {"prlimit of the parent", try_parent_limits, EPERM, false},
        {"setpriority of the parent", try_parent_priority, EPERM, false},
        {"signal to the parent", try_parent_signal, EPERM, false},
        {"F_SETOWN", try_set_owner, EPERM, false},
        {"FIOSETOWN", try_set_owner_ioctl, EPERM, false},
        {"PR_SET_SECCOMP", try_seccomp_again, EPERM, false},
        {"PR_SET_DUMPABLE", try_dumpable, EPERM, false},
        {"SO_ATTACH_FILTER", try_socket_filter, EPERM, false},
        {"memfd_secret", try_memfd_secret, EPERM, true},
        {"shmget", try_shmget, ENOSYS, false},
        {"sched_setscheduler of the parent", try_sched_batch_of_parent, EPERM, false},
        {"vmsplice", try_write_through_vmsplice, EPERM, false},
};

static void test_refusals(void **state)
{
    const SeccompOptions bare = {.protected_pids = {getpid()}, .n_protected = 1};

    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(refusals); i++) {
        const int with = in_child(&bare, refusals[i].body);
        const int without = in_child(NULL, refusals[i].body);

        if (with != refusals[i].bare) {
            fail_msg("%s: %s with the filter", refusals[i].what, strerror(with));
        }
        if (without != 0 && !refusals[i].host_may_refuse) {
            fail_msg("%s: %s even without the filter: this shows nothing", refusals[i].what,
                    strerror(without));
        }
    }
}

/* --- other entries into the kernel --- */

#if defined(__x86_64__)
static int try_x32(void)
{
    return outcome(syscall(0x40000000L | SYS_getpid));
}

/* getpid of i386 is 20. Through int 0x80 a 64-bit program reaches the 32-bit table. */
static int try_i386(void)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? (int)-result : 0;
}

static void test_other_entries(void **state)
{
    const SeccompOptions tier = {.inet = true, .pid_namespace = true};
    const int without = in_child(NULL, try_i386);

    (void)state;
    assert_int_equal(in_child(&tier, try_x32), ENOSYS);
    assert_int_equal(in_child(&tier, try_i386), without == -SIGSEGV ? -SIGSEGV : ENOSYS);
    if (without != 0) {
        print_message("this kernel has no 32-bit entry: %d\n", without);
    }
}
#endif

/* --- what must work --- */

static void *thread(void *arg)
{
    return arg;
}

/* What a C library does for a program that notices nothing. 0, or the line that failed. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "line %d: %s\n", __LINE__, strerror(errno));                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int use_descriptors(void)
{
    int fds[2];

    NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    NEED(write(fds[0], "x", 1) == 1);
    NEED(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
    NEED(isatty(fds[0]) == 0 && errno == ENOTTY);
    NEED(memfd_create("test", MFD_CLOEXEC) >= 0);
    return 0;
}

static int use_processes(void)
{
    int status;
    pid_t pid;

    NEED(raise(0) == 0 && kill(getpid(), 0) == 0);
    pid = fork();
    NEED(pid >= 0);
    if (pid == 0) {
        (void)execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(1);
    }
    NEED(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    return 0;
}

static int use_common_calls(void)
{
    struct rlimit limit;
    cpu_set_t cpus;
    pthread_t id;
    void *result;
    char *page;

    NEED(pthread_create(&id, NULL, thread, &limit) == 0 && pthread_join(id, &result) == 0);
    NEED(pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus) == 0);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
    NEED(getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
    NEED(setpriority(PRIO_PROCESS, 0, 1) == 0);
    NEED(prctl(PR_SET_NAME, "test", 0, 0, 0) == 0);
    return use_descriptors() == 0 ? use_processes() : 1;
}

static void test_common_calls(void **state)
{
    const SeccompOptions full = {.inet = true, .pid_namespace = true};
    const SeccompOptions bare = {.protected_pids = {getpid()}, .n_protected = 1};

    (void)state;
    assert_int_equal(in_child(NULL, use_common_calls), 0);
    assert_int_equal(in_child(&full, use_common_calls), 0);
    assert_int_equal(in_child(&bare, use_common_calls), 0);
}

/* What the filter costs a call. Nothing is asserted of times: only that they can be read. */
static int measure(void)
{
    enum { ROUNDS = 200000 };
    struct timespec start;
    struct timespec end;

    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < ROUNDS; i++) {
        (void)syscall(SYS_getppid);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    (void)fprintf(stderr, "getppid: %.0f ns",
            ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
                    ROUNDS);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < ROUNDS; i++) {
        (void)syscall(SYS_fcntl, 0L, (long)F_GETFD);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    (void)fprintf(stderr, ", fcntl (has a rule): %.0f ns\n",
            ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
                    ROUNDS);
    return 0;
}

static void test_cost(void **state)
{
    const SeccompOptions full = {.inet = true, .pid_namespace = true};

    (void)state;
    (void)fputs("without: ", stderr);
    assert_int_equal(in_child(NULL, measure), 0);
    (void)fputs("with:    ", stderr);
    assert_int_equal(in_child(&full, measure), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_rows),
        cmocka_unit_test(test_refusals),
#if defined(__x86_64__)
        cmocka_unit_test(test_other_entries),
#endif
        cmocka_unit_test(test_common_calls),
        cmocka_unit_test(test_cost),
    };

    if (seccomp_arch_native(&native) < 0) {
        return 77; /* meson's "skipped" */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
