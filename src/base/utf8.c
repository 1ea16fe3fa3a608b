/* Theory. One table drives all: a deterministic automaton over bytes whose states are bit offsets
 * into a 64-bit row, so that a step is a load and a shift, without a branch: row[byte] >> state.
 * Programs print gigabytes, and each byte comes by here; mixed text costs branch predictors dear.
 *
 *   state     meaning                                   bytes that lead on (Unicode table 3-7)
 *   ACCEPT    between two characters                    00-7F, C2-DF, E0, E1-EC EE-EF, ED, F0...
 *   TAIL1..3  1, 2, 3 continuation bytes to come        80-BF
 *   E0 ED     behind that byte                          A0-BF, 80-9F (no overlong, no surrogate)
 *   F0 F4     behind that byte                          90-BF, 80-8F (no overlong, <= U+10FFFF)
 *   ERROR     the byte can't stand here                 (is left never)
 *
 * An error inside a character ends the maximal subpart before the byte, which is then looked at
 * anew; an error between characters is the byte itself. Each becomes one U+FFFD. */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "base/macro.h"

enum {
    ERROR = 0,
    ACCEPT = 6,
    TAIL1 = 12,
    TAIL2 = 18,
    TAIL3 = 24,
    AFTER_E0 = 30,
    AFTER_ED = 36,
    AFTER_F0 = 42,
    AFTER_F4 = 48,
    STATE_MASK = 63,
};

#define GO(from, to) ((uint64_t)(to) << (from))
#define TAILS (GO(TAIL1, ACCEPT) | GO(TAIL2, TAIL1) | GO(TAIL3, TAIL2))

static const uint64_t rows[256] = {
        [0x00 ... 0x7f] = GO(ACCEPT, ACCEPT),
        [0x80 ... 0x8f] = TAILS | GO(AFTER_ED, TAIL1) | GO(AFTER_F4, TAIL2),
        [0x90 ... 0x9f] = TAILS | GO(AFTER_ED, TAIL1) | GO(AFTER_F0, TAIL2),
        [0xa0 ... 0xbf] = TAILS | GO(AFTER_E0, TAIL1) | GO(AFTER_F0, TAIL2),
        [0xc2 ... 0xdf] = GO(ACCEPT, TAIL1),
        [0xe0] = GO(ACCEPT, AFTER_E0),
        [0xe1 ... 0xec] = GO(ACCEPT, TAIL2),
        [0xed] = GO(ACCEPT, AFTER_ED),
        [0xee ... 0xef] = GO(ACCEPT, TAIL2),
        [0xf0] = GO(ACCEPT, AFTER_F0),
        [0xf1 ... 0xf3] = GO(ACCEPT, TAIL3),
        [0xf4] = GO(ACCEPT, AFTER_F4),
};

enum { BLOCK = 64, WORDS = BLOCK / 8 };

static uint64_t load_word(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof(w));
    return w;
}

static bool block_is_ascii(const uint8_t *p)
{
    uint64_t all = 0;
    for (size_t i = 0; i < WORDS; i++) {
        all |= load_word(p + 8 * i);
    }
    return (all & 0x8080808080808080U) == 0;
}

/* Continuation bytes are 10xxxxxx: bit 7 set, bit 6 clear. */
static size_t word_starts(uint64_t w)
{
    uint64_t continuations = (w >> 7) & (~w >> 6) & 0x0101010101010101U;
    return 8 - (size_t)((continuations * 0x0101010101010101U) >> 56);
}

static size_t block_starts(const uint8_t *p)
{
    size_t n = 0;
    for (size_t i = 0; i < WORDS; i++) {
        n += word_starts(load_word(p + 8 * i));
    }
    return n;
}

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The automaton over a block, from ACCEPT. False when something in it is ill-formed. */
static bool block_is_well_formed(const uint8_t *p)
{
    uint64_t state = ACCEPT;
    for (size_t i = 0; i < BLOCK; i++) {
        state = rows[p[i]] >> (state & STATE_MASK);
    }
    return (state & STATE_MASK) != ERROR;
}

/* Bytes at the end of a well-formed block that begin a character without ending it. */
static size_t block_unfinished(const uint8_t *end)
{
    size_t back = 1;
    while (is_continuation(end[-(ptrdiff_t)back])) {
        back++;
    }
    uint8_t lead = end[-(ptrdiff_t)back];
    size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return back < length ? back : 0;
}

/* Copies whole blocks that are well-formed; stops at the first that is not, or between two
 * characters near the end. Returns the bytes taken, which are the bytes written. */
static size_t copy_blocks(const uint8_t *src, size_t n, char *dst, size_t *chars)
{
    size_t at = 0;
    while (n - at >= BLOCK) {
        const uint8_t *p = src + at;
        if (block_is_ascii(p)) {
            memcpy(dst + at, p, BLOCK);
            at += BLOCK;
            *chars += BLOCK;
            continue;
        }
        if (!block_is_well_formed(p)) {
            break;
        }
        size_t unfinished = block_unfinished(p + BLOCK);
        memcpy(dst + at, p, BLOCK);
        at += BLOCK - unfinished;
        *chars += block_starts(p) - (unfinished > 0);
    }
    return at;
}

static size_t put_replacement(char *dst)
{
    static const char replacement[3] = {(char)0xef, (char)0xbf, (char)0xbd}; /* U+FFFD */
    memcpy(dst, replacement, sizeof(replacement));
    return sizeof(replacement);
}

static uint64_t state_of_pending(const Utf8 *state)
{
    uint64_t s = ACCEPT;
    for (size_t i = 0; i < state->n_pending; i++) {
        s = rows[state->pending[i]] >> (s & STATE_MASK);
    }
    return s & STATE_MASK;
}

/* One byte at a time, for what is ill-formed or cut. Takes bytes until `until` is reached and no
 * character is pending, or until the end. Returns the bytes taken. */
static size_t clean_slowly(Utf8 *state, const uint8_t *src, size_t n, size_t until, char *dst,
        size_t *ret_written, size_t *chars)
{
    uint64_t s = state_of_pending(state);
    size_t at = 0;
    size_t written = 0;
    while (at < n && (at < until || s != ACCEPT)) {
        uint64_t next = (rows[src[at]] >> s) & STATE_MASK;
        if (next == ERROR) {
            at += s == ACCEPT;
            written += put_replacement(dst + written);
            next = ACCEPT;
            state->n_pending = 0;
            *chars += 1;
        } else {
            state->pending[state->n_pending++] = src[at++];
            if (next == ACCEPT) {
                memcpy(dst + written, state->pending, state->n_pending);
                written += state->n_pending;
                state->n_pending = 0;
                *chars += 1;
            }
        }
        s = next;
    }
    *ret_written = written;
    return at;
}

size_t utf8_clean(Utf8 *state, const void *src, size_t n, char *dst, size_t *ret_chars)
{
    const uint8_t *from = src;
    size_t at = 0;
    size_t written = 0;
    size_t chars = 0;
    while (at < n) {
        if (state->n_pending == 0) {
            size_t copied = copy_blocks(from + at, n - at, dst + written, &chars);
            at += copied;
            written += copied;
        }
        size_t slow;
        at += clean_slowly(state, from + at, n - at, BLOCK, dst + written, &slow, &chars);
        written += slow;
    }
    if (ret_chars) {
        *ret_chars = chars;
    }
    return written;
}

size_t utf8_clean_end(Utf8 *state, char *dst, size_t *ret_chars)
{
    size_t chars = state->n_pending > 0;
    if (ret_chars) {
        *ret_chars = chars;
    }
    state->n_pending = 0;
    return chars > 0 ? put_replacement(dst) : 0;
}

size_t utf8_count(const char *s, size_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t chars = 0;
    size_t at = 0;
    for (; n - at >= BLOCK; at += BLOCK) {
        chars += block_starts(p + at);
    }
    for (; at < n; at++) {
        chars += !is_continuation(p[at]);
    }
    return chars;
}

size_t utf8_prefix(const char *s, size_t n, size_t chars)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t at = 0;
    /* As long as a block can't hold the start of the first character that is too many. */
    for (; n - at >= BLOCK && chars >= BLOCK; at += BLOCK) {
        chars -= block_starts(p + at);
    }
    for (; at < n; at++) {
        if (is_continuation(p[at])) {
            continue;
        }
        if (chars == 0) {
            break;
        }
        chars--;
    }
    return at;
}
