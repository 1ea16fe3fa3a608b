/* MCP, all revisions and both eras, independent of the transport.
 *
 * An McpServer holds what all clients share; an McpPeer is one client's conversation (stdio has
 * one; HTTP will have many). Messages go in as lines and come out through `send` as documents
 * (borrowed for the call). Nothing blocks. `send` is never called after mcp_peer_free(). Not for
 * use after fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "exec/runner.h"
#include "json/json.h"

typedef struct McpServer McpServer;
typedef struct McpPeer McpPeer;

int mcp_server_new(McpServer **ret, uv_loop_t *loop, const Settings *settings, Runner *runner,
        const char *version);
McpServer *mcp_server_free(McpServer *s); /* after its peers */

int mcp_peer_new(McpPeer **ret, McpServer *s, void (*send)(void *userdata, const Json *message),
        void *userdata);
void mcp_peer_receive(McpPeer *p, const char *line, size_t n);
void mcp_peer_overlong(
        McpPeer *p, Json *id);           /* an input line was longer than RUNNER_MAX_REQUEST_MB */
size_t mcp_peer_calls(const McpPeer *p); /* tools/call requests not answered yet */
/* Told when mcp_peer_calls() falls to 0 (stdin has ended and the server waits for the last
 * answers). */
void mcp_peer_on_idle(McpPeer *p, void (*on_idle)(void *userdata), void *userdata);
/* `pending` tells how many bytes wait for the client (userdata as for send). While it does not
 * read, progress, which nobody would see in time, is left out; everything else is sent. Optional.
 */
void mcp_peer_on_pending(McpPeer *p, size_t (*pending)(void *userdata));
McpPeer *mcp_peer_free(McpPeer *p); /* ends open subscriptions with an answer, cancels its calls */
