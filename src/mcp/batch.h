/* JSON-RPC batches, for the revisions that have them: the answers of all requests of one array,
 * sent as one array when the last of them is there (JSON-RPC 2.0, section 6). Answers come in the
 * order in which they are ready.
 *
 * Ownership: a batch frees itself when its last request is answered or given up. */
#pragma once

#include "rpc/message.h"
#include "json/json.h"

enum { MCP_BATCH_MAX = 1000 }; /* messages in one batch */

typedef struct McpPeer McpPeer;
typedef struct McpBatch McpBatch;

/* Handles an array; refuses it where the conversation's revision has none. */
void batch_receive(McpPeer *p, const RpcMessage *m);
/* One more request will be answered. */
void batch_open(McpBatch *b);
/* ... and has been: `response` is taken; NULL when it was cancelled. */
void batch_close(McpBatch *b, Json *response);
/* How many bytes a reply in it may have. */
size_t batch_reply_max(const McpBatch *b);
