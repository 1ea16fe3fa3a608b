#include "base/clock.h"

#include <time.h>

uint64_t clock_now_us(void)
{
    struct timespec now = {0};
    /* Fails only for an unknown clock or a bad pointer: clock_gettime(2). */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}
