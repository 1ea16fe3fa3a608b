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
    SANDBOX_STAGE_GO,           /* receiving the program */
    SANDBOX_STAGE_PROGRAM,      /* writing main.py, entering the work directory */
    SANDBOX_STAGE_PYTHON,       /* making the interpreter ready for the program */
    SANDBOX_STAGE_NAMESPACE,    /* making user, mount, pid, network and the other namespaces */
    SANDBOX_STAGE_ID_MAP,       /* writing uid_map and gid_map */
    SANDBOX_STAGE_ROOT,         /* building the private root */
    SANDBOX_STAGE_PROC,         /* a /proc of its own */
    SANDBOX_STAGE_TMPFS,        /* the work directory, /tmp and /dev/shm */
    SANDBOX_STAGE_LOOPBACK,     /* bringing up the loopback interface */
    SANDBOX_STAGE_IDENTITY,     /* becoming an unprivileged user */
    SANDBOX_STAGE_CAPABILITIES, /* giving up every capability */
    SANDBOX_STAGE_LANDLOCK,
    SANDBOX_STAGE_SECCOMP,
    SANDBOX_STAGE_CGROUP, /* entering the run's cgroup */
    _SANDBOX_STAGE_N,
};

/* Layers of the kernel sandbox, each switchable on its own. */
enum sandbox_layer {
    SANDBOX_NAMESPACES = 1 << 0,
    SANDBOX_LANDLOCK = 1 << 1,
    SANDBOX_SECCOMP = 1 << 2,
    SANDBOX_CGROUP = 1 << 3,
};

enum {
    SANDBOX_PATH_MAX = 256,
    SANDBOX_MOUNTS_MAX = 64,
    SANDBOX_RULES_MAX = 80,
    SANDBOX_FILTER_MAX = 1024,
    /* As root, the run in place N is this uid + N on the host: above what distributions and
       systemd-nspawn hand out. */
    SANDBOX_HOST_UID_BASE = 1880000000,
    SANDBOX_INSIDE_ID = 1000, /* uid and gid that a program sees itself as */
};

/* The run directory of every run that has a private root: a tmpfs, so that work/ in it is a
 * directory like any other. */
#define SANDBOX_RUN_DIR "/box"

/* One thing in the private root, in the order of the table. */
enum sandbox_mount_kind {
    SANDBOX_MOUNT_BIND, /* a file or directory of the host, read-only, with what is mounted below it
                         */
    SANDBOX_MOUNT_DEVICE, /* a device of the host */
    SANDBOX_MOUNT_PROC,   /* the host's /proc, below that of each run; see apply_namespaces.c */
    SANDBOX_MOUNT_DIR,    /* an empty directory */
    SANDBOX_MOUNT_LINK,   /* a symbolic link; `source` is its text */
    SANDBOX_MOUNT_FILE,   /* a file; `source` is its content */
    SANDBOX_MOUNT_EMPTY,  /* nothing to be seen where something above shows a directory */
};

struct sandbox_mount {
    uint32_t kind;
    uint32_t optional; /* a source that is missing is no failure */
    char source[SANDBOX_PATH_MAX];
    char target[SANDBOX_PATH_MAX]; /* absolute, in the private root */
};

struct sandbox_rule { /* Landlock: what is allowed beneath a path */
    char path[SANDBOX_PATH_MAX];
    uint64_t access;
    uint32_t optional;
    uint32_t _reserved;
};

struct sandbox_plan {
    uint32_t version;
    uint32_t size;         /* sizeof(struct sandbox_plan) */
    uint64_t memory_bytes; /* RLIMIT_AS, without the preload's share (the template adds it) */
    uint64_t cpu_us;       /* CPU time of the run, beyond what the set-up used */
    uint64_t file_bytes;   /* RLIMIT_FSIZE */
    uint64_t processes;    /* those of a run, its keeper included; see sandbox_process_limit() */
    uint64_t result_bytes_max; /* room for the result in the shared page */
    uint32_t n_cpus;           /* online processors, at least 1 */
    uint32_t layers;           /* enum sandbox_layer */

    uint32_t as_root; /* the server is root: programs get uids of their own from host_uid_base on */
    uint32_t host_uid; /* otherwise: the server's own */
    uint32_t host_gid;
    uint32_t landlock_abi;
    uint64_t tmpfs_bytes; /* each of work directory, /tmp and /dev/shm */
    uint64_t tmpfs_inodes;
    uint32_t n_mounts, n_rules, n_filter;
    uint32_t inet;       /* programs may use their private loopback */
    uint32_t concurrent; /* runs at the same time */
    uint32_t core_bytes; /* RLIMIT_CORE: 0; 1 where the host has a handler of core dumps */
    struct sandbox_mount mounts[SANDBOX_MOUNTS_MAX];
    struct sandbox_rule rules[SANDBOX_RULES_MAX];
    uint64_t filter[SANDBOX_FILTER_MAX]; /* struct sock_filter, 8 bytes each: the finished seccomp
                                            program */
    uint64_t sum_memory_bytes;           /* of the run's cgroup, for all its processes together */
};
