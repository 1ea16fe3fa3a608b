#include "mcp/listen.h"

#include <stdio.h>
#include <string.h>

#include "mcp/build.h"

static Json *acknowledgement(Json *id)
{
    Json *params = json_new_object(), *meta = json_new_object();
    int r = json_set(meta, META_SUBSCRIPTION_ID, json_ref(id));

    r |= json_set(params, "_meta", meta);
    r |= json_set(params, "notifications", json_new_object());
    params = built(params, r);
    return params == NULL ? NULL
                          : rpc_notification("notifications/subscriptions/acknowledged", params);
}

void listen_run(const McpRequest *rq)
{
    McpPeer *p = rq->peer;
    char text[96];

    if (!json_is(json_get(rq->params, "notifications"), JSON_T_OBJECT)) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: subscriptions/listen needs the object params.notifications", NULL);
        return;
    }
    if (p->n_listens == MCP_LISTENS_MAX) {
        (void)snprintf(text, sizeof(text),
                "Subscription limit reached: %d are open; cancel one of them first",
                MCP_LISTENS_MAX);
        request_fail(rq, RPC_INTERNAL_ERROR, text, NULL);
        return;
    }
    p->listens[p->n_listens++] = (McpListen){json_ref(rq->id), rq->era};
    peer_send(p, acknowledgement(rq->id));
}

bool listen_cancel(McpPeer *p, const Json *id)
{
    for (size_t i = p->n_listens; i-- > 0;) {
        if (json_equal(p->listens[i].id, id)) {
            (void)json_unref(p->listens[i].id);
            p->n_listens--;
            memmove(&p->listens[i], &p->listens[i + 1], (p->n_listens - i) * sizeof(p->listens[0]));
            return true;
        }
    }
    return false;
}

void listen_end_all(McpPeer *p)
{
    for (size_t i = 0; i < p->n_listens; i++) {
        const McpListen *l = &p->listens[i];
        Json *result = json_new_object(), *meta = json_new_object();
        int r = json_set(meta, META_SUBSCRIPTION_ID, json_ref(l->id));

        r |= json_set(result, "_meta", meta);
        request_respond(&(McpRequest){.peer = p, .era = l->era, .id = l->id}, built(result, r));
        (void)json_unref(l->id);
    }
    p->n_listens = 0;
}
