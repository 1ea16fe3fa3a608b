/* Cuts a stream of bytes into lines, with a maximum, and without any input or output of its own.
 *
 * A line ends at LF; a CR before it is dropped; lines that are empty or blank are passed over. A
 * line longer than the maximum is not stored: its top-level id is scanned for (rpc/scan.h) while it
 * goes by, and it is reported once.
 * Ownership: the caller's bytes are borrowed during rpc_line_next(); a line it returns is valid
 * until the next call and as long as the caller's bytes. Limits: stores at most max_bytes + 1
 * bytes. Errors: -ENOMEM, then the line can't be stored and is treated as one that is too long.
 * Never blocks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "rpc/scan.h"

typedef enum RpcLineEvent {
    RPC_LINE_NONE,     /* all bytes are taken, no line has ended */
    RPC_LINE_READY,    /* *ret_line, *ret_n */
    RPC_LINE_OVERLONG, /* a line that was too long has ended: rpc_line_overlong_id() */
} RpcLineEvent;

typedef struct RpcLine {
    size_t max_bytes;
    Buf stored;     /* the beginning of a line that has not ended */
    bool delivered; /* `stored` was given out and is emptied by the next call */
    bool skipping;  /* in a line that is too long */
    bool reported;  /* and its id has been given out */
    RpcScan scan;
} RpcLine;

void rpc_line_init(RpcLine *l, size_t max_bytes);
void rpc_line_deinit(RpcLine *l);

/* Takes bytes from *data up to and with the next line end, moving *data and *n on. */
RpcLineEvent rpc_line_next(
        RpcLine *l, const char **data, size_t *n, const char **ret_line, size_t *ret_n);
/* The end of the stream: a last line without a line end is a line too. */
RpcLineEvent rpc_line_end(RpcLine *l, const char **ret_line, size_t *ret_n);

/* In the middle of a line that is too long and was not yet reported. */
bool rpc_line_is_skipping(const RpcLine *l);
/* The id of that line if it is known by now, a new reference; the line then counts as reported and
 * makes no RPC_LINE_OVERLONG. NULL: not known. */
Json *rpc_line_report_early(RpcLine *l);
/* After RPC_LINE_OVERLONG: the id, a new reference, or NULL for none. */
Json *rpc_line_overlong_id(const RpcLine *l);
