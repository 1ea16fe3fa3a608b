/* Theory of operation: the worker's half of the set-up
 *
 * The worker is locked in before anything a caller chose is looked at; what is left for the moment
 * the program is there are the limits that would also count the waiting (apply_limits). Every step
 * that fails is a fixed pair {stage, errno} on the go socket. */

#include "sandbox/apply_worker.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/apply_platform.h"

enum {
    GO_FD = 3,
    CPU_GRACE_S = 1,
    FILES_MAX = 4096,
};

int apply_say(int go_fd, enum sandbox_stage stage, int error)
{
    const struct wire_set_up m = {.h = {.type = WIRE_SET_UP, .version = WIRE_VERSION},
            .stage = (uint32_t)stage,
            .error = error};

    return wire_send(go_fd, &m, sizeof(m), NULL, 0);
}

void apply_fail(int go_fd, enum sandbox_stage stage, int error)
{
    (void)apply_say(go_fd, stage, error); /* nobody there: nobody to tell */
    _exit(APPLY_EXIT_FAILED);
}

/* 0 to 2, the go socket on GO_FD, nothing else. The spawn's descriptors are above 2 and none of
 * them is GO_FD, where the template's socket was. */
static int set_up_descriptors(const int *fds)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
            dup2(fds[WIRE_SPAWN_FD_STDOUT], STDOUT_FILENO) < 0 ||
            dup2(fds[WIRE_SPAWN_FD_STDERR], STDERR_FILENO) < 0 ||
            dup2(fds[WIRE_SPAWN_FD_GO], GO_FD) < 0 || fcntl(GO_FD, F_SETFD, FD_CLOEXEC) < 0) {
        return -errno;
    }
    apply_platform_close_from(GO_FD + 1);
    return 0;
}

int apply_worker(const struct apply_spawn *spawn, pid_t keeper)
{
    enum sandbox_stage stage = SANDBOX_STAGE_NONE;
    int r = setsid() < 0 ? -errno : apply_platform_bind_to(keeper);

    if (r < 0) {
        apply_fail(spawn->fds[WIRE_SPAWN_FD_GO], SANDBOX_STAGE_SESSION, -r);
    }
    r = set_up_descriptors(spawn->fds);
    if (r < 0) {
        apply_fail(spawn->fds[WIRE_SPAWN_FD_GO], SANDBOX_STAGE_STDIO, -r);
    }
    r = apply_platform_filter(spawn, &stage);
    if (r < 0) {
        apply_fail(GO_FD, stage, -r);
    }
    return GO_FD;
}

/* Those that count, as they were inherited; asked for while nobody waits. */
enum counting { MEMORY, FILE_SIZE, CPU, PROCESSES, _COUNTING_N };
static const int counting[_COUNTING_N] = {RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NPROC};
static struct rlimit inherited[_COUNTING_N];

/* Lowers a limit; one that is lower already stays (setrlimit(2) would need a privilege to raise
 * it).
 */
static int lower(int resource, struct rlimit old, uint64_t soft, uint64_t hard)
{
    struct rlimit new;

    new.rlim_max = old.rlim_max == RLIM_INFINITY ? hard : MIN(old.rlim_max, hard);
    new.rlim_cur = MIN(soft, new.rlim_max);
    return setrlimit(resource, &new) < 0 ? -errno : 0;
}

static int lower_counting(enum counting i, uint64_t soft, uint64_t hard)
{
    return lower(counting[i], inherited[i], soft, hard);
}

/* Each open file costs memory of the kernel that no other limit counts, pipes and sockets with what
 * is in them most of all. The soft limit stays what the owner chose, where it is lower. */
static int limit_files(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) < 0) {
        return -errno;
    }
    l.rlim_max = MIN(l.rlim_max, (rlim_t)FILES_MAX);
    l.rlim_cur = MIN(l.rlim_cur, l.rlim_max);
    return setrlimit(RLIMIT_NOFILE, &l) < 0 ? -errno : 0;
}

static uint64_t own_cpu_us(void)
{
    struct rusage used;

    return getrusage(RUSAGE_SELF, &used) < 0 ? 0 : apply_rusage_us(&used);
}

/* Whole seconds that can't pass before the run's own limit: the keeper counts exactly, for all
 * processes of the run together; this one holds for each process should the keeper be late. */
static uint64_t cpu_backstop_s(uint64_t cpu_us)
{
    return (cpu_us + 999999) / 1000000 + CPU_GRACE_S;
}

void apply_early_limits(const struct apply_spawn *spawn, int go_fd)
{
    const struct sandbox_plan *plan = spawn->plan;
    struct rlimit core;
    int r = getrlimit(RLIMIT_CORE, &core) < 0
                    ? -errno
                    : lower(RLIMIT_CORE, core, plan->core_bytes, plan->core_bytes);

    if (r == 0) {
        r = limit_files();
    }
    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(counting); i++) {
        r = getrlimit(counting[i], &inherited[i]) < 0 ? -errno : 0;
    }
    if (r < 0) {
        apply_fail(go_fd, SANDBOX_STAGE_RLIMIT, -r);
    }
}

uint64_t apply_limits(const struct apply_spawn *spawn, uint32_t processes, int go_fd)
{
    const struct sandbox_plan *plan = spawn->plan;
    uint64_t memory = plan->memory_bytes + spawn->preload_bytes;
    uint64_t used_us = own_cpu_us();
    uint64_t cpu_s = cpu_backstop_s(plan->cpu_us + used_us);
    int r = lower_counting(MEMORY, memory, memory);

    if (r == 0) {
        r = lower_counting(FILE_SIZE, plan->file_bytes, plan->file_bytes);
    }
    if (r == 0) {
        r = lower_counting(CPU, cpu_s, cpu_s + CPU_GRACE_S);
    }
    if (r == 0 && processes > 0) {
        r = lower_counting(PROCESSES, processes, processes);
    }
    if (r < 0) {
        apply_fail(go_fd, SANDBOX_STAGE_RLIMIT, -r);
    }
    apply_platform_begin();
    return used_us;
}
