/* Runs a program under the filter, for the tests that need a whole interpreter:
 *
 *     test_seccomp_exec bare|full PROGRAM [ARGUMENT ...]
 *
 * bare: as on a tier without namespaces. full: in a user, pid and network namespace with its
 * loopback up, as the second process there; ends with 77 where there are none to be had. */
#include <errno.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/seccomp_program.h"

enum {
    EXIT_SKIPPED = 77, /* meson's */
    EXIT_BROKEN = 125,
};

static int broken(const char *what)
{
    (void)fprintf(stderr, "test_seccomp_exec: %s: %s\n", what, strerror(errno));
    return EXIT_BROKEN;
}

static int run(SeccompOptions *options, char **argv)
{
    static struct sock_filter insns[SECCOMP_PROGRAM_MAX];
    struct sock_fprog program = {.filter = insns};
    size_t n;

    if (seccomp_arch_native(&options->arch) < 0) {
        return EXIT_SKIPPED;
    }
    if (seccomp_program_build(options, insns, SECCOMP_PROGRAM_MAX, &n) < 0) {
        return broken("building the program");
    }
    program.len = (unsigned short)n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
            syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
        return broken("installing the filter");
    }
    (void)execvp(argv[0], argv);
    return broken(argv[0]);
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return broken("waitpid");
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void loopback_up(void)
{
    struct ifreq request = {.ifr_flags = IFF_UP};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)memcpy(request.ifr_name, "lo", 3);
    (void)ioctl(fd, SIOCSIFFLAGS, &request);
    (void)close(fd);
}

static int run_full(char **argv)
{
    SeccompOptions options = {.inet = true, .pid_namespace = true};
    pid_t pid;

    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) < 0) {
        (void)fprintf(stderr, "test_seccomp_exec: no namespaces: %s\n", strerror(errno));
        return EXIT_SKIPPED;
    }
    loopback_up();
    pid = fork();
    if (pid != 0) {
        return pid < 0 ? broken("fork") : wait_for(pid);
    }
    pid = fork(); /* the first process of the namespace stays as its keeper */
    if (pid != 0) {
        return pid < 0 ? broken("fork") : wait_for(pid);
    }
    return run(&options, argv);
}

int main(int argc, char **argv)
{
    SeccompOptions bare = {.inet = false};

    if (argc >= 3 && strcmp(argv[1], "full") == 0) {
        return run_full(argv + 2);
    }
    if (argc >= 3 && strcmp(argv[1], "bare") == 0) {
        bare.protected_pids[bare.n_protected++] = getppid();
        return run(&bare, argv + 2);
    }
    (void)fputs("usage: test_seccomp_exec bare|full PROGRAM [ARGUMENT ...]\n", stderr);
    return EXIT_BROKEN;
}
