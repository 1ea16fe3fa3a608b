#include "sandbox/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"

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
};

const char *sandbox_stage_name(uint32_t stage)
{
    return stage < _SANDBOX_STAGE_N ? stage_names[stage] : "an unknown step";
}

const char *sandbox_tier(void)
{
    return "rlimits";
}

const char *const *sandbox_gaps(void)
{
    static const char *const common[] = {
        "Files: a program reads and writes whatever this user may.",
        "Network: a program reaches whatever this machine reaches.",
        ("Processes: a program sees this user's other processes and may signal them, its own "
         "keeper included."),
        "Memory: RUNNER_MAX_MEMORY_MB holds for each process of a run, not for their sum.",
#if SANDBOX_POSIX
        "Orphans: a process that leaves its process group outlives the run.",
        "CPU: RUNNER_MAX_CPU_SECONDS holds for each process of a run, not for their sum.",
#endif
    };
    static const char *sentences[ARRAY_SIZE(common) + 2];

    memcpy(sentences, common, sizeof(common));
    sentences[ARRAY_SIZE(common)] =
            geteuid() == 0 ? "Processes: RUNNER_MAX_PROCESSES does not hold for root; run the "
                             "server as an "
                             "ordinary user."
                           : "Processes: RUNNER_MAX_PROCESSES holds for all runs together.";
    return sentences;
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

int sandbox_plan_build(const SandboxLimits *limits, struct sandbox_plan *ret_plan)
{
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct sandbox_plan plan = {
            .version = SANDBOX_PLAN_VERSION,
            .size = sizeof(plan),
            .memory_bytes = limits->memory_bytes,
            .cpu_us = limits->cpu_us,
            .file_bytes = limits->file_bytes,
            .result_bytes_max = limits->result_bytes_max,
            .n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1,
    };

    if (limits->memory_bytes == 0 || limits->cpu_us == 0 || limits->concurrent == 0) {
        return -EINVAL;
    }
    /* Root is exempt (CAP_SYS_RESOURCE, setrlimit(2)). For anybody else the kernel counts the whole
     * user, so that the limit has to leave room for what runs already, and for a keeper a run. */
    if (getuid() != 0) {
        plan.processes = count_own_tasks() + ((uint64_t)limits->processes + 1) * limits->concurrent;
    }
    *ret_plan = plan;
    return 0;
}
