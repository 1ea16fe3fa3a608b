#include "sandbox/tier.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/macro.h"
#include "sandbox/apply_namespaces.h"
#include "sandbox/cgroup.h"
#include "sandbox/policy.h"
#include "sandbox/probe.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp_program.h"

static SandboxLayer layers[SANDBOX_LAYERS] = {{.name = "namespaces"}, {.name = "landlock"},
        {.name = "seccomp"}, {.name = "cgroup", .optional = true}};
static uint32_t held;

uint32_t tier_layers(void)
{
    return held;
}

const SandboxLayer *sandbox_layers(void)
{
    return layers;
}

/* `template` 0: there is none yet. */
static int add_filter(struct sandbox_plan *plan, pid_t template)
{
    SeccompOptions options = {
            .inet = plan->inet,
            .pid_namespace = plan->layers & SANDBOX_NAMESPACES,
            .signals_scoped = plan->layers & SANDBOX_LANDLOCK && plan->landlock_abi >= 6,
            .core_limit_kept = plan->core_bytes > 0,
    };
    struct sock_filter program[SECCOMP_PROGRAM_MAX];
    /* The template leads a group of its own. The server's may be led from outside of its container,
     * which is 0. */
    const pid_t ours[] = {getpid(), getpgrp(), template};
    size_t n = 0;
    int r = seccomp_arch_native(&options.arch);

    for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
        if (ours[i] > 0) {
            options.protected_pids[options.n_protected++] = ours[i];
        }
    }
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

/* core(5): a pattern that begins with | (or, from Linux 6.16 on, with @) hands dumps to a program
 * on the host, outside of every namespace and as root, whatever RLIMIT_CORE says, but for 1: that
 * is the handler's own, against recursion (fs/coredump.c). */
static bool has_core_handler(void)
{
    FILE *f = fopen("/proc/sys/kernel/core_pattern", "re");
    int c = f ? getc(f) : '|';

    if (f) {
        (void)fclose(f);
    }
    return c == '|' || c == '@';
}

/* Whether `id` is there to be had: in a rootless container root has a small range of its own
 * (user_namespaces(7)). Without /proc: no. */
static bool is_mapped(const char *map, unsigned long id)
{
    FILE *f = fopen(map, "re");
    unsigned long first, outside, n;
    bool is = false;

    while (f && fscanf(f, "%lu %lu %lu", &first, &outside, &n) == 3) {
        is = is || (id >= first && id - first < n);
    }
    if (f) {
        (void)fclose(f);
    }
    return is;
}

/* capabilities(7): what giving each run a uid of its own takes. */
static bool has_capabilities(void)
{
    const uint32_t wanted = 1U << CAP_CHOWN | 1U << CAP_KILL | 1U << CAP_SETGID | 1U << CAP_SETUID |
                            1U << CAP_NET_ADMIN | 1U << CAP_SYS_ADMIN;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & wanted) == wanted;
}

/* Root gives each run a uid of its own where it can; else it does as an ordinary user does. */
static bool has_run_ids(void)
{
    return geteuid() == 0 && has_capabilities() &&
           is_mapped("/proc/self/uid_map", SANDBOX_HOST_UID_BASE) &&
           is_mapped("/proc/self/gid_map", SANDBOX_HOST_UID_BASE);
}

int tier_fill(struct sandbox_plan *plan)
{
    int r = policy_add_system(plan);

    plan->as_root = plan->layers & SANDBOX_NAMESPACES && has_run_ids();
    plan->core_bytes = has_core_handler() ? 1 : 0;
    plan->host_uid = geteuid();
    plan->host_gid = getegid();
    plan->landlock_abi = probe_landlock_abi();
    plan->inet = !!(plan->layers & SANDBOX_NAMESPACES) || !(plan->layers & SANDBOX_SECCOMP);
    if (r == 0 && plan->layers & SANDBOX_SECCOMP) {
        r = add_filter(plan, 0);
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

int sandbox_plan_finish(struct sandbox_plan *plan, pid_t template)
{
    policy_add_rules(plan);
    return plan->layers & SANDBOX_SECCOMP ? add_filter(plan, template) : 0;
}

enum { MANDATORY = SANDBOX_NAMESPACES | SANDBOX_LANDLOCK | SANDBOX_SECCOMP };

/* Last, since it changes something: the cgroup we are in. */
static void open_cgroup(uint32_t wanted, const struct sandbox_plan *plan)
{
    SandboxLayer *layer = &layers[SANDBOX_LAYERS - 1];

    if (!(wanted & SANDBOX_CGROUP)) {
        (void)snprintf(layer->why, sizeof(layer->why), "switched off");
        return;
    }
    layer->holds = cgroup_open(layer, plan);
    held |= layer->holds ? SANDBOX_CGROUP : 0;
}

int sandbox_init(SandboxMode mode, uint32_t off)
{
    uint32_t wanted = mode == SANDBOX_RLIMITS ? 0 : (MANDATORY | SANDBOX_CGROUP) & ~off;
    static struct sandbox_plan plan; /* large */
    int r;

    plan = (struct sandbox_plan){.layers = wanted & MANDATORY,
            .tmpfs_bytes = 1 << 20,
            .tmpfs_inodes = 100,
            .sum_memory_bytes = 64 << 20,
            .processes = 8};
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
    if (mode == SANDBOX_STRICT && (held & MANDATORY) != MANDATORY) {
        return -EPERM;
    }
    /* Without a pid namespace programs see this process, and nothing in it is for them. Not
     * earlier: the trial of namespaces writes a uid_map, and not with them, where nobody sees it.
     */
    if (held && !(held & SANDBOX_NAMESPACES) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
        return -errno;
    }
    open_cgroup(wanted, &plan);
    return 0;
}

void sandbox_deinit(void)
{
    cgroup_close();
}

const char *sandbox_tier(void)
{
    switch (held & ~(uint32_t)SANDBOX_CGROUP) {
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
    uint32_t closed_by;     /* any of these layers closes it */
    uint32_t closed_by_abi; /* this Landlock ABI closes it, where the layer holds; 0: none does */
    uint32_t beside; /* told only where one of these layers holds: else a larger one is told */
    const char *text;
} Gap;

#define ALWAYS UINT32_MAX

static const Gap gaps[] = {
        {SANDBOX_NAMESPACES | SANDBOX_LANDLOCK, 0, ALWAYS,
                "Files: a program reads and writes whatever this user may."},
        {SANDBOX_NAMESPACES, 0, SANDBOX_LANDLOCK,
                "Files: a program can tell whether a file exists, and change modes, times and "
                "attributes of files of this user whose names it knows; not read or write them."},
        {SANDBOX_NAMESPACES, 0, ALWAYS,
                "Space: all runs share that of the temporary directory and of /dev/shm; one can "
                "fill it."},
        {SANDBOX_NAMESPACES, 0, ALWAYS,
                "Shared memory: who knows a name in /dev/shm can open it, and what a run leaves "
                "there goes only while no other process of this user is about, as in a container."},
        {SANDBOX_NAMESPACES | SANDBOX_SECCOMP, 0, ALWAYS,
                "Network: a program reaches whatever this machine reaches."},
        {SANDBOX_NAMESPACES, 0, SANDBOX_SECCOMP,
                "Sockets: a program can connect to any socket with a path that this user may use."},
        {SANDBOX_NAMESPACES, 6, SANDBOX_SECCOMP,
                "Sockets: likewise to abstract sockets, before Linux 6.12."},
        {SANDBOX_NAMESPACES | SANDBOX_LANDLOCK, 0, ALWAYS,
                "Processes: a program sees this user's other processes and may signal them, its "
                "own keeper included."},
        {SANDBOX_NAMESPACES, 0, SANDBOX_LANDLOCK,
                "Processes: a program sees which there are, with their names and command lines, "
                "but nothing in them."},
        {SANDBOX_NAMESPACES, 6, SANDBOX_LANDLOCK,
                "Signals: before Linux 6.12 a program may signal other runs and this user's other "
                "processes; the server and its template only where seccomp does not hold."},
        {SANDBOX_SECCOMP, 0, ALWAYS,
                "Kernel: a program may make every system call that this user may make."},
        {SANDBOX_CGROUP, 0, ALWAYS,
                "Memory: RUNNER_MAX_MEMORY_MB holds for each process of a run, not for their sum; "
                "files in the work directory, /tmp and /dev/shm and anonymous files (memfd) come "
                "on top."},
};

static bool is_open(const Gap *gap)
{
    bool abi = held & SANDBOX_LANDLOCK && gap->closed_by_abi > 0 &&
               probe_landlock_abi() >= gap->closed_by_abi;

    return !(held & gap->closed_by) && !abi && (gap->beside == ALWAYS || held & gap->beside);
}

/* A private root has an entry for the program's user; the host's file may have none. */
static const char *nameless(void)
{
    static char sentence[160];

    if (held & SANDBOX_NAMESPACES || getpwuid(geteuid())) {
        return NULL;
    }
    (void)snprintf(sentence, sizeof(sentence),
            "Identity: user id %lu has no entry in /etc/passwd, so pwd has no name for it either.",
            (unsigned long)geteuid());
    return sentence;
}

const char *const *sandbox_gaps(void)
{
    static const char *sentences[ARRAY_SIZE(gaps) + 3];
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
        if (is_open(&gaps[i])) {
            sentences[n++] = gaps[i].text;
        }
    }
    if (!(held & (SANDBOX_NAMESPACES | SANDBOX_CGROUP))) {
        sentences[n++] = geteuid() == 0
                                 ? "Processes: RUNNER_MAX_PROCESSES does not hold for root; run "
                                   "the server as an ordinary user."
                                 : "Processes: RUNNER_MAX_PROCESSES holds for all runs together.";
    } else if (geteuid() == 0 && !has_run_ids()) {
        sentences[n++] =
                "Identity: this root can't give programs ids of their own; they run as it, "
                "without capabilities, and RUNNER_MAX_PROCESSES may not hold; run the "
                "server as an ordinary user.";
    }
    sentences[n] = nameless();
    sentences[sentences[n] ? n + 1 : n] = NULL;
    return sentences;
}
