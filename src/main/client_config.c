#include "main/client_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/macro.h"
#include "main/cli.h"
#include "main/config.h"
#include "main/paths.h"
#include "json/json.h"

typedef struct ClientForm {
    const char *name;
    const char *keys[3]; /* the path to the server's entry, around "python-runner" */
    bool has_type;       /* "type": "stdio" */
    bool is_openclaw;    /* "transport": "stdio", and its own timeouts */
    const char *where;   /* goes to stderr */
} ClientForm;

static const ClientForm forms[] = {
        {"claude-desktop", {"mcpServers"}, false, false,
                "Claude Desktop: merge this into claude_desktop_config.json (Settings, Developer, "
                "Edit "
                "Config), then restart it:\n"
                "  macOS    ~/Library/Application Support/Claude/claude_desktop_config.json\n"
                "  Linux    ~/.config/Claude/claude_desktop_config.json\n"
                "  Windows  %APPDATA%\\Claude\\claude_desktop_config.json\n"},
        {"claude-code", {"mcpServers"}, false, false,
                "Claude Code: save this as .mcp.json in the project's root, or merge it into the "
                "one "
                "there; `claude mcp list` shows it.\n"},
        {"vscode", {"servers"}, true, false,
                "VS Code: save this as .vscode/mcp.json in the workspace, or merge it into the "
                "file that "
                "the command \"MCP: Open User Configuration\" opens.\n"},
        {"cursor", {"mcpServers"}, false, false,
                "Cursor: save this as .cursor/mcp.json in the project, or as ~/.cursor/mcp.json "
                "for all "
                "of them; merge it into what is there.\n"},
        {"openclaw", {"mcp", "servers"}, false, true,
                "OpenClaw: merge this into ~/.openclaw/openclaw.json (or the file "
                "OPENCLAW_CONFIG_PATH "
                "names); `openclaw config validate` checks it.\n"},
};

static const ClientForm *find_form(const char *client)
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (strcmp(forms[i].name, client) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

bool client_config_exists(const char *client)
{
    return find_form(client) != NULL;
}

const char *client_config_known(char ret[CLIENT_CONFIG_KNOWN_MAX])
{
    size_t at = 0;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        at += (size_t)snprintf(
                ret + at, CLIENT_CONFIG_KNOWN_MAX - at, "%s%s", i > 0 ? ", " : "", forms[i].name);
    }
    return ret;
}

/* The variables that are set now and good. A client has its own PATH and directory, so the
 * interpreter goes in as the absolute path it means here. */
static Json *environment(Settings *settings)
{
    size_t n;
    const ConfigVariable *v = config_variables(&n);
    Json *env = json_new_object();
    int r = env ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++) {
        const char *value = getenv(v[i].name);
        char error[1024];
        if (!value) {
            continue;
        }
        if (config_parse(&v[i], value, settings, error, sizeof error) < 0) {
            (void)fprintf(stderr, "python-runner-mcp: left out: %s\n", error);
            continue;
        }
        Json *text = json_new_string(v[i].kind == CONFIG_PYTHON ? settings->python : value);
        if (text) {
            r = json_set(env, v[i].name, text);
        } else {
            (void)fprintf(stderr, "python-runner-mcp: left out: %s is not UTF-8\n", v[i].name);
        }
    }
    return r == 0 ? env : json_unref(env);
}

/* {key: inner}; takes inner, NULL gives NULL. */
static Json *wrap(Json *inner, const char *key)
{
    Json *outer = json_new_object();
    if (!outer) {
        return json_unref(inner);
    }
    return json_set(outer, key, inner) == 0 ? outer : json_unref(outer);
}

/* Longer than the longest run and a wait in the queue, or the client gives up first. */
static int add_openclaw(Json *entry, const Settings *settings)
{
    enum { CONNECT_MS = 30000, QUEUE_MS = 30000 };
    Json *include = json_new_array();
    int r = include ? json_add(include, json_new_string("run_python")) : -ENOMEM;
    r |= json_set(entry, "enabled", json_new_bool(true));
    r |= json_set(entry, "connectionTimeoutMs", json_new_int(CONNECT_MS));
    r |= json_set(entry, "requestTimeoutMs", json_new_int(settings->max_timeout_ms + QUEUE_MS));
    r |= json_set(entry, "supportsParallelToolCalls", json_new_bool(true));
    r |= json_set(entry, "toolFilter", wrap(include, "include"));
    return r;
}

static Json *server_entry(const ClientForm *form, const char *command)
{
    Settings settings = {.max_timeout_ms = 60000};
    Json *entry = json_new_object();
    Json *args = json_new_array();
    Json *env = environment(&settings);
    if (!entry || !args || !env) {
        (void)json_unref(args);
        (void)json_unref(env);
        return json_unref(entry);
    }
    int r = 0;
    if (form->has_type) {
        r |= json_set(entry, "type", json_new_string("stdio"));
    }
    if (form->is_openclaw) {
        r |= json_set(entry, "transport", json_new_string("stdio"));
    }
    r |= json_set(entry, "command", json_new_string(command));
    r |= json_set(entry, "args", args);
    r |= json_set(entry, "env", env);
    if (form->is_openclaw) {
        r |= add_openclaw(entry, &settings);
    }
    return r == 0 ? entry : json_unref(entry);
}

static int build(const ClientForm *form, const char *command, Buf *out)
{
    Json *doc = wrap(server_entry(form, command), "python-runner");
    for (size_t i = ARRAY_SIZE(form->keys); i-- > 0;) {
        if (form->keys[i]) {
            doc = wrap(doc, form->keys[i]);
        }
    }
    int r = json_dump_pretty(doc, out);
    (void)json_unref(doc);
    return r != 0 ? r : buf_append_str(out, "\n");
}

int client_config_main(const char *client)
{
    const ClientForm *form = find_form(client);
    const char *command = paths_executable();
    if (!form || !command) {
        (void)fprintf(stderr,
                "python-runner-mcp: can't find out the path of this program: call it by "
                "its absolute path\n");
        return EXIT_RUNNER;
    }
    Buf out;
    buf_init(&out, 1 << 20);
    int r = build(form, command, &out);
    if (r == 0) {
        r = fd_write_all(STDOUT_FILENO, out.data, out.len);
    }
    buf_deinit(&out);
    if (r != 0) {
        (void)fprintf(stderr, "python-runner-mcp: config %s: can't write the configuration: %s\n",
                form->name, strerror(r < 0 ? -r : ENOMEM));
        return EXIT_RUNNER;
    }
    (void)fputs(form->where, stderr);
    return 0;
}
