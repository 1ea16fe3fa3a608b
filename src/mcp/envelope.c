#include "mcp/envelope.h"

#include <stdio.h>

#include "base/macro.h"
#include "mcp/build.h"

static const char *const level_names[] = {
        [MCP_LOG_DEBUG] = "debug",
        [MCP_LOG_INFO] = "info",
        [MCP_LOG_NOTICE] = "notice",
        [MCP_LOG_WARNING] = "warning",
        [MCP_LOG_ERROR] = "error",
        [MCP_LOG_CRITICAL] = "critical",
        [MCP_LOG_ALERT] = "alert",
        [MCP_LOG_EMERGENCY] = "emergency",
};

McpLogLevel mcp_log_level_parse(const Json *v)
{
    for (size_t i = 0; i < ARRAY_SIZE(level_names); i++) {
        if (json_is_text(v, level_names[i])) {
            return (McpLogLevel)i;
        }
    }
    return MCP_LOG_OFF;
}

const char *mcp_log_level_name(McpLogLevel level)
{
    return level < MCP_LOG_OFF ? level_names[level] : "off";
}

/* The keys, whether every request must have them, and their type. */
static const struct {
    const char *key;
    bool required;
    JsonType type;
} keys[] = {
        {META_PROTOCOL_VERSION, true, JSON_T_STRING},
        {META_CLIENT_CAPABILITIES, true, JSON_T_OBJECT},
        {META_CLIENT_INFO, false, JSON_T_OBJECT},
        {META_LOG_LEVEL, false, JSON_T_STRING},
};

/* Missing keys are reported before wrong ones: the client then knows which era it half speaks. */
static bool envelope_complete(const Json *meta, Envelope *e)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (keys[i].required && json_get(meta, keys[i].key) == NULL) {
            (void)snprintf(e->error, sizeof(e->error),
                    "Invalid params: _meta lacks the required key %s", keys[i].key);
            return false;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        const Json *v = json_get(meta, keys[i].key);

        if (v != NULL && !json_is(v, keys[i].type)) {
            (void)snprintf(e->error, sizeof(e->error),
                    "Invalid params: _meta key %s must be a %s, not %s", keys[i].key,
                    keys[i].type == JSON_T_STRING ? "string" : "JSON object", json_type_name(v));
            return false;
        }
    }
    return true;
}

void envelope_read(const Json *params, Envelope *ret)
{
    const Json *meta = json_get(params, "_meta");
    const Json *level = json_get(meta, META_LOG_LEVEL);
    bool claimed = false;
    const char *version;
    const Era *era;
    size_t n = 0;

    *ret = (Envelope){.kind = ENVELOPE_NONE, .log_level = MCP_LOG_OFF};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        claimed = claimed || json_get(meta, keys[i].key) != NULL;
    }
    if (!claimed) {
        return;
    }
    ret->kind = ENVELOPE_BROKEN;
    if (!envelope_complete(meta, ret)) {
        return;
    }
    ret->requested = json_get(meta, META_PROTOCOL_VERSION);
    version = json_string_bytes(ret->requested, &n);
    era = era_find(version, n);
    if (era == NULL || !era->modern) {
        ret->kind = ENVELOPE_UNSUPPORTED;
        return;
    }
    ret->log_level = mcp_log_level_parse(level);
    if (level != NULL && ret->log_level == MCP_LOG_OFF) {
        (void)snprintf(ret->error, sizeof(ret->error),
                "Invalid params: _meta key %s must be one of " MCP_LOG_LEVELS, META_LOG_LEVEL);
        return;
    }
    ret->era = era;
    ret->kind = ENVELOPE_VALID;
}
