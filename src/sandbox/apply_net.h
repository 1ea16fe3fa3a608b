/* Network namespaces that outlive a run, since making one is the dearest part of a fork. In the
 * template and, after fork, in the keeper: no allocation, no lock. 0 or -errno. Sources:
 * network_namespaces(7), setns(2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the template: it, and what it forks from then on, is in the namespace `number` (below
 * WIRE_NETS_MAX), which is made when it is not there or `make` is set. Loopback only, and up. */
int apply_net_enter(uint32_t number, bool make);

/* In a network namespace of its own: so that 127.0.0.1 answers. */
int apply_net_raise_loopback(void);

/* In a keeper whose run is dead: whether that namespace is as it was when it was made, to all that
 * anybody in it could see or that could still arrive. */
bool apply_net_is_clean(uint32_t number);
