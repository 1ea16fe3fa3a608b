#include "rpc/message.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "rpc/scan.h"

static void invalid(RpcMessage *m, int code, const char *text)
{
    m->kind = RPC_INVALID;
    m->error_code = code;
    (void)snprintf(m->error_text, sizeof(m->error_text), "%s", text);
}

static bool is_id(const Json *v)
{
    return json_is(v, JSON_T_STRING) || json_is(v, JSON_T_INTEGER);
}

static bool is_text(const Json *v, const char *text)
{
    size_t n;
    const char *s = json_string_bytes(v, &n);

    return s && n == strlen(text) && memcmp(s, text, n) == 0;
}

/* What is wrong with the request or notification; NULL for nothing. */
static const char *envelope_fault(const RpcMessage *m, const Json *id)
{
    const Json *method = json_get(m->doc, "method");
    const char *name;
    size_t n;

    if (!is_text(json_get(m->doc, "jsonrpc"), "2.0")) {
        return "Invalid request: \"jsonrpc\" must be the string \"2.0\"";
    }
    if (id && !is_id(id)) {
        return "Invalid request: \"id\" must be a string or a 64-bit integer; leave it out to send "
               "a notification";
    }
    if (!method) {
        return "Invalid request: \"method\" is missing; name the method to call";
    }
    name = json_string_bytes(method, &n);
    if (!name) {
        return "Invalid request: \"method\" must be a string";
    }
    if (strlen(name) != n) {
        return "Invalid request: \"method\" holds a NUL character; send the plain name";
    }
    return NULL;
}

static void read_object(RpcMessage *m)
{
    Json *id = json_get(m->doc, "id");
    const char *fault;

    if (is_id(id)) {
        m->id = id;
    }
    /* A response is never answered, not even a broken one: two sides that both answer what they
     * don't understand would not stop. */
    if (!json_get(m->doc, "method") && (json_get(m->doc, "result") || json_get(m->doc, "error"))) {
        m->kind = RPC_RESPONSE;
        return;
    }
    fault = envelope_fault(m, id);
    if (fault) {
        invalid(m, RPC_INVALID_REQUEST, fault);
        return;
    }
    m->kind = id ? RPC_REQUEST : RPC_NOTIFICATION;
    m->method = json_string_bytes(json_get(m->doc, "method"), NULL);
    m->params = json_get(m->doc, "params");
    if (m->params && !json_is(m->params, JSON_T_OBJECT)) {
        invalid(m, RPC_INVALID_PARAMS,
                "Invalid params: \"params\" must be an object; leave it out when there are none");
        m->params = NULL;
        if (!id) {
            m->kind = RPC_NOTIFICATION;
        }
    }
}

static void read_document(RpcMessage *m, bool in_batch)
{
    switch (json_type(m->doc)) {
    case JSON_T_OBJECT:
        read_object(m);
        break;
    case JSON_T_ARRAY:
        if (in_batch) {
            invalid(m, RPC_INVALID_REQUEST,
                    "Invalid request: a batch holds objects, not another batch");
        } else if (json_size(m->doc) == 0) {
            invalid(m, RPC_INVALID_REQUEST, "Invalid request: the batch is empty");
        } else {
            m->kind = RPC_BATCH;
        }
        break;
    default:
        invalid(m, RPC_INVALID_REQUEST,
                "Invalid request: a message is a JSON object, not a single value");
        break;
    }
}

void rpc_message_parse(RpcMessage *m, const char *line, size_t n)
{
    char why[sizeof(m->error_text) - sizeof("Parse error: ")];
    RpcScan scan;

    *m = (RpcMessage){0};
    m->doc = json_parse(line, n, why, sizeof(why));
    if (m->doc) {
        read_document(m, false);
        return;
    }
    m->kind = RPC_INVALID;
    m->error_code = RPC_PARSE_ERROR;
    (void)snprintf(m->error_text, sizeof(m->error_text), "Parse error: %s", why);
    rpc_scan_init(&scan);
    rpc_scan_feed(&scan, line, n);
    m->id = m->found_id = rpc_scan_id(&scan);
}

void rpc_message_from(RpcMessage *m, Json *element)
{
    *m = (RpcMessage){.doc = json_ref(element)};
    read_document(m, true);
}

void rpc_message_deinit(RpcMessage *m)
{
    m->found_id = json_unref(m->found_id);
    m->doc = json_unref(m->doc);
    m->id = m->params = NULL;
    m->method = NULL;
}

static Json *envelope(Json *id)
{
    Json *v = json_new_object();

    (void)json_set(v, "jsonrpc", json_new_string("2.0"));
    if (id) {
        (void)json_set(v, "id", json_ref(id));
    }
    return v;
}

/* Takes `value`. A document with a part missing is no document. */
static Json *with_member(Json *v, const char *key, Json *value)
{
    return json_set(v, key, value) == 0 ? v : json_unref(v);
}

Json *rpc_result(Json *id, Json *result)
{
    return with_member(envelope(id), "result", result);
}

/* Some texts quote what a client or a program wrote. */
static Json *clean_string(const char *text)
{
    size_t n = strlen(text);
    Json *v = json_new_stringn(text, n);
    Utf8 state = {0};
    char *clean;

    if (v) {
        return v;
    }
    clean = malloc(UTF8_CLEAN_MAX(n));
    if (clean) {
        size_t done = utf8_clean(&state, text, n, clean, NULL);

        done += utf8_clean_end(&state, clean + done, NULL);
        v = json_new_stringn(clean, done);
        free(clean);
    }
    return v;
}

Json *rpc_error(Json *id, int code, const char *text, Json *data)
{
    Json *error = json_new_object();

    (void)json_set(error, "code", json_new_int(code));
    error = with_member(error, "message", clean_string(text));
    if (data) {
        error = with_member(error, "data", data);
    }
    return with_member(envelope(id), "error", error);
}

Json *rpc_notification(const char *method, Json *params)
{
    Json *v = with_member(envelope(NULL), "method", json_new_string(method));

    return params ? with_member(v, "params", params) : v;
}
