/* What apply_shm.c reads of a process, and whose entries it spares. */
#include "sandbox/apply_shm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { OWN_ID = 65531 };

static void test_status(void **state)
{
    static const char *const text =
            "Name:\tx\\nUid:\\t0\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\n"
            "Pid:\t7\nPPid:\t3\nUid:\t1000\t1001\t1002\t1003\n";
    static const char *const zombie =
            "Name:\tx\nState:\tZ (zombie)\nPid:\t7\nPPid:\t3\nUid:\t1\t1\n";
    struct shm_process p = {.pid = 77};

    (void)state;
    assert_true(apply_shm_parse_status(text, &p));
    assert_int_equal(p.pid, 7);
    assert_int_equal(p.parent, 3);
    assert_int_equal(p.uid, 1000);
    assert_int_equal(p.effective_uid, 1001);
    assert_false(apply_shm_parse_status(zombie, &p));
    assert_false(apply_shm_parse_status("", &p));
}

static void touch(const char *path)
{
    FILE *f = fopen(path, "we");

    if (f) {
        (void)fclose(f);
    }
}

static int exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* In a process of a user that has no other: what was there before stays, what came with the program
 * goes. With `other`, a process of the same user that is not ours, everything stays. Returns what
 * is left: 1 the old, 2 the new. */
static int left_after_run(int other)
{
    char old[64], new[64];
    int left;

    (void)snprintf(old, sizeof(old), "/dev/shm/runner-test-old-%d", (int)getpid());
    (void)snprintf(new, sizeof(new), "/dev/shm/runner-test-new-%d", (int)getpid());
    touch(old);
    (void)usleep(20000); /* the clock of file systems has steps of up to 10 ms */
    apply_shm_open();
    apply_shm_enter();
    if (fork() == 0) {
        apply_shm_begin(); /* as the worker does */
        touch(new);
        _exit(0);
    }
    (void)wait(NULL);
    if (other >= 0) {
        char byte;

        (void)!read(other, &byte, 1); /* it runs as our user */
    }
    apply_shm_empty();
    left = exists(old) + 2 * exists(new);
    (void)unlink(old);
    (void)unlink(new);
    return left;
}

/* A process of our user whose parents are none of ours: its own has gone. It ends with `hold`. */
static void start_stranger(const int ready[2], const int hold[2])
{
    pid_t between = fork();

    if (between == 0) {
        char byte;

        if (fork() != 0) {
            _exit(0);
        }
        (void)close(hold[1]);
        (void)!setuid(OWN_ID);
        (void)!write(ready[1], "x", 1);
        _exit((int)read(hold[0], &byte, 1));
    }
    (void)waitpid(between, NULL, 0);
}

static int run_as_user(int with_other)
{
    int ready[2], hold[2], status = -1;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(hold), 0);
    if (with_other) {
        start_stranger(ready, hold);
    }
    pid = fork();
    if (pid == 0) {
        (void)close(hold[1]);
        if (setgid(OWN_ID) < 0 || setuid(OWN_ID) < 0) {
            _exit(99);
        }
        _exit(left_after_run(with_other ? ready[0] : -1));
    }
    (void)waitpid(pid, &status, 0);
    (void)close(hold[1]);
    (void)close(hold[0]);
    (void)close(ready[0]);
    (void)close(ready[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_entries(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        assert_int_equal(left_after_run(-1) & 1, 1); /* this user has other processes */
        return;
    }
    assert_int_equal(run_as_user(0), 1);
    assert_int_equal(run_as_user(1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_status),
            cmocka_unit_test(test_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
