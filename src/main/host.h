/* What serve, run and doctor share: the process made fit for the work, a loop, the runner on it,
 * the signals that end us, and an orderly end that is bounded in time.
 *
 * Order: host_prepare() once, at the start of main; host_open(); callbacks set; host_run(), which
 * returns after host_stop() has been called and everything has come to its end; host_close().
 * Nothing blocks but host_run(). Errors: 0 or -errno. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "exec/runner.h"
#include "exec/settings.h"

enum {
    HOST_SIGNALS = 3,
    HOST_STOP_MS = 1500, /* the runner promises a second */
    HOST_NO_DEADLINE = 0,
};

typedef struct Host {
    uv_loop_t loop;
    Runner *runner;
    uv_signal_t signals[HOST_SIGNALS];
    int n_signals;
    int n_signals_seen;
    uv_timer_t runner_deadline;
    uv_timer_t deadline;
    bool stopping;
    bool runner_gone;
    bool overdue; /* the deadline has passed: what is not done is left */
    bool finished;
    /* The first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once, 128 + N. */
    void (*on_signal)(struct Host *h, int number);
    /* While stopping: has all output left? NULL: there is none. */
    bool (*is_drained)(struct Host *h);
} Host;

/* Descriptors 0 to 2 open, the others not inherited by children; no core dumps; SIGPIPE and
 * SIGXFSZ ignored; SIGCHLD and the signal mask as a program expects them, whatever the parent left.
 */
void host_prepare(void);

int host_open(Host *h, const Settings *settings);
/* Of a host_open() or runner_start() that failed with `error` (-errno): one sentence, without a
 * period. Returns the exit status it deserves: EXIT_USAGE where RUNNER_SANDBOX asks for more than
 * holds here. */
int host_refusal(const Settings *settings, int error, char *ret, size_t size);
void host_run(Host *h);
/* Begins the end: the runner stops (which kills what runs), then host_run() returns as soon as
 * is_drained() agrees, or after deadline_ms at the latest. May be called again to shorten the
 * deadline. */
void host_stop(Host *h, uint64_t deadline_ms);
void host_poke(Host *h);                   /* is_drained() may have changed */
void host_close(Host *h, int exit_status); /* does not return when the runner is still there */
