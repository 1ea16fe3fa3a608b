#include "mcp/batch.h"

#include <stdio.h>

#include "base/log.h"
#include "mcp/peer.h"

struct McpBatch {
    McpPeer *peer;
    Json *responses;
    size_t n_open;     /* requests not answered yet, and one while the array is being read */
    size_t n_messages; /* of the array: a reply's share of the largest message depends on it */
};

void batch_open(McpBatch *b)
{
    b->n_open++;
}

void batch_close(McpBatch *b, Json *response)
{
    if (response != NULL && json_add(b->responses, response) < 0) {
        log_error(NULL, "out of memory: a batch loses an answer; send fewer requests at once");
    }
    if (--b->n_open > 0) {
        return;
    }
    if (json_size(b->responses) > 0) {
        peer_send(b->peer, b->responses);
    } else {
        (void)json_unref(b->responses);
    }
    free(b);
}

size_t batch_reply_max(const McpBatch *b)
{
    return MCP_REPLY_MAX / b->n_messages;
}

static const char *refusal(const McpPeer *p, size_t n, char *text, size_t size)
{
    const Era *era = peer_era(p);

    if (!era->batches) {
        (void)snprintf(text, size,
                "Invalid Request: revision %s has no batches; send one message a line",
                era->version);
    } else if (n == 0) {
        (void)snprintf(text, size, "Invalid Request: an empty batch");
    } else if (n > MCP_BATCH_MAX) {
        (void)snprintf(text, size,
                "Invalid Request: a batch of %zu messages; at most %d are allowed, send several", n,
                MCP_BATCH_MAX);
    } else {
        return NULL;
    }
    return text;
}

/* One error for the whole array. Where an error must have an id it goes to each request in the
 * array instead: a client then does not wait for answers that never come. */
static void refuse(McpPeer *p, const RpcMessage *m, const char *text)
{
    bool without_id = peer_era(p)->errors_without_id;
    size_t answered = 0;

    for (size_t i = 0; !without_id && i < json_size(m->doc) && answered < MCP_BATCH_MAX; i++) {
        Json *id = json_get(json_at(m->doc, i), "id");

        if (json_is(id, JSON_T_STRING) || json_is(id, JSON_T_INTEGER)) {
            peer_fail(p, NULL, id, RPC_INVALID_REQUEST, text);
            answered++;
        }
    }
    if (answered == 0) {
        peer_fail(p, NULL, NULL, RPC_INVALID_REQUEST, text);
    }
}

void batch_receive(McpPeer *p, const RpcMessage *m)
{
    size_t n = json_size(m->doc);
    char text[160];
    McpBatch *b;

    if (refusal(p, n, text, sizeof(text)) != NULL) {
        refuse(p, m, text);
        return;
    }
    b = calloc(1, sizeof(*b));
    if (b == NULL || (b->responses = json_new_array()) == NULL) {
        free(b);
        refuse(p, m, "Internal error: out of memory; send fewer requests at once");
        return;
    }
    b->peer = p;
    b->n_open = 1;
    b->n_messages = n;
    for (size_t i = 0; i < n; i++) {
        RpcMessage element;

        rpc_message_from(&element, json_at(m->doc, i));
        peer_dispatch(p, &element, b);
        rpc_message_deinit(&element);
    }
    batch_close(b, NULL);
}
