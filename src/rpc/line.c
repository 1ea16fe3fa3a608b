#include "rpc/line.h"

#include <string.h>

/* A buffer larger than this is given back after its line. */
enum { KEEP_BYTES = 64 * 1024 };

void rpc_line_init(RpcLine *l, size_t max_bytes)
{
    *l = (RpcLine){.max_bytes = max_bytes};
    /* One more, for the CR of a line that is exactly as long as allowed. */
    buf_init(&l->stored, max_bytes + 1);
}

void rpc_line_deinit(RpcLine *l)
{
    buf_deinit(&l->stored);
}

static bool is_blank(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
            return false;
        }
    }
    return true;
}

/* The length without the CR of the line end. */
static size_t without_cr(const char *line, size_t n)
{
    return n > 0 && line[n - 1] == '\r' ? n - 1 : n;
}

static void begin_skipping(RpcLine *l)
{
    l->skipping = true;
    l->reported = false;
    rpc_scan_init(&l->scan);
    rpc_scan_feed(&l->scan, l->stored.data, l->stored.len);
    buf_clear(&l->stored);
    buf_shrink(&l->stored, KEEP_BYTES);
}

/* Bytes of a line, without its end. */
static void take(RpcLine *l, const char *data, size_t n)
{
    if (!l->skipping && buf_append(&l->stored, data, n) != 0) {
        begin_skipping(l);
    }
    if (l->skipping) {
        rpc_scan_feed(&l->scan, data, n);
        return;
    }
    /* The last byte of room is for a CR alone. */
    if (l->stored.len > l->max_bytes && l->stored.data[l->stored.len - 1] != '\r') {
        begin_skipping(l);
    }
}

/* The line whose bytes have all been taken. */
static RpcLineEvent finish(RpcLine *l, const char **ret_line, size_t *ret_n)
{
    size_t n = without_cr(l->stored.data, l->stored.len);

    if (l->skipping) {
        l->skipping = false;
        return l->reported ? RPC_LINE_NONE : RPC_LINE_OVERLONG;
    }
    l->delivered = true;
    if (is_blank(l->stored.data, n)) {
        return RPC_LINE_NONE;
    }
    *ret_line = l->stored.data;
    *ret_n = n;
    return RPC_LINE_READY;
}

static void drop_delivered(RpcLine *l)
{
    if (l->delivered) {
        l->delivered = false;
        buf_clear(&l->stored);
        buf_shrink(&l->stored, KEEP_BYTES);
    }
}

RpcLineEvent rpc_line_next(
        RpcLine *l, const char **data, size_t *n, const char **ret_line, size_t *ret_n)
{
    RpcLineEvent event = RPC_LINE_NONE;

    while (event == RPC_LINE_NONE && *n > 0) {
        const char *begin = *data;
        const char *end = memchr(begin, '\n', *n);
        size_t taken = end ? (size_t)(end - begin) : *n;

        drop_delivered(l);
        *data += taken + (end ? 1 : 0);
        *n -= taken + (end ? 1 : 0);
        if (end && !l->skipping && l->stored.len == 0 && without_cr(begin, taken) <= l->max_bytes) {
            /* The usual case, a whole line at once: nothing is copied. */
            taken = without_cr(begin, taken);
            if (!is_blank(begin, taken)) {
                *ret_line = begin;
                *ret_n = taken;
                event = RPC_LINE_READY;
            }
            continue;
        }
        take(l, begin, taken);
        if (end) {
            event = finish(l, ret_line, ret_n);
        }
    }
    return event;
}

RpcLineEvent rpc_line_end(RpcLine *l, const char **ret_line, size_t *ret_n)
{
    drop_delivered(l);
    if (!l->skipping && l->stored.len == 0) {
        return RPC_LINE_NONE;
    }
    return finish(l, ret_line, ret_n);
}

bool rpc_line_is_skipping(const RpcLine *l)
{
    return l->skipping && !l->reported;
}

Json *rpc_line_report_early(RpcLine *l)
{
    Json *id = rpc_line_is_skipping(l) ? rpc_scan_id(&l->scan) : NULL;

    l->reported = l->reported || id;
    return id;
}

Json *rpc_line_overlong_id(const RpcLine *l)
{
    return rpc_scan_id(&l->scan);
}
