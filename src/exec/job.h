/* Private to exec: a call and its run, and the lists they are kept in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "exec/capture.h"
#include "exec/pool.h"
#include "exec/runner.h"
#include "exec/template.h"
#include "exec/watch.h"
#include "exec/worker.h"
#include "sandbox/sandbox.h"

enum {
    JOB_TRIES_MAX = 3, /* how often a program that was not handed over is given to another worker */
    JOB_SPAWN_TIMEOUT_MS = 10000, /* from SPAWN to the keeper's existence */
    JOB_KILL_TIMEOUT_MS = 500,    /* from KILL to the keeper's word; then it is killed itself */
    JOB_FORK_RETRY_MS = 50,       /* EAGAIN from fork: processes of other runs are just going */
    JOB_FORK_PATIENCE_MS = 5000,
    RECYCLE_OLD_MAX = 2, /* templates that wait for their runs; then none is replaced */
};

typedef struct Slot Slot;

struct Job {
    Job *next, *prev; /* in the queue, or in the list of running ones */
    Runner *runner;
    JobHandlers handlers;
    void *userdata;
    char request_id[9];
    struct wire_go *go; /* the program, as its worker will get it, from the call on ... */
    int code_fd;        /* ... in an anonymous file, where it is long; else -1 */
    int stdin_fd;       /* likewise; -1: empty */
    size_t held_bytes;
    bool notebook_line;
    int64_t timeout_ms;
    uint64_t submitted_us, started_us;
    uint64_t fork_failed_us; /* when fork failed first for it; 0: never */
    int tries;
    bool timed_out;
    Slot *slot; /* NULL while it waits */
    Capture capture[2];
    int newest; /* the stream that wrote last: index into capture */
    char last_line[CAPTURE_LINE_SIZE];
};

/* A place among RUNNER_MAX_CONCURRENT: taken from the spawn until nothing of the run lives, which
 * is later than the answer. */
struct Slot {
    Slot *next;
    Slot *pool_next; /* while it waits for a program */
    bool waiting;
    Runner *runner;
    Template *template; /* which was asked for it; it outlives the slot */
    Job *job;           /* NULL once it is answered or cancelled */
    Worker *worker;
    SandboxRun *run; /* NULL where the layer does not hold */
    Timer *timer;    /* spawn watchdog, then the wall clock, then the kill watchdog */
    uint32_t place;  /* its number among the slots */
    pid_t keeper_pid;
    bool spawned, exited, killed;
};

typedef struct JobList {
    Job *first, *last;
    size_t n;
} JobList;

void job_list_push(JobList *l, Job *j);
void job_list_push_front(JobList *l, Job *j);
void job_list_remove(JobList *l, Job *j);

int job_new(Job **ret, Runner *r, const JobRequest *request, const JobHandlers *handlers,
        void *userdata);
Job *job_free(Job *j);

struct Runner {
    uv_loop_t *loop;
    const Settings *settings;
    struct sandbox_plan plan;
    Preload preload;
    Template *template; /* the one that forks */
    Template *next;     /* recycle.c: to take over when it is ready; or NULL */
    Template *old[RECYCLE_OLD_MAX];
    size_t n_old;
    uint64_t forked;           /* runs of the template */
    uint64_t recycle_after_us; /* not to be tried before */
    Timer *recycle_timer;
    uint64_t template_ready_us;      /* 0 while it is not */
    unsigned template_failed_starts; /* in a row */
    uv_signal_t *child_signal;
    uint64_t clearing_us;  /* since when programs wait for an answered run's end; 0: none does */
    bool waiting_for_fork; /* a fork failed for want of processes; retry_timer runs */
    Timer *retry_timer;    /* after a fork that failed */
    Timer *orphan_timer;   /* while orphans of a lost keeper are being killed */
    unsigned orphan_looks; /* that are still to be taken, though the last one found nothing */
    Timer *sweep_timer;    /* while cgroups of ended runs wait for their last process */
    Timer *stop_timer;
    JobList queue, running;
    Slot *slots;
    size_t n_slots, held_bytes; /* slots: those of the pool included */
    Pool pool;
    uint64_t next_number;
    void (*on_ready)(void *userdata, const char *error);
    void *ready_userdata;
    void (*on_stopped)(void *userdata);
    void *stopped_userdata;
    bool stopping;
    char ready_error[1024];
};

/* runner.c */
void runner_dispatch(Runner *r);
void runner_requeue(Runner *r, Job *j);
void runner_wait_for_fork(Runner *r);
void runner_check_stopped(Runner *r);
void runner_hunt_orphans(Runner *r);
void runner_sweep(Runner *r);

size_t runner_busy_slots(const Runner *r);

/* recycle.c: the template's successors */
void recycle_forked(Runner *r);                   /* another run of the template */
void recycle_ready(Runner *r, const Template *t); /* the next one takes over */
/* False: it was the one that forks, and there is no next one. */
bool recycle_ended(Runner *r, Template *t, const char *reason);
void recycle_sweep(Runner *r); /* those that nothing lives of, a moment later */
void recycle_on_timer(void *userdata);
void recycle_reaped(Runner *r, pid_t pid, int wait_status);
size_t recycle_pids(const Runner *r, pid_t ret_pids[RECYCLE_OLD_MAX + 1]); /* but r->template's */
void recycle_free(Runner *r);

/* slot.c */
/* A name below `settings`' temporary directory; the one name of all where there is a private root.
 */
int slot_run_dir(
        const struct sandbox_plan *plan, const Settings *settings, char ret_path[WIRE_PATH_MAX]);
int slot_new(Slot **ret, Runner *r, const WorkerHandlers *handlers, WatchCallback on_timer);

/* run.c: one run, from its slot to its answer */
int run_prepare(Runner *r);       /* a worker for the pool; 0 or -errno */
int run_start(Runner *r, Job *j); /* 0, or -errno when no worker could be asked for */
void run_spawned(Runner *r, uint64_t number, pid_t keeper_pid, int error);
void run_template_ended(Runner *r, const Template *t); /* what was asked of it will not come */
void run_cancel(Job *j);
void run_fail(Job *j, const char *error); /* answers with RUN_SANDBOX_ERROR and frees the job */
void run_kill_all(Runner *r, bool keepers_too);
/* After a keeper that can't do it any more; nothing to do where the directory goes with the run's
 * namespaces. */
void run_remove_dir(const Slot *s);
Slot *slot_free(Slot *s);
