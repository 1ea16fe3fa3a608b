/* The apply side where there is nothing but POSIX. Orphans that left the worker's process group go
 * to init and are lost to us; sandbox_gaps() says so. */

#include "sandbox/apply_platform.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"

enum { CLOSE_MAX = 65536 };

int apply_template(const struct sandbox_plan *plan, enum sandbox_stage *ret_stage)
{
    (void)plan;
    *ret_stage = SANDBOX_STAGE_NONE;
    return 0;
}

void apply_platform_die_with_parent(bool yes)
{
    (void)yes;
}

int apply_platform_writable(const struct sandbox_plan *plan)
{
    (void)plan;
    return 0;
}

int apply_platform_writable_end(const struct sandbox_plan *plan)
{
    (void)plan;
    return 0;
}

void apply_template_end(int cgroup)
{
    (void)cgroup;
}

pid_t apply_fork(struct apply_spawn *spawn)
{
    (void)spawn;
    return fork();
}

int apply_platform_lock_in(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage)
{
    (void)spawn;
    *ret_stage = SANDBOX_STAGE_NONE;
    return 0;
}

int apply_platform_filter(const struct apply_spawn *spawn, enum sandbox_stage *ret_stage)
{
    (void)spawn;
    *ret_stage = SANDBOX_STAGE_NONE;
    return 0;
}

int apply_platform_become_keeper(void)
{
    return 0;
}

void apply_platform_name_keeper(void)
{
}

int apply_platform_bind_to(pid_t keeper)
{
    return getppid() == keeper ? 0 : -ESRCH;
}

void apply_platform_begin(void)
{
}

bool apply_platform_may_be_bound(uint8_t ret_processors[WIRE_PROCESSORS_SIZE])
{
    (void)ret_processors;
    return false;
}

void apply_platform_unbind(void)
{
}

bool apply_platform_net_is_clean(const struct apply_spawn *spawn)
{
    (void)spawn;
    return false;
}

void apply_platform_clean_up(void)
{
}

void apply_platform_close_from(int lowest)
{
    long n = sysconf(_SC_OPEN_MAX);

    for (int fd = lowest; fd < (n > 0 ? MIN(n, CLOSE_MAX) : CLOSE_MAX); fd++) {
        (void)close(fd);
    }
}

uint64_t apply_platform_live_cpu_us(pid_t worker)
{
#if defined(_POSIX_CPUTIME) && _POSIX_CPUTIME >= 0
    clockid_t clock;
    struct timespec t;

    if (clock_getcpuclockid(worker, &clock) == 0 && clock_gettime(clock, &t) == 0) {
        return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
    }
#else
    (void)worker;
#endif
    return 0;
}

bool apply_platform_kill_rest(void)
{
    return false;
}

int apply_platform_open_cpu(const struct apply_spawn *spawn)
{
    (void)spawn;
    return -1;
}

uint64_t apply_platform_sum_cpu_us(int cpu)
{
    (void)cpu;
    return 0;
}

uint64_t apply_platform_max_rss_kb(long ru_maxrss)
{
#ifdef __APPLE__
    return (uint64_t)ru_maxrss / 1024;
#else
    return (uint64_t)ru_maxrss;
#endif
}
