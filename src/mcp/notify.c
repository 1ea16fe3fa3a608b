#include "mcp/notify.h"

#include "mcp/build.h"
#include "mcp/tool.h"

static Json *event_new(const char *request_id, const char *event)
{
    Json *data = json_new_object();
    int r = json_set(data, "request_id", json_new_string(request_id));

    r |= json_set(data, "event", json_new_string(event));
    return built(data, r);
}

static void notify(const McpRequest *rq, Json *data)
{
    Json *params = json_new_object();
    int r = json_set(params, "level", json_new_string(mcp_log_level_name(MCP_LOG_INFO)));

    r |= json_set(params, "logger", json_new_string(SERVER_NAME));
    r |= json_set(params, "data", data);
    params = built(params, r);
    peer_send(rq->peer, params != NULL ? rpc_notification("notifications/message", params) : NULL);
}

/* A threshold at or below info; MCP_LOG_OFF is above it. */
static bool wanted(const McpRequest *rq)
{
    return rq->log_level <= MCP_LOG_INFO;
}

void notify_started(const McpRequest *rq, const char *request_id)
{
    if (wanted(rq)) {
        notify(rq, event_new(request_id, "start"));
    }
}

void notify_ended(const McpRequest *rq, const Outcome *o)
{
    Json *data;
    int r;

    if (!wanted(rq)) {
        return;
    }
    data = event_new(o->request_id, "end");
    r = json_set(data, "status", json_new_string(run_status_name(o->status)));
    r |= json_set(data, "duration_ms", json_new_real((double)o->duration_us / 1000));
    notify(rq, built(data, r));
}
