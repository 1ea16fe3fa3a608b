/* What the apply side asks of the platform: apply_linux.c or apply_posix.c. Everything here runs
 * after fork: no allocation, no lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sandbox/apply.h"

/* In the template: whether it is ended with the supervisor, to whose socket it does not listen for
 * the time being. */
void apply_platform_die_with_parent(bool yes);
/* In the template: the file systems that a run would have, where the plan has a private root. */
int apply_platform_writable(const struct sandbox_plan *plan);
int apply_platform_writable_end(const struct sandbox_plan *plan);
/* In the keeper, before the worker exists: what the plan's layers ask for; then it has no
 * capability, and no program looks into it. 0 or -errno with the stage that failed. */
int apply_platform_lock_in(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage);
/* In the worker, last: Landlock and seccomp. */
int apply_platform_filter(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage);
/* In the keeper, before the worker exists: orphans of the run come to it. 0 or -errno. */
int apply_platform_become_keeper(void);
/* In the keeper, when the worker exists: a name for ps(1). */
void apply_platform_name_keeper(void);
/* In the worker: it dies with `keeper`. 0 or -errno (-ESRCH: the keeper is gone). */
int apply_platform_bind_to(pid_t keeper);
/* In the worker, before it waits: the processors that it may run on, and whether it may be bound to
 * one of them meanwhile. */
bool apply_platform_may_be_bound(uint8_t ret_processors[WIRE_PROCESSORS_SIZE]);
/* In the worker, when it was: they are its again. It stays where it is. */
void apply_platform_unbind(void);
/* In the worker, when the program is about to run. */
void apply_platform_begin(void);
/* In the keeper, when nothing of the run lives: whether its network can be another run's. */
bool apply_platform_net_is_clean(const struct apply_spawn *spawn);
/* In the keeper, when nothing of the run lives: what it left outside its run directory. */
void apply_platform_clean_up(void);
/* Closes every descriptor from `lowest` on. */
void apply_platform_close_from(int lowest);
/* CPU time of those descendants of the calling keeper that have not been waited for. */
uint64_t apply_platform_live_cpu_us(pid_t worker);
/* Sends SIGKILL to all descendants of the calling keeper; has to be repeated until there are none.
 * False: there is no way to find them. */
bool apply_platform_kill_rest(void);
/* Where the run has a cgroup, a descriptor from which its CPU time is read, that of processes
 * nobody waited for included; else -1. */
int apply_platform_open_cpu(const struct apply_spawn *spawn);
uint64_t apply_platform_sum_cpu_us(int cpu);
/* User and system time of getrusage(2), in microseconds */
static inline uint64_t apply_rusage_us(const struct rusage *u)
{
    return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 +
           (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}
/* getrusage(2) ru_maxrss in KiB */
uint64_t apply_platform_max_rss_kb(long ru_maxrss);
