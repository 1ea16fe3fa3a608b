/* Time. CLOCK_MONOTONIC (clock_gettime(2)); never blocks; async-signal-safe. Unit: microseconds. */
#pragma once

#include <stdint.h>

uint64_t clock_now_us(void);
