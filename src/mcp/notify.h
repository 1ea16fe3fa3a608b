/* Log notifications to the client (notifications/message): the start and the end of each run, at
 * level info, for those who asked for them. */
#pragma once

#include "exec/outcome.h"
#include "mcp/peer.h"

void notify_started(const McpRequest *rq, const char *request_id);
void notify_ended(const McpRequest *rq, const Outcome *o);
