#include "sandbox/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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

/* The number after `name` in a status file (proc(5)); 0 where there is none. */
static uint64_t status_number(const char *text, const char *name)
{
    const char *p = strstr(text, name);

    return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

/* Threads of one process where its real user is this one: RLIMIT_NPROC goes by that (getrlimit(2)).
 */
static uint64_t count_threads(const char *pid)
{
    char path[64], text[2048];
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%.16s/status", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    return status_number(text, "\nUid:") == getuid() ? status_number(text, "\nThreads:") : 0;
}

/* Processes and threads of this user; 0 where there is no /proc. */
static uint64_t count_own_tasks(void)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    uint64_t n = 0;

    while (proc && (entry = readdir(proc))) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            n += count_threads(entry->d_name);
        }
    }
    if (proc) {
        (void)closedir(proc);
    }
    return n;
}

/* Outside a user namespace root is exempt, and for anybody else the kernel counts the whole user,
 * so that the limit has to leave room for what runs already, for what others will start while the
 * program runs (the template, the client's threads, the user's next window), and for the runs next
 * to it: setrlimit(2), user_namespaces(7). */
enum { OTHERS_MAY_START = 64, COUNT_LASTS_US = 1000000 };

static uint64_t now_us(void)
{
    struct timespec t = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint32_t sandbox_process_limit(const struct sandbox_plan *plan)
{
    static uint64_t counted_us, n_own;
    uint64_t now = now_us();

    if (plan->layers & SANDBOX_NAMESPACES) {
        return (uint32_t)plan->processes;
    }
    if (counted_us == 0 || now - counted_us > COUNT_LASTS_US) {
        counted_us = now;
        n_own = count_own_tasks();
    }
    return getuid() == 0 || n_own == 0 || plan->layers & SANDBOX_CGROUP
                   ? 0
                   : (uint32_t)(n_own + OTHERS_MAY_START + plan->processes * plan->concurrent);
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
            .cpu_us = limits->cpu_us,
            .file_bytes = limits->file_bytes,
            .result_bytes_max = limits->result_bytes_max,
            .n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1,
            .layers = tier_layers(),
            .processes = (uint64_t)limits->processes + 1,
            .concurrent = limits->concurrent,
            /* What a program may store counts against the machine's memory like what it may map. */
            .tmpfs_bytes = MAX(limits->memory_bytes / 2, limits->file_bytes),
            .tmpfs_inodes = TMPFS_INODES,
    };
    return tier_fill(ret_plan);
}
