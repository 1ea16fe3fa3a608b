#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/macro.h"

#if defined(__linux__) && !defined(FD_WITHOUT_MEMFD)
#define SEALED 1
#else
#define SEALED 0
#endif

static bool is_cloexec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static bool sigpipe_pending(void)
{
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    return sigismember(&pending, SIGPIPE) == 1;
}

static void test_flags(void **state)
{
    (void)state;
    int r, w;
    assert_int_equal(fd_pipe(&r, &w), 0);
    assert_true(is_cloexec(r) && is_cloexec(w));
    assert_int_equal(fcntl(r, F_GETFL) & O_NONBLOCK, 0);

    assert_int_equal(fd_set_nonblock(r, true), 0);
    char c;
    assert_int_equal(read(r, &c, 1), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(fd_set_nonblock(r, false), 0);
    assert_int_equal(fcntl(r, F_GETFL) & O_NONBLOCK, 0);

    assert_int_equal(fd_set_cloexec(r, false), 0);
    assert_false(is_cloexec(r));
    assert_int_equal(fd_set_cloexec(r, true), 0);
    assert_true(is_cloexec(r));
    close(r);
    close(w);
    assert_int_equal(fd_set_nonblock(r, true), -EBADF);
    assert_int_equal(fd_set_cloexec(r, true), -EBADF);
}

static void test_socketpair(void **state)
{
    (void)state;
    int a, b;
    assert_int_equal(fd_socketpair_seqpacket(&a, &b), 0);
    assert_true(is_cloexec(a) && is_cloexec(b));
    assert_int_equal(write(a, "one", 3), 3);
    assert_int_equal(write(a, "two!", 4), 4);
    char bytes[16];
    assert_int_equal(read(b, bytes, sizeof(bytes)), 3); /* boundaries are kept */
    assert_int_equal(read(b, bytes, sizeof(bytes)), 4);
    close(a);
    assert_int_equal(read(b, bytes, sizeof(bytes)), 0);
    close(b);
}

/* With the default action of SIGPIPE this process would not live to see the result. */
static void test_write_to_nobody(void **state)
{
    (void)state;
    int r, w;
    assert_int_equal(fd_pipe(&r, &w), 0);
    close(r);
    assert_int_equal(fd_write_all(w, "x", 1), -EPIPE);
    assert_int_equal(fd_write_some(w, "x", 1), -EPIPE);
    assert_false(sigpipe_pending());

    /* One that was pending already is not ours to take away. */
    sigset_t sigpipe, before;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    raise(SIGPIPE);
    assert_int_equal(fd_write_all(w, "x", 1), -EPIPE);
    assert_true(sigpipe_pending());
    int number;
    sigwait(&sigpipe, &number);
    assert_int_equal(fd_write_all(w, "x", 1), -EPIPE);
    assert_false(sigpipe_pending());
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(w);

    int a, b;
    assert_int_equal(fd_socketpair_seqpacket(&a, &b), 0);
    close(b);
    assert_int_equal(fd_write_all(a, "x", 1), -EPIPE);
    close(a);
    assert_int_equal(fd_write_all(-1, "x", 1), -EBADF);
    assert_int_equal(fd_write_all(-1, "", 0), 0);
}

static void *reader(void *arg)
{
    int fd = *(int *)arg;
    static char bytes[1000];
    static size_t total;
    total = 0;
    for (ssize_t n; (n = read(fd, bytes, sizeof(bytes))) > 0;) {
        total += (size_t)n;
    }
    return &total;
}

static void test_write_all_in_parts(void **state)
{
    (void)state;
    int r, w;
    assert_int_equal(fd_pipe(&r, &w), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reader, &r), 0);
    static char bytes[1000000];
    assert_int_equal(fd_write_all(w, bytes, sizeof(bytes)), 0);
    close(w);
    void *total;
    assert_int_equal(pthread_join(thread, &total), 0);
    assert_int_equal(*(size_t *)total, sizeof(bytes));
    close(r);

    assert_int_equal(fd_pipe(&r, &w), 0);
    assert_int_equal(fd_set_nonblock(w, true), 0);
    assert_int_equal(fd_write_all(w, bytes, sizeof(bytes)), -EAGAIN);
    close(r);
    close(w);
}

static void test_from_bytes(void **state)
{
    (void)state;
    int fd = -1;
    assert_int_equal(fd_from_bytes("hello", 5, &fd), 0);
    assert_true(is_cloexec(fd));
    char bytes[16];
    assert_int_equal(read(fd, bytes, sizeof(bytes)), 5);
    assert_memory_equal(bytes, "hello", 5);
    if (SEALED) {
        assert_int_equal(pwrite(fd, "j", 1, 0), -1);
        assert_int_equal(errno, EPERM);
        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(ftruncate(fd, 6), -1);
        assert_true(mmap(NULL, 5, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    }
    close(fd);

    assert_int_equal(fd_from_bytes("", 0, &fd), 0);
    assert_int_equal(read(fd, bytes, sizeof(bytes)), 0);
    close(fd);
}

static void test_shared_memory(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    int fd = -1;
    assert_int_equal(fd_shared_memory(SIZE, &fd), 0);
    assert_true(is_cloexec(fd));
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size, SIZE);

    char *a = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *b = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(a != MAP_FAILED && b != MAP_FAILED);
    assert_int_equal(b[SIZE - 1], 0);
    a[SIZE - 1] = 'x';
    assert_int_equal(b[SIZE - 1], 'x');
    if (SEALED) { /* nobody can raise SIGBUS in us */
        assert_int_equal(ftruncate(fd, 0), -1);
        assert_int_equal(errno, EPERM);
        assert_int_equal(ftruncate(fd, SIZE + 1), -1);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    }
    munmap(a, SIZE);
    munmap(b, SIZE);
    close(fd);

    fd = 4711;
    assert_int_equal(fd_shared_memory(SIZE_MAX, &fd), -EFBIG);
    assert_int_equal(fd, 4711);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_flags),
            cmocka_unit_test(test_socketpair),
            cmocka_unit_test(test_write_to_nobody),
            cmocka_unit_test(test_write_all_in_parts),
            cmocka_unit_test(test_from_bytes),
            cmocka_unit_test(test_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
