#include "rpc/test_stdio_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

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

const RpcStdioHandlers stdio_handlers = {on_line, on_overlong, on_eof, on_drained};

void server_open(Server *s, int in, int out)
{
    memset(s, 0, sizeof(*s));
    s->overlong_id = -2;
    buf_init(&s->lines, 1 << 26);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(rpc_stdio_new(&s->t, &s->loop, in, out, MAX_LINE, &stdio_handlers, s), 0);
    assert_int_equal(rpc_stdio_start(s->t), 0);
}

void server_close(Server *s)
{
    s->t = rpc_stdio_free(s->t);
    assert_int_equal(uv_run(&s->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    buf_deinit(&s->lines);
}

void run_turns(Server *s, int n)
{
    for (int i = 0; i < n; i++) {
        (void)uv_run(&s->loop, UV_RUN_NOWAIT);
    }
}

void assert_lines(const Server *s, const char *expected)
{
    assert_int_equal(s->lines.len, strlen(expected));
    assert_memory_equal(s->lines.data, expected, s->lines.len);
}

void put(int fd, const char *text)
{
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

void put_short_lines(int fd, size_t n)
{
    char text[1000];

    assert_true(2 * n <= sizeof(text));
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = 'x';
        text[2 * i + 1] = '\n';
    }
    assert_int_equal(fd_write_all(fd, text, 2 * n), 0);
}

void assert_readable_text(int fd, const char *expected)
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

void ends_close(Ends *e)
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

Ends make_pipes(void)
{
    Ends e;

    assert_int_equal(fd_pipe(&e.in, &e.to), 0);
    assert_int_equal(fd_pipe(&e.from, &e.out), 0);
    return e;
}

Ends make_sockets(void)
{
    int a[2];
    int b[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b), 0);
    return (Ends){.in = a[0], .to = a[1], .out = b[0], .from = b[1]};
}

Ends make_one_socket(void)
{
    int a[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a), 0);
    return (Ends){.in = a[0], .out = a[0], .to = a[1], .from = a[1]};
}

Ends make_terminal(void)
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

Ends (*const stdio_makers[STDIO_MAKERS])(void) = {
        make_pipes, make_sockets, make_one_socket, make_terminal};

void assert_blocking(const Ends *e)
{
    assert_int_equal(fcntl(e->in, F_GETFL) & O_NONBLOCK, 0);
    assert_int_equal(fcntl(e->out, F_GETFL) & O_NONBLOCK, 0);
}

void put_overlong_start(int fd, const char *start)
{
    char text[2 * MAX_LINE];

    (void)snprintf(text, sizeof(text), "%s\"x\":\"%0*d\"", start, MAX_LINE, 7);
    put(fd, text);
}

int setup_watchdog(void **state)
{
    (void)state;
    (void)alarm(HANG_S);
    return 0;
}
