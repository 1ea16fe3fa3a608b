/* The line splitter and the id scanner, on any bytes in any pieces.
 *
 * Input: one byte for the maximal line length, one that seeds the pieces, then the stream. What
 * comes out must be what a plain splitter gives, however the stream is cut; a line that is reported
 * early is reported once; and where a JSON parser takes a line, the scanner has seen the same id.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { OUT_MAX = 16 * 1024 * 1024 };

static void check(int good)
{
    if (!good) {
        abort();
    }
}

static void note(Buf *out, const char *mark, const char *line, size_t n)
{
    check(buf_append_str(out, mark) == 0 && buf_append(out, line, n) == 0 &&
            buf_append(out, "\n", 1) == 0);
}

static void note_id(Buf *out, Json *id)
{
    check(buf_append(out, "!", 1) == 0);
    check(!id || json_dump(id, out) == 0);
    check(buf_append(out, "\n", 1) == 0);
    json_unref(id);
}

static size_t random_below(uint32_t *seed, size_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return n ? (*seed >> 8) % n : 0;
}

/* Through the splitter. With `early`, ids are asked for as soon as they are known. */
static void split(const char *text, size_t n, size_t max, uint32_t seed, int early, Buf *out,
        int *ret_overlong)
{
    const char *line = NULL;
    size_t length = 0;
    RpcLineEvent event;
    RpcLine l;

    rpc_line_init(&l, max);
    for (size_t i = 0; i < n;) {
        size_t piece = seed ? 1 + random_below(&seed, n - i) : n - i;
        const char *p = text + i;
        size_t left = piece;

        if (seed && random_below(&seed, 2)) {
            left = piece = 1 + piece % 3 <= n - i ? 1 + piece % 3 : 1;
        }
        i += piece;
        while ((event = rpc_line_next(&l, &p, &left, &line, &length)) != RPC_LINE_NONE) {
            if (event == RPC_LINE_READY) {
                check(length <= max);
                note(out, "<", line, length);
            } else {
                note_id(out, rpc_line_overlong_id(&l));
                ++*ret_overlong;
            }
        }
        check(left == 0 && l.stored.len <= max + 1);
        if (early) {
            Json *id = rpc_line_report_early(&l);

            *ret_overlong += id ? 1 : 0;
            json_unref(id);
        }
    }
    event = rpc_line_end(&l, &line, &length);
    if (event == RPC_LINE_READY) {
        note(out, "<", line, length);
    } else if (event == RPC_LINE_OVERLONG) {
        note_id(out, rpc_line_overlong_id(&l));
        ++*ret_overlong;
    }
    rpc_line_deinit(&l);
}

static Json *scan(const char *text, size_t n, uint32_t seed)
{
    RpcScan s;

    rpc_scan_init(&s);
    for (size_t i = 0; i < n;) {
        size_t piece = 1 + random_below(&seed, n - i < 9 ? n - i : 9);

        rpc_scan_feed(&s, text + i, piece);
        i += piece;
    }
    return rpc_scan_id(&s);
}

/* The scanner and the parser on one line. */
static void compare_ids(const char *line, size_t n, uint32_t seed)
{
    Json *doc = json_parse(line, n, NULL, 0);
    Json *want = json_get(doc, "id");
    Json *id = scan(line, n, seed);

    if (!json_is(want, JSON_T_STRING) && !json_is(want, JSON_T_INTEGER)) {
        want = NULL;
    }
    if (doc && n <= RPC_SCAN_ID_MAX) {
        check(want ? json_equal(id, want) : !id);
    }
    json_unref(id);
    json_unref(doc);
}

static int is_blank(const char *line, size_t n)
{
    size_t i = 0;

    while (i < n && memchr(" \t\r", line[i], 3)) {
        i++;
    }
    return i == n;
}

/* The plain splitter. */
static void expect(
        const char *text, size_t n, size_t max, uint32_t seed, Buf *out, int *ret_overlong)
{
    while (n > 0) {
        const char *end = memchr(text, '\n', n);
        size_t raw = end ? (size_t)(end - text) : n;
        size_t length = raw && text[raw - 1] == '\r' ? raw - 1 : raw;

        if (length > max) {
            note_id(out, scan(text, raw, seed));
            ++*ret_overlong;
        } else if (!is_blank(text, length)) {
            note(out, "<", text, length);
        }
        compare_ids(text, length, seed);
        text += raw + (end ? 1 : 0);
        n -= raw + (end ? 1 : 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    Buf want;
    Buf got[3];
    int overlong = 0;

    if (n < 2) {
        return 0;
    }
    const char *text = (const char *)data + 2;
    size_t max = 1 + data[0];
    uint32_t seed = data[1] + 1u;

    buf_init(&want, OUT_MAX);
    expect(text, n - 2, max, seed, &want, &overlong);
    for (int i = 0; i < 3; i++) {
        int count = 0;

        buf_init(&got[i], OUT_MAX);
        split(text, n - 2, max, i ? seed : 0, i == 2, &got[i], &count);
        check(count == overlong);
        check(i == 2 ||
                (got[i].len == want.len && memcmp(got[i].data ? got[i].data : "",
                                                   want.data ? want.data : "", want.len) == 0));
        buf_deinit(&got[i]);
    }
    buf_deinit(&want);
    return 0;
}
