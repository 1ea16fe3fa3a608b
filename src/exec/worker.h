/* The supervisor's side of one worker and its keeper: pipes, shared page, sockets. Never used for a
 * second program.
 *
 * Life: worker_new() -> worker_spawn() -> worker_go() -> on_ended, where the program ended by
 * itself
 * -> on_exited -> on_gone; on_gone alone when the keeper is lost. After on_gone nothing of the run
 * lives (as far as the keeper could see to it) and the owner frees the Worker. Handlers are never
 * called from inside these functions, except on_output from worker_drain(); after worker_free()
 * never. Errors: 0 or -errno. Nothing blocks. Not for use after fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "exec/template.h"
#include "wire/wire.h"

typedef struct Worker Worker;

typedef struct WorkerHandlers {
    void (*on_output)(void *userdata, int stream, const void *bytes, size_t n); /* stream 1 or 2 */
    /* The program says that it has ended, and nobody can write to its outputs any more. It is its
     * own word: something of the run may still live. */
    void (*on_ended)(void *userdata);
    void (*on_exited)(void *userdata, const struct wire_exited *m);
    void (*on_gone)(void *userdata);
} WorkerHandlers;

/* host_uid: whom the run is on the host, where the plan says as_root; else 0. */
int worker_new(Worker **ret, uv_loop_t *loop, uint64_t number, uint32_t host_uid,
        const char *run_dir, size_t result_bytes_max, const WorkerHandlers *handlers,
        void *userdata);
int worker_spawn(Worker *w, Template *t, int cgroup); /* -1: none; stays the caller's */
/* Whether it is ready and waits for its program. */
bool worker_waits(Worker *w);
/* The descriptors that the flags name; they stay the caller's. `near`: on our processor, where the
 * worker waits already. */
int worker_go(Worker *w, struct wire_go *go, int code_fd, int stdin_fd, bool near);
void worker_kill(Worker *w); /* on_exited and on_gone follow */
void worker_pause_output(Worker *w, bool pause);
/* Reads what the pipes hold right now; true when nothing was left (or both have ended), false when
 * its bound was reached. */
bool worker_drain(Worker *w);

/* After on_gone: its network namespace, and whether that can be another run's. */
const TemplateNet *worker_net(const Worker *w, bool *ret_clean);

uint64_t worker_number(const Worker *w);
const char *worker_run_dir(const Worker *w);
/* The page's fields, copied once and bounded; nothing in them is trusted. */
typedef struct WorkerPage {
    bool ended;
    uint32_t flags;
    int exit_code;
    uint64_t cpu_us, max_rss_kb; /* the worker's word */
    uint64_t result_bytes, result_chars;
    const char *head,
            *tail; /* into the shared memory: copy before use, the bytes may still change */
    size_t head_bytes, tail_bytes;
} WorkerPage;
void worker_page(const Worker *w, WorkerPage *ret);

/* What the worker has said of its set-up so far. */
typedef struct WorkerSetUp {
    bool done;      /* the program was started */
    uint32_t stage; /* else: it failed here (enum sandbox_stage), with this errno; 0: not a word */
    int error;
} WorkerSetUp;
WorkerSetUp worker_set_up(Worker *w);
/* The same, after which it can't say any more: a worker that can't say that it starts the program
 * does not. */
WorkerSetUp worker_last_word(Worker *w);

Worker *worker_free(Worker *w); /* closing the control socket tells the keeper to end the run */
