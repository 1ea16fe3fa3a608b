#include "exec/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct Watch {
    uv_poll_t handle;
    int fd;
    bool paused;
    WatchCallback callback;
    void *userdata;
};

struct Timer {
    uv_timer_t handle;
    WatchCallback callback;
    void *userdata;
};

static void free_handle(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_readable(uv_poll_t *handle, int status, int events)
{
    Watch *w = handle->data;

    (void)status; /* the next read() says what is wrong */
    (void)events;
    w->callback(w->userdata);
}

int watch_new(Watch **ret, uv_loop_t *loop, int fd, WatchCallback callback, void *userdata)
{
    Watch *w = calloc(1, sizeof(*w));
    int r;

    if (!w) {
        return -ENOMEM;
    }
    r = uv_poll_init(loop, &w->handle, fd);
    if (r < 0) {
        free(w);
        return r;
    }
    w->handle.data = w;
    w->fd = fd;
    w->callback = callback;
    w->userdata = userdata;
    r = uv_poll_start(&w->handle, UV_READABLE | UV_DISCONNECT, on_readable);
    if (r < 0) {
        uv_close((uv_handle_t *)&w->handle, free_handle);
        return r;
    }
    *ret = w;
    return 0;
}

int watch_fd(const Watch *w)
{
    return w->fd;
}

void watch_pause(Watch *w, bool pause)
{
    if (pause == w->paused) {
        return;
    }
    w->paused = pause;
    if (pause) {
        (void)uv_poll_stop(&w->handle);
    } else {
        (void)uv_poll_start(&w->handle, UV_READABLE | UV_DISCONNECT, on_readable);
    }
}

Watch *watch_free(Watch *w)
{
    if (w) {
        /* uv_close() takes the descriptor out of the poll set before it returns, so it may be
         * closed right away. */
        uv_close((uv_handle_t *)&w->handle, free_handle);
        (void)close(w->fd);
    }
    return NULL;
}

static void on_timeout(uv_timer_t *handle)
{
    Timer *t = handle->data;

    t->callback(t->userdata);
}

int timer_new(Timer **ret, uv_loop_t *loop, WatchCallback callback, void *userdata)
{
    Timer *t = calloc(1, sizeof(*t));
    int r;

    if (!t) {
        return -ENOMEM;
    }
    r = uv_timer_init(loop, &t->handle);
    if (r < 0) {
        free(t);
        return r;
    }
    t->handle.data = t;
    t->callback = callback;
    t->userdata = userdata;
    *ret = t;
    return 0;
}

void timer_start(Timer *t, uint64_t ms)
{
    /* The loop's idea of "now" is as old as its last turn; a timer must not fire early because of
     * it. */
    uv_update_time(t->handle.loop);
    (void)uv_timer_start(&t->handle, on_timeout, ms, 0);
}

void timer_stop(Timer *t)
{
    (void)uv_timer_stop(&t->handle);
}

Timer *timer_free(Timer *t)
{
    if (t) {
        uv_close((uv_handle_t *)&t->handle, free_handle);
    }
    return NULL;
}
