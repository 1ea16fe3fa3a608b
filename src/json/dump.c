/* Writing is done here and not by the library, because a reply is mostly one long string: the
 * library hands out its pieces by a callback after decoding each character, and can't escape U+2028
 * and U+2029. */
#include <math.h>
#include <string.h>

#include "json/json.h"
#include "json/library.h"

/* Deeper than anything that was parsed, with room for the envelope around it: bounds the stack. */
enum { DUMP_DEPTH_MAX = 2048 + 256 };

#define THOUSANDTHS_MAX 1e12 /* 15 digits, which every double keeps */

/* Bytes that a byte of a string takes in JSON text when that is more than one (RFC 8259, 7). ASK
 * marks the first byte of U+2028 and U+2029 (E2 80 A8, E2 80 A9), which begins other characters as
 * well. */
enum { ASK = 1 };
static const uint8_t s_width[256] = {
        [0 ... 7] = 6,
        ['\b'] = 2,
        ['\t'] = 2,
        ['\n'] = 2,
        [0x0b] = 6,
        ['\f'] = 2,
        ['\r'] = 2,
        [0x0e ... 0x1f] = 6,
        ['"'] = 2,
        ['\\'] = 2,
        [0xE2] = ASK,
};

static bool is_line_separator(const uint8_t *s, size_t n)
{
    return n >= 3 && s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9);
}

/* Bytes from the start that are written as they are. Eight at a time: when a byte of a word is
 * below 0x20, or zero after the exclusive or with one of the others, the subtraction borrows into
 * its top bit. A borrow may mark the byte above as well; that only leads to the slow loop. */
static size_t plain_run(const uint8_t *s, size_t n)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t tops = 0x8080808080808080u;
    size_t i = 0;

    while (i < n) {
        while (n - i >= 8) {
            uint64_t w;

            memcpy(&w, s + i, 8);
            uint64_t quote = w ^ (ones * '"');
            uint64_t backslash = w ^ (ones * '\\');
            uint64_t e2 = w ^ (ones * 0xE2);

            if (((((w - ones * 0x20) | (quote - ones) | (backslash - ones)) & ~w) |
                        ((e2 - ones) & ~e2)) &
                    tops) {
                break;
            }
            i += 8;
        }
        for (size_t end = MIN(n, i + 8); i < end; i++) {
            if (s_width[s[i]] > ASK || is_line_separator(s + i, n - i)) {
                return i;
            }
        }
    }
    return n;
}

/* `s` is at a byte that plain_run() stopped at. */
static size_t escape(const uint8_t *s, char *dst, size_t *ret_taken)
{
    static const char hex[] = "0123456789abcdef";
    static const char separator[] = {'\\', 'u', '2', '0', '2', '8'};
    static const char letters[] = {['\b'] = 'b',
            ['\t'] = 't',
            ['\n'] = 'n',
            ['\f'] = 'f',
            ['\r'] = 'r',
            ['"'] = '"',
            ['\\'] = '\\'};

    *ret_taken = 1;
    if (*s == 0xE2) {
        *ret_taken = 3;
        memcpy(dst, separator, sizeof(separator));
        dst[5] = s[2] == 0xA8 ? '8' : '9';
        return sizeof(separator);
    }
    dst[0] = '\\';
    if (s_width[*s] == 2) {
        dst[1] = letters[*s];
        return 2;
    }
    dst[1] = 'u';
    dst[2] = dst[3] = '0';
    dst[4] = hex[*s >> 4];
    dst[5] = hex[*s & 15];
    return 6;
}

static size_t escaped_size(const uint8_t *s, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n;) {
        size_t run = plain_run(s + i, n - i);

        size += run;
        i += run;
        for (; i < n && s_width[s[i]] > ASK; i++) {
            size += s_width[s[i]];
        }
        if (i < n && is_line_separator(s + i, n - i)) {
            size += 6;
            i += 3;
        }
    }
    return size;
}

/* The size first, so that a buffer near its maximum is not refused for an estimate. */
static int dump_string(Buf *out, const char *text, size_t n)
{
    const uint8_t *s = (const uint8_t *)text;
    size_t size = escaped_size(s, n);
    char *w;
    int r;

    r = buf_reserve(out, size + 2);
    if (r != 0) {
        return r;
    }
    w = out->data + out->len;
    *w++ = '"';
    if (size == n) {
        memcpy(w, s, n);
        w += n;
    } else {
        for (size_t i = 0; i < n;) {
            size_t run = plain_run(s + i, n - i);
            size_t taken;

            memcpy(w, s + i, run);
            w += run;
            i += run;
            while (i < n && (s_width[s[i]] > ASK || is_line_separator(s + i, n - i))) {
                w += escape(s + i, w, &taken);
                i += taken;
            }
        }
    }
    *w++ = '"';
    out->len = (size_t)(w - out->data);
    return 0;
}

/* Numbers by hand where that is easy: an answer has a dozen, and what printf(3) and strtod(3) need
 * for them is a third of writing it. */

/* Writes from the end; returns where it begins. */
static char *put_integer(char *end, int64_t value)
{
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--end = '-';
    }
    return end;
}

static int dump_integer(Buf *out, int64_t value)
{
    char text[24], *end = text + sizeof(text), *begin = put_integer(end, value);

    return buf_append(out, begin, (size_t)(end - begin));
}

/* Durations and such: a division rounds as reading does, so it reads back as the same number. */
static bool is_thousandths(double v, int64_t *ret_n)
{
    if (!(v >= 0 && v < THOUSANDTHS_MAX) || signbit(v)) {
        return false;
    }
    *ret_n = (int64_t)(v * 1000 + 0.5);
    return (double)*ret_n / 1000 == v;
}

static int dump_thousandths(Buf *out, int64_t n)
{
    char text[32], *end = text + sizeof(text), *begin;

    for (int64_t digits = n % 1000 + 1000; digits > 1; digits /= 10) {
        *--end = (char)('0' + digits % 10);
    }
    *--end = '.';
    begin = put_integer(end, n / 1000);
    end = text + sizeof(text);
    while (end[-1] == '0' && end[-2] != '.') {
        end--;
    }
    return buf_append(out, begin, (size_t)(end - begin));
}

/* As few digits, from 15 on, as read back as the same number, always with a point or an exponent.
 */
static int dump_real(Buf *out, const Json *v)
{
    char text[40];
    size_t n = 0;
    int64_t thousandths;

    if (is_thousandths(json_real_value(v), &thousandths)) {
        return dump_thousandths(out, thousandths);
    }
    for (int digits = 15; digits <= 17; digits++) {
        n = json_dumpb(
                v, text, sizeof(text) - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits));
        if (n == 0 || n >= sizeof(text)) {
            return -ENOMEM;
        }
        text[n] = '\0';
        if (strtod(text, NULL) == json_real_value(v)) {
            break;
        }
    }
    return buf_append(out, text, n);
}

typedef struct Dump {
    Buf *out;
    bool pretty;
} Dump;

static int dump_value(const Dump *d, const Json *v, unsigned depth);

static int dump_break(const Dump *d, unsigned depth)
{
    int r = 0;

    if (d->pretty) {
        r = buf_append(d->out, "\n", 1);
        for (unsigned i = 0; r == 0 && i < depth; i++) {
            r = buf_append(d->out, "  ", 2);
        }
    }
    return r;
}

static int dump_array(const Dump *d, const Json *v, unsigned depth)
{
    size_t n = json_array_size(v);
    int r = buf_append(d->out, "[", 1);

    for (size_t i = 0; r == 0 && i < n; i++) {
        if (i > 0) {
            r = buf_append(d->out, ",", 1);
        }
        if (r == 0) {
            r = dump_break(d, depth + 1);
        }
        if (r == 0) {
            r = dump_value(d, json_array_get(v, i), depth + 1);
        }
    }
    if (r == 0 && n > 0) {
        r = dump_break(d, depth);
    }
    return r ? r : buf_append(d->out, "]", 1);
}

static int dump_object(const Dump *d, const Json *v, unsigned depth)
{
    int r = buf_append(d->out, "{", 1);
    bool first = true;

    for (void *it = json_iter(v); r == 0 && it; it = json_iter_next(v, it)) {
        if (!first) {
            r = buf_append(d->out, ",", 1);
        }
        first = false;
        if (r == 0) {
            r = dump_break(d, depth + 1);
        }
        if (r == 0) {
            r = dump_string(d->out, json_object_iter_key(it), json_object_iter_key_len(it));
        }
        if (r == 0) {
            r = buf_append_str(d->out, d->pretty ? ": " : ":");
        }
        if (r == 0) {
            r = dump_value(d, json_object_iter_value(it), depth + 1);
        }
    }
    if (r == 0 && !first) {
        r = dump_break(d, depth);
    }
    return r ? r : buf_append(d->out, "}", 1);
}

static int dump_value(const Dump *d, const Json *v, unsigned depth)
{
    if (!v || depth > DUMP_DEPTH_MAX) {
        return -ENOMEM;
    }
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return dump_object(d, v, depth);
    case JSON_ARRAY:
        return dump_array(d, v, depth);
    case JSON_STRING:
        return dump_string(d->out, json_string_value(v), json_string_length(v));
    case JSON_INTEGER:
        return dump_integer(d->out, json_integer_value(v));
    case JSON_REAL:
        return dump_real(d->out, v);
    case JSON_TRUE:
        return buf_append(d->out, "true", 4);
    case JSON_FALSE:
        return buf_append(d->out, "false", 5);
    case JSON_NULL:
        return buf_append(d->out, "null", 4);
    default:
        return -ENOMEM; /* the mark that a failed json_set() leaves */
    }
}

static int dump(const Json *v, Buf *out, bool pretty)
{
    const Dump d = {.out = out, .pretty = pretty};
    size_t before = out->len;
    int r = dump_value(&d, v, 0);

    if (r != 0) {
        out->len = before;
    }
    return r;
}

int json_dump(const Json *v, Buf *out)
{
    return dump(v, out, false);
}

int json_dump_pretty(const Json *v, Buf *out)
{
    return dump(v, out, true);
}
