/* Theory of operation.
 *
 * Input and output are two independent state machines that meet in one place: while too much output
 * waits, no input is handled.
 *
 * Input. Pieces of 64 KiB go through the line splitter (rpc/line.h). One turn of the loop handles a
 * bounded number of bytes and lines; what is left is handled in the next turn, which the idle
 * handle brings about. Reading goes on until EAGAIN or the end, not until a short read: when the
 * last writer of a named pipe was gone before we opened it a second time, its end is only seen by
 * read(2), never by poll(2) (kernel, fs/pipe.c, fifo_open()). Descriptors that epoll refuses are
 * always ready, so for them the idle handle alone drives the reading.
 *
 * Output. A message is appended to one queue and written at once; only when the descriptor takes no
 * more is it waited for. What comes in meanwhile is queued behind, in order.
 *
 * Handlers. on_line, on_overlong and on_eof are only called from the loop, never from within
 * rpc_stdio_send(): a lost reader is noted there and reported in the next turn. A handler may send,
 * and may free the transport; memory stays until the handles are closed, so each loop looks at
 * `closing` after a handler and needs nothing else.
 *
 * Handles are started and stopped by update() alone, from the state. */
#include "rpc/stdio.h"

#include <fcntl.h>
#include <string.h>

#include "base/log.h"
#include "rpc/endpoint.h"
#include "rpc/line.h"

enum {
    CHUNK_BYTES = 64 * 1024,
    TURN_BYTES = 256 * 1024,  /* read in one turn of the loop */
    TURN_LINES = 128,         /* handled in one turn */
    OVERLONG_REPORT_MS = 700, /* a client hears of a line that is too long within a second */
    QUEUE_KEEP_BYTES = 64 * 1024,
    QUEUE_MAX_BYTES = 1 << 30, /* far above the backlog: replies are bounded by who makes them */
};

struct RpcStdio {
    uv_loop_t *loop;
    RpcStdioHandlers on;
    void *userdata;
    Endpoint in, out;
    uv_poll_t in_poll, out_poll;
    bool has_in_poll, has_out_poll;
    uv_idle_t turn;
    uv_timer_t overlong_timer;
    unsigned n_open; /* handles whose close callback has not run */
    bool closing;

    bool started;
    bool ended;    /* the end of input has been read */
    bool finished; /* no line will be handled any more */
    bool hungry;   /* there may be more to read without waiting */
    bool paused;   /* too much output waits */
    bool overlong_due;
    bool eof_due, eof_told;
    RpcLine line;
    size_t chunk_pos, chunk_len;
    char chunk[CHUNK_BYTES];

    bool dead; /* nobody reads the output any more */
    bool drained_due;
    Buf queue;
    size_t written; /* bytes at the front of the queue that have left */
};

static void on_in(uv_poll_t *handle, int status, int events);
static void on_out(uv_poll_t *handle, int status, int events);
static void on_turn(uv_idle_t *handle);

static bool work_is_left(const RpcStdio *t)
{
    return t->started && !t->finished && !t->paused &&
           (t->chunk_pos < t->chunk_len || t->ended || t->hungry);
}

static void want_poll(uv_poll_t *poll, bool want, int events, uv_poll_cb callback)
{
    bool active = uv_is_active((uv_handle_t *)poll);

    if (want && !active) {
        (void)uv_poll_start(poll, events, callback);
    } else if (!want && active) {
        (void)uv_poll_stop(poll);
    }
}

/* What the loop has to wait for, given the state. */
static void update(RpcStdio *t)
{
    if (t->closing) {
        return;
    }
    if (t->has_in_poll) {
        want_poll(&t->in_poll, t->started && !t->ended && !t->finished && !t->paused, UV_READABLE,
                on_in);
    }
    if (t->has_out_poll) {
        want_poll(&t->out_poll, rpc_stdio_pending(t) > 0, UV_WRITABLE, on_out);
    }
    if (work_is_left(t) || t->eof_due || t->drained_due) {
        (void)uv_idle_start(&t->turn, on_turn);
    } else {
        (void)uv_idle_stop(&t->turn);
    }
}

/* Output --------------------------------------------------------------------------------------- */

static void output_died(RpcStdio *t, int error)
{
    if (error != -EPIPE && error != -ECONNRESET) {
        log_error(NULL, "writing the output failed: %s; what is left of it is lost",
                strerror(-error));
    }
    t->dead = t->finished = true;
    (void)uv_timer_stop(&t->overlong_timer);
    t->eof_due = !t->eof_told;
    t->drained_due = rpc_stdio_pending(t) > 0;
    t->written = 0;
    buf_deinit(&t->queue);
}

/* Writes what the descriptor takes. */
static void flush(RpcStdio *t)
{
    while (t->written < t->queue.len) {
        ssize_t n = endpoint_write(&t->out, t->queue.data + t->written, t->queue.len - t->written);

        if (n == -EAGAIN && t->has_out_poll) {
            break;
        }
        if (n < 0) {
            output_died(t, (int)n);
            return;
        }
        t->written += (size_t)n;
    }
    if (t->written == t->queue.len) {
        t->written = 0;
        buf_clear(&t->queue);
        buf_shrink(&t->queue, QUEUE_KEEP_BYTES);
    } else if (t->written > QUEUE_KEEP_BYTES && t->written > t->queue.len / 2) {
        buf_consume(&t->queue, t->written);
        t->written = 0;
    }
}

/* After bytes were appended: writes them, unless others wait before them. */
static void after_append(RpcStdio *t)
{
    if (!t->has_out_poll || !uv_is_active((uv_handle_t *)&t->out_poll)) {
        flush(t);
    }
    if (rpc_stdio_pending(t) > RPC_STDIO_BACKLOG) {
        t->paused = true;
    }
    update(t);
}

int rpc_stdio_send(RpcStdio *t, const Json *message)
{
    size_t before = t->queue.len;
    int r;

    if (t->dead || t->closing) {
        return 0;
    }
    r = json_dump(message, &t->queue);
    if (r == 0) {
        r = buf_append(&t->queue, "\n", 1);
    }
    if (r != 0) {
        t->queue.len = before;
        return -ENOMEM;
    }
    after_append(t);
    return 0;
}

int rpc_stdio_send_bytes(RpcStdio *t, const void *data, size_t n)
{
    if (t->dead || t->closing) {
        return 0;
    }
    if (buf_append(&t->queue, data, n) != 0) {
        return -ENOMEM;
    }
    after_append(t);
    return 0;
}

size_t rpc_stdio_pending(const RpcStdio *t)
{
    return t->queue.len - t->written;
}

static void tell_drained(RpcStdio *t)
{
    t->drained_due = false;
    if (t->on.on_drained) {
        t->on.on_drained(t->userdata);
    }
}

static void on_out(uv_poll_t *handle, int status, int events)
{
    RpcStdio *t = handle->data;

    (void)status; /* an error of the descriptor is told by write(2), in words */
    (void)events;
    flush(t);
    if (rpc_stdio_pending(t) < RPC_STDIO_BACKLOG / 2 && t->paused) {
        t->paused = false;
        t->hungry = true;
    }
    update(t);
    if (!t->dead && rpc_stdio_pending(t) == 0) {
        tell_drained(t);
    }
}

/* Input ---------------------------------------------------------------------------------------- */

static void tell_overlong(RpcStdio *t, Json *id)
{
    t->on.on_overlong(t->userdata, id);
    (void)json_unref(id);
}

/* A line that is too long may go on for minutes: its id is reported before it has ended. */
static void watch_overlong(RpcStdio *t)
{
    if (t->closing) {
        return;
    }
    if (!rpc_line_is_skipping(&t->line)) {
        t->overlong_due = false;
        (void)uv_timer_stop(&t->overlong_timer);
    } else if (t->overlong_due) {
        Json *id = rpc_line_report_early(&t->line);

        if (id) {
            tell_overlong(t, id);
        }
    }
}

static void on_overlong_timer(uv_timer_t *timer)
{
    RpcStdio *t = timer->data;

    t->overlong_due = true;
    watch_overlong(t);
}

static void handle_event(RpcStdio *t, RpcLineEvent event, const char *line, size_t n)
{
    if (event == RPC_LINE_READY) {
        t->on.on_line(t->userdata, line, n);
    } else if (event == RPC_LINE_OVERLONG) {
        tell_overlong(t, rpc_line_overlong_id(&t->line));
    }
}

/* At most one line of the chunk. */
static void handle_chunk(RpcStdio *t)
{
    bool was_skipping = rpc_line_is_skipping(&t->line);
    const char *data = t->chunk + t->chunk_pos;
    size_t left = t->chunk_len - t->chunk_pos;
    const char *line = NULL;
    size_t n = 0;
    RpcLineEvent event = rpc_line_next(&t->line, &data, &left, &line, &n);

    t->chunk_pos = t->chunk_len - left;
    if (!was_skipping && rpc_line_is_skipping(&t->line)) {
        uv_update_time(t->loop);
        (void)uv_timer_start(&t->overlong_timer, on_overlong_timer, OVERLONG_REPORT_MS, 0);
    }
    handle_event(t, event, line, n);
    if (was_skipping || t->overlong_due) {
        watch_overlong(t);
    }
}

static void handle_end(RpcStdio *t)
{
    const char *line = NULL;
    size_t n = 0;
    RpcLineEvent event = rpc_line_end(&t->line, &line, &n);

    t->finished = true;
    t->eof_due = !t->eof_told;
    handle_event(t, event, line, n);
    watch_overlong(t);
}

/* False when there is nothing to read now. */
static bool fill_chunk(RpcStdio *t, size_t *ret_n)
{
    ssize_t n = endpoint_read(&t->in, t->chunk, sizeof(t->chunk));

    if (n == -EAGAIN && t->has_in_poll) {
        t->hungry = false;
        return false;
    }
    if (n < 0 && n != -ECONNRESET) {
        log_error(NULL, "reading from the client failed: %s; taken as the end of its input",
                strerror((int)-n));
    }
    t->hungry = true;
    t->ended = n <= 0;
    t->chunk_pos = 0;
    *ret_n = t->chunk_len = n > 0 ? (size_t)n : 0;
    return true;
}

static void handle_input(RpcStdio *t)
{
    size_t bytes = 0;
    size_t n = 0;

    for (int lines = 0; !t->closing && !t->finished && !t->paused;) {
        if (t->chunk_pos < t->chunk_len) {
            if (++lines > TURN_LINES) {
                break;
            }
            handle_chunk(t);
        } else if (t->ended) {
            handle_end(t);
        } else if (bytes >= TURN_BYTES || !fill_chunk(t, &n)) {
            break;
        } else {
            bytes += n;
        }
    }
}

static void tell_eof(RpcStdio *t)
{
    t->eof_due = false;
    t->eof_told = true;
    t->on.on_eof(t->userdata);
}

static void on_turn(uv_idle_t *handle)
{
    RpcStdio *t = handle->data;

    handle_input(t);
    if (!t->closing && t->eof_due) {
        tell_eof(t);
    }
    if (!t->closing && t->drained_due) {
        tell_drained(t);
    }
    update(t);
}

static void on_in(uv_poll_t *handle, int status, int events)
{
    RpcStdio *t = handle->data;

    (void)status; /* read(2) tells it better */
    (void)events;
    if (!uv_is_active((uv_handle_t *)&t->turn)) {
        handle_input(t);
    }
    update(t);
}

/* Life ----------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    RpcStdio *t = handle->data;

    if (--t->n_open == 0) {
        rpc_line_deinit(&t->line);
        buf_deinit(&t->queue);
        free(t);
    }
}

RpcStdio *rpc_stdio_free(RpcStdio *t)
{
    if (!t || t->closing) {
        return NULL;
    }
    t->closing = true;
    uv_close((uv_handle_t *)&t->turn, on_closed);
    uv_close((uv_handle_t *)&t->overlong_timer, on_closed);
    if (t->has_in_poll) {
        uv_close((uv_handle_t *)&t->in_poll, on_closed);
    }
    if (t->has_out_poll) {
        uv_close((uv_handle_t *)&t->out_poll, on_closed);
    }
    /* In this order: when both shared one description, the older flags are put back last. */
    endpoint_close(&t->out);
    endpoint_close(&t->in);
    return NULL;
}

/* A poll handle for the endpoint, where it can be waited for. */
static int add_poll(RpcStdio *t, Endpoint *e, uv_poll_t *poll, bool *ret_added)
{
    int flags = fcntl(e->fd, F_GETFL);
    int r;

    if (e->kind == ENDPOINT_FILE) {
        return 0;
    }
    r = uv_poll_init(t->loop, poll, e->fd);
    if (r == UV_EPERM) {
        e->kind = ENDPOINT_FILE; /* epoll_ctl(2): a device such as /dev/null */
        return 0;
    }
    if (r != 0) {
        return r;
    }
    if (e->kind == ENDPOINT_SOCKET && flags >= 0) {
        /* libuv has set O_NONBLOCK; others share this description. */
        (void)fcntl(e->fd, F_SETFL, flags);
    }
    poll->data = t;
    t->n_open++;
    *ret_added = true;
    return 0;
}

static int open_endpoints(RpcStdio *t, int in, int out)
{
    int r = endpoint_open(&t->in, in, false);

    if (r == 0) {
        r = endpoint_open(&t->out, out, true);
    }
    return r;
}

int rpc_stdio_new(RpcStdio **ret, uv_loop_t *loop, int in, int out, size_t max_line_bytes,
        const RpcStdioHandlers *handlers, void *userdata)
{
    RpcStdio *t = calloc(1, sizeof(*t));
    int r;

    if (!t) {
        return -ENOMEM;
    }
    t->loop = loop;
    t->on = *handlers;
    t->userdata = userdata;
    t->in = t->out = (Endpoint){.fd = -1, .saved_flags = -1};
    r = open_endpoints(t, in, out);
    if (r != 0) {
        endpoint_close(&t->in);
        free(t);
        return r;
    }
    rpc_line_init(&t->line, max_line_bytes);
    buf_init(&t->queue, QUEUE_MAX_BYTES);
    (void)uv_idle_init(loop, &t->turn);
    (void)uv_timer_init(loop, &t->overlong_timer);
    t->turn.data = t->overlong_timer.data = t;
    t->n_open = 2;
    r = add_poll(t, &t->in, &t->in_poll, &t->has_in_poll);
    if (r == 0) {
        r = add_poll(t, &t->out, &t->out_poll, &t->has_out_poll);
    }
    if (r != 0) {
        (void)rpc_stdio_free(t);
        return r;
    }
    *ret = t;
    return 0;
}

int rpc_stdio_start(RpcStdio *t)
{
    t->started = t->hungry = true;
    update(t);
    return 0;
}
