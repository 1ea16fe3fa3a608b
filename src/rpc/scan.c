/* A lenient reader of one object's outermost members.
 *
 * It keeps only what decides where the top level is: strings (a bracket in a string is no bracket)
 * and the depth of brackets. What is wrong inside of a string or a nested value is passed over, so
 * that the id is still found in a line whose other parts no JSON parser takes. On an object that a
 * parser does take, it sees the same id as the parser.
 *
 * The time goes into strings and nested values, so these two are skipped in tight loops. */
#include "rpc/scan.h"

#include <string.h>

enum {
    START,  /* before the object */
    KEY,    /* a key or the end of the object comes */
    IN_KEY, /* in the string of a key */
    COLON,
    VALUE,     /* a value comes */
    IN_STRING, /* in a string that is a member's value */
    IN_SCALAR, /* in a number or a literal */
    AFTER,     /* a comma or the end of the object comes */
    NESTED,    /* in a nested object or array, outside its strings */
    NESTED_STRING,
    DONE, /* after the object, or it was none */
};

void rpc_scan_init(RpcScan *s)
{
    memset(s, 0, offsetof(RpcScan, id));
    s->state = START;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Bytes before the first quote or backslash. Eight at a time: a byte is zero after the exclusive or
 * exactly where the subtraction first borrows into a top bit. */
static size_t string_run(const char *p, size_t n)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t tops = 0x8080808080808080u;
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t w;

        memcpy(&w, p + i, 8);
        uint64_t quote = w ^ (ones * '"');
        uint64_t backslash = w ^ (ones * '\\');
        uint64_t hit = (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & tops;

        if (hit) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return i + (size_t)__builtin_ctzll(hit) / 8;
#else
            break;
#endif
        }
    }
    while (i < n && p[i] != '"' && p[i] != '\\') {
        i++;
    }
    return i;
}

/* Bytes of the string up to and with its closing quote; all of them when it does not end here. */
static size_t skip_string(RpcScan *s, const char *p, size_t n, bool *ret_closed)
{
    size_t i = 0;

    *ret_closed = false;
    if (s->escape && n > 0) {
        s->escape = false;
        i = 1;
    }
    while (i < n) {
        i += string_run(p + i, n - i);
        if (i == n) {
            break;
        }
        if (p[i] == '"') {
            *ret_closed = true;
            return i + 1;
        }
        if (i + 1 == n) {
            s->escape = true;
        }
        i = MIN(i + 2, n);
    }
    return n;
}

/* Bytes of the nested value up to and with its last bracket; all of them when it does not end
 * here. */
static size_t skip_nested(RpcScan *s, const char *p, size_t n)
{
    enum { OTHER, QUOTE, OPEN, CLOSE };
    static const uint8_t kind[256] = {
            ['"'] = QUOTE, ['{'] = OPEN, ['['] = OPEN, ['}'] = CLOSE, [']'] = CLOSE};
    bool closed = s->state == NESTED;
    size_t i = closed ? 0 : skip_string(s, p, n, &closed);

    while (i < n) {
        switch (kind[(uint8_t)p[i++]]) {
        case QUOTE:
            i += skip_string(s, p + i, n - i, &closed);
            break;
        case OPEN:
            s->depth++;
            break;
        case CLOSE:
            if (--s->depth == 1) {
                s->state = AFTER;
                return i;
            }
            break;
        default:
            break;
        }
    }
    s->state = closed ? NESTED : NESTED_STRING;
    return n;
}

static void keep_key(RpcScan *s, const char *p, size_t n)
{
    if (s->n_key + n > sizeof(s->key)) {
        s->n_key = sizeof(s->key) + 1;
        return;
    }
    memcpy(s->key + s->n_key, p, n);
    s->n_key = (uint8_t)(s->n_key + n);
}

/* The key without its quotes. JSON has four spellings of id: neither 69 nor 64 has a letter that
 * could be of the other case. */
static bool key_is_id(const RpcScan *s, size_t n)
{
    static const char *const spellings[] = {
            "id",
            "\\u0069d",
            "i\\u0064",
            "\\u0069\\u0064",
    };

    for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
        if (strlen(spellings[i]) == n && memcmp(spellings[i], s->key, n) == 0) {
            return true;
        }
    }
    return false;
}

static void keep_id(RpcScan *s, const char *p, size_t n)
{
    if (!s->key_is_id || s->id_lost) {
        return;
    }
    if (s->n_id + n > sizeof(s->id)) {
        s->id_lost = true;
        return;
    }
    memcpy(s->id + s->n_id, p, n);
    s->n_id = (uint16_t)(s->n_id + n);
}

static void end_value(RpcScan *s)
{
    s->id_found = s->key_is_id ? !s->id_lost : s->id_found;
    s->state = AFTER;
}

/* The first byte of a member's value. Whatever the id was before, this one replaces it. */
static void begin_value(RpcScan *s, char c)
{
    if (s->key_is_id) {
        s->id_found = s->id_lost = false;
        s->n_id = 0;
    }
    if (c == '{' || c == '[') {
        s->depth++;
        s->state = NESTED;
    } else {
        keep_id(s, &c, 1);
        s->state = c == '"' ? IN_STRING : IN_SCALAR;
    }
}

/* One byte between strings, at the top level. */
static void step(RpcScan *s, char c)
{
    if (is_space(c)) {
        return;
    }
    switch (s->state) {
    case START:
        if (strchr("\xEF\xBB\xBF", c) && c) {
            return; /* a byte order mark */
        }
        s->depth = 1;
        s->state = c == '{' ? KEY : DONE;
        return;
    case COLON:
        s->state = c == ':' ? VALUE : KEY;
        break;
    case VALUE:
        if (c != ',' && c != '}' && c != ']') {
            begin_value(s, c);
            return;
        }
        s->state = KEY;
        break;
    case AFTER:
        s->state = KEY;
        break;
    default:
        break;
    }
    if (s->state != KEY) {
        return;
    }
    if (c == '"') {
        s->n_key = 0;
        s->state = IN_KEY;
    } else if (c == '}' || c == ']') {
        s->state = DONE;
    } else if (c == '{' || c == '[') {
        s->depth++;
        s->state = NESTED;
    }
}

static size_t in_key(RpcScan *s, const char *p, size_t n)
{
    bool closed;
    size_t taken = skip_string(s, p, n, &closed);

    keep_key(s, p, taken);
    if (closed) {
        s->key_is_id = s->n_key <= sizeof(s->key) && key_is_id(s, s->n_key - 1u);
        s->state = COLON;
    }
    return taken;
}

static size_t in_string(RpcScan *s, const char *p, size_t n)
{
    bool closed;
    size_t taken = skip_string(s, p, n, &closed);

    keep_id(s, p, taken);
    if (closed) {
        end_value(s);
    }
    return taken;
}

static size_t in_scalar(RpcScan *s, const char *p, size_t n)
{
    static const bool ends[256] = {
            [' '] = true,
            ['\t'] = true,
            ['\n'] = true,
            ['\r'] = true,
            [','] = true,
            [':'] = true,
            ['"'] = true,
            ['{'] = true,
            ['}'] = true,
            ['['] = true,
            [']'] = true,
    };
    size_t taken = 0;

    while (taken < n && !ends[(uint8_t)p[taken]]) {
        taken++;
    }
    keep_id(s, p, taken);
    if (taken < n) {
        end_value(s);
    }
    return taken;
}

void rpc_scan_feed(RpcScan *s, const char *data, size_t n)
{
    for (size_t i = 0; i < n && s->state != DONE;) {
        switch (s->state) {
        case IN_KEY:
            i += in_key(s, data + i, n - i);
            break;
        case IN_STRING:
            i += in_string(s, data + i, n - i);
            break;
        case IN_SCALAR:
            i += in_scalar(s, data + i, n - i);
            break;
        case NESTED:
        case NESTED_STRING:
            i += skip_nested(s, data + i, n - i);
            break;
        default:
            step(s, data[i++]);
            break;
        }
    }
}

Json *rpc_scan_id(const RpcScan *s)
{
    Json *id;

    if (!s->id_found) {
        return NULL;
    }
    id = json_parse(s->id, s->n_id, NULL, 0);
    if (!json_is(id, JSON_T_STRING) && !json_is(id, JSON_T_INTEGER)) {
        id = json_unref(id);
    }
    return id;
}
