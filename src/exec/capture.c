/* Theory. Bytes are cleaned piece by piece into a scratch that stays in the processor's cache; the
 * clean text goes to the head until that is full, then round and round in the tail's ring. The ring
 * holds four bytes for each code point it must keep, so it needs no count of what falls out: at the
 * end the last tail_max code points are looked up in it.
 *
 * The last line is another matter: it must be there for any max_chars and at any time, but is
 * asked for five times a second at most. So only raw bytes are noted on the way, found from the
 * end of each chunk, and are cleaned on demand. */
#include "exec/capture.h"

#include <string.h>

#include "base/macro.h"

enum { PIECE = 4096 };

void capture_init(Capture *c, size_t max_chars)
{
    size_t limit = MIN(max_chars, SIZE_MAX / 8);
    *c = (Capture){.head_max = limit / 2, .tail_max = limit - limit / 2};
    buf_init(&c->head, 4 * c->head_max);
    buf_init(&c->tail, 4 * c->tail_max);
}

void capture_deinit(Capture *c)
{
    buf_deinit(&c->head);
    buf_deinit(&c->tail);
}

static int keep_head(Capture *c, const char *text, size_t n)
{
    int r = buf_append(&c->head, text, n);
    if (r == 0) {
        c->head_chars += utf8_count(text, n);
    }
    return r;
}

static int keep_tail(Capture *c, const char *text, size_t n)
{
    size_t size = c->tail.max;
    if (n > size) {
        text += n - size;
        n = size;
    }
    size_t grow = MIN(n, size - c->tail.len);
    int r = buf_append(&c->tail, text, grow);
    if (r != 0) {
        return r;
    }
    text += grow;
    n -= grow;
    /* The ring is full now, or n is 0. */
    size_t first = MIN(n, size - c->tail_at);
    if (first > 0) {
        memcpy(c->tail.data + c->tail_at, text, first);
        memcpy(c->tail.data, text + first, n - first);
        c->tail_at = (c->tail_at + n) % size;
    }
    return 0;
}

/* Clean text of `chars` code points. */
static int keep(Capture *c, const char *text, size_t n, size_t chars, bool soon_overwritten)
{
    c->total_chars += chars;
    size_t to_head = 0;
    if (c->head_chars < c->head_max) {
        to_head = utf8_prefix(text, n, c->head_max - c->head_chars);
        int r = keep_head(c, text, to_head);
        if (r != 0) {
            return r;
        }
    }
    return soon_overwritten ? 0 : keep_tail(c, text + to_head, n - to_head);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool all_blank(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_blank(bytes[i])) {
            return false;
        }
    }
    return true;
}

/* What a terminal would show of a line whose end is stripped of carriage returns. */
static const char *after_carriage_return(const char *bytes, size_t n)
{
    const char *cr = memrchr(bytes, '\r', n);
    return cr ? cr + 1 : bytes;
}

static void line_append(CaptureLine *line, const char *bytes, size_t n)
{
    n = MIN(n, sizeof(line->bytes) - line->n);
    memcpy(line->bytes + line->n, bytes, n);
    line->n += n;
}

/* Bytes without a newline that follow in the line which has not ended yet. */
static void partial_append(Capture *c, const char *bytes, size_t n)
{
    bool ends_overwritten = false;
    while (n > 0 && bytes[n - 1] == '\r') {
        n--;
        ends_overwritten = true;
    }
    if (n > 0) {
        const char *from = after_carriage_return(bytes, n);
        if (from != bytes || c->partial_overwritten) {
            c->partial.n = 0;
        }
        line_append(&c->partial, from, (size_t)(bytes + n - from));
        c->partial_overwritten = false;
    }
    c->partial_overwritten = c->partial_overwritten || ends_overwritten;
}

static void partial_complete(Capture *c)
{
    if (!all_blank(c->partial.bytes, c->partial.n)) {
        c->complete.n = 0;
        line_append(&c->complete, c->partial.bytes, c->partial.n);
    }
    c->partial.n = 0;
    c->partial_overwritten = false;
}

static void note_lines(Capture *c, const char *bytes, size_t n)
{
    const char *newline = memrchr(bytes, '\n', n);
    if (!newline) {
        partial_append(c, bytes, n);
        return;
    }
    /* From the end to the newest line that is not blank; the first one of the chunk may have begun
     * in an earlier chunk. */
    const char *line;
    const char *end = newline;
    for (;;) {
        while (end > bytes && (end[-1] == '\n' || end[-1] == '\r')) {
            end--;
        }
        const char *before = memrchr(bytes, '\n', (size_t)(end - bytes));
        line = before ? before + 1 : bytes;
        const char *seen = after_carriage_return(line, (size_t)(end - line));
        if (!before || !all_blank(seen, (size_t)(end - seen))) {
            break;
        }
        end = before;
    }
    if (line > bytes) {
        c->partial.n = 0;
        c->partial_overwritten = false;
    }
    partial_append(c, line, (size_t)(end - line));
    partial_complete(c);
    partial_append(c, newline + 1, (size_t)(bytes + n - newline - 1));
}

int capture_feed(Capture *c, const void *bytes, size_t n)
{
    const char *from = bytes;
    char clean[UTF8_CLEAN_MAX(PIECE)];
    int r = 0;
    if (n == 0) {
        return 0; /* bytes may be NULL, which memrchr(3) does not take */
    }
    c->total_bytes += n;
    note_lines(c, from, n);
    while (n > 0) {
        size_t piece = MIN(n, (size_t)PIECE);
        size_t chars;
        size_t clean_n = utf8_clean(&c->utf8, from, piece, clean, &chars);
        from += piece;
        n -= piece;
        /* Cleaning never shortens, but may hold back three bytes: what is still to come fills the
         * ring, whatever it is. */
        bool soon_overwritten = n > c->tail.max && n - c->tail.max > 3;
        int kept = keep(c, clean, clean_n, chars, soon_overwritten);
        r = r != 0 ? r : kept;
    }
    return r;
}

static void reverse(char *bytes, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        char swapped = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = swapped;
    }
}

/* Rotates in place by three reversals: no allocation that could fail at the end of a run. */
static void ring_straighten(Capture *c)
{
    if (c->tail_at == 0) {
        return;
    }
    reverse(c->tail.data, c->tail_at);
    reverse(c->tail.data + c->tail_at, c->tail.len - c->tail_at);
    reverse(c->tail.data, c->tail.len);
    c->tail_at = 0;
}

/* Looks up the last tail_max code points in the straight ring. */
static void find_tail(Capture *c)
{
    const char *text = c->tail.data;
    size_t n = c->tail.len;
    size_t at = 0;
    while (at < n && (text[at] & 0xc0) == 0x80) {
        at++; /* what is left of a character that fell out of the ring in part */
    }
    c->tail_chars = utf8_count(text + at, n - at);
    if (c->tail_chars > c->tail_max) {
        at += utf8_prefix(text + at, n - at, c->tail_chars - c->tail_max);
        c->tail_chars = c->tail_max;
    }
    c->tail_offset = at;
}

int capture_end(Capture *c)
{
    char clean[UTF8_CLEAN_MAX(0)];
    size_t chars;
    size_t n = utf8_clean_end(&c->utf8, clean, &chars);
    int r = keep(c, clean, n, chars, false);
    if (c->tail.len > 0) {
        ring_straighten(c);
        find_tail(c);
    }
    return r;
}

void capture_text(const Capture *c, KeptText *ret)
{
    *ret = (KeptText){
            .head = c->head.len > 0 ? c->head.data : "",
            .head_bytes = c->head.len,
            .tail = c->tail.len > 0 ? c->tail.data + c->tail_offset : "",
            .tail_bytes = c->tail.len - c->tail_offset,
            .omitted_chars = c->total_chars - c->head_chars - c->tail_chars,
            .total_bytes = c->total_bytes,
    };
}

/* The length of a terminal's control sequence, ESC [ ... final (ECMA-48, 5.4); 0 when there is
 * none. */
static size_t control_sequence(const char *text, size_t n)
{
    if (n < 2 || text[0] != '\x1b' || text[1] != '[') {
        return 0;
    }
    size_t at = 2;
    while (at < n && text[at] >= 0x20 && text[at] < 0x40) {
        at++;
    }
    return at < n && text[at] >= 0x40 && text[at] < 0x7f ? at + 1 : at;
}

/* C0 and DEL, and C1, which is U+0080 to U+009F. */
static bool is_control(const char *text, size_t n)
{
    unsigned char lead = (unsigned char)text[0];
    return n == 1 ? lead < 0x20 || lead == 0x7f
                  : n == 2 && lead == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static size_t present(const char *text, size_t n, char ret_line[CAPTURE_LINE_SIZE])
{
    size_t written = 0;
    size_t chars = 0;
    for (size_t at = 0; at < n && chars < CAPTURE_LINE_CHARS_MAX;) {
        size_t sequence = control_sequence(text + at, n - at);
        if (sequence > 0) {
            at += sequence;
            continue;
        }
        size_t length = utf8_prefix(text + at, n - at, 1);
        if (text[at] == '\t') {
            ret_line[written++] = ' ';
            chars++;
        } else if (!is_control(text + at, length)) {
            memcpy(ret_line + written, text + at, length);
            written += length;
            chars++;
        }
        at += length;
    }
    ret_line[written] = '\0';
    return written;
}

size_t capture_last_line(const Capture *c, char ret_line[CAPTURE_LINE_SIZE])
{
    bool complete = c->complete.n > 0;
    const CaptureLine *line = complete ? &c->complete : &c->partial;
    char clean[UTF8_CLEAN_MAX(CAPTURE_LINE_RAW_MAX)];
    Utf8 utf8 = {0};
    size_t n = utf8_clean(&utf8, line->bytes, line->n, clean, NULL);
    if (complete && line->n < sizeof(line->bytes)) {
        n += utf8_clean_end(&utf8, clean + n, NULL); /* otherwise we cut it, not the program */
    }
    return present(clean, n, ret_line);
}
