#include "mcp/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/build.h"
#include "mcp/peer.h"
#include "mcp/tool.h"

int mcp_server_new(McpServer **ret, uv_loop_t *loop, const Settings *settings, Runner *runner,
        const char *version)
{
    McpServer *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        return -ENOMEM;
    }
    s->loop = loop;
    s->settings = settings;
    s->runner = runner;
    s->version = strdup(version);
    if (s->version == NULL) {
        free(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

McpServer *mcp_server_free(McpServer *s)
{
    if (s != NULL) {
        free(s->version);
        free(s);
    }
    return NULL;
}

Json *server_info(const McpServer *s, const Era *era)
{
    Json *v = json_new_object();
    int r = json_set(v, "name", json_new_string(SERVER_NAME));

    if (era->titles) {
        r |= json_set(v, "title", json_new_string(SERVER_TITLE));
    }
    r |= json_set(v, "version", json_new_string(s->version));
    if (era->descriptions) {
        r |= json_set(v, "description", json_new_string(SERVER_DESCRIPTION));
    }
    return built(v, r);
}

/* Neither resources nor prompts: their lists are answered, but there is nothing in them. */
Json *server_capabilities(void)
{
    Json *v = json_new_object();
    int r = json_set(v, "tools", json_new_object());

    r |= json_set(v, "logging", json_new_object());
    return built(v, r);
}

Json *server_versions(void)
{
    Json *versions = json_new_array();
    int r = 0;

    for (size_t i = 0; era_at(i) != NULL; i++) {
        if (era_at(i)->modern) {
            r |= json_add(versions, json_new_string(era_at(i)->version));
        }
    }
    return built(versions, r);
}
