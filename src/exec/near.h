/* Keeping a call on one processor.
 *
 * Each step of a call wakes the process that has the next one. The scheduler likes to give that an
 * idle processor, and one that sleeps takes longer to wake than the step takes: tens of
 * microseconds, in a virtual machine hundreds. Where nothing else runs, nothing is lost by staying.
 *
 * sched_setaffinity(2): the caller needs the other process's user, or CAP_SYS_NICE over it. A wish:
 * where it can't be had all is as without. Nothing blocks or allocates. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* `pid`, which sleeps, wakes on our processor and stays there until it says otherwise. */
bool near_keep(pid_t pid);
