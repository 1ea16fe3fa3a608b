#include "sandbox/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/tier.h"

enum { TMPFS_INODES = 16384 };

static const char *const stage_names[_SANDBOX_STAGE_N] = {
        [SANDBOX_STAGE_NONE] = "no step",
        [SANDBOX_STAGE_RUN_DIR] = "making the run directory",
        [SANDBOX_STAGE_SESSION] = "starting a session of its own",
        [SANDBOX_STAGE_STDIO] = "setting up the standard streams",
        [SANDBOX_STAGE_FORK] = "forking the worker",
        [SANDBOX_STAGE_PAGE] = "mapping the shared page",
        [SANDBOX_STAGE_RLIMIT] = "setting the resource limits",
        [SANDBOX_STAGE_GO] = "receiving the program",
        [SANDBOX_STAGE_PROGRAM] = "writing main.py into the work directory",
        [SANDBOX_STAGE_PYTHON] = "making the interpreter ready",
        [SANDBOX_STAGE_NAMESPACE] = "making namespaces",
        [SANDBOX_STAGE_ID_MAP] = "mapping user and group ids",
        [SANDBOX_STAGE_ROOT] = "building the private root",
        [SANDBOX_STAGE_PROC] = "mounting a /proc of its own",
        [SANDBOX_STAGE_TMPFS] = "mounting the work directory",
        [SANDBOX_STAGE_LOOPBACK] = "bringing up the loopback interface",
        [SANDBOX_STAGE_IDENTITY] = "becoming an unprivileged user",
        [SANDBOX_STAGE_CAPABILITIES] = "giving up every capability",
        [SANDBOX_STAGE_LANDLOCK] = "restricting itself with Landlock",
        [SANDBOX_STAGE_SECCOMP] = "installing the system call filter",
        [SANDBOX_STAGE_CGROUP] = "entering the run's cgroup",
};

const char *sandbox_stage_name(uint32_t stage)
{
    return stage < _SANDBOX_STAGE_N ? stage_names[stage] : "an unknown step";
}

/* Threads in `task` directory of one process; 0 when it is gone. */
static uint64_t count_entries(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *entry;
    uint64_t n = 0;

    while (d && (entry = readdir(d))) {
        n += isdigit((unsigned char)entry->d_name[0]) != 0;
    }
    if (d) {
        (void)closedir(d);
    }
    return n;
}

/* Processes and threads of this user, which is what RLIMIT_NPROC counts (getrlimit(2)). */
static uint64_t count_own_tasks(void)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    uint64_t n = 0;

    while (proc && (entry = readdir(proc))) {
        char path[64];
        struct stat st;

        if (!isdigit((unsigned char)entry->d_name[0])) {
            continue;
        }
        (void)snprintf(path, sizeof(path), "/proc/%.16s/task", entry->d_name);
        if (stat(path, &st) == 0 && st.st_uid == getuid()) {
            n += count_entries(path);
        }
    }
    if (proc) {
        (void)closedir(proc);
    }
    return n;
}

/* RLIMIT_NPROC. In a user namespace the kernel counts this run alone (and its keeper). Outside,
 * root is exempt, and for anybody else the kernel counts the whole user, so that the limit has to
 * leave room for what runs already or will be started by others (the template, the client's
 * threads, the user's next window), and for a keeper a run: setrlimit(2), user_namespaces(7). */
enum { OTHERS_MAY_START = 64 };

static uint64_t process_limit(const SandboxLimits *limits, uint32_t layers)
{
    if (layers & SANDBOX_NAMESPACES) {
        return (uint64_t)limits->processes + 1;
    }
    return getuid() == 0 || layers & SANDBOX_CGROUP
                   ? 0
                   : count_own_tasks() + OTHERS_MAY_START +
                             ((uint64_t)limits->processes + 1) * limits->concurrent;
}

/* RLIMIT_AS. Where a cgroup bounds the memory that is really used, it need not stand in for that:
 * numeric libraries map gigabytes that they never touch (a stack and buffers a thread). It stays
 * finite, so that one huge request is a MemoryError and not a kill. */
static uint64_t address_space(uint64_t memory_bytes, uint32_t layers)
{
    static const uint64_t least = 4ULL << 30, most = 32ULL << 30;

    if (!(layers & SANDBOX_CGROUP)) {
        return memory_bytes;
    }
    return MAX(memory_bytes + memory_bytes / 4, MAX(least, MIN(8 * memory_bytes, most)));
}

int sandbox_plan_build(const SandboxLimits *limits, struct sandbox_plan *ret_plan)
{
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (limits->memory_bytes == 0 || limits->cpu_us == 0 || limits->concurrent == 0) {
        return -EINVAL;
    }
    *ret_plan = (struct sandbox_plan){
            .version = SANDBOX_PLAN_VERSION,
            .size = sizeof(*ret_plan),
            .memory_bytes = address_space(limits->memory_bytes, tier_layers()),
            .sum_memory_bytes = limits->memory_bytes,
            .sum_tasks = (uint64_t)limits->processes + 1, /* and the keeper */
            .cpu_us = limits->cpu_us,
            .file_bytes = limits->file_bytes,
            .result_bytes_max = limits->result_bytes_max,
            .n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1,
            .layers = tier_layers(),
            .processes = process_limit(limits, tier_layers()),
            /* What a program may store counts against the machine's memory like what it may map. */
            .tmpfs_bytes = MAX(limits->memory_bytes / 2, limits->file_bytes),
            .tmpfs_inodes = TMPFS_INODES,
    };
    return tier_fill(ret_plan);
}
