/* What a run is locked into: built once by the supervisor (plan side), walked by keeper and worker
 * after fork (apply side) with raw system calls: no allocation, no library, no decision.
 *
 * The structure is flat and pointer-free, so that its bytes can be handed to the template in an
 * anonymous file. The kernel layers (namespaces, mounts, seccomp, Landlock, cgroups) add their
 * tables here, each behind its own count. */
#pragma once

#include <stdint.h>

enum {
    SANDBOX_PLAN_VERSION = 1,
};

/* Where a set-up can fail. sandbox_stage_name() has the words; the numbers travel in wire messages.
 */
enum sandbox_stage {
    SANDBOX_STAGE_NONE,
    SANDBOX_STAGE_RUN_DIR, /* making the run directory */
    SANDBOX_STAGE_SESSION, /* setsid, parent-death signal */
    SANDBOX_STAGE_STDIO,   /* descriptors 0, 1, 2 and closing the others */
    SANDBOX_STAGE_FORK,    /* keeper -> worker */
    SANDBOX_STAGE_PAGE,    /* mapping the shared page */
    SANDBOX_STAGE_RLIMIT,
    SANDBOX_STAGE_GO,      /* receiving the program */
    SANDBOX_STAGE_PROGRAM, /* writing main.py, entering the work directory */
    SANDBOX_STAGE_PYTHON,  /* making the interpreter ready for the program */
    _SANDBOX_STAGE_N,
};

struct sandbox_plan {
    uint32_t version;
    uint32_t size;             /* sizeof(struct sandbox_plan) */
    uint64_t memory_bytes;     /* RLIMIT_AS, without the preload's share (the template adds it) */
    uint64_t cpu_us;           /* CPU time of the run, beyond what the set-up used */
    uint64_t file_bytes;       /* RLIMIT_FSIZE */
    uint64_t processes;        /* RLIMIT_NPROC as it is to be set; 0: do not set (host root) */
    uint64_t result_bytes_max; /* room for the result in the shared page */
    uint32_t n_cpus;           /* online processors, at least 1 */
    uint32_t _reserved;
};
