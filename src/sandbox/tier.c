#include "sandbox/tier.h"

#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/macro.h"
#include "sandbox/apply_namespaces.h"
#include "sandbox/policy.h"
#include "sandbox/probe.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp_program.h"

static SandboxLayer layers[SANDBOX_LAYERS] = {
        {.name = "namespaces"}, {.name = "landlock"}, {.name = "seccomp"}};
static uint32_t held;

uint32_t tier_layers(void)
{
    return held;
}

const SandboxLayer *sandbox_layers(void)
{
    return layers;
}

static int add_filter(struct sandbox_plan *plan)
{
    SeccompOptions options = {
            .inet = plan->inet,
            .pid_namespace = plan->layers & SANDBOX_NAMESPACES,
            .signals_scoped = plan->layers & SANDBOX_LANDLOCK && plan->landlock_abi >= 6,
    };
    struct sock_filter program[SECCOMP_PROGRAM_MAX];
    size_t n = 0;
    int r = seccomp_arch_native(&options.arch);

    if (r == 0) {
        r = seccomp_program_build(
                &options, program, MIN(ARRAY_SIZE(program), (size_t)SANDBOX_FILTER_MAX), &n);
    }
    if (r < 0) {
        return r;
    }
    memcpy(plan->filter, program, n * sizeof(program[0]));
    plan->n_filter = (uint32_t)n;
    return 0;
}

int tier_fill(struct sandbox_plan *plan)
{
    int r = policy_add_system(plan);

    plan->as_root = geteuid() == 0 && plan->layers & SANDBOX_NAMESPACES;
    plan->host_uid = geteuid();
    plan->host_gid = getegid();
    plan->landlock_abi = probe_landlock_abi();
    plan->inet = !!(plan->layers & SANDBOX_NAMESPACES) || !(plan->layers & SANDBOX_SECCOMP);
    if (r == 0 && plan->layers & SANDBOX_SECCOMP) {
        r = add_filter(plan);
    }
    return r;
}

int sandbox_plan_add_interpreter(struct sandbox_plan *plan, const char *directory)
{
    return policy_add_interpreter(plan, directory);
}

int sandbox_before_interpreter(
        const struct sandbox_plan *plan, const char *executable, uint32_t *ret_stage)
{
    enum sandbox_stage stage = SANDBOX_STAGE_NONE;
    int r = plan->layers & SANDBOX_NAMESPACES ? apply_pin(plan, executable, &stage) : 0;

    *ret_stage = (uint32_t)stage;
    return r;
}

void sandbox_plan_finish(struct sandbox_plan *plan)
{
    policy_add_rules(plan);
}

int sandbox_init(SandboxMode mode, uint32_t off)
{
    uint32_t wanted = mode == SANDBOX_RLIMITS
                              ? 0
                              : (SANDBOX_NAMESPACES | SANDBOX_LANDLOCK | SANDBOX_SECCOMP) & ~off;
    static struct sandbox_plan plan; /* large */
    int r;

    plan = (struct sandbox_plan){.layers = wanted, .tmpfs_bytes = 1 << 20, .tmpfs_inodes = 100};
    r = tier_fill(&plan);
    if (r < 0) {
        return r;
    }
    policy_add_rules(&plan);
    probe_layers(&plan, wanted, layers);
    held = 0;
    for (size_t i = 0; i < SANDBOX_LAYERS; i++) {
        held |= layers[i].holds ? 1U << i : 0;
    }
    return mode == SANDBOX_STRICT && held != (1U << SANDBOX_LAYERS) - 1 ? -EPERM : 0;
}

const char *sandbox_tier(void)
{
    switch (held) {
    case SANDBOX_NAMESPACES | SANDBOX_LANDLOCK | SANDBOX_SECCOMP:
        return "full";
    case SANDBOX_LANDLOCK | SANDBOX_SECCOMP:
        return "container";
    case 0:
        return "rlimits";
    default:
        return "partial";
    }
}

typedef struct Gap {
    uint32_t closed_by; /* any of these layers closes it */
    const char *text;
} Gap;

static const Gap gaps[] = {
        {SANDBOX_NAMESPACES | SANDBOX_LANDLOCK,
                "Files: a program reads and writes whatever this user may."},
        {SANDBOX_NAMESPACES | SANDBOX_SECCOMP,
                "Network: a program reaches whatever this machine reaches."},
        {SANDBOX_NAMESPACES | SANDBOX_LANDLOCK,
                "Processes: a program sees this user's other processes and may signal them, its "
                "own keeper included."},
        {SANDBOX_SECCOMP, "Kernel: a program may make every system call that this user may make."},
        {0, "Memory: RUNNER_MAX_MEMORY_MB holds for each process of a run, not for their sum; "
            "files in the work directory, /tmp and "
            "/dev/shm come on top."},
};

const char *const *sandbox_gaps(void)
{
    static const char *sentences[ARRAY_SIZE(gaps) + 2];
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
        if (!(held & gaps[i].closed_by)) {
            sentences[n++] = gaps[i].text;
        }
    }
    if (!(held & SANDBOX_NAMESPACES)) {
        sentences[n++] = geteuid() == 0
                                 ? "Processes: RUNNER_MAX_PROCESSES does not hold for root; run "
                                   "the server as an ordinary user."
                                 : "Processes: RUNNER_MAX_PROCESSES holds for all runs together.";
    }
    sentences[n] = NULL;
    return sentences;
}
