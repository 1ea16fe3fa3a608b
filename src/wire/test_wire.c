#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "wire/wire.h"

static int a = -1, b = -1;

static int setup(void **state)
{
    (void)state;
    return fd_socketpair_seqpacket(&a, &b);
}

static int teardown(void **state)
{
    (void)state;
    (void)close(a);
    (void)close(b);
    return 0;
}

static int open_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static struct wire_spawned message(uint64_t run)
{
    return (struct wire_spawned){
            .h = {WIRE_SPAWNED, WIRE_VERSION}, .run = run, .keeper_pid = 7, .error = 0};
}

static void test_round_trip(void **state)
{
    (void)state;
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds = 99;
    for (uint64_t run = 1; run <= 3; run++) {
        struct wire_spawned sent = message(run);
        assert_int_equal(wire_send(a, &sent, sizeof(sent), NULL, 0), 0);
    }
    for (uint64_t run = 1; run <= 3; run++) {
        char bytes[256];
        struct wire_spawned expected = message(run);
        assert_int_equal(
                wire_recv(b, bytes, sizeof(bytes), fds, &n_fds, 1), sizeof(struct wire_spawned));
        assert_memory_equal(bytes, &expected, sizeof(expected));
        assert_int_equal(n_fds, 0);
    }
}

static void test_descriptors(void **state)
{
    (void)state;
    int before = open_descriptors();
    for (uint32_t count = 1; count <= WIRE_FDS_MAX; count++) {
        int sent[WIRE_FDS_MAX], got[WIRE_FDS_MAX];
        for (uint32_t i = 0; i < count; i++) {
            char text[2] = {(char)('a' + i), '\0'};
            assert_int_equal(fd_from_bytes(text, 1, &sent[i]), 0);
        }
        struct wire_spawned m = message(count);
        assert_int_equal(wire_send(a, &m, sizeof(m), sent, count), 0);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(close(sent[i]), 0); /* they stayed ours */
        }
        uint32_t n = 0;
        assert_int_equal(wire_recv(b, &m, sizeof(m), got, &n, 1), sizeof(m));
        assert_int_equal(n, count);
        for (uint32_t i = 0; i < count; i++) {
            char c;
            assert_true((fcntl(got[i], F_GETFD) & FD_CLOEXEC) != 0);
            assert_int_equal(read(got[i], &c, 1), 1);
            assert_int_equal(c, 'a' + i); /* in order */
            close(got[i]);
        }
    }
    assert_int_equal(open_descriptors(), before);
}

/* What does not fit is refused whole, and nothing that came with it stays open. */
static void test_refused(void **state)
{
    (void)state;
    int two[2] = {0, 1}, fds[WIRE_FDS_MAX] = {-7};
    uint32_t n = 99;
    struct wire_spawned m = message(1), got;
    int before = open_descriptors();

    assert_int_equal(wire_send(a, &m, sizeof(m), two, 2), 0);
    assert_int_equal(wire_recv(b, &got, sizeof(got) - 1, fds, &n, 1), -EPROTO);

    m.h.version = WIRE_VERSION + 1;
    assert_int_equal(wire_send(a, &m, sizeof(m), two, 2), 0);
    assert_int_equal(wire_recv(b, &got, sizeof(got), fds, &n, 1), -EPROTO);

    assert_int_equal(wire_send(a, "short", 5, two, 2), 0); /* less than a header */
    assert_int_equal(wire_recv(b, &got, sizeof(got), fds, &n, 1), -EPROTO);

    assert_int_equal(open_descriptors(), before);
    assert_int_equal(n, 99);
    assert_int_equal(fds[0], -7);

    m = message(2); /* and the socket goes on */
    assert_int_equal(wire_send(a, &m, sizeof(m), NULL, 0), 0);
    assert_int_equal(wire_recv(b, &got, sizeof(got), fds, &n, 1), sizeof(got));
    assert_int_equal(got.run, 2);
}

static void test_too_many_descriptors(void **state)
{
    (void)state;
    enum { MANY = WIRE_FDS_MAX + 3 };
    int many[MANY] = {0}, fds[WIRE_FDS_MAX];
    uint32_t n;
    struct wire_spawned m = message(1);
    int before = open_descriptors();
    assert_int_equal(wire_send(a, &m, sizeof(m), many, MANY), -EINVAL);

    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(many))];
    } control = {0};
    struct iovec iov = {&m, sizeof(m)};
    struct msghdr msg = {.msg_iov = &iov,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(many));
    memcpy(CMSG_DATA(c), many, sizeof(many));
    assert_int_equal(sendmsg(a, &msg, 0), sizeof(m));
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), -EPROTO);
    assert_int_equal(open_descriptors(), before);
}

static void test_end_of_stream(void **state)
{
    (void)state;
    int fds[WIRE_FDS_MAX];
    uint32_t n;
    struct wire_spawned m = message(1);
    assert_int_equal(wire_send(a, &m, sizeof(m), NULL, 0), 0);
    assert_int_equal(shutdown(a, SHUT_RDWR), 0);
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), sizeof(m)); /* what was sent, first */
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), 0);
    /* With the default action of SIGPIPE this process would not live to see the result. */
    assert_int_equal(wire_send(b, &m, sizeof(m), NULL, 0), -EPIPE);
    assert_int_equal(wire_recv(-1, &m, sizeof(m), fds, &n, 1), -EBADF);
}

static void test_full_and_empty(void **state)
{
    (void)state;
    int fds[WIRE_FDS_MAX];
    uint32_t n;
    struct wire_spawned m = message(0);
    assert_int_equal(fd_set_nonblock(a, true), 0);
    assert_int_equal(fd_set_nonblock(b, true), 0);
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), -EAGAIN);
    uint64_t sent = 0;
    int r;
    do {
        m = message(sent);
        r = wire_send(a, &m, sizeof(m), NULL, 0);
        sent += r == 0;
    } while (r == 0 && sent < 1000000);
    assert_int_equal(r, -EAGAIN);
    assert_true(sent > 0);
    for (uint64_t run = 0; run < sent; run++) {
        assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), sizeof(m));
        assert_int_equal(m.run, run);
    }
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), -EAGAIN);
}

static volatile sig_atomic_t alarms;

/* The second signal sends what the first only interrupted. */
static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
    if (alarms == 2) {
        struct wire_spawned m = message(2);
        (void)wire_send(a, &m, sizeof(m), NULL, 0);
    }
}

static void test_interrupted(void **state)
{
    (void)state;
    int fds[WIRE_FDS_MAX];
    uint32_t n;
    struct wire_spawned m = message(0);
    struct sigaction sa = {.sa_handler = on_alarm}, sa_before; /* without SA_RESTART */
    struct itimerval soon = {.it_value = {.tv_usec = 10000}}, never = {0};
    assert_int_equal(sigaction(SIGALRM, &sa, &sa_before), 0);

    soon.it_interval.tv_usec = 10000; /* again, should it come before the call is entered */
    alarms = 2;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 0), -EINTR);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);

    alarms = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(wire_recv(b, &m, sizeof(m), fds, &n, 1), sizeof(m));
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_true(alarms >= 2);
    assert_int_equal(m.run, 2);
    assert_int_equal(sigaction(SIGALRM, &sa_before, NULL), 0);
}

static void test_sender(void **state)
{
    (void)state;
    const struct wire_waiting m = {.h = {WIRE_WAITING, WIRE_VERSION}};
    const struct wire_header other = {WIRE_WAITING, WIRE_VERSION + 1};
    char bytes[256];
    int status, before = open_descriptors();
    pid_t pid = -1, child;

    assert_int_equal(fd_tell_sender(b, true), 0);
    assert_int_equal(wire_recv_sender(b, bytes, sizeof(bytes), &pid), -EAGAIN);
    child = fork();
    if (child == 0) {
        _exit(wire_send(a, &m, sizeof(m), NULL, 0) < 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(wire_recv_sender(b, bytes, sizeof(bytes), &pid), sizeof(m));
    assert_memory_equal(bytes, &m, sizeof(m));
    assert_int_equal(pid, child);
    assert_int_equal(wire_send(a, &m, sizeof(m), &a, 1), 0);
    assert_int_equal(wire_recv_sender(b, bytes, sizeof(bytes), &pid), -EPROTO);
    assert_int_equal(wire_send(a, &other, sizeof(other), NULL, 0), 0);
    assert_int_equal(wire_recv_sender(b, bytes, sizeof(bytes), &pid), -EPROTO);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(shutdown(a, SHUT_WR), 0);
    assert_int_equal(wire_recv_sender(b, bytes, sizeof(bytes), &pid), 0);
}

/* Both sides read these structures from memory: no padding that is not named. */
static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct wire_header), 8);
    assert_int_equal(sizeof(struct wire_hello),
            8 + 4 + 4 + 4096 + 128 + WIRE_PREFIXES_MAX * WIRE_PREFIX_SIZE);
    assert_int_equal(sizeof(struct wire_ready), 8 + 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_spawn), 8 + 8 + 4 * 4 + WIRE_PATH_MAX);
    assert_int_equal(sizeof(struct wire_spawned), 8 + 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_go), 8 + 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_plan), 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_exited), 8 + 4 + 4 + 8 + 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_swept), 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_set_up), 8 + 4 + 4);
    assert_int_equal(sizeof(struct wire_waiting), 8 + 4 + 4 + WIRE_PROCESSORS_SIZE);
    assert_int_equal(sizeof(struct wire_page), 4 * 4 + 5 * 8);
    assert_int_equal(offsetof(struct wire_page, result), sizeof(struct wire_page));
    assert_true((int)_WIRE_SPAWN_FD_N <= (int)WIRE_FDS_MAX);
}

#define WIRE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
            WIRE_TEST(test_round_trip),
            WIRE_TEST(test_descriptors),
            WIRE_TEST(test_refused),
            WIRE_TEST(test_too_many_descriptors),
            WIRE_TEST(test_end_of_stream),
            WIRE_TEST(test_full_and_empty),
            WIRE_TEST(test_interrupted),
            WIRE_TEST(test_sender),
            WIRE_TEST(test_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
