/* Theory of operation: another template after so many runs
 *
 * All programs of one template have its address layout and its hash seed in common. So after
 * RUNNER_TEMPLATE_MAX_RUNS of them another one is started beside it, and takes over when it is
 * ready: there is no moment without a template, however long the preload takes. The workers that
 * wait are used up first, as ever; the old one is ended when nothing that it has forked lives.
 *
 *   r->template   forks       r->next   is being started, or NULL       r->old[]   wait for their
 * runs
 *
 * Should the one that forks be killed, the next one, ready or not, takes its place. Should the next
 * one not start, the old one goes on, and it is tried again later: an interpreter may be replaced
 * by a newer one just now. */

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "exec/job.h"

enum { RETRY_US = 5 * 1000000 };

static bool has_runs(const Runner *r, const Template *t)
{
    const Slot *s = r->slots;

    while (s && s->template != t) {
        s = s->next;
    }
    return s != NULL;
}

static void start_next(Runner *r)
{
    int e = template_new_like(&r->next, r->template);

    if (e == 0) {
        e = template_start(r->next);
        r->next = e < 0 ? template_free(r->next) : r->next;
    }
    if (e < 0) {
        r->recycle_after_us = clock_now_us() + RETRY_US;
        log_warning(
                NULL, "no new template could be started: %s; the old one goes on", strerror(-e));
    }
}

void recycle_forked(Runner *r)
{
    int64_t most = r->settings->template_max_runs;

    r->forked++;
    if (most > 0 && r->forked >= (uint64_t)most && !r->next && r->n_old < RECYCLE_OLD_MAX &&
            !r->stopping && clock_now_us() >= r->recycle_after_us) {
        start_next(r);
    }
}

/* It may be one of its own callbacks that we are in: it goes from the loop. */
static void retire(Runner *r, Template *t)
{
    r->old[r->n_old++] = t;
    recycle_sweep(r);
}

static void take_over(Runner *r)
{
    Template *before = r->template;

    log_debug(NULL, "template %d takes over from %d after %llu runs", (int)template_pid(r->next),
            (int)template_pid(before), (unsigned long long)r->forked);
    r->template = r->next;
    r->next = NULL;
    r->forked = 0;
    retire(r, before);
}

void recycle_ready(Runner *r, const Template *t)
{
    if (t == r->next) {
        take_over(r);
    }
}

bool recycle_ended(Runner *r, Template *t, const char *reason)
{
    run_template_ended(r, t);
    if (t == r->template && r->next) {
        log_warning(
                NULL, "the template %s; running programs go on, the next one takes over", reason);
        take_over(r);
        r->template_ready_us = template_state(r->template) == TEMPLATE_READY ? clock_now_us() : 0;
        return true;
    }
    if (t == r->next) {
        log_warning(NULL, "the new template %s; the old one goes on", reason);
        r->next = NULL;
        r->recycle_after_us = clock_now_us() + RETRY_US;
        retire(r, t);
    }
    return t != r->template;
}

void recycle_sweep(Runner *r)
{
    if (r->n_old > 0) {
        timer_start(r->recycle_timer, 0);
    }
}

void recycle_on_timer(void *userdata)
{
    Runner *r = userdata;
    size_t n = 0;

    for (size_t i = 0; i < r->n_old; i++) {
        if (has_runs(r, r->old[i])) {
            r->old[n++] = r->old[i];
        } else {
            log_debug(NULL, "template %d has no runs any more", (int)template_pid(r->old[i]));
            template_free(r->old[i]);
        }
    }
    r->n_old = n;
}

void recycle_free(Runner *r)
{
    r->next = template_free(r->next);
    while (r->n_old > 0) {
        template_free(r->old[--r->n_old]);
    }
}

void recycle_reaped(Runner *r, pid_t pid, int wait_status)
{
    if (r->next) {
        (void)template_reaped(r->next, pid, wait_status);
    }
    for (size_t i = 0; i < r->n_old; i++) {
        (void)template_reaped(r->old[i], pid, wait_status);
    }
}

size_t recycle_pids(const Runner *r, pid_t ret_pids[RECYCLE_OLD_MAX + 1])
{
    size_t n = 0;

    if (r->next && template_pid(r->next) > 0) {
        ret_pids[n++] = template_pid(r->next);
    }
    for (size_t i = 0; i < r->n_old; i++) {
        if (template_pid(r->old[i]) > 0) {
            ret_pids[n++] = template_pid(r->old[i]);
        }
    }
    return n;
}
