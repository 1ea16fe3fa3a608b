/* subscriptions/listen (2026-07-28, "Subscriptions"). Nothing here ever changes while the server
 * runs, so what is agreed to is always the empty subset; the request stays open all the same until
 * the client cancels it or the server ends. */
#pragma once

#include "mcp/peer.h"

void listen_run(const McpRequest *rq);
/* True when a subscription with this id was open; it is closed without an answer. */
bool listen_cancel(McpPeer *p, const Json *id);
/* The server ends them: each is answered. */
void listen_end_all(McpPeer *p);
