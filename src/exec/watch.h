/* Descriptors and timers on the loop whose owner may forget them at once: libuv closes handles
 * asynchronously, so each lives in memory of its own that goes when its close callback has run.
 *
 * Ownership: a Watch owns its descriptor from a successful watch_new() on. No callback after
 * *_free(). Errors: 0 or -errno (a failing watch_new() leaves the descriptor to the caller).
 * Nothing blocks. Not for use after fork. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

typedef struct Watch Watch;
typedef struct Timer Timer;
typedef void (*WatchCallback)(void *userdata);

/* Calls back while fd is readable or at its end (level-triggered); fd becomes non-blocking. */
int watch_new(Watch **ret, uv_loop_t *loop, int fd, WatchCallback callback, void *userdata);
int watch_fd(const Watch *w);
void watch_pause(Watch *w, bool pause);
Watch *watch_free(Watch *w); /* closes the descriptor; NULL is fine; returns NULL */

int timer_new(Timer **ret, uv_loop_t *loop, WatchCallback callback, void *userdata);
void timer_start(Timer *t, uint64_t ms); /* once; a running timer starts anew */
void timer_stop(Timer *t);
Timer *timer_free(Timer *t); /* NULL is fine; returns NULL */
