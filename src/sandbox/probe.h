/* Tries each layer for real. Plan side; blocks for some milliseconds (forks and waits). */
#pragma once

#include <stdint.h>

#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

/* The highest Landlock ABI of the kernel, 0 without Landlock: landlock(7). */
uint32_t probe_landlock_abi(void);
/* `plan` has everything but the layers; `wanted` are the layers to try (enum sandbox_layer), the
 * others are told as switched off. The order in ret_layers is that of the bits; the cgroup's is
 * not tried here (cgroup.h). */
void probe_layers(
        const struct sandbox_plan *plan, uint32_t wanted, SandboxLayer ret_layers[SANDBOX_LAYERS]);
