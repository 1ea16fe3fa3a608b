/* The JSON-RPC codec: a line is read, answered, written, and what was written is read again.
 *
 * Whatever the line is: the message says one thing only, an answer is one line of strict JSON that
 * carries the same id, and reading it gives the same document back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { OUT_MAX = 16 * 1024 * 1024 };

static void check(int good)
{
    if (!good) {
        abort();
    }
}

static int holds(const Buf *b, const char *bytes, size_t n)
{
    return b->len && memmem(b->data, b->len, bytes, n) != NULL;
}

/* Takes `v`: written and read again it is the same; a peer that splits at U+2028 sees one line. */
static void round_trip(Json *v)
{
    char why[256];
    Buf out;
    Json *again;

    check(v != NULL);
    buf_init(&out, OUT_MAX);
    check(json_dump(v, &out) == 0);
    check(!holds(&out, "\n", 1) && !holds(&out, "\r", 1) && !holds(&out, "\0", 1));
    check(!holds(&out, "\xe2\x80\xa8", 3) && !holds(&out, "\xe2\x80\xa9", 3));
    again = json_parse(out.data, out.len, why, sizeof(why));
    check(again != NULL && json_equal(v, again));
    json_unref(again);

    if (out.len < 500) { /* deep nesting would only be indentation */
        buf_clear(&out);
        check(json_dump_pretty(v, &out) == 0);
        again = json_parse(out.data, out.len, why, sizeof(why));
        check(again != NULL && json_equal(v, again));
        json_unref(again);
    }
    buf_deinit(&out);
    json_unref(v);
}

static void answer(const RpcMessage *m)
{
    Json *error;

    if (m->kind == RPC_REQUEST) {
        Json *id = json_get(m->doc, "id");
        Json *result = m->params ? json_ref(m->params) : json_new_object();

        check(id && id == m->id && m->error_code == 0);
        round_trip(rpc_result(id, result));
        round_trip(rpc_error(id, RPC_METHOD_NOT_FOUND, m->method, NULL));
        return;
    }
    check(m->error_code != 0 && m->error_text[0]);
    check(memchr(m->error_text, '\0', sizeof(m->error_text)) != NULL);
    error = rpc_error(m->id, m->error_code, m->error_text, NULL);
    check(json_get(error, "id") == m->id);
    /* The words are well-formed as they are. */
    check(strcmp(json_string_bytes(json_get(json_get(error, "error"), "message"), NULL),
                  m->error_text) == 0);
    round_trip(error);
}

/* The name as a C string is the whole name. */
static void check_method(const RpcMessage *m)
{
    size_t n = 0;

    check(m->method && m->method == json_string_bytes(json_get(m->doc, "method"), &n));
    check(strlen(m->method) == n);
}

static void handle(const RpcMessage *m, int in_batch)
{
    check(!m->id || json_is(m->id, JSON_T_STRING) || json_is(m->id, JSON_T_INTEGER));
    check(!m->params || json_is(m->params, JSON_T_OBJECT));
    switch (m->kind) {
    case RPC_REQUEST:
        check_method(m);
        answer(m);
        break;
    case RPC_NOTIFICATION:
        check_method(m);
        check(!m->id);
        break;
    case RPC_RESPONSE:
        check(!json_get(m->doc, "method"));
        break;
    case RPC_BATCH:
        check(!in_batch && json_size(m->doc) > 0);
        for (size_t i = 0; i < json_size(m->doc); i++) {
            RpcMessage element;

            rpc_message_from(&element, json_at(m->doc, i));
            handle(&element, 1);
            rpc_message_deinit(&element);
        }
        break;
    case RPC_INVALID:
        answer(m);
        break;
    default:
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    RpcMessage m;

    rpc_message_parse(&m, (const char *)data, n);
    handle(&m, 0);
    if (m.doc) {
        round_trip(json_ref(m.doc));
    }
    rpc_message_deinit(&m);
    return 0;
}
