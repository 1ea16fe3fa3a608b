/* The apply side of the sandbox: what runs between fork and the program. Raw system calls only: no
 * allocation, no library that could take a lock, no decision. Nothing here returns an error to
 * unwind from: keeper and worker report {stage, errno} and _exit. Includes allowed: wire, plan,
 * base/macro. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/plan.h"
#include "wire/wire.h"

/* What a SPAWN brought, in the forked process. */
struct apply_spawn {
    const struct sandbox_plan *plan;
    uint64_t preload_bytes;
    pid_t template_pid; /* as it sees itself: no worker may see itself so */
    struct wire_spawn message;
    int fds[_WIRE_SPAWN_FD_N]; /* -1: did not come */
    bool has_net;              /* the network namespace that the message names */
};

/* Called in the template, once, when it has its plan: enters the private root, where the plan has
 * one. 0 or -errno with the stage that failed. */
int apply_template(const struct sandbox_plan *plan, enum sandbox_stage *ret_stage);

/* In the template, around the import of modules: the directories that a run would have, below
 * `run_dir`; the first makes them and enters work/, the second leaves and removes them. 0 or
 * -errno. */
int apply_preload_begin(const struct sandbox_plan *plan, const char *run_dir);
int apply_preload_end(const struct sandbox_plan *plan, const char *run_dir);

/* In the template, when the supervisor has ended without being able to: `cgroup` came with the
 * plan, or is -1. */
void apply_template_end(int cgroup);

/* fork(2), into the namespaces of a run where the plan has them, and into its cgroup where there is
 * one. */
pid_t apply_fork(struct apply_spawn *spawn);

/* Called in the child the template has just forked. Becomes the keeper, forks the worker, and
 * returns in the worker only, which then has: its own session, /dev/null, stdout and stderr on 0 to
 * 2, no other descriptor than the go socket, the shared page mapped at *ret_page, default signal
 * handling, the parent-death signal set. The keeper waits for the worker, the supervisor's KILL or
 * its death; kills what is left of the run, reports, removes the run directory, and ends. It never
 * returns. */
void apply_keeper(const struct apply_spawn *spawn, int *ret_go_fd, struct wire_page **ret_page);

/* Called in the worker: the limits that count nothing and may hold while it waits. */
void apply_early_limits(const struct apply_spawn *spawn, int go_fd);

/* Called in the worker when the program is about to run: the limits that hold for the program;
 * `processes` is RLIMIT_NPROC, 0 for none. Returns the CPU time used up so far, in microseconds. */
uint64_t apply_limits(const struct apply_spawn *spawn, uint32_t processes, int go_fd);

/* The worker's set-up is done, or failed in that stage: its word to the supervisor. 0 or -errno:
 * the program must not be started. */
int apply_say(int go_fd, enum sandbox_stage stage, int error);

/* Says that it failed, and ends the process. */
void apply_fail(int go_fd, enum sandbox_stage stage, int error) __attribute__((noreturn));

/* Removes `path` and all below it: by descriptors, never following a link, whatever modes, names,
 * depth or number of entries the program left. Constant memory. 0 or -errno of the first thing that
 * could not be removed (the rest is tried). */
int apply_remove_tree(const char *path);
