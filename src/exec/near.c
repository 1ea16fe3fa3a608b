#include "exec/near.h"

#include <sched.h>

bool near_keep(pid_t pid)
{
    int here = sched_getcpu();
    cpu_set_t only;

    if (here < 0 || here >= CPU_SETSIZE) {
        return false;
    }
    CPU_ZERO(&only);
    CPU_SET(here, &only);
    return sched_setaffinity(pid, sizeof(only), &only) == 0;
}
