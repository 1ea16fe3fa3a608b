/* The words of a result: the contract of docs/ARCHITECTURE.md, "What a result says", to the letter.
 * Pure; allocates in the buffer only. Errors as buf_append(). */
#pragma once

#include "exec/outcome.h"
#include "exec/settings.h"

/* The whole text of a run that took place. `capped_from_ms` is what the client asked when it was
 * more than allowed, else 0. */
int result_text_format(
        const Outcome *o, const Settings *s, int64_t capped_from_ms, size_t max_chars, Buf *out);
/* The text of a call that was refused or that the runner failed: the request line and the reason.
 */
int result_text_refused(const char *request_id, const char *reason, Buf *out);
/* "2s", "0.2s", "1.25s": as short as it is. Returns ret. */
const char *result_text_seconds(int64_t ms, char *ret, size_t size);
