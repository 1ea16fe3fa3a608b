/* The namespaces of the full tier. After fork (or in the template, before any program): no
 * allocation, no lock. 0 or -errno, with the stage that failed. Sources: namespaces(7),
 * user_namespaces(7), mount(2), pivot_root(2), clone(2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/plan.h"

/* In the supervisor's child that is about to execute `executable`, single-threaded: from then on
 * nobody can change that file by /proc/self/exe. */
int apply_pin(
        const struct sandbox_plan *plan, const char *executable, enum sandbox_stage *ret_stage);
/* In the template, once, while it is single-threaded: enters the private root. */
int apply_root(const struct sandbox_plan *plan, enum sandbox_stage *ret_stage);
/* What fork(2) lacks: the clone flags for the namespaces of a run, which are all new; `has_net`:
 * but for the network's (apply_net.h). */
uint64_t apply_namespace_flags(const struct sandbox_plan *plan, bool has_net);
/* In the template: fork(2) with these flags. */
pid_t apply_fork_namespaces(uint64_t flags);
/* In the keeper, process 1 of them: ids, /proc, tmpfs, loopback. */
int apply_enter(const struct sandbox_plan *plan, uint32_t host_uid, bool has_net,
        enum sandbox_stage *ret_stage);
/* In the template, in its private root: the tmpfs that a run would have, for the time being. */
int apply_writable(const struct sandbox_plan *plan);
int apply_writable_end(void);
/* In the keeper, for itself and all it forks. */
int apply_drop_capabilities(void);
