/* Finds the top-level "id" of a JSON object that is too long to store or is not quite JSON.
 * Streaming: constant memory, any cut between calls. When there are several, the last one wins, as
 * in a JSON parser. Limits: ids longer than RPC_SCAN_ID_MAX bytes of JSON text are given up. Pure;
 * never fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"

enum { RPC_SCAN_ID_MAX = 1024 };

typedef struct RpcScan {
    uint8_t state;
    bool in_string, escape, key_is_id, expect_key, done;
    uint64_t depth;
    uint32_t n_key, n_id;
    char key[16];
    char id[RPC_SCAN_ID_MAX];
    bool id_found, id_open, id_lost;
} RpcScan; /* private; the implementation may change its fields */

void rpc_scan_init(RpcScan *s);
void rpc_scan_feed(RpcScan *s, const char *data, size_t n);
/* A new reference to a string or integer; NULL when none was found. */
Json *rpc_scan_id(const RpcScan *s);
