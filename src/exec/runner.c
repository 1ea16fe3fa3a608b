/* Theory of operation
 *
 * Calls wait in one queue, in order. runner_dispatch() gives the first one a slot whenever there is
 * a free slot and a template to fork its worker; it is called at every event that could change
 * either. run.c has the life of one run.
 *
 * The template is started with the server and again whenever it has ended. One that does not even
 * start is tried again while calls wait, TEMPLATE_STARTS_MAX times in all (somebody may have killed
 * it); then the calls fail, with its reason, rather than hang, and the next one tries anew. */

#include "exec/runner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/macro.h"
#include "exec/job.h"
#include "sandbox/sandbox.h"

enum {
    TEMPLATE_SHORT_LIFE_US =
            1000000, /* ended sooner than this after a start: not started again without a call */
    TEMPLATE_STARTS_MAX = 3,
    TEMPLATE_RESTART_MS = 300, /* after a short life, when no call waits */
    ORPHAN_HUNT_MS = 20,
    ORPHAN_LOOKS = 20,
    SWEEP_MS = 5,
    CLEARING_MS = 200,
    STOP_PATIENCE_MS = 600,
};

static const size_t held_bytes_max =
        (size_t)256 * 1024 * 1024; /* programs and inputs that wait, together */

static void on_hello(void *userdata, const struct wire_hello *hello);
static void on_template_ready(void *userdata, Template *t);
static void on_spawned(void *userdata, Template *t, uint64_t run, pid_t keeper_pid, int error);
static void on_template_ended(void *userdata, Template *t, const char *reason);
static void on_retry(void *userdata);
static void on_orphans(void *userdata);
static void on_sweep(void *userdata);
static void on_stop_timeout(void *userdata);

/* life */

static int build_plan(Runner *r)
{
    const Settings *s = r->settings;
    SandboxLimits limits = {
            .memory_bytes = (uint64_t)s->max_memory_mb << 20,
            .cpu_us = (uint64_t)s->max_cpu_seconds * 1000000,
            .file_bytes = (uint64_t)s->max_file_size_mb << 20,
            .processes = (uint32_t)s->max_processes,
            .concurrent = (uint32_t)s->max_concurrent,
            .result_bytes_max = (uint64_t)s->max_output_chars * 4, /* UTF-8, RFC 3629 */
    };

    return sandbox_plan_build(&limits, &r->plan);
}

static int make_timers(Runner *r)
{
    int e = timer_new(&r->retry_timer, r->loop, on_retry, r);

    if (e == 0) {
        e = timer_new(&r->orphan_timer, r->loop, on_orphans, r);
    }
    if (e == 0) {
        e = timer_new(&r->sweep_timer, r->loop, on_sweep, r);
    }
    if (e == 0) {
        e = timer_new(&r->stop_timer, r->loop, on_stop_timeout, r);
    }
    if (e == 0) {
        e = timer_new(&r->recycle_timer, r->loop, recycle_on_timer, r);
    }
    if (e == 0) {
        e = pool_init(&r->pool, r, (size_t)r->settings->warm_workers);
    }
    return e;
}

int runner_new(Runner **ret, uv_loop_t *loop, const Settings *settings)
{
    static const TemplateHandlers handlers = {.on_hello = on_hello,
            .on_ready = on_template_ready,
            .on_spawned = on_spawned,
            .on_ended = on_template_ended};
    Runner *r = calloc(1, sizeof(*r));
    int e;

    if (!r) {
        return -ENOMEM;
    }
    r->loop = loop;
    r->settings = settings;
    e = build_plan(r);
    if (e == 0) {
        e = make_timers(r);
    }
    if (e == 0) {
        preload_init(&r->preload, settings->preload, settings->site_packages);
        e = template_new(&r->template, loop, settings, &r->plan, &r->preload, &handlers, r);
    }
    if (e < 0) {
        runner_free(r);
        return e;
    }
    *ret = r;
    return 0;
}

Runner *runner_free(Runner *r)
{
    if (r) {
        while (r->slots) {
            slot_free(r->slots);
        }
        while (r->queue.first) {
            Job *j = r->queue.first;

            job_list_remove(&r->queue, j);
            job_free(j);
        }
        template_free(r->template);
        recycle_free(r);
        timer_free(r->recycle_timer);
        timer_free(r->retry_timer);
        timer_free(r->orphan_timer);
        timer_free(r->sweep_timer);
        timer_free(r->stop_timer);
        pool_deinit(&r->pool);
        free(r);
    }
    return NULL;
}

/* Ended children: the template, keepers, and whatever was handed to us as their orphan (or to
 * process 1). */
static void on_child(uv_signal_t *handle, int signum)
{
    Runner *r = handle->data;
    int status;
    pid_t pid;

    (void)signum;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (r->template) {
            (void)template_reaped(r->template, pid, status);
        }
        recycle_reaped(r, pid, status);
    }
}

static void free_signal(uv_handle_t *handle)
{
    free(handle);
}

static int watch_children(Runner *r)
{
    uv_signal_t *signal =
            calloc(1, sizeof(*signal)); /* outlives the runner until its close callback */
    int e;

    if (!signal) {
        return -ENOMEM;
    }
    e = uv_signal_init(r->loop, signal);
    if (e < 0) {
        free(signal);
        return e;
    }
    signal->data = r;
    r->child_signal = signal;
    return uv_signal_start(signal, on_child, SIGCHLD);
}

static void unwatch_children(Runner *r)
{
    if (r->child_signal) {
        uv_close((uv_handle_t *)r->child_signal, free_signal);
        r->child_signal = NULL;
    }
}

int runner_start(Runner *r, void (*on_ready)(void *userdata, const char *error), void *userdata)
{
    int e = watch_children(r);

    if (e < 0) {
        return e;
    }
    r->on_ready = on_ready;
    r->ready_userdata = userdata;
    return template_start(r->template);
}

const RunnerInfo *runner_info(const Runner *r)
{
    return template_info(r->template);
}

const Preload *runner_preload(const Runner *r)
{
    return &r->preload;
}

void runner_request_id(char ret_id[9])
{
    static uint32_t numbers[64]; /* a system call for many */
    static size_t left;

    if (left == 0) {
        (void)uv_random(NULL, NULL, numbers, sizeof(numbers), 0, NULL);
        left = ARRAY_SIZE(numbers);
    }
    (void)snprintf(ret_id, 9, "%08x", numbers[--left]);
}

/* template */

static void tell_ready(Runner *r, const char *error)
{
    void (*on_ready)(void *, const char *) = r->on_ready;

    r->on_ready = NULL;
    if (on_ready) {
        on_ready(r->ready_userdata, error);
    }
}

static void on_hello(void *userdata, const struct wire_hello *hello)
{
    Runner *r = userdata;
    int e;

    for (size_t i = 0; i < WIRE_PREFIXES_MAX; i++) {
        char prefix[WIRE_PREFIX_SIZE + 1] = "";

        memcpy(prefix, hello->prefixes[i], WIRE_PREFIX_SIZE);
        if (prefix[0] && sandbox_plan_add_interpreter(&r->plan, prefix) < 0) {
            log_warning(NULL,
                    "%s can't be shown to programs: its path is too long, or there are too many",
                    prefix);
        }
    }
    e = sandbox_plan_finish(&r->plan, hello->pid);
    if (e < 0) {
        log_error(NULL, "programs may signal the template: %s", strerror(-e));
    }
    tell_ready(userdata, NULL);
}

static void on_template_ready(void *userdata, Template *t)
{
    Runner *r = userdata;

    recycle_ready(r, t);
    r->template_ready_us = clock_now_us();
    r->template_failed_starts = 0;
    runner_dispatch(r);
}

static void on_spawned(void *userdata, Template *t, uint64_t run, pid_t keeper_pid, int error)
{
    Runner *r = userdata;

    run_spawned(r, run, keeper_pid, error);
    if (r->settings->warm_workers == 0 && !error) {
        template_retire(r->template); /* cold mode: each run has an address layout and a hash seed
                                         of its own */
        r->template_ready_us = 0;
    } else if (!error && t == r->template) {
        recycle_forked(r);
    }
    runner_dispatch(r);
    runner_check_stopped(r);
}

static void fail_queue(Runner *r, const char *reason)
{
    char text[1024];

    (void)snprintf(text, sizeof(text),
            "The Python interpreter %s could not be started: %s. The program did not run. Set "
            "RUNNER_PYTHON to a working "
            "CPython 3.9 or newer and restart the server.",
            r->settings->python, reason);
    for (size_t n = r->queue.n; n > 0 && r->queue.first; n--) {
        Job *j = r->queue.first;

        job_list_remove(&r->queue, j);
        run_fail(j, text);
    }
}

static void on_template_ended(void *userdata, Template *t, const char *reason)
{
    Runner *r = userdata;
    bool had_been_ready = r->template_ready_us != 0;
    bool short_life = clock_now_us() - r->template_ready_us < TEMPLATE_SHORT_LIFE_US;

    if (r->stopping) {
        return;
    }
    if (recycle_ended(r, t, reason)) {
        runner_dispatch(r);
        return;
    }
    r->template_ready_us = 0;
    r->forked = 0;
    if (r->on_ready) {
        (void)snprintf(r->ready_error, sizeof(r->ready_error),
                "%s%s: can't be used: it %s; allowed is a standard build of CPython 3.9 or newer",
                getenv("RUNNER_PYTHON") ? "RUNNER_PYTHON="
                                        : "RUNNER_PYTHON is not set, and python3 on PATH is ",
                r->settings->python, reason);
        tell_ready(r, r->ready_error);
        return;
    }
    if (!had_been_ready && ++r->template_failed_starts >= TEMPLATE_STARTS_MAX) {
        r->template_failed_starts = 0;
        fail_queue(r, reason);
        return;
    }
    log_warning(NULL, "the template %s; running programs go on, a new one is started", reason);
    if (!short_life || r->queue.n > 0) {
        int e = template_start(r->template);

        if (e < 0) {
            fail_queue(r, strerror(-e));
        }
    } else {
        timer_start(r->retry_timer, TEMPLATE_RESTART_MS);
    }
}

/* queue */

static void may_not_start(Runner *r, Job *j, int e)
{
    char text[384];

    (void)snprintf(text, sizeof(text),
            "The run could not be set up: %s (run directories go below %s). The program did not "
            "run. Run "
            "`python-runner-mcp doctor` to see what this machine allows.",
            strerror(-e), r->settings->temp_dir);
    run_fail(j, text);
}

size_t runner_busy_slots(const Runner *r)
{
    return r->n_slots - r->pool.n;
}

/* Without a private root runs share /dev/shm, and what an answered one leaves is there until its
 * keeper has gone: the next program starts after that, or after so long. */
static bool is_clearing(Runner *r)
{
    const Slot *s = r->plan.layers & SANDBOX_NAMESPACES ? NULL : r->slots;
    uint64_t now = clock_now_us();

    while (s && (s->job || s->waiting)) {
        s = s->next;
    }
    if (!s) {
        r->clearing_us = 0;
        return false;
    }
    r->clearing_us = r->clearing_us ? r->clearing_us : now;
    if (now - r->clearing_us >= CLEARING_MS * 1000ULL) {
        return false;
    }
    timer_start(r->retry_timer, CLEARING_MS);
    return true;
}

static void dispatch(Runner *r, bool may_answer)
{
    while (!r->stopping && r->queue.first &&
            runner_busy_slots(r) < (size_t)r->settings->max_concurrent &&
            template_state(r->template) == TEMPLATE_READY && !r->waiting_for_fork &&
            !is_clearing(r)) {
        Job *j = r->queue.first;
        int e;

        job_list_remove(&r->queue, j);
        e = run_start(r, j);
        if (e == -EPIPE || e == -ECONNRESET) {
            /* The template is dead and the loop has not seen it yet: on_template_ended() starts
             * another, and the queue goes on from there. */
            runner_requeue(r, j);
            return;
        }
        if (e < 0 && may_answer) {
            may_not_start(r, j, e);
        } else if (e < 0) {
            runner_requeue(r, j); /* answered from the loop, not from inside runner_submit() */
            timer_start(r->retry_timer, 0);
            return;
        }
    }
    /* In cold mode the next one is started when nothing runs, and waits. */
    if (!r->stopping && (r->queue.first || r->pool.target > 0 || r->running.n == 0) &&
            template_state(r->template) == TEMPLATE_DOWN) {
        int e = template_start(r->template);

        if (e < 0 && may_answer) {
            fail_queue(r, strerror(-e));
        } else if (e < 0) {
            timer_start(r->retry_timer, 0);
        }
    }
}

void runner_dispatch(Runner *r)
{
    dispatch(r, true);
    pool_refill_soon(&r->pool);
}

void runner_requeue(Runner *r, Job *j)
{
    j->started_us = 0;
    job_list_push_front(&r->queue, j);
}

void runner_wait_for_fork(Runner *r)
{
    r->waiting_for_fork = true;
    timer_start(r->retry_timer, JOB_FORK_RETRY_MS);
}

static void on_retry(void *userdata)
{
    Runner *r = userdata;

    r->waiting_for_fork = false;
    runner_dispatch(r);
}

int runner_submit(Runner *r, const JobRequest *request, const JobHandlers *handlers, void *userdata,
        Job **ret_job)
{
    Job *j;
    int e;

    if (r->queue.n >= (size_t)r->settings->max_queue &&
            runner_busy_slots(r) >= (size_t)r->settings->max_concurrent) {
        return RUNNER_E_QUEUE_FULL;
    }
    if (r->queue.n > 0 && r->held_bytes + request->code_bytes + request->stdin_n > held_bytes_max) {
        return RUNNER_E_QUEUE_FULL;
    }
    e = job_new(&j, r, request, handlers, userdata);
    if (e < 0) {
        return e;
    }
    job_list_push(&r->queue, j);
    *ret_job = j;
    dispatch(r, false);
    return 0;
}

void job_cancel(Job *job)
{
    if (job->slot) {
        run_cancel(job);
    } else {
        job_list_remove(&job->runner->queue, job);
        job_free(job);
    }
}

size_t runner_active(const Runner *r)
{
    return r->queue.n + r->running.n;
}

/* orphans and the end */

static void look_for_orphans(Runner *r)
{
    pid_t known[4 * 64 + 2 + RECYCLE_OLD_MAX];
    size_t n = recycle_pids(r, known);

    if (r->template && template_pid(r->template) > 0) {
        known[n++] = template_pid(r->template);
    }
    for (const Slot *s = r->slots; s && n < ARRAY_SIZE(known); s = s->next) {
        if (s->keeper_pid > 0) {
            known[n++] = s->keeper_pid;
        }
    }
    /* Their own children come to us as they die, so it takes as many looks as the family is deep.
     */
    if (sandbox_kill_orphans(known, n) > 0 || r->orphan_looks > 0) {
        timer_start(r->orphan_timer, ORPHAN_HUNT_MS);
    }
}

/* A dying process closes its descriptors, which is how we learn of it, some time before its
 * children become ours: do_exit() in kernel/exit.c. So one look that finds nothing proves nothing.
 */
void runner_hunt_orphans(Runner *r)
{
    r->orphan_looks = ORPHAN_LOOKS;
    look_for_orphans(r);
}

static bool some_keeper_is_unnamed(const Runner *r)
{
    for (const Slot *s = r->slots; s; s = s->next) {
        if (s->keeper_pid == 0 && !s->exited) {
            return true;
        }
    }
    return false;
}

static void on_orphans(void *userdata)
{
    Runner *r = userdata;

    r->orphan_looks -= MIN(r->orphan_looks, 1);
    if (r->orphan_looks > 0 && some_keeper_is_unnamed(r)) {
        timer_start(r->orphan_timer, ORPHAN_HUNT_MS); /* it would pass for an orphan */
        return;
    }
    look_for_orphans(r);
}

void runner_sweep(Runner *r)
{
    if (sandbox_runs_sweep() > 0) {
        timer_start(r->sweep_timer, SWEEP_MS);
    }
}

static void on_sweep(void *userdata)
{
    runner_sweep(userdata);
}

void runner_check_stopped(Runner *r)
{
    void (*on_stopped)(void *) = r->on_stopped;

    if (!r->stopping || r->slots || !on_stopped) {
        return;
    }
    r->on_stopped = NULL;
    timer_stop(r->stop_timer);
    timer_stop(r->orphan_timer);
    timer_stop(r->sweep_timer);
    timer_stop(r->retry_timer);
    timer_stop(r->recycle_timer);
    unwatch_children(r);
    on_stopped(r->stopped_userdata);
}

static void on_stop_timeout(void *userdata)
{
    Runner *r = userdata;

    run_kill_all(r, true);
    while (r->slots) {
        run_remove_dir(r->slots);
        slot_free(r->slots);
    }
    runner_hunt_orphans(r);
    runner_check_stopped(r);
}

void runner_stop(Runner *r, void (*on_stopped)(void *userdata), void *userdata)
{
    r->stopping = true;
    r->on_stopped = on_stopped;
    r->stopped_userdata = userdata;
    while (r->queue.first) {
        job_cancel(r->queue.first);
    }
    while (r->running.first) {
        job_cancel(r->running.first);
    }
    run_kill_all(r, false);
    r->template = template_free(r->template);
    recycle_free(r);
    timer_start(r->stop_timer, r->slots ? STOP_PATIENCE_MS : 0);
}
