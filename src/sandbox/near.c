/* Theory of operation: keeping a call on one processor
 *
 * Each step of a call wakes the process that has the next one. The scheduler likes to give that an
 * idle processor, and one that sleeps takes longer to wake than the step takes: tens of
 * microseconds, in a virtual machine hundreds. Where nothing else runs, nothing is lost by staying.
 * So a waiting worker is bound to the supervisor's processor just before it is woken; it unbinds
 * itself (apply_platform_unbind) before the program begins, and stays where it is. */

#include <sched.h>

#include "sandbox/sandbox.h"

bool sandbox_keep_near(pid_t worker)
{
    int here = sched_getcpu();
    cpu_set_t only;

    if (here < 0 || here >= CPU_SETSIZE) {
        return false;
    }
    CPU_ZERO(&only);
    CPU_SET(here, &only);
    return sched_setaffinity(worker, sizeof(only), &only) == 0;
}
