/* Theory of operation: one run, from its slot to its answer
 *
 * - run_start(): SPAWN to the template and GO into the worker's socket at once, where no worker
 *   waits: it finds the program there
 * - run_spawned(): the keeper exists, the wall clock starts
 * - on_ended(): the program has written its end record and nobody holds its outputs: answered
 * - on_exited(): the program's own process has ended: what the pipes hold is read; answered, if it
 *   was not
 * - on_gone(): nothing of the run lives and its directory is gone, the slot is free
 *
 * A run is over at the end of its process or when it says so and its outputs have ended, never at
 * the end of a pipe alone: grandchildren may hold that for ever. The keeper sweeps them after it
 * has reported, so the answer does not wait for them; nor does it wait for the process's tear-down.
 * Whoever lies in an end record ends only its own run: what lingers is killed.
 *
 * The one timer of a slot watches, in turn: that the template forks; the wall clock; that what has
 * been answered ends; that the keeper acts on a KILL.
 *
 * A keeper that goes without an EXITED was killed. If the worker has not said that it starts the
 * program, no instruction of it has run and another worker gets it; otherwise the caller is told
 * that its run was lost. Its orphans come to the supervisor. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/utf8.h"
#include "exec/job.h"
#include "sandbox/sandbox.h"

enum {
    LIMITS_MEET_US = 100000, /* a CPU limit this close to the wall clock is a timeout */
    LINGER_MS = 20,          /* from the end record to the end of the process */
};

static const uint64_t usage_max = 1ULL << 50; /* of the worker's word */

static void on_timer(void *userdata);
static void on_output(void *userdata, int stream, const void *bytes, size_t n);
static void on_ended(void *userdata);
static void on_exited(void *userdata, const struct wire_exited *m);
static void on_gone(void *userdata);

static void detach(Slot *s)
{
    if (s->job) {
        job_list_remove(&s->runner->running, s->job);
        s->job->slot = NULL;
        s->job = NULL;
    }
}

static void slot_kill(Slot *s)
{
    if (!s->killed) {
        s->killed = true;
        worker_kill(s->worker);
        timer_start(s->timer, JOB_KILL_TIMEOUT_MS);
    }
}

/* start */

static void start_clock(Slot *s)
{
    Job *j = s->job;

    s->spawned = true;
    timer_stop(s->timer);
    if (j && !s->killed) {
        j->started_us = clock_now_us();
        timer_start(s->timer, (uint64_t)j->timeout_ms);
        log_debug(j->request_id, "keeper %d, run %llu", (int)s->keeper_pid,
                (unsigned long long)worker_number(s->worker));
        if (j->handlers.on_started) {
            j->handlers.on_started(j->userdata, j);
        }
    } else if (s->killed) {
        timer_start(s->timer, JOB_KILL_TIMEOUT_MS);
    } else if (!s->waiting) {
        timer_start(s->timer, LINGER_MS); /* answered before we heard of its keeper */
    }
}

static int new_slot(Slot **ret, Runner *r)
{
    static const WorkerHandlers handlers = {.on_output = on_output,
            .on_ended = on_ended,
            .on_exited = on_exited,
            .on_gone = on_gone};
    Slot *s;
    int e = slot_new(&s, r, &handlers, on_timer);

    if (e < 0) {
        return e;
    }
    e = worker_spawn(s->worker, r->template, sandbox_run_fd(s->run));
    if (e < 0) {
        slot_free(s); /* a worker that was forked all the same finds its sockets closed and ends */
        return e;
    }
    timer_start(s->timer, JOB_SPAWN_TIMEOUT_MS);
    *ret = s;
    return 0;
}

int run_prepare(Runner *r)
{
    Slot *s;
    int e = new_slot(&s, r);

    if (e == 0) {
        pool_add(&r->pool, s);
    }
    return e;
}

static int hand_over(Slot *s, Job *j)
{
    bool alone = s->runner->running.n == 0;

    j->go->processes = sandbox_process_limit(&s->runner->plan);
    return worker_go(s->worker, j->go, j->code_fd, j->stdin_fd, alone);
}

int run_start(Runner *r, Job *j)
{
    Slot *s = pool_take(&r->pool);
    int e = s ? hand_over(s, j) : -ENOENT;

    if (s && e < 0) {
        slot_kill(s); /* it was lost while it waited; on_gone follows */
    }
    if (e < 0) {
        e = new_slot(&s, r);
        if (e == 0) {
            e = hand_over(s, j);
        }
        if (e < 0) {
            return e;
        }
    }
    s->job = j;
    j->slot = s;
    j->tries++;
    job_list_push(&r->running, j);
    if (s->spawned) {
        start_clock(s);
    }
    return 0;
}

/* There may be no room for another process right now: the run waits, for so long. `j` is out of its
 * slot. */
static bool try_fork_again(Runner *r, Job *j)
{
    if (!j->fork_failed_us) {
        j->fork_failed_us = clock_now_us();
    }
    if (clock_now_us() - j->fork_failed_us >= JOB_FORK_PATIENCE_MS * 1000ULL) {
        return false;
    }
    j->tries--;
    runner_requeue(r, j);
    runner_wait_for_fork(r);
    return true;
}

static void fork_failed(Slot *s, int error)
{
    Runner *r = s->runner;
    Job *j = s->job;
    char text[256];

    detach(s);
    slot_free(s);
    if (!j || try_fork_again(r, j)) {
        return;
    }
    (void)snprintf(text, sizeof(text),
            "No process could be started for the run: %s. The machine or container has too many "
            "processes or too "
            "little memory; lower RUNNER_MAX_CONCURRENT or raise its limit.",
            strerror(error));
    run_fail(j, text);
}

void run_spawned(Runner *r, uint64_t number, pid_t keeper_pid, int error)
{
    for (Slot *s = r->slots; s; s = s->next) {
        if (worker_number(s->worker) != number) {
            continue;
        }
        if (error) {
            fork_failed(s, error);
        } else {
            s->keeper_pid = keeper_pid;
            if (!s->spawned && !s->exited) {
                start_clock(s);
            }
        }
        return;
    }
}

void run_template_ended(Runner *r, const Template *t)
{
    for (Slot *s = r->slots; s; s = s->next) {
        if (s->template == t && !s->spawned && !s->exited) {
            start_clock(s); /* it may have been forked; if not, on_gone comes at once */
        }
    }
}

/* end */

static void on_output(void *userdata, int stream, const void *bytes, size_t n)
{
    Slot *s = userdata;
    Job *j = s->job;

    if (!j) {
        return;
    }
    j->newest = stream - 1;
    (void)capture_feed(&j->capture[stream - 1], bytes, n);
    if (j->handlers.on_output) {
        j->handlers.on_output(j->userdata, j, stream, bytes, n);
    }
}

static size_t keep_clean(const char *bytes, size_t n, char **ret_text, size_t *ret_n)
{
    Utf8 state = {0};
    size_t chars = 0, more = 0;
    char *copy = malloc(n + 1);
    char *text = malloc(UTF8_CLEAN_MAX(n));

    if (copy && text) {
        memcpy(copy, bytes, n); /* once: the program can still write to the page */
        *ret_n = utf8_clean(&state, copy, n, text, &chars);
        *ret_n += utf8_clean_end(&state, text + *ret_n, &more);
        *ret_text = text;
        text = NULL;
    }
    free(copy);
    free(text);
    return chars + more;
}

/* The value of the last expression, out of the shared page. The caller frees ret_texts. */
static void take_result(const WorkerPage *page, Outcome *o, char *ret_texts[2])
{
    size_t n[2] = {0, 0}, chars;

    chars = keep_clean(page->head, page->head_bytes, &ret_texts[0], &n[0]);
    chars += keep_clean(page->tail, page->tail_bytes, &ret_texts[1], &n[1]);
    o->has_result = true;
    o->result = (KeptText){.head = ret_texts[0],
            .head_bytes = n[0],
            .tail = ret_texts[1],
            .tail_bytes = n[1],
            .total_bytes = page->result_bytes};
    if (page->result_bytes > page->head_bytes + page->tail_bytes && page->result_chars > chars) {
        o->result.omitted_chars = page->result_chars - chars;
    }
}

/* Killed at its timeout. When we were held up ourselves (stopped, on a busy machine) the clock runs
 * out on a program that has ended in time: how it ended is the truth then. */
static bool clock_ended(const Job *j, const struct wire_exited *m)
{
    return j->timed_out && WIFSIGNALED(m->wait_status) && WTERMSIG(m->wait_status) == SIGKILL;
}

static void fill_status(Outcome *o, const Job *j, const struct wire_exited *m,
        const SandboxUsage *usage, int64_t timeout_us)
{
    int w = m->wait_status;
    bool cpu = m->flags & WIRE_EXITED_CPU_LIMIT;

    if (clock_ended(j, m) || (cpu && o->duration_us >= timeout_us - LIMITS_MEET_US)) {
        o->status = RUN_TIMEOUT;
    } else if (cpu) {
        o->status = RUN_CPU_LIMIT;
    } else if (WIFSIGNALED(w)) {
        bool memory = usage->memory_exceeded && WTERMSIG(w) == SIGKILL;

        o->status = memory ? RUN_MEMORY_LIMIT : RUN_SIGNALED;
        o->signal = WTERMSIG(w);
    } else {
        o->status = RUN_EXITED;
        o->exit_code = WEXITSTATUS(w);
    }
}

static void fill_common(Outcome *o, const Job *j)
{
    uint64_t now = clock_now_us();
    uint64_t started = j->started_us ? j->started_us : now;

    memcpy(o->request_id, j->request_id, sizeof(o->request_id));
    o->timeout_ms = j->timeout_ms;
    o->duration_us = (int64_t)(now - started);
    o->queued_us = (int64_t)(started - j->submitted_us);
}

static void deliver(Job *j, Outcome *o)
{
    for (int i = 0; i < 2; i++) {
        (void)capture_end(&j->capture[i]);
    }
    capture_text(&j->capture[0], &o->out);
    capture_text(&j->capture[1], &o->err);
    j->handlers.on_done(j->userdata, j, o);
    job_free(j);
}

static void fill_usage(
        Outcome *o, const struct wire_exited *m, const SandboxUsage *usage, bool reported)
{
    /* A keeper that went with its run could tell nothing. */
    o->cpu_us = (int64_t)(m->cpu_us ? m->cpu_us : usage->cpu_us);
    o->max_rss_kb = (int64_t)MAX(m->max_rss_kb, usage->peak_kb);
    if (reported && usage->cpu_us) {
        o->cpu_us = (int64_t)usage->cpu_us; /* the kernel knows better */
        o->max_rss_kb = (int64_t)usage->peak_kb;
        reported = usage->peak_kb == 0;
    }
    o->usage_reported = reported;
}

/* Killed when it had ended, and was about to be torn down: by a child of its own, for example. */
static bool killed_too_late(const Outcome *o, const WorkerPage *page)
{
    return o->status == RUN_SIGNALED && o->signal == SIGKILL && page->ended;
}

/* `reported`: m is the worker's word. */
static void answer(Slot *s, const struct wire_exited *m, bool reported)
{
    Job *j = s->job;
    Outcome o = {0};
    SandboxUsage usage;
    WorkerPage page;
    char *texts[2] = {NULL, NULL};

    worker_page(s->worker, &page);
    detach(s);
    fill_common(&o, j);
    sandbox_run_usage(s->run, &usage);
    fill_usage(&o, m, &usage, reported);
    fill_status(&o, j, m, &usage, j->timeout_ms * 1000);
    if (killed_too_late(&o, &page)) {
        o.status = RUN_EXITED;
        o.exit_code = page.exit_code;
        o.signal = 0;
    }
    if (o.status == RUN_EXITED && page.ended) {
        o.memory_error = page.flags & WIRE_PAGE_MEMORY_ERROR;
        o.syntax_error = page.flags & WIRE_PAGE_SYNTAX_ERROR;
        o.notebook_line = j->notebook_line;
        if (page.flags & WIRE_PAGE_HAS_RESULT) {
            take_result(&page, &o, texts);
        }
    }
    deliver(j, &o);
    free(texts[0]);
    free(texts[1]);
}

void run_fail(Job *j, const char *error)
{
    Outcome o = {.status = RUN_SANDBOX_ERROR, .error = error};

    log_error(j->request_id, "%s", error);
    fill_common(&o, j);
    deliver(j, &o);
}

static void fail_stage(Slot *s, uint32_t stage, int error)
{
    Job *j = s->job;
    char text[384];

    (void)snprintf(text, sizeof(text),
            "The run could not be set up: %s failed: %s. The program was not started. Run "
            "`python-runner-mcp doctor` to "
            "see what this machine allows.",
            sandbox_stage_name(stage), strerror(error));
    detach(s);
    if (stage == SANDBOX_STAGE_FORK && error == EAGAIN && try_fork_again(s->runner, j)) {
        return;
    }
    run_fail(j, text);
}

/* No instruction of the program has run: what it has written would say so too. */
static bool was_not_started(const Job *j, const WorkerSetUp *set_up)
{
    return !set_up->done && j->capture[0].total_bytes + j->capture[1].total_bytes == 0;
}

static void use_up_pool(Runner *r)
{
    Slot *waiting;

    while ((waiting = pool_take(&r->pool))) {
        slot_kill(waiting);
    }
}

static void try_again(Slot *s, const char *why)
{
    Job *j = s->job;

    detach(s);
    if (j->tries > 1) {
        use_up_pool(s->runner); /* whoever kills them has killed more than one */
    }
    log_warning(j->request_id, "the program had not been handed over (%s): trying again", why);
    runner_requeue(s->runner, j);
    runner_dispatch(s->runner);
}

/* A worker was killed, and the loop has not seen it yet; or it is killed as soon as it is there. */
static void worker_lost(Slot *s)
{
    Job *j = s->job;

    if (j->tries < JOB_TRIES_MAX) {
        try_again(s, "its worker was lost");
        return;
    }
    detach(s);
    run_fail(j,
            "The program was not started: one process after another that was to run it was killed "
            "from outside. Send the call again; if it happens again, look for what kills them: "
            "the machine may be out of memory.");
}

/* Whoever cleans temporary directories may have been there while workers waited: what one of them
 * lacks the others lack too. */
static void set_up_failed(Slot *s, const WorkerSetUp *set_up)
{
    if (s->job->tries > 1 || !was_not_started(s->job, set_up)) {
        fail_stage(s, set_up->stage, set_up->error);
        return;
    }
    use_up_pool(s->runner);
    try_again(s, sandbox_stage_name(set_up->stage));
}

static void on_ended(void *userdata)
{
    Slot *s = userdata;
    struct wire_exited m = {.wait_status = 0};
    WorkerPage page;

    worker_page(s->worker, &page);
    if (!s->job || s->killed || s->exited || !page.ended) {
        return;
    }
    if (!s->spawned) {
        s->job->started_us = clock_now_us(); /* it was quicker than the template's word */
    }
    m.wait_status = page.exit_code << 8; /* wait(2), WEXITSTATUS */
    m.cpu_us = MIN(page.cpu_us, usage_max);
    m.max_rss_kb = page.max_rss_kb;
    timer_start(s->timer, s->spawned ? LINGER_MS : JOB_SPAWN_TIMEOUT_MS);
    answer(s, &m, true);
    pool_refill_soon(&s->runner->pool);
}

static void on_exited(void *userdata, const struct wire_exited *m)
{
    Slot *s = userdata;
    WorkerSetUp set_up;

    s->exited = true;
    timer_stop(s->timer);
    timer_start(s->timer, JOB_SPAWN_TIMEOUT_MS); /* for the keeper's sweep and clean-up */
    if (!s->job) {
        pool_forget(&s->runner->pool, s); /* it takes no program any more, though its sockets do */
        return;
    }
    if (!s->spawned) {
        s->job->started_us = clock_now_us(); /* it was quicker than the template's word */
    }
    (void)worker_drain(s->worker);
    set_up = worker_set_up(s->worker);
    if (m->stage) {
        fail_stage(s, m->stage, m->error);
    } else if (set_up.stage && !clock_ended(s->job, m)) {
        set_up_failed(s, &set_up);
    } else if (!s->job->timed_out && was_not_started(s->job, &set_up)) {
        worker_lost(s);
    } else {
        answer(s, m, false);
    }
}

void run_remove_dir(const Slot *s)
{
    if (!(s->runner->plan.layers & SANDBOX_NAMESPACES)) {
        sandbox_remove_run_dir(worker_run_dir(s->worker));
    }
}

/* Nothing outlives its pid namespace. Elsewhere the orphans of a killed keeper are our children,
 * and so are the keepers of a template that died before it could name them: they are spared when
 * all we know of is a run that was probably never forked. */
static bool may_have_orphans(const Slot *s, bool started)
{
    bool others_unnamed = false;

    for (const Slot *other = s->runner->slots; other; other = other->next) {
        others_unnamed = others_unnamed || (other != s && other->keeper_pid == 0 && !other->exited);
    }
    return !(s->runner->plan.layers & SANDBOX_NAMESPACES) &&
           (s->keeper_pid > 0 || started || !others_unnamed);
}

/* The keeper was killed after its report, and before it had swept the run. */
static void finish_for_keeper(Slot *s)
{
    if (!(s->runner->plan.layers & SANDBOX_NAMESPACES) &&
            access(worker_run_dir(s->worker), F_OK) == 0) {
        s->keeper_pid = 0;
        runner_hunt_orphans(s->runner);
        run_remove_dir(s);
    }
}

/* The keeper has gone without a word about the worker: it was killed, or never forked. */
static void lost(Slot *s)
{
    Runner *r = s->runner;
    Job *j = s->job;
    struct wire_exited killed = {.wait_status = SIGKILL};
    SandboxUsage usage;
    WorkerSetUp set_up = worker_last_word(s->worker); /* it may be alive still */

    sandbox_run_kill(s->run);
    if (may_have_orphans(s, set_up.done)) {
        runner_hunt_orphans(r);
    }
    run_remove_dir(s);
    if (!j) {
        return;
    }
    (void)worker_drain(s->worker);
    sandbox_run_usage(s->run, &usage);
    if (j->timed_out || usage.memory_exceeded) {
        answer(s, &killed, false);
    } else if (was_not_started(j, &set_up)) {
        if (s->spawned) {
            worker_lost(s);
            return;
        }
        /* The end of its sockets may come before the template's word that it could not fork. */
        detach(s);
        if (!try_fork_again(r, j)) {
            runner_requeue(r, j);
        }
    } else {
        detach(s);
        run_fail(j, "The run was lost: the process that watches over it was killed from outside or "
                    "by the program, and the "
                    "program was ended with it. Send the call again; if it happens again, the "
                    "program kills its parent.");
    }
}

static void on_gone(void *userdata)
{
    Slot *s = userdata;
    Runner *r = s->runner;

    if (s->exited) {
        finish_for_keeper(s);
    } else {
        lost(s);
    }
    slot_free(s);
    runner_dispatch(r);
    runner_check_stopped(r);
}

static void on_timer(void *userdata)
{
    Slot *s = userdata;

    if (s->killed || s->exited) {
        log_warning(s->job ? s->job->request_id : NULL, "keeper %d does not act: killing it",
                (int)s->keeper_pid);
        sandbox_run_kill(s->run);
        if (s->keeper_pid > 0) {
            (void)kill(s->keeper_pid, SIGKILL); /* on_gone follows */
            timer_start(s->timer, JOB_KILL_TIMEOUT_MS);
            s->keeper_pid = 0;
        } else {
            on_gone(s);
        }
    } else if (!s->spawned) {
        log_error(s->job ? s->job->request_id : NULL,
                "the template does not fork within %d s: killing it", JOB_SPAWN_TIMEOUT_MS / 1000);
        if (template_pid(s->template) > 0) {
            (void)kill(template_pid(s->template), SIGKILL); /* run_template_ended() follows */
        }
        timer_start(s->timer, JOB_SPAWN_TIMEOUT_MS);
    } else {
        if (s->job) {
            s->job->timed_out = true;
        }
        slot_kill(s);
    }
}

void run_cancel(Job *j)
{
    Slot *s = j->slot;

    detach(s);
    job_free(j);
    if (!s->exited) {
        slot_kill(s);
    }
}

void run_kill_all(Runner *r, bool keepers_too)
{
    for (Slot *s = r->slots; s; s = s->next) {
        if (!s->exited) {
            slot_kill(s);
        }
        if (keepers_too && s->keeper_pid > 0) {
            sandbox_run_kill(s->run);
            (void)kill(s->keeper_pid, SIGKILL);
        }
    }
}
