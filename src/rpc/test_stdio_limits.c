#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "rpc/test_stdio_fixture.h"

/* A client that writes without reading: what waits is bounded, and nothing is lost. */
static void backlog(void **state)
{
    enum { LINES = 400, REPLY = 50000 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        Ends e = stdio_makers[i]();
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
        Ends e = stdio_makers[i]();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(backlog, setup_watchdog),
            cmocka_unit_test_setup(resumes_below_half, setup_watchdog),
            cmocka_unit_test_setup(lost_reader, setup_watchdog),
            cmocka_unit_test_setup(lost_reader_is_told_later, setup_watchdog),
            cmocka_unit_test_setup(reader_lost_after_the_end_of_input, setup_watchdog),
            cmocka_unit_test_setup(what_cannot_be_sent, setup_watchdog),
            cmocka_unit_test_setup(overlong_line_that_ends, setup_watchdog),
            cmocka_unit_test_setup(overlong_line_without_id, setup_watchdog),
            cmocka_unit_test_setup(overlong_line_that_stays_open, setup_watchdog),
            cmocka_unit_test_setup(overlong_line_of_a_lost_client, setup_watchdog),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("stdio-limits", tests, NULL, NULL);
}
