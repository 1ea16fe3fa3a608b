/* What the files of this folder share about a server, a peer and a request. Not for others: they
 * use mcp/server.h. */
#pragma once

#include "mcp/batch.h"
#include "mcp/envelope.h"
#include "mcp/eras.h"
#include "mcp/server.h"
#include "rpc/scan.h"

enum {
    MCP_ID_MAX = RPC_SCAN_ID_MAX,     /* bytes of a request's id or progress token; they are kept */
    MCP_PROGRESS_BACKLOG = 64 * 1024, /* no progress while more than this waits for the client */
    MCP_LISTENS_MAX = 16,             /* open subscriptions of one peer */
    MCP_REPLY_MAX = 10 * 1024 * 1024 - 64 * 1024, /* clients drop the connection at 10 MiB */
};

struct McpServer {
    uv_loop_t *loop;
    const Settings *settings;
    Runner *runner;
    char *version;
};

typedef struct McpCall McpCall;

typedef struct McpListen { /* an open subscriptions/listen request */
    Json *id;
    const Era *era;
} McpListen;

struct McpPeer {
    McpServer *server;
    void (*send)(void *userdata, const Json *message);
    size_t (*pending)(void *userdata); /* may be NULL */
    void *userdata;
    const Era *negotiated; /* NULL before initialize */
    McpLogLevel log_level; /* of the legacy conversation */
    McpCall *calls;        /* tools/call that are not answered yet, the newest first */
    size_t n_calls;
    McpListen listens[MCP_LISTENS_MAX]; /* the newest last */
    size_t n_listens;
    void (*on_idle)(void *userdata);
    void *idle_userdata;
    bool idle_due;
    bool closing; /* being freed: nothing more is sent */
};

/* One request while it is handled. A handler that answers later keeps a copy with its own reference
 * to the id. */
typedef struct McpRequest {
    McpPeer *peer;
    const Era *era;
    McpLogLevel log_level;
    Json *id;
    const Json *params; /* NULL when absent; borrowed */
    McpBatch *batch;    /* NULL when it came by itself */
    bool cacheable;     /* the modern result needs ttlMs and cacheScope */
} McpRequest;

/* Each request is answered by exactly one of these, or given up (after a cancel). `result` and
 * `data` are taken; a NULL result (memory is short) is answered as an internal error. */
void request_respond(const McpRequest *rq, Json *result);
void request_fail(const McpRequest *rq, int code, const char *text, Json *data);
void request_give_up(const McpRequest *rq);

/* An error that no request stands for: with its id when that is known, else only where the revision
 * has errors without one. `batch` may be NULL. */
void peer_fail(McpPeer *p, McpBatch *batch, Json *id, int code, const char *text);
/* Takes the message; a NULL one (memory is short) is logged. */
void peer_send(McpPeer *p, Json *message);
/* Handles one message; the batch it came in, or NULL. */
void peer_dispatch(McpPeer *p, const RpcMessage *m, McpBatch *batch);
/* To be called last when the loop has called into this folder: tells that no call is left. */
void peer_settle(McpPeer *p);

/* The revision of the legacy conversation: what initialize settled, or what is assumed before it.
 */
const Era *peer_era(const McpPeer *p);

/* {name, version, ...} as the revision has it. A new document or NULL. */
Json *server_info(const McpServer *s, const Era *era);
Json *server_capabilities(void);
/* The revisions that a request may name in its metadata; the others are reached by `initialize`. */
Json *server_versions(void);
