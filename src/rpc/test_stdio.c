#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "rpc/stdio.h"

enum {
    MAX_LINE = 1000,
    HANG_S = 60, /* a test that waits for what never comes is ended by SIGALRM */
};

typedef enum FreeIn {
    FREE_NOWHERE,
    FREE_IN_LINE,
    FREE_IN_OVERLONG,
    FREE_IN_EOF,
    FREE_IN_DRAINED,
} FreeIn;

/* The server's side of one connection, and what its handlers were told. */
typedef struct Server {
    uv_loop_t loop;
    RpcStdio *t;
    Buf lines; /* each with a newline */
    int n_lines, n_overlong, n_eof, n_drained;
    int64_t overlong_id; /* -1: none */
    size_t reply_bytes;  /* sent for each line, when not 0 */
    FreeIn free_in;
} Server;

static void free_if(Server *s, FreeIn where)
{
    if (s->free_in == where) {
        s->t = rpc_stdio_free(s->t);
    }
}

static void on_line(void *userdata, const char *line, size_t n)
{
    Server *s = userdata;

    s->n_lines++;
    assert_int_equal(s->n_eof, 0);
    assert_int_equal(buf_append(&s->lines, line, n), 0);
    assert_int_equal(buf_append(&s->lines, "\n", 1), 0);
    if (s->reply_bytes) {
        char *text = malloc(s->reply_bytes);
        Json *v;

        memset(text, 'a' + s->n_lines % 26, s->reply_bytes);
        v = json_new_stringn(text, s->reply_bytes);
        assert_int_equal(rpc_stdio_send(s->t, v), 0);
        json_unref(v);
        free(text);
    }
    free_if(s, FREE_IN_LINE);
    if (!s->t) {
        assert_int_equal(buf_append(&s->lines, line, n), 0); /* the line is still there */
    }
}

static void on_overlong(void *userdata, Json *id)
{
    Server *s = userdata;

    s->n_overlong++;
    s->overlong_id = id ? json_int(id) : -1;
    free_if(s, FREE_IN_OVERLONG);
}

static void on_eof(void *userdata)
{
    Server *s = userdata;

    s->n_eof++;
    free_if(s, FREE_IN_EOF);
}

static void on_drained(void *userdata)
{
    Server *s = userdata;

    s->n_drained++;
    free_if(s, FREE_IN_DRAINED);
}

static const RpcStdioHandlers s_handlers = {on_line, on_overlong, on_eof, on_drained};

static void server_open(Server *s, int in, int out)
{
    memset(s, 0, sizeof(*s));
    s->overlong_id = -2;
    buf_init(&s->lines, 1 << 26);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(rpc_stdio_new(&s->t, &s->loop, in, out, MAX_LINE, &s_handlers, s), 0);
    assert_int_equal(rpc_stdio_start(s->t), 0);
}

static void server_close(Server *s)
{
    s->t = rpc_stdio_free(s->t);
    assert_int_equal(uv_run(&s->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    buf_deinit(&s->lines);
}

#define RUN_UNTIL(s, condition)                                                                    \
    do {                                                                                           \
        while (!(condition)) {                                                                     \
            (void)uv_run(&(s)->loop, UV_RUN_ONCE);                                                 \
        }                                                                                          \
    } while (0)

/* Turns of the loop that wait for nothing. */
static void run_turns(Server *s, int n)
{
    for (int i = 0; i < n; i++) {
        (void)uv_run(&s->loop, UV_RUN_NOWAIT);
    }
}

static void assert_lines(const Server *s, const char *expected)
{
    assert_int_equal(s->lines.len, strlen(expected));
    assert_memory_equal(s->lines.data, expected, s->lines.len);
}

static void put(int fd, const char *text)
{
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

/* In one piece: a socket has room for few small ones. */
static void put_short_lines(int fd, size_t n)
{
    char text[1000];

    assert_true(2 * n <= sizeof(text));
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = 'x';
        text[2 * i + 1] = '\n';
    }
    assert_int_equal(fd_write_all(fd, text, 2 * n), 0);
}

static void assert_readable_text(int fd, const char *expected)
{
    char text[4096];
    size_t n = 0;

    while (n < strlen(expected)) {
        ssize_t r = read(fd, text + n, strlen(expected) - n);

        assert_true(r > 0);
        n += (size_t)r;
    }
    assert_memory_equal(text, expected, n);
}

typedef struct Ends {
    int in, out;  /* the server's */
    int to, from; /* the client's */
} Ends;

static void ends_close(Ends *e)
{
    if (e->out == e->in) {
        e->out = -1;
    }
    if (e->to == e->from) {
        e->from = -1;
    }
    close_p(&e->in);
    close_p(&e->out);
    close_p(&e->to);
    close_p(&e->from);
}

static Ends make_pipes(void)
{
    Ends e;

    assert_int_equal(fd_pipe(&e.in, &e.to), 0);
    assert_int_equal(fd_pipe(&e.from, &e.out), 0);
    return e;
}

/* As Node gives them to its children. */
static Ends make_sockets(void)
{
    int a[2];
    int b[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b), 0);
    return (Ends){.in = a[0], .to = a[1], .out = b[0], .from = b[1]};
}

static Ends make_one_socket(void)
{
    int a[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a), 0);
    return (Ends){.in = a[0], .out = a[0], .to = a[1], .from = a[1]};
}

static Ends make_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int slave;

    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(slave >= 0);
    return (Ends){.in = slave, .out = slave, .to = master, .from = master};
}

static Ends (*const s_makers[])(void) = {make_pipes, make_sockets, make_one_socket, make_terminal};

static void assert_blocking(const Ends *e)
{
    assert_int_equal(fcntl(e->in, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(fcntl(e->out, F_GETFL) & O_NONBLOCK, 0);
}

/* -------------------------------------------------------------------------------------------- */

static void conversation(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(s_makers); i++) {
        Ends e = s_makers[i]();
        bool terminal = s_makers[i] == make_terminal;
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
    assert_int_equal(rpc_stdio_new(&t, &loop, closed, e.out, 1, &s_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, closed, 1, &s_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, -1, e.out, 1, &s_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.out, e.in, 1, &s_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, e.in, 1, &s_handlers, NULL), -EBADF);
    assert_int_equal(rpc_stdio_new(&t, &loop, dir, e.out, 1, &s_handlers, NULL), -EISDIR);
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

/* -------------------------------------------------------------------------------------------- */

/* A client that writes without reading: what waits is bounded, and nothing is lost. */
static void backlog(void **state)
{
    enum { LINES = 400, REPLY = 50000 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        Ends e = s_makers[i]();
        Server s;
        size_t got = 0;
        char *text = malloc(REPLY + 3);
        int paused_at;

        server_open(&s, e.in, e.out);
        s.reply_bytes = REPLY;
        put_short_lines(e.to, LINES);
        RUN_UNTIL(&s, rpc_stdio_pending(s.t) > RPC_STDIO_BACKLOG);
        assert_true(rpc_stdio_pending(s.t) <= RPC_STDIO_BACKLOG + REPLY + 3);
        paused_at = s.n_lines;
        assert_true(paused_at < LINES);
        run_turns(&s, 100);
        assert_int_equal(s.n_lines, paused_at);
        assert_int_equal(s.n_drained, 0);

        assert_int_equal(fd_set_nonblock(e.from, true), 0);
        while (got < (size_t)LINES * (REPLY + 3)) {
            size_t in_reply = got % (REPLY + 3);
            ssize_t n = read(e.from, text, REPLY + 3 - in_reply);

            if (n > 0) {
                size_t last = got + (size_t)n - 1;

                assert_int_equal(text[n - 1], last % (REPLY + 3) == REPLY + 2 ? '\n'
                                              : last % (REPLY + 3) % (REPLY + 1) == 0
                                                      ? '"'
                                                      : 'a' + (int)(last / (REPLY + 3) + 1) % 26);
                got += (size_t)n;
            } else {
                assert_int_equal(errno, EAGAIN);
                (void)uv_run(&s.loop, UV_RUN_NOWAIT);
            }
            assert_true(rpc_stdio_pending(s.t) <= RPC_STDIO_BACKLOG + REPLY + 3);
        }
        RUN_UNTIL(&s, s.n_drained > 0);
        assert_int_equal(s.n_lines, LINES);
        assert_int_equal(rpc_stdio_pending(s.t), 0);
        free(text);
        server_close(&s);
        ends_close(&e);
    }
}

/* Input handling goes on only when half of the backlog has left. */
static void resumes_below_half(void **state)
{
    enum { REPLY = 1 << 20, PIECE = 1 << 16 };
    Ends e = make_pipes();
    static char text[PIECE];
    int paused_at;
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    s.reply_bytes = REPLY;
    put_short_lines(e.to, 50);
    RUN_UNTIL(&s, rpc_stdio_pending(s.t) > RPC_STDIO_BACKLOG);
    paused_at = s.n_lines;
    while (s.n_lines == paused_at) {
        size_t before = rpc_stdio_pending(s.t);

        assert_true(read(e.from, text, PIECE) > 0);
        run_turns(&s, 3);
        if (s.n_lines == paused_at) {
            assert_true(rpc_stdio_pending(s.t) >= RPC_STDIO_BACKLOG / 2);
        } else {
            assert_true(before <= RPC_STDIO_BACKLOG / 2 + PIECE);
        }
    }
    server_close(&s);
    ends_close(&e);
}

/* The client is gone: told once, later output is dropped, the memory is free at once. */
static void lost_reader(void **state)
{
    static char big[1 << 20];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        Ends e = s_makers[i]();
        Server s;
        Json *v = json_new_int(1);

        server_open(&s, e.in, e.out);
        assert_int_equal(rpc_stdio_send_bytes(s.t, big, sizeof(big)), 0);
        assert_true(rpc_stdio_pending(s.t) > 0);
        close_p(&e.from);
        RUN_UNTIL(&s, s.n_eof == 1);
        RUN_UNTIL(&s, s.n_drained == 1); /* nothing is waited for in vain */
        assert_int_equal(rpc_stdio_pending(s.t), 0);
        assert_int_equal(rpc_stdio_send(s.t, v), 0);
        assert_int_equal(rpc_stdio_send_bytes(s.t, big, sizeof(big)), 0);
        assert_int_equal(rpc_stdio_pending(s.t), 0);
        put(e.to, "ignored\n");
        close_p(&e.to);
        run_turns(&s, 10);
        assert_int_equal(s.n_eof, 1);
        assert_int_equal(s.n_lines, 0);
        assert_false(uv_loop_alive(&s.loop));
        json_unref(v);
        server_close(&s);
        ends_close(&e);
    }
}

/* Noticed in a send: the handler is not called from inside of it. */
static void lost_reader_is_told_later(void **state)
{
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    close_p(&e.from);
    assert_int_equal(rpc_stdio_send_bytes(s.t, "x", 1), 0);
    assert_int_equal(s.n_eof, 0);
    RUN_UNTIL(&s, s.n_eof == 1);
    server_close(&s);
    ends_close(&e);
}

static void reader_lost_after_the_end_of_input(void **state)
{
    static char big[1 << 20];
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    assert_int_equal(rpc_stdio_send_bytes(s.t, big, sizeof(big)), 0);
    close_p(&e.to);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_true(uv_loop_alive(&s.loop));
    close_p(&e.from);
    RUN_UNTIL(&s, s.n_drained == 1);
    assert_int_equal(s.n_eof, 1);
    server_close(&s);
    ends_close(&e);
}

static void what_cannot_be_sent(void **state)
{
    Ends e = make_pipes();
    Json *v = json_new_array();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    assert_int_equal(json_add(v, json_new_int(1)), 0);
    assert_int_equal(json_add(v, NULL), -ENOMEM);
    assert_int_equal(rpc_stdio_send(s.t, v), -ENOMEM);
    assert_int_equal(rpc_stdio_send(s.t, NULL), -ENOMEM);
    assert_int_equal(rpc_stdio_send_bytes(s.t, "after\n", 6), 0);
    assert_readable_text(e.from, "after\n");
    json_unref(v);
    server_close(&s);
    ends_close(&e);
}

/* -------------------------------------------------------------------------------------------- */

static void put_overlong_start(int fd, const char *start)
{
    char text[2 * MAX_LINE];

    (void)snprintf(text, sizeof(text), "%s\"x\":\"%0*d\"", start, MAX_LINE, 7);
    put(fd, text);
}

static void overlong_line_that_ends(void **state)
{
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    put_overlong_start(e.to, "{\"id\":5,");
    put(e.to, "}\nnext\n");
    RUN_UNTIL(&s, s.n_lines == 1);
    assert_int_equal(s.n_overlong, 1);
    assert_int_equal(s.overlong_id, 5);
    put_overlong_start(e.to, "{");
    put(e.to, ",\"id\":\"text\"}");
    close_p(&e.to);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_int_equal(s.n_overlong, 2);
    assert_int_equal(s.n_lines, 1);
    server_close(&s);
    ends_close(&e);
}

static void overlong_line_without_id(void **state)
{
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    put_overlong_start(e.to, "{");
    put(e.to, "}\nnext\n");
    RUN_UNTIL(&s, s.n_lines == 1);
    assert_int_equal(s.n_overlong, 1);
    assert_int_equal(s.overlong_id, -1);
    put_overlong_start(e.to, "[");
    close_p(&e.to);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_int_equal(s.n_overlong, 2);
    assert_int_equal(s.overlong_id, -1);
    server_close(&s);
    ends_close(&e);
}

/* Half a line, then silence: the client hears within a second, and only once. */
static void overlong_line_that_stays_open(void **state)
{
    Ends e = make_pipes();
    uint64_t begin_us = clock_now_us();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    put_overlong_start(e.to, "{\"id\":5,");
    RUN_UNTIL(&s, s.n_overlong == 1);
    assert_int_equal(s.overlong_id, 5);
    assert_in_range(clock_now_us() - begin_us, 500000, 1500000);
    put(e.to, ",\"y\":1}\nnext\n");
    RUN_UNTIL(&s, s.n_lines == 1);
    assert_int_equal(s.n_overlong, 1);
    /* The id comes late, and is told when it comes. */
    put_overlong_start(e.to, "{");
    begin_us = clock_now_us();
    while (clock_now_us() - begin_us < 600000) { /* the timer's turn */
        (void)uv_run(&s.loop, UV_RUN_ONCE);
    }
    assert_int_equal(s.n_overlong, 1);
    put(e.to, ",\"id\":6,");
    RUN_UNTIL(&s, s.n_overlong == 2);
    assert_int_equal(s.overlong_id, 6);
    close_p(&e.to);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_int_equal(s.n_overlong, 2);
    server_close(&s);
    ends_close(&e);
}

/* Nothing is told after the end. */
static void overlong_line_of_a_lost_client(void **state)
{
    Ends e = make_pipes();
    Server s;

    (void)state;
    server_open(&s, e.in, e.out);
    put(e.to, "first\n");
    put_overlong_start(e.to, "{\"id\":5,");
    RUN_UNTIL(&s, s.n_lines == 1);
    run_turns(&s, 5);
    assert_true(uv_loop_alive(&s.loop)); /* the timer runs */
    close_p(&e.from);
    assert_int_equal(rpc_stdio_send_bytes(s.t, "x", 1), 0);
    RUN_UNTIL(&s, s.n_eof == 1);
    assert_false(uv_loop_alive(&s.loop));
    assert_int_equal(s.n_overlong, 0);
    server_close(&s);
    ends_close(&e);
}

/* -------------------------------------------------------------------------------------------- */

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
    assert_int_equal(rpc_stdio_new(&t, &loop, e.in, e.out, 10, &s_handlers, NULL), 0);
    put(e.to, "never seen\n");
    assert_int_equal(rpc_stdio_start(t), 0);
    assert_null(rpc_stdio_free(t));
    assert_null(rpc_stdio_free(NULL));
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&loop), 0);
    ends_close(&e);
}

static int setup(void **state)
{
    (void)state;
    (void)alarm(HANG_S);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(conversation, setup),
            cmocka_unit_test_setup(unusable_descriptors, setup),
            cmocka_unit_test_setup(files, setup),
            cmocka_unit_test_setup(dev_null, setup),
            cmocka_unit_test_setup(named_pipe_without_writer, setup),
            cmocka_unit_test_setup(borrowed_descriptions, setup),
            cmocka_unit_test_setup(last_line_without_end, setup),
            cmocka_unit_test_setup(backlog, setup),
            cmocka_unit_test_setup(resumes_below_half, setup),
            cmocka_unit_test_setup(lost_reader, setup),
            cmocka_unit_test_setup(lost_reader_is_told_later, setup),
            cmocka_unit_test_setup(reader_lost_after_the_end_of_input, setup),
            cmocka_unit_test_setup(what_cannot_be_sent, setup),
            cmocka_unit_test_setup(overlong_line_that_ends, setup),
            cmocka_unit_test_setup(overlong_line_without_id, setup),
            cmocka_unit_test_setup(overlong_line_that_stays_open, setup),
            cmocka_unit_test_setup(overlong_line_of_a_lost_client, setup),
            cmocka_unit_test_setup(turns_are_bounded, setup),
            cmocka_unit_test_setup(freed_by_its_handlers, setup),
            cmocka_unit_test_setup(freed_at_once, setup),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("stdio", tests, NULL, NULL);
}
