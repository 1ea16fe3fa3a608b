/* A growable byte buffer with a mandatory maximum.
 *
 * Ownership: the buffer owns its bytes; buf_steal() gives them to the caller, who frees them.
 * Units: bytes. Limits: `max` at init; an append that would pass it changes nothing.
 * Errors: 0; -ENOMEM (fatal, buffer unchanged); BUF_E_FULL > 0 (the maximum is reached).
 * Never blocks. Not safe in a child forked from a threaded process (it allocates). */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "base/macro.h"

enum { BUF_E_FULL = 1 };

typedef struct Buf {
    char *data; /* NULL while empty and unallocated; never NUL-terminated by itself */
    size_t len;
    size_t cap;
    size_t max;
} Buf;

void buf_init(Buf *b, size_t max);
void buf_deinit(Buf *b);

int buf_reserve(Buf *b, size_t extra); /* room for `extra` more bytes at data + len */
int buf_append(Buf *b, const void *data, size_t n);
int buf_append_str(Buf *b, const char *s);
int buf_appendf(Buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_consume(Buf *b, size_t n);       /* drops the first n bytes, n <= len */
void buf_clear(Buf *b);                   /* len = 0, memory kept */
void buf_shrink(Buf *b, size_t cap);      /* frees the memory when empty and larger than cap */
char *buf_steal(Buf *b, size_t *ret_len); /* the bytes, NUL-terminated; the buffer is empty again */
