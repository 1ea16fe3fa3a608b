/* The plan side of the sandbox: what holds on this machine, and the plan made of it. Runs in the
 * supervisor only.
 *
 * `-Dsandbox=linux` (keeper is a child subreaper and sweeps everything the run started, re-parented
 * or not) or
 * `-Dsandbox=posix` (rlimits and process groups). Both give the tier "rlimits"; the kernel layers
 * come on top of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/plan.h"

enum { SANDBOX_LAYERS = 4 }; /* in the order of their bits, enum sandbox_layer */

typedef enum SandboxMode {
    SANDBOX_AUTO,    /* the strongest set of layers that holds */
    SANDBOX_STRICT,  /* all of namespaces, Landlock and seccomp, or no start; cgroups are no must */
    SANDBOX_RLIMITS, /* limits alone */
    _SANDBOX_MODE_N,
} SandboxMode;

typedef struct SandboxLayer {
    const char *name;
    bool optional; /* SANDBOX_STRICT does without */
    bool holds;
    char why[160];    /* what failed, when it does not hold */
    char advice[256]; /* what to do about it */
} SandboxLayer;

/* Tries the layers for real (blocks for some milliseconds: forks) and remembers what holds; to be
 * called once, before the plan is built. `off` are layers not to use (enum sandbox_layer; a test
 * variable). 0, or -EPERM in strict mode when one is missing. */
int sandbox_init(SandboxMode mode, uint32_t off);
const SandboxLayer *sandbox_layers(void); /* SANDBOX_LAYERS of them */
/* Leaves the machine's cgroups as sandbox_init() found them; blocks for up to 0.5 s when a run has
 * only just ended. */
void sandbox_deinit(void);

typedef struct SandboxLimits {
    uint64_t memory_bytes;
    uint64_t cpu_us;
    uint64_t file_bytes;
    uint32_t processes;  /* of one run */
    uint32_t concurrent; /* runs at the same time */
    uint64_t result_bytes_max;
} SandboxLimits;

/* Pure but for looking at /proc (blocks shortly). 0 or -errno. */
int sandbox_plan_build(const SandboxLimits *limits, struct sandbox_plan *ret_plan);

/* The interpreter's directories, as its hello tells them; then the rest that depends on them. */
int sandbox_plan_add_interpreter(struct sandbox_plan *plan, const char *directory);
/* `template` is not to be signalled by programs, nor is the caller. 0 or -errno. */
int sandbox_plan_finish(struct sandbox_plan *plan, pid_t template);

/* In a forked child that is about to execute the interpreter. 0, or -errno with the stage that
 * failed (enum sandbox_stage). Blocks shortly. */
int sandbox_before_interpreter(
        const struct sandbox_plan *plan, const char *executable, uint32_t *ret_stage);

/* RLIMIT_NPROC for a run that is to start now, 0: do not set one. In a user namespace the kernel
 * counts the run alone; else all that this user runs, which is looked up in /proc (blocks for some
 * milliseconds) unless that was done within the last second. */
uint32_t sandbox_process_limit(const struct sandbox_plan *plan);

/* "full": all of namespaces, Landlock and seccomp; "container": Landlock and seccomp; "rlimits":
 * neither; "partial" else. */
const char *sandbox_tier(void);
const char *sandbox_stage_name(uint32_t stage); /* "making the run directory"; never NULL */
/* What this tier does not hold here, for the start log and doctor: NULL-terminated sentences. */
const char *const *sandbox_gaps(void);

/* Binds a waiting worker to the calling thread's processor, until it unbinds itself
 * (sched_setaffinity(2): the caller needs the worker's user, or CAP_SYS_NICE over it). A wish:
 * false where it can't be had, or where the worker may not run on `processors` any more, which it
 * had said: it would not know what to go back to. All is as without then. Never blocks. */
bool sandbox_keep_near(pid_t worker, const uint8_t *processors);

/* The cgroup that the server was started in, for the template to leave it as it was when the server
 * can't; -1 where the layer does not hold. Stays the sandbox's. */
int sandbox_cgroup_fd(void);

/* The cgroup of one run: memory, tasks and CPU time of all its processes together, cgroups(7).
 * Where that layer does not hold there is none, and every call takes NULL. Blocks as the kernel's
 * control files do, well below a millisecond. */
typedef struct SandboxRun SandboxRun;

typedef struct SandboxUsage {
    bool memory_exceeded; /* the kernel killed the run for the plan's limit of memory */
    uint64_t cpu_us;      /* 0: not known */
    uint64_t peak_kb; /* the most memory of all at once, files in memory included; 0: not known */
} SandboxUsage;

/* `number` is this run's alone. 0 or -errno. */
int sandbox_run_new(SandboxRun **ret, const struct sandbox_plan *plan, uint64_t number);
int sandbox_run_fd(const SandboxRun *run); /* for WIRE_SPAWN_FD_CGROUP, or -1; stays the run's */
void sandbox_run_usage(const SandboxRun *run, SandboxUsage *ret);
void sandbox_run_kill(const SandboxRun *run); /* SIGKILL to everything in it, the keeper too */
/* Kills what is left; the cgroup goes when the last process has. */
SandboxRun *sandbox_run_free(SandboxRun *run);
/* Removes what could not be removed yet; how many cgroups wait for their last process: call again
 * until 0. */
size_t sandbox_runs_sweep(void);

/* Makes the supervisor the one to whom orphans of a dead keeper come (prctl(2)
 * PR_SET_CHILD_SUBREAPER; a no-op on posix). */
int sandbox_adopt_orphans(void);

/* Sends SIGKILL to every child of the supervisor that is not in `known`, and returns how many there
 * were; call again until it returns 0. (posix: always 0.) Never blocks. */
size_t sandbox_kill_orphans(const pid_t *known, size_t n_known);

/* Removes the run directory of a keeper that was lost, in a child process of its own that nobody
 * need wait for. */
void sandbox_remove_run_dir(const char *path);
