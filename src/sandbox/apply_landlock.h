/* Landlock, landlock(7): in the worker, which has no_new_privs. 0 or -errno; needs a free
 * descriptor or two. */
#pragma once

#include <stdint.h>

#include "sandbox/plan.h"

uint64_t apply_landlock_handled_fs(uint32_t abi);
/* In a keeper without a pid namespace, ABI 6 and newer: a signal scope that it and its run are in,
 * and nothing else that would restrict it. */
int apply_landlock_scope(void);
/* `run_dir` is allowed whole; "" for none. */
int apply_landlock(const struct sandbox_plan *plan, const char *run_dir);
