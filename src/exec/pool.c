#include "exec/pool.h"

#include "base/macro.h"
#include "exec/job.h"

enum {
    REFILL_DELAY_MS = 2,
    BUSY_DELAY_MS = 20, /* most programs have ended by then */
    REFILL_RETRY_MS = 50,
    LOOKS_MAX = 20,
};

/* The programs that run have the processors first; but somebody has to be ready for the next call.
 */
static bool may_fork(const Pool *p)
{
    const Runner *r = p->runner;

    return !r->stopping && !r->waiting_for_fork && template_state(r->template) == TEMPLATE_READY &&
           (p->n == 0 || r->running.n < p->n_cpus);
}

static void refill_after(Pool *p, bool busy)
{
    timer_start(p->timer, busy && p->n > 0 ? BUSY_DELAY_MS : REFILL_DELAY_MS);
}

static bool all_wait(const Pool *p)
{
    bool all = true;

    for (Slot *s = p->first; s; s = s->pool_next) {
        all = worker_waits(s->worker) && all;
    }
    return all;
}

/* Whether a new worker is ready is asked while no call waits for it. */
static void look_at_new(Pool *p)
{
    if (!all_wait(p) && p->looks++ < LOOKS_MAX) {
        timer_start(p->timer, REFILL_DELAY_MS);
    }
}

static void on_timer(void *userdata)
{
    Pool *p = userdata;

    if (p->n >= p->target || !may_fork(p)) {
        look_at_new(p); /* the next end of a run comes here again */
    } else if (run_prepare(p->runner) < 0) {
        timer_start(p->timer, REFILL_RETRY_MS);
    } else {
        p->looks = 0;
        refill_after(p, p->runner->running.n > 0);
    }
}

int pool_init(Pool *p, Runner *r, size_t target)
{
    *p = (Pool){.runner = r, .target = target, .n_cpus = MAX(uv_available_parallelism(), 1U)};
    return timer_new(&p->timer, r->loop, on_timer, p);
}

void pool_deinit(Pool *p)
{
    p->timer = timer_free(p->timer);
}

void pool_add(Pool *p, Slot *s)
{
    s->pool_next = p->first;
    p->first = s;
    s->waiting = true;
    p->n++;
}

static void unlink_slot(Pool *p, Slot **link)
{
    Slot *s = *link;

    *link = s->pool_next;
    s->pool_next = NULL;
    s->waiting = false;
    p->n--;
}

/* One of a template that waits for its workers to be used up, else the newest that is ready, else
 * the newest. */
static Slot **choose(Pool *p)
{
    Slot **link = &p->first;

    while (*link && (*link)->template == p->runner->template) {
        link = &(*link)->pool_next;
    }
    if (*link) {
        return link;
    }
    link = &p->first;
    while (*link && !worker_waits((*link)->worker)) {
        link = &(*link)->pool_next;
    }
    return *link ? link : &p->first;
}

Slot *pool_take(Pool *p)
{
    Slot **link = choose(p);
    Slot *s = *link;

    if (s) {
        unlink_slot(p, link);
        refill_after(p, true);
    }
    return s;
}

void pool_forget(Pool *p, Slot *s)
{
    for (Slot **link = &p->first; s->waiting && *link; link = &(*link)->pool_next) {
        if (*link == s) {
            unlink_slot(p, link);
            return;
        }
    }
}

void pool_refill_soon(Pool *p)
{
    if (p->timer && p->n < p->target && !p->runner->stopping) {
        refill_after(p, p->runner->running.n > 0);
    }
}
