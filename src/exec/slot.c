/* Places for runs: a worker with its channels, its directory, its uid. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/macro.h"
#include "exec/job.h"
#include "sandbox/sandbox.h"

/* Without a private root runs differ in their directories' names alone, which nobody can guess or
 * list: Landlock does not show what is above. There is no directory of ours above them, since a
 * program can change the mode of whatever its user owns, and the next run would fail. */
int slot_run_dir(
        const struct sandbox_plan *plan, const Settings *settings, char ret_path[WIRE_PATH_MAX])
{
    uint64_t name;
    int n, e;

    if (plan->layers & SANDBOX_NAMESPACES) {
        (void)snprintf(ret_path, WIRE_PATH_MAX, "%s", SANDBOX_RUN_DIR);
        return 0;
    }
    e = uv_random(NULL, NULL, &name, sizeof(name), 0, NULL);
    if (e < 0) {
        return e;
    }
    n = snprintf(ret_path, WIRE_PATH_MAX, "%s/python-runner-%016llx", settings->temp_dir,
            (unsigned long long)name);
    return n < 0 || n >= WIRE_PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The lowest number that no other slot has: as root, each place has a uid of its own. */
static uint32_t free_place(const Runner *r, const Slot *self)
{
    for (uint32_t place = 0;; place++) {
        const Slot *s = r->slots;

        while (s && (s == self || s->place != place)) {
            s = s->next;
        }
        if (!s) {
            return place;
        }
    }
}

int slot_new(Slot **ret, Runner *r, const WorkerHandlers *handlers, WatchCallback on_timer)
{
    char run_dir[WIRE_PATH_MAX];
    Slot *s;
    int e;

    e = slot_run_dir(&r->plan, r->settings, run_dir);
    if (e < 0) {
        return e;
    }
    s = calloc(1, sizeof(*s));
    if (!s) {
        return -ENOMEM;
    }
    s->runner = r;
    s->next = r->slots;
    r->slots = s;
    r->n_slots++;
    s->place = free_place(r, s);
    s->template = r->template;
    r->next_number++;
    e = timer_new(&s->timer, r->loop, on_timer, s);
    if (e == 0) {
        e = sandbox_run_new(&s->run, &r->plan, r->next_number);
    }
    if (e == 0) {
        e = worker_new(&s->worker, r->loop, r->next_number,
                r->plan.as_root ? SANDBOX_HOST_UID_BASE + s->place : 0, run_dir,
                r->plan.result_bytes_max, handlers, s);
    }
    if (e < 0) {
        slot_free(s);
        return e;
    }
    *ret = s;
    return 0;
}

static void give_net_back(const Slot *s)
{
    bool clean;
    const TemplateNet *net = worker_net(s->worker, &clean);

    template_free_net(s->template, net, clean);
}

Slot *slot_free(Slot *s)
{
    Slot **p = &s->runner->slots;

    while (*p != s) {
        p = &(*p)->next;
    }
    *p = s->next;
    s->runner->n_slots--;
    pool_forget(&s->runner->pool, s);
    if (s->worker && !s->runner->stopping) {
        give_net_back(s);
    }
    worker_free(s->worker);
    timer_free(s->timer);
    if (s->run) {
        s->run = sandbox_run_free(s->run);
        runner_sweep(s->runner);
    }
    recycle_sweep(s->runner);
    free(s);
    return NULL;
}
