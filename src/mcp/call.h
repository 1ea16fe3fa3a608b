/* tools/call: from the request to a job of the runner, and back to a result. */
#pragma once

#include "mcp/peer.h"

void call_run(const McpRequest *rq);
/* True when a call with this id was open; it is killed and nothing more is sent for it. With ids
 * used twice it is the newest one. */
bool call_cancel(McpPeer *p, const Json *id);
void call_cancel_all(McpPeer *p);
