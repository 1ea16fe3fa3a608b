/* The cgroup layer, plan side: finding the subtree that is delegated to us, and making it ours. The
 * cgroups of the runs are in sandbox.h (SandboxRun).
 *
 * Blocks shortly, at the start for some milliseconds (moving a process waits for the kernel's RCU).
 * Allocates only run objects. Not for use after fork. Source: Linux,
 * Documentation/admin-guide/cgroup-v2.rst. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/sandbox.h"

/* Moves this process into a cgroup of its own below the one it was started in, and tries a run's
 * cgroup for real. False: nothing has changed, and `layer` says why, and what to do. */
bool cgroup_open(SandboxLayer *layer, const struct sandbox_plan *plan);
/* The other way round. */
void cgroup_close(void);
