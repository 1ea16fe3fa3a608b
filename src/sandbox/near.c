/* Theory of operation: keeping a call on one processor
 *
 * Each step of a call wakes the process that has the next one. The scheduler likes to give that an
 * idle processor, and one that sleeps takes longer to wake than the step takes: tens of
 * microseconds, in a virtual machine hundreds. Where nothing else runs, nothing is lost by staying.
 * So a waiting worker is bound to the supervisor's processor just before it is woken; it unbinds
 * itself (apply_platform_unbind) before the program begins, and stays where it is. */

#include <sched.h>
#include <string.h>

#include "sandbox/sandbox.h"

bool sandbox_keep_near(pid_t worker, const uint8_t *processors)
{
    int here = sched_getcpu();
    cpu_set_t only, own;

    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(worker, sizeof(own), &own) < 0 ||
            memcmp(&own, processors, sizeof(own)) != 0) {
        return false;
    }
    CPU_ZERO(&only);
    CPU_SET(here, &only);
    return sched_setaffinity(worker, sizeof(only), &only) == 0;
}
