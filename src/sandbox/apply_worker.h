/* Between keeper and worker set-up; see sandbox/apply.h. */
#pragma once

#include <sys/types.h>

#include "sandbox/apply.h"

enum { APPLY_EXIT_FAILED = 125 }; /* exit status of a worker that has said why */

/* In the forked worker: session, bond to the keeper, descriptors. Returns the go socket. */
int apply_worker(const struct apply_spawn *spawn, pid_t keeper);
