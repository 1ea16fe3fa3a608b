/* The result of tools/call as a document: content, `_meta["python-runner/outcome"]`, and
 * structuredContent where it belongs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "exec/outcome.h"
#include "exec/settings.h"
#include "mcp/eras.h"
#include "json/json.h"

#define META_OUTCOME "python-runner/outcome"
#define META_REPORTED "python-runner/reported" /* whose members are not measured from outside */

typedef struct ResultContext {
    const Settings *settings;
    const Era *era;
    int64_t capped_from_ms; /* the timeout asked for, when it was more than allowed; else 0 */
    size_t max_bytes;       /* of the result's JSON text */
} ResultContext;

/* What ended the program, in numbers. NULL when memory is short. */
Json *result_json_outcome(const Outcome *o, size_t max_chars);
/* The whole result. For RUN_REJECTED and RUN_SANDBOX_ERROR `reason` is shown and isError is true.
 * Text is cut down further until max_bytes hold it. NULL when memory is short. */
Json *result_json_call(const ResultContext *c, const Outcome *o, const char *reason);
