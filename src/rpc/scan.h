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
    bool escape;    /* in a string, right after a backslash */
    bool key_is_id; /* the member being read is the id */
    bool id_lost;   /* the id being read is too long */
    bool id_found;  /* id[] holds one whole value */
    uint8_t n_key;  /* bytes in key[]; one more than fit: some other key */
    uint16_t n_id;  /* bytes in id[] */
    uint64_t depth; /* brackets open */
    char key[16];   /* the text of the key being read: the longest spelling of id has 12 bytes */
    char id[RPC_SCAN_ID_MAX]; /* the text of the id's value */
} RpcScan;                    /* private; the implementation may change its fields */

void rpc_scan_init(RpcScan *s);
void rpc_scan_feed(RpcScan *s, const char *data, size_t n);
/* A new reference to a string or integer; NULL when none was found, or its value has not ended
 * yet. */
Json *rpc_scan_id(const RpcScan *s);
