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

static int make_base_dir(Runner *r)
{
    int n = snprintf(
            r->base_dir, sizeof(r->base_dir), "%s/python-runner-XXXXXX", r->settings->temp_dir);
    int e = n < 0 || (size_t)n + 40 >= sizeof(r->base_dir) ? -ENAMETOOLONG : 0;

    if (e == 0 && !mkdtemp(r->base_dir)) {
        e = -errno;
    }
    if (e < 0) {
        r->base_dir[0] = '\0';
    }
    return e;
}

static int new_run_dir(Runner *r, char ret_path[WIRE_PATH_MAX])
{
    uint64_t name;
    int e = 0;

    if (r->plan.layers & SANDBOX_NAMESPACES) {
        (void)snprintf(ret_path, WIRE_PATH_MAX, "%s", SANDBOX_RUN_DIR);
        return 0;
    }
    /* A keeper whose supervisor seemed to be gone may have removed it with its own. */
    if (!r->base_dir[0] || access(r->base_dir, W_OK) < 0) {
        e = make_base_dir(r);
    }
    if (e == 0) {
        e = uv_random(NULL, NULL, &name, sizeof(name), 0, NULL);
    }
    if (e < 0) {
        return e;
    }
    (void)snprintf(
            ret_path, WIRE_PATH_MAX, "%.470s/%016llx", r->base_dir, (unsigned long long)name);
    return 0;
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

    e = new_run_dir(r, run_dir);
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
    e = timer_new(&s->timer, r->loop, on_timer, s);
    if (e == 0) {
        e = worker_new(&s->worker, r->loop, ++r->next_number,
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

Slot *slot_free(Slot *s)
{
    Slot **p = &s->runner->slots;

    while (*p != s) {
        p = &(*p)->next;
    }
    *p = s->next;
    s->runner->n_slots--;
    pool_forget(&s->runner->pool, s);
    worker_free(s->worker);
    timer_free(s->timer);
    free(s);
    return NULL;
}
