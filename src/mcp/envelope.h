/* The per-request metadata of the modern era (`params._meta`, keys `io.modelcontextprotocol/…`),
 * and the log levels that both eras share. Pure, but for reading JSON; pointers are borrowed from
 * it. */
#pragma once

#include "mcp/eras.h"
#include "json/json.h"

#define META_PROTOCOL_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CLIENT_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT_INFO "io.modelcontextprotocol/clientInfo"
#define META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define META_SERVER_INFO "io.modelcontextprotocol/serverInfo"
#define META_SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

/* RFC 5424 severities as MCP names them, from the least severe. */
typedef enum McpLogLevel {
    MCP_LOG_DEBUG,
    MCP_LOG_INFO,
    MCP_LOG_NOTICE,
    MCP_LOG_WARNING,
    MCP_LOG_ERROR,
    MCP_LOG_CRITICAL,
    MCP_LOG_ALERT,
    MCP_LOG_EMERGENCY,
    MCP_LOG_OFF, /* not asked for: nothing is sent */
} McpLogLevel;

#define MCP_LOG_LEVELS "debug, info, notice, warning, error, critical, alert, emergency"

/* MCP_LOG_OFF when v is not the name of a level. */
McpLogLevel mcp_log_level_parse(const Json *v);
const char *mcp_log_level_name(McpLogLevel level);

typedef enum EnvelopeKind {
    ENVELOPE_NONE,        /* no metadata of this era: a legacy request */
    ENVELOPE_VALID,       /* `era` and `log_level` are set */
    ENVELOPE_BROKEN,      /* some of it is missing or of a wrong type: `error` names it */
    ENVELOPE_UNSUPPORTED, /* complete, but of a revision that is not spoken here: `requested` */
} EnvelopeKind;

typedef struct Envelope {
    EnvelopeKind kind;
    const Era *era;
    McpLogLevel log_level;
    Json *requested;
    char error[256];
} Envelope;

/* What the request's params (NULL when absent) say about its era. Any of the four keys makes it a
 * modern request; then the two required ones must be there. */
void envelope_read(const Json *params, Envelope *ret);
