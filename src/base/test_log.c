/* The log writes to descriptor 2, so each test puts something of its own there, and gives back the
 * real one at the end, failed or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"

static int real_stderr = -1;
static int reading = -1; /* our end of what stands at descriptor 2 */
static struct rlimit real_files;

static int setup(void **state)
{
    (void)state;
    real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    return getrlimit(RLIMIT_NOFILE, &real_files) < 0 || real_stderr < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)setrlimit(RLIMIT_NOFILE, &real_files);
    (void)dup2(real_stderr, STDERR_FILENO);
    close_p(&real_stderr);
    close_p(&reading);
    log_init(LOG_INFO, LOG_TEXT);
    return 0;
}

static void put_at_stderr(int fd)
{
    assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
    close(fd);
}

static void stderr_to_pipe(void)
{
    int w;
    assert_int_equal(fd_pipe(&reading, &w), 0);
    put_at_stderr(w);
}

static char received[1 << 22];
static size_t received_n;

/* Adds what is there now; a terminal hands on what was written only a moment later. */
static void receive(void)
{
    assert_int_equal(fd_set_nonblock(reading, true), 0);
    for (ssize_t n;
            (n = read(reading, received + received_n, sizeof(received) - 1 - received_n)) > 0;) {
        received_n += (size_t)n;
    }
    received[received_n] = '\0';
}

static char *read_available(size_t *ret_n)
{
    received_n = 0;
    receive();
    if (ret_n) {
        *ret_n = received_n;
    }
    return received;
}

/* The message behind "2026-01-02T03:04:05.678Z ". */
static const char *behind_time(const char *line)
{
    int year, month, day, hour, minute, second, milli, n = -1;
    assert_int_equal(sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &year, &month, &day, &hour,
                             &minute, &second, &milli, &n),
            7);
    assert_int_equal(n, 24);
    assert_true(year >= 2024 && month >= 1 && month <= 12 && second <= 60);
    return line + n;
}

static void test_text(void **state)
{
    (void)state;
    stderr_to_pipe();
    log_init(LOG_INFO, LOG_TEXT);
    log_info("a1b2c3d4", "started after %d ms", 12);
    assert_string_equal(
            behind_time(read_available(NULL)), " INFO [a1b2c3d4] started after 12 ms\n");
    log_warning(NULL, "no id");
    assert_string_equal(behind_time(read_available(NULL)), " WARNING no id\n");
    log_error(NULL, "a\nb\r\t\x1b[31m\x7f\\\"%s", "\xc2\x9b \xff \xc3\xa4");
    assert_string_equal(behind_time(read_available(NULL)),
            " ERROR a\\nb\\r\\t\\x1b[31m\\x7f\\\"\\x9b \xef\xbf\xbd \xc3\xa4\n");
}

static void test_json(void **state)
{
    (void)state;
    stderr_to_pipe();
    log_init(LOG_DEBUG, LOG_JSON);
    log_debug("a1b2c3d4", "say \"\\\" %s", "\x01\n\xc3\xa4");
    const char *line = read_available(NULL);
    assert_memory_equal(line, "{\"time\":\"", 9);
    assert_string_equal(behind_time(line + 9),
            "\",\"level\":\"DEBUG\",\"request_id\":\"a1b2c3d4\","
            "\"message\":\"say \\\"\\\\\\\" \\u0001\\n\xc3\xa4\"}\n");
    log_error(NULL, "x");
    assert_string_equal(behind_time(read_available(NULL) + 9),
            "\",\"level\":\"ERROR\",\"request_id\":null,\"message\":\"x\"}\n");
}

static void test_levels(void **state)
{
    (void)state;
    stderr_to_pipe();
    log_init(LOG_WARNING, LOG_TEXT);
    assert_false(log_enabled(LOG_DEBUG));
    assert_false(log_enabled(LOG_INFO));
    assert_true(log_enabled(LOG_WARNING));
    log_write(LOG_INFO, NULL, "not this");
    log_info(NULL, "nor this");
    assert_string_equal(read_available(NULL), "");
    log_error(NULL, "this");
    assert_string_equal(behind_time(read_available(NULL)), " ERROR this\n");
    assert_string_equal(log_level_name(LOG_DEBUG), "DEBUG");
}

static void test_long_lines_are_cut(void **state)
{
    (void)state;
    static char text[10000];
    stderr_to_pipe();
    for (int format = 0; format < _LOG_FORMAT_N; format++) {
        for (size_t shift = 0; shift < 4; shift++) { /* the cut falls on each byte of a character */
            memset(text, 'x', shift);
            for (size_t i = shift; i + 4 < sizeof(text); i += 3) {
                memcpy(text + i, "\xe2\x82\xac", 4);
            }
            log_init(LOG_INFO, (LogFormat)format);
            log_info(NULL, "%s", text);
            size_t n;
            const char *line = read_available(&n);
            assert_true(n <= 2048 && n > 2030);
            const char *end = format == LOG_JSON ? "\xe2\x80\xa6\"}\n" : "\xe2\x80\xa6\n";
            assert_string_equal(line + n - strlen(end), end);
            assert_memory_equal(line + n - strlen(end) - 3, "\xe2\x82\xac", 3);
        }
    }
    memset(text, 1, sizeof(text) - 1); /* escapes are not cut either */
    log_info(NULL, "%s", text);
    size_t n;
    const char *line = read_available(&n);
    assert_string_equal(line + n - strlen("\\u0001\xe2\x80\xa6\"}\n"), "\\u0001\xe2\x80\xa6\"}\n");
}

static const char last[] = " INFO and on\n";

/* Somebody reads again. Returns how often it took to log what is received at the end. */
static size_t read_on(void)
{
    struct pollfd p = {.fd = reading, .events = POLLIN};
    size_t times = 0;
    (void)read_available(NULL);
    uint64_t give_up_us = clock_now_us() + 10000000;
    while (!strstr(received, last)) {
        log_info(NULL, "and on");
        times++;
        /* A terminal may have no room yet though all is read, and tells nobody when it has. */
        (void)poll(&p, 1, 10);
        receive();
        assert_true(clock_now_us() < give_up_us);
    }
    return times;
}

/* Nothing is lost without a word, and nothing is there in part: `written` lines went out while
 * nobody read. Now somebody does, and finds some of them, the number of the others in their place,
 * and what is logged from now on. */
static void check_overflow(size_t written)
{
    written += read_on();
    size_t found = 0, dropped = 0, more;
    const char *line = received;
    for (; strncmp(behind_time(line), last, strlen(last)) != 0; line = strchr(line, '\n') + 1) {
        char expected[64];
        (void)snprintf(expected, sizeof(expected), " INFO [a1b2c3d4] line %zu, and some more\n",
                found + dropped);
        if (strncmp(behind_time(line), expected, strlen(expected)) == 0) {
            found++;
            continue;
        }
        assert_int_equal(
                sscanf(behind_time(line), " WARNING %zu log lines dropped: stderr", &more), 1);
        assert_non_null(strstr(line, " log lines dropped: stderr was not read\n"));
        dropped += more;
    }
    assert_string_equal(behind_time(line), last);
    assert_true(found > 0 && dropped > 0);
    assert_int_equal(found + dropped + 1, written);
}

static void write_unread(size_t lines)
{
    log_init(LOG_INFO, LOG_TEXT);
    for (size_t i = 0; i < lines; i++) {
        log_info("a1b2c3d4", "line %zu, and some more", i);
    }
}

static void test_unread_pipe(void **state)
{
    (void)state;
    stderr_to_pipe();
    int before = fcntl(STDERR_FILENO, F_GETFL);
    write_unread(5000);
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFL), before); /* others hold it too */
    check_overflow(5000);
}

static void test_unread_pipe_that_cannot_be_reopened(void **state)
{
    (void)state;
    stderr_to_pipe();
    struct rlimit none = {.rlim_cur = 3, .rlim_max = real_files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    write_unread(5000);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &real_files), 0);
    check_overflow(5000);
}

static void test_unread_stream_socket(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    reading = fds[0];
    put_at_stderr(fds[1]);
    write_unread(20000);
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
    check_overflow(20000);
}

/* The only one of these that may take a line in part. */
static void test_unread_tcp_socket(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(connected, (struct sockaddr *)&address, size), 0);
    reading = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    assert_true(reading >= 0);
    close(listening);
    int small = 4096;
    (void)setsockopt(connected, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    put_at_stderr(connected);
    write_unread(100000);
    check_overflow(100000);
}

static void test_unread_terminal(void **state)
{
    (void)state;
    reading = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(reading >= 0);
    assert_int_equal(grantpt(reading), 0);
    assert_int_equal(unlockpt(reading), 0);
    int terminal = open(ptsname(reading), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    struct termios t;
    assert_int_equal(tcgetattr(terminal, &t), 0);
    cfmakeraw(&t); /* "\n" stays "\n" */
    assert_int_equal(tcsetattr(terminal, TCSANOW, &t), 0);
    put_at_stderr(terminal);
    write_unread(5000);
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
    /* The kernel itself loses some of what nobody reads from a terminal: only the end is sure. */
    (void)read_on();
    assert_non_null(strstr(received, " log lines dropped: stderr was not read\n"));
}

static void test_nobody_reads_any_more(void **state)
{
    (void)state;
    stderr_to_pipe();
    log_init(LOG_INFO, LOG_TEXT);
    log_info(NULL, "one");
    close_p(&reading);
    for (int i = 0; i < 10; i++) {
        log_info(NULL, "to nobody"); /* SIGPIPE would end this test */
    }
    log_init(LOG_INFO, LOG_TEXT); /* without a reader it can't even be opened anew */
    log_info(NULL, "to nobody");

    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    put_at_stderr(fds[1]);
    close(fds[0]);
    log_init(LOG_INFO, LOG_TEXT);
    log_info(NULL, "to nobody");

    int w;
    assert_int_equal(fd_pipe(&reading, &w), 0);
    close(STDERR_FILENO);
    log_init(LOG_INFO, LOG_TEXT);
    log_info(NULL, "to nobody");
    put_at_stderr(w);
    log_info(NULL, "gone for good"); /* a descriptor 2 that comes later is not ours */
    assert_string_equal(read_available(NULL), "");
}

static void test_file(void **state)
{
    (void)state;
    int fd;
    assert_int_equal(fd_shared_memory(0, &fd), 0); /* sealed: no room, like a full disk */
    put_at_stderr(fd);
    log_init(LOG_INFO, LOG_TEXT);
    log_info(NULL, "lost");
    FILE *file = tmpfile();
    assert_non_null(file);
    reading = dup(fileno(file));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(dup2(reading, STDERR_FILENO), STDERR_FILENO);
    log_info(NULL, "kept");
    assert_int_equal(lseek(reading, 0, SEEK_SET), 0);
    const char *line = read_available(NULL);
    assert_memory_equal(behind_time(line), " WARNING 1 log lines dropped", 27);
    assert_string_equal(behind_time(strchr(line, '\n') + 1), " INFO kept\n");
}

static void test_errno_survives(void **state)
{
    (void)state;
    stderr_to_pipe();
    log_init(LOG_INFO, LOG_TEXT);
    errno = ENOTDIR;
    log_info(NULL, "%m");
    assert_int_equal(errno, ENOTDIR);
    assert_string_equal(behind_time(read_available(NULL)), " INFO Not a directory\n");
    close_p(&reading);
    errno = ENOTDIR;
    log_info(NULL, "to nobody");
    assert_int_equal(errno, ENOTDIR);
}

#define LOG_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
            LOG_TEST(test_text),
            LOG_TEST(test_json),
            LOG_TEST(test_levels),
            LOG_TEST(test_long_lines_are_cut),
            LOG_TEST(test_unread_pipe),
            LOG_TEST(test_unread_pipe_that_cannot_be_reopened),
            LOG_TEST(test_unread_stream_socket),
            LOG_TEST(test_unread_tcp_socket),
            LOG_TEST(test_unread_terminal),
            LOG_TEST(test_nobody_reads_any_more),
            LOG_TEST(test_file),
            LOG_TEST(test_errno_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
