/* Private to the plan side: which layers hold, and their part of a plan. */
#pragma once

#include "sandbox/plan.h"

uint32_t tier_layers(void);               /* enum sandbox_layer */
int tier_fill(struct sandbox_plan *plan); /* 0 or -errno */
