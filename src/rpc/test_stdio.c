#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "rpc/test_stdio_fixture.h"

static void conversation(void **state)
{
    (void)state;
    for (size_t i = 0; i < STDIO_MAKERS; i++) {
        Ends e = stdio_makers[i]();
        bool terminal = stdio_makers[i] == make_terminal;
        Server s;
        Json *v;

        server_open(&s, e.in, e.out);
        assert_blocking(&e);
        put(e.to, "one\ntwo\n\nth");
        RUN_UNTIL(&s, s.n_lines == 2);
        put(e.to, "ree\n");
        RUN_UNTIL(&s, s.n_lines == 3);
        assert_lines(&s, "one\ntwo\nthree\n");
        if (!terminal) { /* one that echoes would be in the way */
            v = json_new_string("\xe2\x80\xa8\r\n");
            assert_int_equal(rpc_stdio_send(s.t, v), 0);
            json_unref(v);
            assert_int_equal(rpc_stdio_send_bytes(s.t, "raw", 3), 0);
            assert_int_equal(rpc_stdio_pending(s.t), 0);
            assert_readable_text(e.from, "\"\\u2028\\r\\n\"\nraw");
        }
        assert_blocking(&e);
        if (terminal) {
            put(e.to, "\x04");
        } else if (e.to == e.from) {
            assert_int_equal(shutdown(e.to, SHUT_WR), 0);
        } else {
            close_p(&e.to);
        }
        RUN_UNTIL(&s, s.n_eof == 1);
        /* Nothing is waited for any more, and nothing spins. */
        assert_false(uv_loop_alive(&s.loop));
        assert_int_equal(s.n_lines, 3);
        assert_int_equal(s.n_overlong, 0);
        assert_int_equal(s.n_drained, 0);
        server_close(&s);
        assert_blocking(&e);
        ends_close(&e);
    }
}

static void unusable_descriptors(void **state)
{
    Ends e = make_pipes();
    uv_loop_t loop;
    RpcStdio *t = NULL;
    int closed = 999;
    int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(rpc_stdio_new(&t, &loop, closed, e.out, 1, &stdio_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, closed, 1, &stdio_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, -1, e.out, 1, &stdio_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.out, e.in, 1, &stdio_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, e.in, 1, &stdio_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, dir, e.out, 1, &stdio_handlers, NULL), -EISDIR);
    assert_null(t);
    assert_int_equal(uv_loop_close(&loop), 0);
    (void)close(dir);
    ends_close(&e);
}

/* epoll takes neither; the end of both is found, and then the loop is at rest. */
static void files(void **state)
{
    char name[] = "/tmp/test-stdio-XXXXXX";
    int in;
    int out = mkostemp(name, O_CLOEXEC);
    struct stat st;
    Server s;

    (void)state;
    assert_int_equal(fd_from_bytes("skipped\none\ntwo", 15, &in), 0);
    assert_int_equal(lseek(in, 8, SEEK_SET), 8);
    put(out, "kept\n");
    server_open(&s, in, out);
    s.reply_bytes = 3;
    assert_int_equal(uv_run(&s.loop, UV_RUN_DEFAULT), 0);
    assert_lines(&s, "one\ntwo\n");
    assert_int_equal(s.n_eof, 1);
    server_close(&s);
    /* The offset is the given descriptor's: others append behind us. */
    put(out, "more\n");
    assert_int_equal(fstat(out, &st), 0);
    assert_int_equal(st.st_size, 5 + 6 + 6 + 5);
    (void)close(in);
    (void)close(out);
    (void)unlink(name);
}

static void dev_null(void **state)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    Server s;

    (void)state;
    server_open(&s, fd, fd);
    assert_int_equal(rpc_stdio_send_bytes(s.t, "x", 1), 0);
    assert_int_equal(rpc_stdio_pending(s.t), 0);
    assert_int_equal(uv_run(&s.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(s.n_eof, 1);
    server_close(&s);
    (void)close(fd);
}

/* Its last writer has gone before we come: poll(2) on a second description never tells the end. */
static void named_pipe_without_writer(void **state)
{
    char dir[] = "/tmp/test-stdio-XXXXXX";
    char name[64];
    Ends e = make_pipes();
    int both;
    int in;
    Server s;

    (void)state;
    assert_non_null(mkdtemp(dir));
    for (int lines = 0; lines < 2; lines++) {
        (void)snprintf(name, sizeof(name), "%s/fifo", dir);
        assert_int_equal(mkfifo(name, 0600), 0);
        both = open(name, O_RDWR | O_CLOEXEC);
        in = open(name, O_RDONLY | O_CLOEXEC);
        if (lines) {
            put(both, "one\n");
        }
        (void)close(both);
        server_open(&s, in, e.out);
        RUN_UNTIL(&s, s.n_eof == 1);
        assert_lines(&s, lines ? "one\n" : "");
        server_close(&s);
        (void)close(in);
        (void)unlink(name);
    }
    (void)rmdir(dir);
    ends_close(&e);
}

/* A named pipe without a reader can't be opened again, a terminal's master must not be: O_NONBLOCK
 * is set on the shared description, and taken back. */
static void borrowed_descriptions(void **state)
{
    char dir[] = "/tmp/test-stdio-XXXXXX";
    char name[64];
    Ends terminal = make_terminal();
    int both;
    int out;
    Server s;

    (void)state;
    assert_non_null(mkdtemp(dir));
    (void)snprintf(name, sizeof(name), "%s/fifo", dir);
    assert_int_equal(mkfifo(name, 0600), 0);
    both = open(name, O_RDWR | O_CLOEXEC);
    out = open(name, O_WRONLY | O_CLOEXEC);
    (void)close(both);
    server_open(&s, terminal.to, out);
    assert_int_equal(fcntl(terminal.to, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    assert_int_equal(fcntl(out, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    put(terminal.in, "one\n");
    RUN_UNTIL(&s, s.n_lines == 1);
    assert_lines(&s, "one\n"); /* the terminal writes CR LF */
    server_close(&s);
    assert_int_equal(fcntl(terminal.to, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(fcntl(out, F_GETFL) & O_NONBLOCK, 0);
    (void)close(out);
    (void)unlink(name);
    (void)rmdir(dir);
    /* Both directions on one description. */
    server_open(&s, terminal.to, terminal.to);
    server_close(&s);
    assert_int_equal(fcntl(terminal.to, F_GETFL) & O_NONBLOCK, 0);
    ends_close(&terminal);
}

static void last_line_without_end(void **state)
{
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    put(e.to, "one\r\ntwo");
    close_p(&e.to);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_lines(&s, "one\ntwo\n");
    server_close(&s);
    ends_close(&e);
}

typedef struct Turns {
    uv_check_t check;
    Server *server;
    int before, most;
} Turns;

static void on_check(uv_check_t *check)
{
    Turns *turns = check->data;

    turns->most = MAX(turns->most, turns->server->n_lines - turns->before);
    turns->before = turns->server->n_lines;
}

/* A flood of lines leaves room for the loop's other work. */
static void turns_are_bounded(void **state)
{
    enum { LINES = 20000 };
    char *text = malloc((size_t)2 * LINES);
    Turns turns = {0};
    int in;
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    Server s;

    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        text[2 * i] = 'x';
        text[2 * i + 1] = '\n';
    }
    assert_int_equal(fd_from_bytes(text, (size_t)2 * LINES, &in), 0);
    free(text);
    server_open(&s, in, out);
    turns.server = &s;
    turns.check.data = &turns;
    assert_int_equal(uv_check_init(&s.loop, &turns.check), 0);
    assert_int_equal(uv_check_start(&turns.check, on_check), 0);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_int_equal(s.n_lines, LINES);
    assert_in_range(turns.most, 1, 200);
    uv_close((uv_handle_t *)&turns.check, NULL);
    server_close(&s);
    (void)close(in);
    (void)close(out);
}

static void freed_by_its_handlers(void **state)
{
    static char big[1 << 20];

    (void)state;
    for (FreeIn where = FREE_IN_LINE; where <= FREE_IN_DRAINED; where++) {
        for (int dying = 0; dying < 2; dying++) {
            Ends e = make_pipes();
            Server s;

            server_open(&s, e.in, e.out);
            s.free_in = where;
            if (where == FREE_IN_DRAINED) {
                assert_int_equal(rpc_stdio_send_bytes(s.t, big, sizeof(big)), 0);
            } else {
                s.reply_bytes = 10;
            }
            if (dying) {
                close_p(&e.from);
            }
            if (where == FREE_IN_LINE) {
                put(e.to, "one\ntwo\n");
            } else if (where == FREE_IN_OVERLONG) {
                put_overlong_start(e.to, "{\"id\":5,");
                put(e.to, "}\nnext\n");
            } else if (where == FREE_IN_EOF) {
                close_p(&e.to);
            }
            if (e.from >= 0) {
                assert_int_equal(fd_set_nonblock(e.from, true), 0);
            }
            while (s.t) {
                (void)uv_run(&s.loop, UV_RUN_NOWAIT);
                if (where == FREE_IN_DRAINED && e.from >= 0) {
                    (void)!read(e.from, big, sizeof(big));
                }
            }
            assert_int_equal(uv_run(&s.loop, UV_RUN_DEFAULT), 0);
            assert_lines(&s, where == FREE_IN_LINE ? "one\none" : "");
            server_close(&s);
            ends_close(&e);
        }
    }
}

/* Freed with lines, output and timers still under way. */
static void freed_at_once(void **state)
{
    Ends e = make_pipes();
    uv_loop_t loop;
    RpcStdio *t;

    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, e.out, 10, &stdio_handlers, NULL), 0);
    put(e.to, "never seen\n");
    assert_int_equal(rpc_stdio_start(t), 0);
    assert_null(rpc_stdio_free(t));
    assert_null(rpc_stdio_free(NULL));
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&loop), 0);
    ends_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(conversation, setup_watchdog),
            cmocka_unit_test_setup(unusable_descriptors, setup_watchdog),
            cmocka_unit_test_setup(files, setup_watchdog),
            cmocka_unit_test_setup(dev_null, setup_watchdog),
            cmocka_unit_test_setup(named_pipe_without_writer, setup_watchdog),
            cmocka_unit_test_setup(borrowed_descriptions, setup_watchdog),
            cmocka_unit_test_setup(last_line_without_end, setup_watchdog),
            cmocka_unit_test_setup(turns_are_bounded, setup_watchdog),
            cmocka_unit_test_setup(freed_by_its_handlers, setup_watchdog),
            cmocka_unit_test_setup(freed_at_once, setup_watchdog),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("stdio", tests, NULL, NULL);
}
