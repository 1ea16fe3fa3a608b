/* The stdio transport: one JSON object a line in each direction (MCP, "Transports", stdio).
 *
 * Reads descriptor `in`, writes descriptor `out`, on a libuv loop; never blocks, whatever the
 * descriptors are (pipe, socket, terminal, regular file), and does not change the blocking mode
 * that other holders of them see (sockets: MSG_DONTWAIT; pipes and terminals are reopened where
 * /proc allows, else O_NONBLOCK is set and restored at the end).
 *
 * Bounds: an input line longer than max_line_bytes is skipped, not stored, and reported by
 * on_overlong with its id. While more than RPC_STDIO_BACKLOG bytes of output wait for the client,
 * nothing more is read; no output is ever dropped. CRLF is accepted, never sent; blank lines are
 * ignored. EPIPE ends input and output quietly: on_eof is called, later output is dropped. Handlers
 * are called from the loop only, may send and may free. SIGPIPE must be ignored by the process.
 * Not for use after fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "json/json.h"

enum { RPC_STDIO_BACKLOG = 4 * 1024 * 1024 };

typedef struct RpcStdio RpcStdio;

typedef struct RpcStdioHandlers {
    void (*on_line)(
            void *userdata, const char *line, size_t n); /* bytes are valid during the call */
    /* A line was longer than the limit; called once the id is known or the line has ended (within a
     * second). id may be NULL. */
    void (*on_overlong)(void *userdata, Json *id);
    void (*on_eof)(
            void *userdata); /* once: the end of input, or output that nobody reads any more */
    /* Output that had to wait has left, or never will because nobody reads it; not called for what
     * rpc_stdio_send() could write at once. May be NULL. */
    void (*on_drained)(void *userdata);
} RpcStdioHandlers;

/* -EBADF (also when open the other way only), -EISDIR, -ENOMEM, or what libuv says; the descriptors
 * stay the caller's and are duplicated. Even after a failure the loop is run before it is closed.
 */
int rpc_stdio_new(RpcStdio **ret, uv_loop_t *loop, int in, int out, size_t max_line_bytes,
        const RpcStdioHandlers *handlers, void *userdata);
int rpc_stdio_start(RpcStdio *t);                     /* begins to read */
int rpc_stdio_send(RpcStdio *t, const Json *message); /* queues one line; 0 or -ENOMEM */
int rpc_stdio_send_bytes(
        RpcStdio *t, const void *data, size_t n); /* queues raw bytes (the `run` command) */
size_t rpc_stdio_pending(const RpcStdio *t);      /* bytes not yet written */
/* Stops reading, closes the handles; what is pending is lost. The memory goes when the loop has run
 * the close callbacks. */
RpcStdio *rpc_stdio_free(RpcStdio *t);
