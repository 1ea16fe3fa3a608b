/* The methods, one constant table: name, eras, what answers it. */
#pragma once

#include <stdbool.h>

#include "mcp/peer.h"

typedef struct Method {
    const char *name;
    bool legacy, modern;
    bool cacheable; /* caching hints on its modern result (2026-07-28, "Caching") */
    void (*run)(const McpRequest *rq);
} Method;

/* The method with this name (a JSON string), or NULL. */
const Method *method_find(const Json *name);
