/* Without kernel layers: what is left is what POSIX has. */

#include <stddef.h>

#include "base/macro.h"
#include "sandbox/sandbox.h"
#include "sandbox/tier.h"

static const SandboxLayer layers[SANDBOX_LAYERS] = {
        {.name = "namespaces",
                .why = "built without it (-Dsandbox=posix)",
                .advice = "build with -Dsandbox=linux on Linux"},
        {.name = "landlock",
                .why = "built without it (-Dsandbox=posix)",
                .advice = "build with -Dsandbox=linux on Linux"},
        {.name = "seccomp",
                .why = "built without it (-Dsandbox=posix)",
                .advice = "build with -Dsandbox=linux on Linux"},
        {.name = "cgroup",
                .optional = true,
                .why = "built without it (-Dsandbox=posix)",
                .advice = "build with -Dsandbox=linux on Linux"},
};

uint32_t tier_layers(void)
{
    return 0;
}

int tier_fill(struct sandbox_plan *plan)
{
    (void)plan;
    return 0;
}

int sandbox_init(SandboxMode mode, uint32_t off)
{
    (void)off;
    return mode == SANDBOX_STRICT ? -EPERM : 0;
}

void sandbox_deinit(void)
{
}

int sandbox_run_new(SandboxRun **ret, const struct sandbox_plan *plan, uint64_t number)
{
    (void)plan;
    (void)number;
    *ret = NULL;
    return 0;
}

bool sandbox_keep_near(pid_t worker, const uint8_t *processors)
{
    (void)worker;
    (void)processors;
    return false;
}

int sandbox_cgroup_fd(void)
{
    return -1;
}

int sandbox_run_fd(const SandboxRun *run)
{
    (void)run;
    return -1;
}

void sandbox_run_usage(const SandboxRun *run, SandboxUsage *ret)
{
    (void)run;
    *ret = (SandboxUsage){0};
}

void sandbox_run_kill(const SandboxRun *run)
{
    (void)run;
}

SandboxRun *sandbox_run_free(SandboxRun *run)
{
    (void)run;
    return NULL;
}

size_t sandbox_runs_sweep(void)
{
    return 0;
}

const SandboxLayer *sandbox_layers(void)
{
    return layers;
}

int sandbox_plan_add_interpreter(struct sandbox_plan *plan, const char *directory)
{
    (void)plan;
    (void)directory;
    return 0;
}

int sandbox_before_interpreter(
        const struct sandbox_plan *plan, const char *executable, uint32_t *ret_stage)
{
    (void)plan;
    (void)executable;
    *ret_stage = SANDBOX_STAGE_NONE;
    return 0;
}

int sandbox_plan_finish(struct sandbox_plan *plan, pid_t template)
{
    (void)plan;
    (void)template;
    return 0;
}

const char *sandbox_tier(void)
{
    return "rlimits";
}

const char *const *sandbox_gaps(void)
{
    static const char *const sentences[] = {
            "Files: a program reads and writes whatever this user may.",
            "Network: a program reaches whatever this machine reaches.",
            "Processes: a program sees this user's other processes and may signal them, its own "
            "keeper included.",
            "Orphans: a process that leaves its process group outlives the run.",
            "CPU: RUNNER_MAX_CPU_SECONDS holds for each process of a run, not for their sum.",
            "Memory: RUNNER_MAX_MEMORY_MB holds for each process of a run, not for their sum.",
            "Processes: RUNNER_MAX_PROCESSES holds for all runs together, and not for root.",
            NULL,
    };

    return sentences;
}
