/* The directories of a run, and those in which modules are preloaded. After fork, or in the
 * template: no allocation, no lock. */
#pragma once

#include "sandbox/plan.h"

/* work/ and tmp/ in it; 0 or -errno. */
int apply_make_run_dir(const struct sandbox_plan *plan, const char *run_dir);
/* Nothing to do where it goes with the run's namespaces. */
void apply_remove_run_dir(const struct sandbox_plan *plan, const char *run_dir);
