/* JSON-RPC 2.0 messages as MCP restricts them: ids are strings or integers, echoed with their type.
 * Ownership: an RpcMessage holds one reference to its document; the other pointers are borrowed
 * from it. Never blocks; allocates. */
#pragma once

#include <stddef.h>

#include "json/json.h"

enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    MCP_RESOURCE_NOT_FOUND = -32002, /* legacy revisions */
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

typedef enum RpcKind {
    RPC_REQUEST,
    RPC_NOTIFICATION, /* never answered; with an error_code when its params were no object */
    RPC_RESPONSE,     /* an answer to something we never asked: ignored */
    RPC_BATCH,        /* a JSON array, `doc` */
    RPC_INVALID,      /* answer with error_code/error_text, under `id` when that is not NULL */
} RpcKind;

typedef struct RpcMessage {
    RpcKind kind;
    Json *doc;          /* owned; NULL when nothing could be parsed */
    Json *id;           /* borrowed from doc, or from `found_id`; NULL for none */
    Json *found_id;     /* owned: the id scanned out of a line that is no JSON */
    const char *method; /* borrowed; requests and notifications */
    Json *params;       /* borrowed; an object, or NULL when absent */
    int error_code;
    char error_text[256];
} RpcMessage;

/* One line (without its line end). Always fills *m; rpc_message_deinit() it. On a line that is no
 * JSON, the top-level id is still scanned for (rpc/scan.h), so that the answer can carry it. */
void rpc_message_parse(RpcMessage *m, const char *line, size_t n);
/* One element of a batch; takes a new reference to `element`. */
void rpc_message_from(RpcMessage *m, Json *element);
void rpc_message_deinit(RpcMessage *m);

/* New documents; both take `result`/`data` (may be NULL for data) and borrow id (NULL: no id
 * member). */
Json *rpc_result(Json *id, Json *result);
Json *rpc_error(Json *id, int code, const char *text, Json *data);
Json *rpc_notification(const char *method, Json *params);
