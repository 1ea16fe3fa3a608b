/* Entering the cgroup of a run, and its CPU time. For the template, the keeper, and the
 * supervisor's trial. After fork: no allocation, no lock. Sources: clone(2), cgroups(7). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* In the cgroup that the server was started in (see cgroup.c). */
#define APPLY_CGROUP_SERVER "python-runner-server"
#define APPLY_CGROUP_RUN "python-runner-run-" /* and a number */

/* fork(2) with more clone flags, into the cgroup (a descriptor of its directory). The child gets
 * its own memory (no CLONE_VM), so what the C library keeps of the parent's id matters only until
 * the child's own fork() sets it right. */
pid_t apply_cgroup_fork(uint64_t flags, int cgroup);
/* In that child: 0, or -errno when it is not in it. */
int apply_cgroup_entered(void);
/* CPU time of all that has been in the cgroup so far; 0 when it can't be read. `cpu_stat` is what
 * apply_cgroup_open_cpu() returned. */
uint64_t apply_cgroup_cpu_us(int cpu_stat);
int apply_cgroup_open_cpu(int cgroup); /* -1: there is none */

/* Removes the runs' cgroups that are empty, by name; how many are not. `own` is the directory of
 * the cgroup that the server was started in. */
int apply_cgroup_remove_runs(int own);
/* Leaves `own` as it was found: waits up to half a second for the runs' processes to end, and moves
 * the calling process back into it. Fails without a word: somebody else may be there by now. */
void apply_cgroup_clean(int own);
