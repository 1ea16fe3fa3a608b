#include "sandbox/apply_seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(
        sizeof(struct sock_filter) == sizeof(uint64_t), "the plan stores instructions as 8 bytes");

int apply_seccomp(const struct sandbox_plan *plan)
{
    struct sock_fprog program = {.len = (unsigned short)plan->n_filter,
            .filter = (struct sock_filter *)(void *)plan->filter};

    /* No TSYNC: the worker has one thread. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno : 0;
}
