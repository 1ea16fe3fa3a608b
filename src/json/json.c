/* The face of the JSON library. Reading is the library's; writing is done here, because a reply is
 * mostly one long string: the library hands out every piece by a callback after decoding each
 * character, and it can't escape U+2028 and U+2029. */
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The library has a type of this name, we a function. */
#define json_type library_json_type
#undef json_true
#undef json_equal
#include <jansson.h>
#undef json_type

#include "base/utf8.h"

/* Reading -------------------------------------------------------------------------------------- */

/* The library's own words, without the bytes that no answer may carry. */
static void clean_words(char *dst, size_t size, const char *src)
{
    char clean[UTF8_CLEAN_MAX(JSON_ERROR_TEXT_LENGTH)];
    Utf8 state = {0};
    size_t n = utf8_clean(&state, src, strnlen(src, JSON_ERROR_TEXT_LENGTH), clean, NULL);

    /* An unfinished character at the end is dropped: the text was cut there. */
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)clean[i] < 0x20 || clean[i] == 0x7f) {
            clean[i] = '?';
        }
    }
    if (n > size - 1) {
        n = size - 1;
        while (n > 0 && ((unsigned char)clean[n] & 0xC0) == 0x80) {
            n--;
        }
    }
    memcpy(dst, clean, n);
    dst[n] = '\0';
}

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static void explain(const json_error_t *error, char *ret_text, size_t size)
{
    char words[JSON_ERROR_TEXT_LENGTH];
    const char *hint = "";

    clean_words(words, sizeof(words), error->text);
    switch (json_error_code(error)) {
    case json_error_invalid_utf8:
        hint = ": the text is not UTF-8; encode it as UTF-8";
        break;
    case json_error_premature_end_of_input:
        hint = ": the text ends in the middle of a value; send the whole value on one line";
        break;
    case json_error_end_of_input_expected:
        hint = ": more text follows the value; send one value a line";
        break;
    case json_error_stack_overflow:
        hint = ": arrays and objects may nest 2048 deep";
        break;
    case json_error_numeric_overflow:
        hint = ": integers have 64 bits, other numbers at most 1.8e308; send a larger one as a "
               "string";
        break;
    case json_error_out_of_memory:
        hint = ": out of memory; send less at once";
        break;
    default:
        if (starts_with(words, "invalid Unicode")) {
            hint = ": half of a surrogate pair is no character; send both halves or neither";
        } else if (starts_with(words, "control character") ||
                   starts_with(words, "unexpected newline")) {
            hint = ": inside a string it is written as an escape such as \\n or \\u0000";
        }
        break;
    }
    (void)snprintf(ret_text, size, "line %d, column %d: %s%s", MAX(error->line, 1),
            MAX(error->column, 0), words, hint);
}

Json *json_parse(const char *text, size_t n, char *ret_error, size_t error_size)
{
    json_error_t error;
    Json *v;

    /* An object would be refused for its first token, in words that show nothing. */
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        if (ret_error) {
            (void)snprintf(ret_error, error_size,
                    "line 1, column 1: the text starts with a byte order mark; leave it out");
        }
        return NULL;
    }
    v = json_loadb(n > 0 ? text : "", n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!v && ret_error) {
        if (n == 0) {
            (void)snprintf(ret_error, error_size, "line 1, column 1: the text is empty");
        } else {
            explain(&error, ret_error, error_size);
        }
    }
    return v;
}

/* Values --------------------------------------------------------------------------------------- */

Json *json_ref(Json *v)
{
    return json_incref(v);
}

Json *json_unref(Json *v)
{
    json_decref(v);
    return NULL;
}

JsonType json_type(const Json *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return JSON_T_OBJECT;
    case JSON_ARRAY:
        return JSON_T_ARRAY;
    case JSON_STRING:
        return JSON_T_STRING;
    case JSON_INTEGER:
        return JSON_T_INTEGER;
    case JSON_REAL:
        return JSON_T_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return JSON_T_BOOL;
    case JSON_NULL:
    default:
        return JSON_T_NULL;
    }
}

const char *json_type_name(const Json *v)
{
    static const char *const names[] = {
            [JSON_T_OBJECT] = "object",
            [JSON_T_ARRAY] = "array",
            [JSON_T_STRING] = "string",
            [JSON_T_INTEGER] = "integer",
            [JSON_T_REAL] = "number",
            [JSON_T_BOOL] = "boolean",
            [JSON_T_NULL] = "null",
    };

    return names[json_type(v)];
}

bool json_is(const Json *v, JsonType type)
{
    return v && json_type(v) == type;
}

Json *json_get(const Json *object, const char *key)
{
    return json_object_get(object, key);
}

const char *json_string_bytes(const Json *v, size_t *ret_n)
{
    const char *s = json_string_value(v);

    if (s && ret_n) {
        *ret_n = json_string_length(v);
    }
    return s;
}

int64_t json_int(const Json *v)
{
    return json_integer_value(v);
}

double json_number(const Json *v)
{
    return json_number_value(v);
}

bool json_holds_true(const Json *v)
{
    return v && json_typeof(v) == JSON_TRUE;
}

size_t json_size(const Json *v)
{
    return json_is_object(v) ? json_object_size(v) : json_array_size(v);
}

Json *json_at(const Json *array, size_t i)
{
    return json_array_get(array, i);
}

bool json_same(const Json *a, const Json *b)
{
    return json_equal(a, b) == 1;
}

void *json_iter(const Json *object)
{
    return json_object_iter((json_t *)object);
}

void *json_iter_next(const Json *object, void *it)
{
    return json_object_iter_next((json_t *)object, it);
}

const char *json_iter_key(void *it)
{
    return json_object_iter_key(it);
}

Json *json_iter_value(void *it)
{
    return json_object_iter_value(it);
}

Json *json_new_object(void)
{
    return json_object();
}

Json *json_new_array(void)
{
    return json_array();
}

Json *json_new_string(const char *s)
{
    return json_string(s);
}

Json *json_new_stringn(const char *s, size_t n)
{
    return json_stringn(n > 0 ? s : "", n);
}

Json *json_new_int(int64_t v)
{
    return json_integer(v);
}

Json *json_new_real(double v)
{
    return json_real(v);
}

Json *json_new_bool(bool v)
{
    return json_boolean(v);
}

Json *json_new_null(void)
{
    return json_null();
}

/* What a container holds after a failed json_set() or json_add(), so that json_dump() fails and a
 * reply never lacks a member in silence. Of no type the library knows, and immortal: the library
 * leaves references alone when the count is -1. */
static json_t s_failed = {.type = (library_json_type)0x7f, .refcount = (size_t)-1};

int json_set(Json *object, const char *key, Json *value)
{
    if (json_object_set_new(object, key, value) == 0) {
        return 0;
    }
    (void)json_object_set_new_nocheck(object, "", &s_failed);
    return -ENOMEM;
}

int json_add(Json *array, Json *value)
{
    if (json_array_append_new(array, value) == 0) {
        return 0;
    }
    (void)json_array_append_new(array, &s_failed);
    return -ENOMEM;
}

/* Writing -------------------------------------------------------------------------------------- */

/* Deeper than anything that was parsed, with room for the envelope around it: bounds the stack. */
enum { DUMP_DEPTH_MAX = 2048 + 256 };

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

/* As few digits, from 15 on, as read back as the same number, always with a point or an exponent.
 */
static int dump_real(Buf *out, const Json *v)
{
    char text[40];
    size_t n = 0;

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
        return buf_appendf(d->out, "%" PRId64, (int64_t)json_integer_value(v));
    case JSON_REAL:
        return dump_real(d->out, v);
    case JSON_TRUE:
        return buf_append(d->out, "true", 4);
    case JSON_FALSE:
        return buf_append(d->out, "false", 5);
    case JSON_NULL:
        return buf_append(d->out, "null", 4);
    default:
        return -ENOMEM; /* s_failed */
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
