/* Workers that were forked and locked in beforehand, and wait for a program. Never used for a
 * second one.
 *
 * `target` of them are kept. The pool is filled from a timer, one fork at a time, a moment after
 * something happened: the answer leaves first, and a burst of calls does not compete with a burst
 * of forks. While a program runs that moment is longer, unless nobody is left who waits; while
 * programs keep all processors busy only an empty pool is filled. Private to exec;
 * nothing blocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "exec/watch.h"

typedef struct Slot Slot;
typedef struct Runner Runner;

typedef struct Pool {
    Runner *runner;
    Timer *timer;
    Slot *first; /* by Slot.pool_next, the newest first */
    size_t n, target;
    unsigned int n_cpus;
    unsigned int looks; /* at workers that were not ready yet, since the last fork */
} Pool;

int pool_init(Pool *p, Runner *r, size_t target);
void pool_deinit(Pool *p);
void pool_add(Pool *p, Slot *s);
Slot *pool_take(Pool *p); /* the newest, whose memory is nearest; NULL when there is none */
void pool_forget(Pool *p, Slot *s); /* it is gone; nothing happens when it is not in the pool */
void pool_refill_soon(Pool *p);
