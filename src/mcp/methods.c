#include "mcp/methods.h"

#include <stdio.h>

#include "base/log.h"
#include "base/macro.h"
#include "mcp/build.h"
#include "mcp/call.h"
#include "mcp/listen.h"
#include "mcp/tool.h"

enum { DATA_URI_MAX = 4096 }; /* bytes of a URI that are sent back */

static void method_initialize(const McpRequest *rq)
{
    const Json *asked = json_get(rq->params, "protocolVersion");
    char instructions[TOOL_TEXT_SIZE], quoted[QUOTE_SIZE];
    const char *version;
    const Era *era;
    Json *result;
    size_t n = 0;
    int r;

    version = json_string_bytes(asked, &n);
    if (version == NULL) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: initialize needs the string params.protocolVersion", NULL);
        return;
    }
    era = era_find(version, n);
    if (era == NULL || era->modern) {
        era = era_latest_legacy();
    }
    rq->peer->negotiated = era;
    log_debug(NULL, "initialize: %s asked, %s answered", quote_text(version, n, quoted),
            era->version);

    result = json_new_object();
    r = json_set(result, "protocolVersion", json_new_string(era->version));
    r |= json_set(result, "capabilities", server_capabilities());
    r |= json_set(result, "serverInfo", server_info(rq->peer->server, era));
    r |= json_set(result, "instructions",
            json_new_string(tool_instructions(rq->peer->server->settings, instructions)));
    request_respond(rq, built(result, r));
}

static void method_discover(const McpRequest *rq)
{
    char instructions[TOOL_TEXT_SIZE];
    Json *result = json_new_object();
    int r = json_set(result, "supportedVersions", server_versions());

    r |= json_set(result, "capabilities", server_capabilities());
    r |= json_set(result, "instructions",
            json_new_string(tool_instructions(rq->peer->server->settings, instructions)));
    request_respond(rq, built(result, r));
}

static void method_ping(const McpRequest *rq)
{
    request_respond(rq, json_new_object());
}

static void method_set_level(const McpRequest *rq)
{
    McpLogLevel level = mcp_log_level_parse(json_get(rq->params, "level"));

    if (level == MCP_LOG_OFF) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: params.level must be one of " MCP_LOG_LEVELS, NULL);
        return;
    }
    rq->peer->log_level = level;
    request_respond(rq, json_new_object());
}

/* All lists have one page, so no cursor is ever ours. */
static bool refuse_cursor(const McpRequest *rq)
{
    if (json_get(rq->params, "cursor") == NULL) {
        return false;
    }
    request_fail(rq, RPC_INVALID_PARAMS,
            "Invalid params: unknown cursor; this list has one page, ask for it without a cursor",
            NULL);
    return true;
}

static void method_tools_list(const McpRequest *rq)
{
    Json *result, *tools;
    int r;

    if (refuse_cursor(rq)) {
        return;
    }
    result = json_new_object();
    tools = json_new_array();
    r = json_add(tools, tool_definition(rq->peer->server->settings, rq->era));
    r |= json_set(result, "tools", tools);
    request_respond(rq, built(result, r));
}

/* Some clients ask for these whatever the capabilities say, and give the server up on an error. */
static void empty_list(const McpRequest *rq, const char *member)
{
    Json *result;

    if (refuse_cursor(rq)) {
        return;
    }
    result = json_new_object();
    request_respond(rq, built(result, json_set(result, member, json_new_array())));
}

static void method_resources_list(const McpRequest *rq)
{
    empty_list(rq, "resources");
}

static void method_resource_templates_list(const McpRequest *rq)
{
    empty_list(rq, "resourceTemplates");
}

static void method_prompts_list(const McpRequest *rq)
{
    empty_list(rq, "prompts");
}

static void method_resources_read(const McpRequest *rq)
{
    Json *uri = json_get(rq->params, "uri"), *data = NULL;
    char text[QUOTE_SIZE + 64], quoted[QUOTE_SIZE];
    const char *bytes;
    size_t n = 0;

    bytes = json_string_bytes(uri, &n);
    if (bytes == NULL) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: resources/read needs the string params.uri", NULL);
        return;
    }
    (void)snprintf(text, sizeof(text), "Resource not found: %s", quote_text(bytes, n, quoted));
    if (n <= DATA_URI_MAX) {
        data = json_new_object();
        data = built(data, json_set(data, "uri", json_ref(uri)));
    }
    request_fail(rq, rq->era->modern ? RPC_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND, text, data);
}

static void method_prompts_get(const McpRequest *rq)
{
    char text[QUOTE_SIZE + 64], quoted[QUOTE_SIZE];
    const char *bytes;
    size_t n = 0;

    bytes = json_string_bytes(json_get(rq->params, "name"), &n);
    if (bytes == NULL) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: prompts/get needs the string params.name", NULL);
        return;
    }
    (void)snprintf(
            text, sizeof(text), "Invalid params: unknown prompt: %s", quote_text(bytes, n, quoted));
    request_fail(rq, RPC_INVALID_PARAMS, text, NULL);
}

/* Not here, and answered as methods that do not exist: completion/complete, resources/subscribe and
 * tasks/... belong to capabilities that are not advertised. */
static const Method methods[] = {
        /* name, legacy, modern, cacheable */
        {"initialize", true, false, false, method_initialize},
        {"server/discover", false, true, true, method_discover},
        {"ping", true, false, false, method_ping},                  /* removed in 2026-07-28 */
        {"logging/setLevel", true, false, false, method_set_level}, /* there: _meta logLevel */
        {"tools/list", true, true, true, method_tools_list},
        {"tools/call", true, true, false, call_run},
        {"resources/list", true, true, true, method_resources_list},
        {"resources/templates/list", true, true, true, method_resource_templates_list},
        {"resources/read", true, true, true, method_resources_read},
        {"prompts/list", true, true, true, method_prompts_list},
        {"prompts/get", true, true, false, method_prompts_get},
        {"subscriptions/listen", false, true, false, listen_run},
};

const Method *method_find(const Json *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
        if (json_is_text(name, methods[i].name)) {
            return &methods[i];
        }
    }
    return NULL;
}
