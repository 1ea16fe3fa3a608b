/* Theory of operation: reading what a program prints
 *
 * Each line is a write of its own, since programs are line-buffered, and each write that finds us
 * waiting wakes us: the program pays for that, many times what the write costs. So where lines come
 * one after another we rest for a moment after each read, deaf to the pipes, and find the next ones
 * together. A rest is shorter than anybody could notice, and the end of the process ends it. */

#include "exec/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macro.h"
#include "exec/watch.h"
#include "sandbox/sandbox.h"

enum {
    READ_SIZE = 64 * 1024,
    READS_PER_TURN = 8, /* one flooding program must not keep the others and the client waiting */
    REST_AFTER_READS = 16, /* of a run, that brought less than there was room for */
    REST_MS = 1,
    REST_PIPE_SIZE = 256 * 1024, /* for what comes meanwhile */
    DRAIN_READS_MAX = 80, /* 5 MiB: more than the largest pipe holds (fcntl(2), F_SETPIPE_SZ) */
};

struct Worker {
    WorkerHandlers handlers;
    void *userdata;
    uint64_t number;
    uint32_t host_uid;
    char run_dir[WIRE_PATH_MAX];
    Watch *control;
    Watch *output[2];
    bool output_ended[2];
    unsigned short_reads;
    Timer *rest;
    bool resting, paused; /* paused: by our owner */
    int go;
    bool waits;     /* as far as we have asked */
    pid_t bindable; /* its number; 0: it may not be bound */
    uint8_t processors[WIRE_PROCESSORS_SIZE];
    WorkerSetUp set_up; /* as far as it was asked for */
    TemplateNet net;
    bool net_is_clean;
    int spawn_fds[_WIRE_SPAWN_FD_N]; /* the other side's ends, until they are sent */
    struct wire_page *page;
    size_t page_size;
};

static void on_control(void *userdata);
static void on_rested(void *userdata);
static void on_stdout(void *userdata);
static void on_stderr(void *userdata);

static int make_page(Worker *w, size_t result_bytes_max)
{
    void *map;
    int r;

    w->page_size = WIRE_PAGE_SIZE(result_bytes_max);
    r = fd_shared_memory(w->page_size, &w->spawn_fds[WIRE_SPAWN_FD_PAGE]);
    if (r < 0) {
        return r;
    }
    map = mmap(NULL, w->page_size, PROT_READ, MAP_SHARED, w->spawn_fds[WIRE_SPAWN_FD_PAGE], 0);
    if (map == MAP_FAILED) {
        return -errno;
    }
    w->page = map;
    (void)__atomic_load_n(
            &w->page->ended, __ATOMIC_RELAXED); /* a page fault that no answer waits for */
    return 0;
}

/* Gives the Watch a descriptor, or closes it. */
static int watch_or_close(Watch **ret, uv_loop_t *loop, int fd, WatchCallback callback, Worker *w)
{
    int r = watch_new(ret, loop, fd, callback, w);

    if (r < 0) {
        (void)close(fd);
    }
    return r;
}

static int make_channels(Worker *w, uv_loop_t *loop)
{
    static const WatchCallback callbacks[2] = {on_stdout, on_stderr};
    int ours, r;

    r = fd_socketpair_seqpacket(&ours, &w->spawn_fds[WIRE_SPAWN_FD_CONTROL]);
    if (r < 0) {
        return r;
    }
    r = watch_or_close(&w->control, loop, ours, on_control, w);
    if (r < 0) {
        return r;
    }
    for (int i = 0; i < 2; i++) {
        r = fd_pipe(&ours, &w->spawn_fds[WIRE_SPAWN_FD_STDOUT + i]);
        if (r < 0) {
            return r;
        }
        r = watch_or_close(&w->output[i], loop, ours, callbacks[i], w);
        if (r < 0) {
            return r;
        }
    }
    if (w->host_uid) {
        /* Programs open /dev/stdout too. */
        for (int i = 0; i < 2; i++) {
            if (fchown(w->spawn_fds[WIRE_SPAWN_FD_STDOUT + i], w->host_uid, w->host_uid) < 0) {
                return -errno;
            }
        }
    }
    r = fd_socketpair_seqpacket(&w->go, &w->spawn_fds[WIRE_SPAWN_FD_GO]);
    return r < 0 ? r : fd_tell_sender(w->go, true);
}

int worker_new(Worker **ret, uv_loop_t *loop, uint64_t number, uint32_t host_uid,
        const char *run_dir, size_t result_bytes_max, const WorkerHandlers *handlers,
        void *userdata)
{
    Worker *w;
    int r;

    if (strlen(run_dir) >= WIRE_PATH_MAX) {
        return -ENAMETOOLONG;
    }
    w = calloc(1, sizeof(*w));
    if (!w) {
        return -ENOMEM;
    }
    w->handlers = *handlers;
    w->userdata = userdata;
    w->number = number;
    w->host_uid = host_uid;
    memcpy(w->run_dir, run_dir, strlen(run_dir) + 1);
    w->go = -1;
    for (size_t i = 0; i < ARRAY_SIZE(w->spawn_fds); i++) {
        w->spawn_fds[i] = -1;
    }
    r = make_page(w, result_bytes_max);
    if (r == 0) {
        r = make_channels(w, loop);
    }
    if (r == 0) {
        r = timer_new(&w->rest, loop, on_rested, w);
    }
    if (r < 0) {
        worker_free(w);
        return r;
    }
    *ret = w;
    return 0;
}

static void close_spawn_fds(Worker *w)
{
    for (size_t i = 0; i < ARRAY_SIZE(w->spawn_fds); i++) {
        close_p(&w->spawn_fds[i]);
    }
}

int worker_spawn(Worker *w, Template *t, int cgroup)
{
    int fds[_WIRE_SPAWN_FD_N];
    int r;

    memcpy(fds, w->spawn_fds, sizeof(fds));
    fds[WIRE_SPAWN_FD_CGROUP] = cgroup;
    r = template_spawn(t, w->number, w->host_uid, w->run_dir, fds, &w->net);

    /* From here on only the run holds them: their end is its end. */
    close_spawn_fds(w);
    return r;
}

/* What the worker has said since the last time. -EAGAIN: it is there, and may say more. */
static long read_words(Worker *w)
{
    union {
        struct wire_header h;
        struct wire_waiting waiting;
        struct wire_set_up set_up;
    } m;
    pid_t pid;
    long n;

    for (;;) {
        n = wire_recv_sender(w->go, &m, sizeof(m), &pid);
        if (n == (long)sizeof(m.waiting) && m.h.type == WIRE_WAITING) {
            w->waits = true;
            w->bindable = m.waiting.may_be_bound ? pid : 0;
            memcpy(w->processors, m.waiting.processors, sizeof(w->processors));
            (void)fd_tell_sender(w->go, false);
        } else if (n == (long)sizeof(m.set_up) && m.h.type == WIRE_SET_UP) {
            w->set_up = (WorkerSetUp){
                    .done = m.set_up.stage == 0, .stage = m.set_up.stage, .error = m.set_up.error};
        } else if (n != -ECONNRESET) { /* it has not taken its program; told before what it said */
            break;
        }
    }
    if (n != 0 && n != -EAGAIN) {
        w->set_up.done = true; /* what can't be read may have been that: never run one twice */
    }
    return n;
}

bool worker_waits(Worker *w)
{
    if (!w->waits) {
        (void)read_words(w);
    }
    return w->waits;
}

WorkerSetUp worker_set_up(Worker *w)
{
    if (!w->set_up.done && !w->set_up.stage) {
        (void)read_words(w);
    }
    return w->set_up;
}

WorkerSetUp worker_last_word(Worker *w)
{
    (void)shutdown(w->go, SHUT_RD);
    return worker_set_up(w);
}

/* Of one that has ended the number may be somebody else's by now. */
static bool may_be_bound(Worker *w)
{
    return worker_waits(w) && w->bindable && read_words(w) == -EAGAIN;
}

int worker_go(Worker *w, struct wire_go *go, int code_fd, int stdin_fd, bool near)
{
    uint32_t n_fds = 0;
    size_t size = sizeof(*go);
    int fds[2];

    go->flags &= ~(uint32_t)WIRE_GO_NEAR; /* another worker may have been given it before */
    if (near && may_be_bound(w) && sandbox_keep_near(w->bindable, w->processors)) {
        go->flags |= WIRE_GO_NEAR;
    }
    if (!w->waits) {
        (void)fd_tell_sender(w->go, false); /* else each message of ours is given a name */
    }
    if (go->flags & WIRE_GO_CODE_FD) {
        fds[n_fds++] = code_fd;
    } else {
        size += go->code_bytes;
    }
    if (go->flags & WIRE_GO_STDIN_FD) {
        fds[n_fds++] = stdin_fd;
    }
    return wire_send(w->go, go, (uint32_t)size, fds, n_fds);
}

void worker_kill(Worker *w)
{
    struct wire_kill m = {.h = {WIRE_KILL, WIRE_VERSION}};

    if (w->control) {
        (void)wire_send(watch_fd(w->control), &m, sizeof(m), NULL, 0);
    }
}

static void listen_to_output(Worker *w)
{
    for (int i = 0; i < 2; i++) {
        if (w->output[i] && !w->output_ended[i]) {
            watch_pause(w->output[i], w->paused || w->resting);
        }
    }
}

void worker_pause_output(Worker *w, bool pause)
{
    w->paused = pause;
    listen_to_output(w);
}

static void on_rested(void *userdata)
{
    Worker *w = userdata;

    w->resting = false;
    listen_to_output(w);
}

static void rest(Worker *w)
{
    if (w->short_reads == REST_AFTER_READS) {
        /* A wish: without it the program waits for us now and then. */
        for (int i = 0; i < 2; i++) {
            (void)fcntl(watch_fd(w->output[i]), F_SETPIPE_SZ, REST_PIPE_SIZE);
        }
    }
    w->resting = true;
    listen_to_output(w);
    timer_start(w->rest, REST_MS);
}

/* True when the pipe is empty for now or has ended; false when there may be more. */
static bool read_output(Worker *w, int i, int reads, bool until_empty)
{
    static char chunk[READ_SIZE]; /* one loop, one thread */

    while (!w->output_ended[i] && reads-- > 0) {
        ssize_t n = read(watch_fd(w->output[i]), chunk, sizeof(chunk));

        if (n > 0) {
            w->handlers.on_output(w->userdata, i + 1, chunk, (size_t)n);
            if (!until_empty && (size_t)n < sizeof(chunk)) {
                w->short_reads++;
                return true; /* the loop says when there is more */
            }
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            return true;
        } else {
            w->output_ended[i] = true;
            watch_pause(w->output[i], true);
        }
    }
    return w->output_ended[i];
}

/* Whatever is read from one, the other may have ended with it. */
static void on_output(Worker *w, int i)
{
    (void)read_output(w, i, READS_PER_TURN, false);
    if (!__atomic_load_n(&w->page->ended, __ATOMIC_ACQUIRE)) {
        if (w->short_reads >= REST_AFTER_READS && !w->output_ended[i]) {
            rest(w);
        }
        return;
    }
    for (i = 0; i < 2; i++) {
        (void)read_output(w, i, READS_PER_TURN, true);
    }
    if (w->output_ended[0] && w->output_ended[1]) {
        w->handlers.on_ended(w->userdata);
    }
}

static void on_stdout(void *userdata)
{
    on_output(userdata, 0);
}

static void on_stderr(void *userdata)
{
    on_output(userdata, 1);
}

bool worker_drain(Worker *w)
{
    bool out = read_output(w, 0, DRAIN_READS_MAX, true);
    bool err = read_output(w, 1, DRAIN_READS_MAX, true);

    return out && err;
}

static void on_control(void *userdata)
{
    Worker *w = userdata;
    union {
        struct wire_header h;
        struct wire_exited exited;
        struct wire_swept swept;
    } m;
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds;
    long n;

    n = wire_recv(watch_fd(w->control), &m, sizeof(m), fds, &n_fds, 1);
    for (uint32_t i = 0; n > 0 && i < n_fds; i++) {
        close_p(&fds[i]);
    }
    if (n == -EAGAIN) {
        return;
    }
    if (n == (long)sizeof(m.exited) && m.h.type == WIRE_EXITED) {
        w->handlers.on_exited(w->userdata, &m.exited);
        return;
    }
    if (n == (long)sizeof(m.swept) && m.h.type == WIRE_SWEPT) {
        w->net_is_clean = m.swept.flags & WIRE_SWEPT_NET_CLEAN;
        return;
    }
    w->control = watch_free(w->control);
    w->handlers.on_gone(w->userdata);
}

const TemplateNet *worker_net(const Worker *w, bool *ret_clean)
{
    *ret_clean = w->net_is_clean;
    return &w->net;
}

uint64_t worker_number(const Worker *w)
{
    return w->number;
}

const char *worker_run_dir(const Worker *w)
{
    return w->run_dir;
}

void worker_page(const Worker *w, WorkerPage *ret)
{
    const volatile struct wire_page *p = w->page;
    size_t room = w->page_size - sizeof(*p);
    WorkerPage page;

    page.ended = __atomic_load_n(&w->page->ended, __ATOMIC_ACQUIRE) != 0;
    page.flags = p->flags;
    page.exit_code = p->exit_code & 0xff;
    page.cpu_us = p->cpu_us;
    page.max_rss_kb = p->max_rss_kb;
    page.result_bytes = p->result_bytes;
    page.result_chars = p->result_chars;
    page.head_bytes = MIN((size_t)p->head_bytes, room);
    page.tail_bytes = MIN((size_t)p->tail_bytes, room - page.head_bytes);
    page.head = w->page->result;
    page.tail = w->page->result + page.head_bytes;
    *ret = page;
}

Worker *worker_free(Worker *w)
{
    if (w) {
        close_spawn_fds(w);
        close_p(&w->go);
        watch_free(w->control);
        watch_free(w->output[0]);
        watch_free(w->output[1]);
        timer_free(w->rest);
        if (w->page) {
            (void)munmap(w->page, w->page_size);
        }
        free(w);
    }
    return NULL;
}
