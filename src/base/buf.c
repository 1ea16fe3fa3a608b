#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BUF_CAP_MIN = 64 };

void buf_init(Buf *b, size_t max)
{
    /* One byte more than cap is always allocated (see buf_resize()): keep that sum sound. */
    *b = (Buf){.max = MIN(max, (size_t)PTRDIFF_MAX - 1)};
}

void buf_deinit(Buf *b)
{
    free(b->data);
    *b = (Buf){.max = b->max};
}

/* The spare byte behind cap holds the NUL of buf_steal() and of vsnprintf(3). */
static int buf_resize(Buf *b, size_t cap)
{
    char *data = realloc(b->data, cap + 1);
    if (!data) {
        return -ENOMEM;
    }
    b->data = data;
    b->cap = cap;
    return 0;
}

int buf_reserve(Buf *b, size_t extra)
{
    if (extra > b->max - b->len) {
        return BUF_E_FULL;
    }
    size_t needed = b->len + extra;
    if (needed <= b->cap && b->data) {
        return 0;
    }
    size_t doubled = b->cap <= b->max / 2 ? b->cap * 2 : b->max;
    size_t cap = MIN(MAX(MAX(needed, doubled), (size_t)BUF_CAP_MIN), b->max);
    return buf_resize(b, cap);
}

int buf_append(Buf *b, const void *data, size_t n)
{
    if (n == 0) {
        return 0; /* data may be NULL, which memcpy(3) does not take */
    }
    int r = buf_reserve(b, n);
    if (r != 0) {
        return r;
    }
    memcpy(b->data + b->len, data, n);
    b->len += n;
    return 0;
}

int buf_append_str(Buf *b, const char *s)
{
    return buf_append(b, s, strlen(s));
}

int buf_appendf(Buf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    int r = n < 0 ? -EINVAL : buf_reserve(b, (size_t)n);
    if (r == 0) {
        (void)vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
    va_end(args);
    return r;
}

void buf_consume(Buf *b, size_t n)
{
    if (n == 0) {
        return;
    }
    b->len -= n;
    memmove(b->data, b->data + n, b->len);
}

void buf_clear(Buf *b)
{
    b->len = 0;
}

void buf_shrink(Buf *b, size_t cap)
{
    if (b->len == 0 && b->cap > cap) {
        buf_deinit(b);
    }
}

char *buf_steal(Buf *b, size_t *ret_len)
{
    if (!b->data && buf_resize(b, 0) != 0) {
        return NULL;
    }
    char *data = b->data;
    data[b->len] = '\0';
    if (ret_len) {
        *ret_len = b->len;
    }
    *b = (Buf){.max = b->max};
    return data;
}
