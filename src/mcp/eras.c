#include "mcp/eras.h"

#include <string.h>

#include "base/macro.h"

/* Sources: the schema of each revision (tests/schemas/) and its "Key Changes" page. Batches:
 * 2025-03-26 obliges a server to receive them, 2025-06-18 removed them; 2024-11-05 does not speak
 * of them and its schema has no such answer. Errors without an id: the schemas up to 2025-06-18
 * require one. */
static const Era eras[] = {
        {.version = "2024-11-05"},
        {.version = "2025-03-26", .batches = true, .annotations = true, .progress_message = true},
        {.version = "2025-06-18", .annotations = true, .progress_message = true, .titles = true},
        {.version = "2025-11-25",
                .annotations = true,
                .progress_message = true,
                .titles = true,
                .descriptions = true,
                .errors_without_id = true},
        {.version = "2026-07-28",
                .modern = true,
                .annotations = true,
                .progress_message = true,
                .titles = true,
                .descriptions = true,
                .errors_without_id = true},
};

const Era *era_at(size_t i)
{
    return i < ARRAY_SIZE(eras) ? &eras[i] : NULL;
}

const Era *era_find(const char *version, size_t n)
{
    for (size_t i = 0; i < ARRAY_SIZE(eras); i++) {
        if (strlen(eras[i].version) == n && memcmp(eras[i].version, version, n) == 0) {
            return &eras[i];
        }
    }
    return NULL;
}

const Era *era_latest_legacy(void)
{
    const Era *latest = &eras[0];

    for (size_t i = 1; i < ARRAY_SIZE(eras); i++) {
        if (!eras[i].modern) {
            latest = &eras[i];
        }
    }
    return latest;
}
