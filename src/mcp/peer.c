/* One client's conversation: each message is looked at by itself.
 *
 * A request's era is decided per request, since a client may probe in one era and talk in the
 * other: metadata of the modern era in it makes it modern, anything else belongs to the legacy
 * conversation, whose revision `initialize` settles (before that the latest legacy one is assumed,
 * so that a client may ping or list tools first). `initialize` itself is legacy unless its metadata
 * is complete.
 *
 * Nothing here waits. A request is answered at once or by a later callback of the loop; on the way
 * out of either, peer_settle() tells the owner when no call is left. */
#include "mcp/peer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "mcp/build.h"
#include "mcp/call.h"
#include "mcp/listen.h"
#include "mcp/methods.h"

/* How long a client may keep discover and the lists: they are the same while the process lives, and
 * a new process may have other settings. */
enum { CACHE_TTL_MS = 5 * 60 * 1000 };

int mcp_peer_new(McpPeer **ret, McpServer *s, void (*send)(void *userdata, const Json *message),
        void *userdata)
{
    McpPeer *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        return -ENOMEM;
    }
    p->server = s;
    p->send = send;
    p->userdata = userdata;
    p->log_level = MCP_LOG_OFF;
    *ret = p;
    return 0;
}

McpPeer *mcp_peer_free(McpPeer *p)
{
    if (p != NULL) {
        listen_end_all(p);
        p->closing = true;
        call_cancel_all(p);
        free(p);
    }
    return NULL;
}

const Era *peer_era(const McpPeer *p)
{
    return p->negotiated != NULL ? p->negotiated : era_latest_legacy();
}

size_t mcp_peer_calls(const McpPeer *p)
{
    return p->n_calls;
}

void mcp_peer_on_idle(McpPeer *p, void (*on_idle)(void *userdata), void *userdata)
{
    p->on_idle = on_idle;
    p->idle_userdata = userdata;
}

void mcp_peer_on_pending(McpPeer *p, size_t (*pending)(void *userdata))
{
    p->pending = pending;
}

void peer_settle(McpPeer *p)
{
    if (p->idle_due && p->n_calls == 0) {
        p->idle_due = false;
        if (p->on_idle != NULL) {
            p->on_idle(p->idle_userdata);
        }
    }
}

/* Sending ----------------------------------------------------------------------------------- */

void peer_send(McpPeer *p, Json *message)
{
    if (message == NULL) {
        log_error(NULL, "out of memory: a message to the client is lost");
        return;
    }
    if (!p->closing) {
        p->send(p->userdata, message);
    }
    (void)json_unref(message);
}

static void answer(McpPeer *p, McpBatch *batch, Json *response)
{
    if (batch != NULL) {
        batch_close(batch, response);
    } else {
        peer_send(p, response);
    }
}

/* What every modern result carries (2026-07-28, "Result responses", "Caching"). */
static int add_modern(const McpRequest *rq, Json *result)
{
    Json *meta = json_get(result, "_meta");
    int r = json_set(result, "resultType", json_new_string("complete"));

    if (meta == NULL) {
        r |= json_set(result, "_meta", json_new_object());
        meta = json_get(result, "_meta");
    }
    r |= json_set(meta, META_SERVER_INFO, server_info(rq->peer->server, rq->era));
    if (rq->cacheable) {
        r |= json_set(result, "ttlMs", json_new_int(CACHE_TTL_MS));
        r |= json_set(result, "cacheScope", json_new_string("public"));
    }
    return r;
}

void request_respond(const McpRequest *rq, Json *result)
{
    if (result != NULL && rq->era->modern) {
        result = built(result, add_modern(rq, result));
    }
    if (result == NULL) {
        request_fail(
                rq, RPC_INTERNAL_ERROR, "Internal error: out of memory; try again later", NULL);
        return;
    }
    answer(rq->peer, rq->batch, rpc_result(rq->id, result));
}

void request_fail(const McpRequest *rq, int code, const char *text, Json *data)
{
    answer(rq->peer, rq->batch, rpc_error(rq->id, code, text, data));
}

void request_give_up(const McpRequest *rq)
{
    if (rq->batch != NULL) {
        batch_close(rq->batch, NULL);
    }
}

static bool is_long_id(const Json *id)
{
    size_t n = 0;

    return json_string_bytes(id, &n) != NULL && n > MCP_ID_MAX;
}

/* A batch keeps its answers until the last one is there, ids and all: an error under a long id goes
 * past it, so that nothing unbounded is kept. */
void peer_fail(McpPeer *p, McpBatch *batch, Json *id, int code, const char *text)
{
    const Era *era = peer_era(p);

    if (id == NULL && !era->errors_without_id) {
        /* Not the text: it may quote what the client sent, and that may be code. */
        log_warning(NULL,
                "error %d is not sent, since the message had no id and revision %s has no error "
                "without one",
                code, era->version);
        return;
    }
    if (is_long_id(id)) {
        batch = NULL;
    }
    if (batch != NULL) {
        batch_open(batch);
    }
    answer(p, batch, rpc_error(id, code, text, NULL));
}

/* Requests ---------------------------------------------------------------------------------- */

static void fail_unsupported(const McpRequest *rq, Json *requested)
{
    Json *data = json_new_object();
    int r = json_set(data, "supported", server_versions());

    r |= json_set(data, "requested", json_ref(requested));
    request_fail(rq, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version", built(data, r));
}

static void fail_method(const McpRequest *rq, const Json *name)
{
    char text[QUOTE_SIZE + 64], quoted[QUOTE_SIZE];
    const char *bytes;
    size_t n = 0;

    bytes = json_string_bytes(name, &n);
    (void)snprintf(text, sizeof(text), "Method not found in revision %s: %s", rq->era->version,
            quote_text(bytes != NULL ? bytes : "", n, quoted));
    request_fail(rq, RPC_METHOD_NOT_FOUND, text, NULL);
}

static void request_run(McpRequest *rq, const Json *name)
{
    const Method *method = method_find(name);

    if (method == NULL || (rq->era->modern && !method->modern)) {
        fail_method(rq, name);
    } else if (!rq->era->modern && !method->legacy) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: this method needs the _meta keys " META_PROTOCOL_VERSION
                " and " META_CLIENT_CAPABILITIES,
                NULL);
    } else {
        rq->cacheable = method->cacheable;
        method->run(rq);
    }
}

static void request_dispatch(McpPeer *p, const RpcMessage *m, McpBatch *batch)
{
    const Json *name = json_get(m->doc, "method");
    bool initialize = json_is_text(name, "initialize");
    McpRequest rq = {
            .peer = p,
            .era = peer_era(p),
            .log_level = p->log_level,
            .id = m->id,
            .params = m->params,
            .batch = batch,
    };
    char text[96];
    Envelope e;

    if (is_long_id(m->id)) {
        (void)snprintf(text, sizeof(text),
                "Invalid Request: an id of more than %d bytes; send a shorter one", MCP_ID_MAX);
        peer_fail(p, batch, m->id, RPC_INVALID_REQUEST, text);
        return;
    }
    envelope_read(m->params, &e);
    if (batch != NULL) {
        batch_open(batch);
        if (initialize || e.kind != ENVELOPE_NONE) {
            request_fail(&rq, RPC_INVALID_REQUEST,
                    "Invalid Request: initialize and requests of revision 2026-07-28 can't be part "
                    "of a batch",
                    NULL);
            return;
        }
    }
    if (e.kind == ENVELOPE_VALID) {
        rq.era = e.era;
        rq.log_level = e.log_level;
    } else if (e.kind == ENVELOPE_BROKEN && !initialize) {
        request_fail(&rq, RPC_INVALID_PARAMS, e.error, NULL);
        return;
    } else if (e.kind == ENVELOPE_UNSUPPORTED && !initialize) {
        fail_unsupported(&rq, e.requested);
        return;
    }
    request_run(&rq, name);
}

/* Notifications ----------------------------------------------------------------------------- */

static void cancelled(McpPeer *p, const RpcMessage *m)
{
    const Json *id = json_get(m->params, "requestId");

    if (!json_is(id, JSON_T_STRING) && !json_is(id, JSON_T_INTEGER)) {
        log_debug(NULL, "a cancel without a requestId is ignored");
    } else if (!call_cancel(p, id) && !listen_cancel(p, id)) {
        log_debug(NULL, "a cancel of a request that is not open is ignored");
    }
}

static void notification_dispatch(McpPeer *p, const RpcMessage *m)
{
    const Json *name = json_get(m->doc, "method");

    if (json_is_text(name, "notifications/cancelled")) {
        cancelled(p, m);
    } else if (json_is_text(name, "notifications/initialized") ||
               json_is_text(name, "notifications/progress") ||
               json_is_text(name, "notifications/roots/list_changed")) {
        log_debug(NULL, "%s", m->method);
    } else {
        log_debug(NULL, "a notification that is not known is ignored: %s", m->method);
    }
}

/* Messages ---------------------------------------------------------------------------------- */

void peer_dispatch(McpPeer *p, const RpcMessage *m, McpBatch *batch)
{
    switch (m->kind) {
    case RPC_REQUEST:
        request_dispatch(p, m, batch);
        break;
    case RPC_NOTIFICATION:
        notification_dispatch(p, m);
        break;
    case RPC_RESPONSE:
        log_debug(NULL, "an answer to something that was never asked is ignored");
        break;
    case RPC_BATCH: /* inside of another one */
        peer_fail(p, batch, NULL, RPC_INVALID_REQUEST, "Invalid Request: a batch inside a batch");
        break;
    case RPC_INVALID:
        peer_fail(p, batch, m->id, m->error_code, m->error_text);
        break;
    }
}

void mcp_peer_receive(McpPeer *p, const char *line, size_t n)
{
    RpcMessage m;

    rpc_message_parse(&m, line, n);
    if (m.kind == RPC_BATCH) {
        batch_receive(p, &m);
    } else {
        peer_dispatch(p, &m, NULL);
    }
    rpc_message_deinit(&m);
    peer_settle(p);
}

void mcp_peer_overlong(McpPeer *p, Json *id)
{
    int64_t mb = p->server->settings->max_request_mb;
    char text[160];

    (void)snprintf(text, sizeof(text),
            "Invalid Request: a line longer than %" PRId64
            " MB was skipped (RUNNER_MAX_REQUEST_MB=%" PRId64 "); send less at once",
            mb, mb);
    peer_fail(p, NULL, id, RPC_INVALID_REQUEST, text);
}
