/* The revisions of MCP that are spoken here, and what each of them has: one constant table.
 *
 * "Legacy" revisions open a conversation with `initialize`; the "modern" one is stateless, each
 * request names it in its `_meta` (specification 2026-07-28, "Versioning and Compatibility").
 * Pure; static storage. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct Era {
    const char *version;
    bool modern;            /* per-request metadata; results carry resultType and serverInfo */
    bool batches;           /* a JSON array of messages may be received */
    bool annotations;       /* tool annotations */
    bool progress_message;  /* `message` in notifications/progress */
    bool titles;            /* title, outputSchema, structuredContent */
    bool descriptions;      /* description of the implementation */
    bool errors_without_id; /* an error response may lack its id */
} Era;

/* The revision with exactly this name (n bytes), or NULL. */
const Era *era_find(const char *version, size_t n);
/* What `initialize` is answered with when it asks for a revision that is not known, and what is
 * assumed before it. */
const Era *era_latest_legacy(void);
/* From the oldest to the newest; NULL behind the last. */
const Era *era_at(size_t i);
