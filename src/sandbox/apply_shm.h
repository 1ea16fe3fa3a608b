/* Emptying /dev/shm where runs share it: without a private root. After fork: no allocation, no
 * lock. Best effort, so there are no errors; see the theory in apply_shm.c. */
#pragma once

#include <stdbool.h>

/* In the template, once. */
void apply_shm_open(void);
/* In the keeper, before the worker exists. */
void apply_shm_enter(void);
/* In the worker, when the program is about to run: from here on the run may leave something. The
 * table is gone from the worker then. */
void apply_shm_begin(void);
/* In the keeper, when nothing of the run lives any more. */
void apply_shm_empty(void);

/* For tests: what is read of a status file (proc(5)). False: there is no such process, or
 * it has ended and only waits to be reaped. */
struct shm_process {
    int pid, parent;
    unsigned uid, effective_uid;
};
bool apply_shm_parse_status(const char *text, struct shm_process *ret);
