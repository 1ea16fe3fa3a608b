/* What is kept of one output stream of a program: the first and the last code points, as clean
 * UTF-8. The middle is counted and forgotten at the speed of memory.
 *
 * Ownership: the capture owns its memory; texts it gives are valid until it is fed or
 * deinitialised. Units: characters are code points; total_bytes counts what the program wrote.
 * Limits: at most 4 * max_chars bytes (a code point has up to four), allocated as output comes:
 * nothing for a program that prints nothing, less than three times its size for a small output.
 * Errors: 0 or -ENOMEM, after which the capture may be fed on and keeps less.
 * Never blocks. Not safe after fork (it allocates). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "exec/outcome.h"

enum {
    CAPTURE_LINE_CHARS_MAX = 200,
    CAPTURE_LINE_SIZE = 4 * CAPTURE_LINE_CHARS_MAX + 1, /* in bytes, with the NUL */
    CAPTURE_LINE_RAW_MAX = 1024, /* of a line, as the program wrote it; leaves room for colours */
};

typedef struct CaptureLine {
    char bytes[CAPTURE_LINE_RAW_MAX]; /* the beginning of the line */
    size_t n;
} CaptureLine;

typedef struct Capture {
    Utf8 utf8;
    size_t head_max; /* code points */
    size_t tail_max;
    size_t head_chars;
    Buf head;
    Buf tail; /* a ring once it is full: its oldest byte is at tail_at */
    size_t tail_at;
    uint64_t total_bytes;
    uint64_t total_chars;
    size_t tail_chars;    /* set by capture_end() */
    size_t tail_offset;   /* likewise: where the tail begins in `tail` */
    CaptureLine complete; /* raw bytes; made presentable when somebody asks */
    CaptureLine partial;
    bool partial_overwritten; /* a carriage return came: what follows replaces it */
} Capture;

/* Keeps max_chars / 2 code points of the beginning and the others of the end. */
void capture_init(Capture *c, size_t max_chars);
void capture_deinit(Capture *c);

int capture_feed(Capture *c, const void *bytes, size_t n);
/* The end of the stream, or of our interest in it. Nothing may be fed after it. */
int capture_end(Capture *c);
/* The text, after capture_end(). */
void capture_text(const Capture *c, KeptText *ret);

/* The newest complete line that is not blank, or the newest partial one while there is no complete
 * one: at most CAPTURE_LINE_CHARS_MAX code points of clean UTF-8 without control characters and
 * terminal sequences, NUL-terminated. "" when there is none. A carriage return starts a line over,
 * as it does on a terminal. Returns the bytes before the NUL. */
size_t capture_last_line(const Capture *c, char ret_line[CAPTURE_LINE_SIZE]);
