#include "main/client_form.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/macro.h"
#include "main/config.h"
#include "main/paths.h"

#ifdef __APPLE__
#define APPLICATIONS "/Library/Application Support"
#else
#define APPLICATIONS "/.config"
#endif

static const ClientForm forms[] = {
        {.name = "claude-desktop",
                .title = "Claude Desktop",
                .keys = {"mcpServers"},
                .n_keys = 1,
                .dialect = JSON_STRICT,
                .where = "merge this into claude_desktop_config.json (Settings, Developer, Edit "
                         "Config), then restart it:\n"
                         "  macOS    ~/Library/Application "
                         "Support/Claude/claude_desktop_config.json\n"
                         "  Linux    ~/.config/Claude/claude_desktop_config.json\n"
                         "  Windows  %APPDATA%\\Claude\\claude_desktop_config.json\n",
                .then = "Quit Claude Desktop and start it again."},
        {.name = "claude-code",
                .title = "Claude Code",
                .keys = {"mcpServers"},
                .n_keys = 1,
                .dialect = JSON_STRICT,
                .where =
                        "for one project, save this as .mcp.json in its root, or merge it into the "
                        "one there; for all of them, merge it into ~/.claude.json. `claude mcp "
                        "list` shows it.\n",
                .then = "Start Claude Code again; `claude mcp list` shows it."},
        {.name = "vscode",
                .title = "VS Code",
                .keys = {"servers"},
                .n_keys = 1,
                .dialect = JSON_COMMENTS,
                .has_type = true,
                .where = "for one workspace, save this as .vscode/mcp.json in it; for all of them, "
                         "merge it into the file that the command \"MCP: Open User Configuration\" "
                         "opens.\n",
                .then = "VS Code shows it under \"MCP: List Servers\"; start it there."},
        {.name = "cursor",
                .title = "Cursor",
                .keys = {"mcpServers"},
                .n_keys = 1,
                .dialect = JSON_COMMENTS,
                .where = "save this as .cursor/mcp.json in the project, or as ~/.cursor/mcp.json "
                         "for "
                         "all of them; merge it into what is there.\n",
                .then = "Switch it on in Cursor's settings, under MCP."},
        {.name = "openclaw",
                .title = "OpenClaw",
                .keys = {"mcp", "servers"},
                .n_keys = 2,
                .dialect = JSON_5,
                .is_openclaw = true,
                .where = "merge this into ~/.openclaw/openclaw.json (or the file "
                         "OPENCLAW_CONFIG_PATH names); `openclaw config validate` checks it.\n",
                .then = "`openclaw mcp doctor --probe` tries it."},
};

/* The client's own rules for where its file is; the first row counts whose variable is set. */
static const struct ClientPlace {
    const char *client;
    const char *variable;
    const char *below; /* what it names, or nothing when it names the file */
} places[] = {
        {"claude-desktop", "XDG_CONFIG_HOME",
                "/Claude/claude_desktop_config.json"}, /* Electron, app.getPath() */
        {"claude-desktop", "HOME", APPLICATIONS "/Claude/claude_desktop_config.json"},
        {"claude-code", "CLAUDE_CONFIG_DIR", "/.claude.json"},
        {"claude-code", "HOME", "/.claude.json"},
        {"vscode", "XDG_CONFIG_HOME", "/Code/User/mcp.json"},
        {"vscode", "HOME", APPLICATIONS "/Code/User/mcp.json"},
        {"cursor", "HOME", "/.cursor/mcp.json"},
        {"openclaw", "OPENCLAW_CONFIG_PATH", ""},
        {"openclaw", "OPENCLAW_STATE_DIR", "/openclaw.json"},
        {"openclaw", "OPENCLAW_HOME", "/.openclaw/openclaw.json"},
        {"openclaw", "HOME", "/.openclaw/openclaw.json"},
};

/* Behind "docker": no network, nothing to write but /tmp, no privileges, bounded in each resource.
 */
static const char *const docker_run[] = {"run", "-i", "--rm", "--network=none", "--read-only",
        "--tmpfs", "/tmp:size=64m,mode=1777", "--security-opt", "no-new-privileges:true",
        "--cap-drop=ALL", "--memory=512m", "--cpus=1.0", "--pids-limit=64"};
static const char docker_image[] = "turhal-ai/python-runner-mcp:latest";
/* Clients hand on a few variables only; without these another engine would be spoken to. */
static const char *const docker_variables[] = {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG"};

const ClientForm *client_form(const char *client)
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (strcmp(forms[i].name, client) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

const char *client_form_known(char ret[CLIENT_KNOWN_MAX])
{
    size_t at = 0;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        at += (size_t)snprintf(
                ret + at, CLIENT_KNOWN_MAX - at, "%s%s", i > 0 ? ", " : "", forms[i].name);
    }
    return ret;
}

const char *client_form_entry_name(bool docker)
{
    return docker ? "python-runner-docker" : "python-runner";
}

/* What goes in -----------------------------------------------------------------------------------
 */

static void left_out(const char *what)
{
    (void)fprintf(stderr, "python-runner-mcp: left out: %s\n", what);
}

/* Adds `name` with its value to *env, or to the arguments of docker. */
static int add_variable(Json *env, Json *args, const char *name, const char *value)
{
    char *both = NULL;
    Json *text = NULL;
    if (!args) {
        text = json_new_string(value);
    } else if (asprintf(&both, "%s=%s", name, value) >= 0) {
        text = json_new_string(both);
        free(both);
    }
    if (!text) {
        char words[128];
        (void)snprintf(words, sizeof words, "%s is not UTF-8", name);
        left_out(words);
        return 0;
    }
    return args ? json_add(args, json_new_string("-e")) | json_add(args, text)
                : json_set(env, name, text);
}

/* The variables that are set now and good. A client has its own PATH and directory, so the
 * interpreter goes in as the absolute path it means here; the container has its own. */
static int add_variables(Json *env, Json *args, Settings *settings)
{
    size_t n;
    const ConfigVariable *v = config_variables(&n);
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        const char *value = getenv(v[i].name);
        char error[1024];
        bool is_python = v[i].kind == CONFIG_PYTHON;
        if (!value) {
            continue;
        }
        if (args && is_python) {
            left_out("RUNNER_PYTHON: the container has its own interpreter");
        } else if (config_parse(&v[i], value, settings, error, sizeof error) < 0) {
            left_out(error);
        } else {
            r = add_variable(env, args, v[i].name, is_python ? settings->python : value);
        }
    }
    return r;
}

static Json *docker_args(Json *env, Settings *settings)
{
    Json *args = json_new_array();
    int r = args ? 0 : -ENOMEM;
    for (size_t i = 0; i < ARRAY_SIZE(docker_run) && r == 0; i++) {
        r = json_add(args, json_new_string(docker_run[i]));
    }
    r = r != 0 ? r : add_variables(env, args, settings);
    r = r != 0 ? r : json_add(args, json_new_string(docker_image));
    for (size_t i = 0; i < ARRAY_SIZE(docker_variables) && r == 0; i++) {
        const char *value = getenv(docker_variables[i]);
        r = value ? add_variable(env, NULL, docker_variables[i], value) : 0;
    }
    return r == 0 ? args : json_unref(args);
}

/* requestTimeoutMs is longer than the longest run and a wait in the queue, or the client gives up
 * first. */
static int add_openclaw(Json *entry, const Settings *settings)
{
    enum { CONNECT_MS = 30000, QUEUE_MS = 30000 };
    Json *include = json_new_array();
    Json *filter = json_new_object();
    int r = include ? json_add(include, json_new_string("run_python")) : -ENOMEM;
    r |= json_set(entry, "enabled", json_new_bool(true));
    r |= json_set(entry, "connectionTimeoutMs", json_new_int(CONNECT_MS));
    r |= json_set(entry, "requestTimeoutMs", json_new_int(settings->max_timeout_ms + QUEUE_MS));
    r |= json_set(entry, "supportsParallelToolCalls", json_new_bool(true));
    if (!filter) {
        (void)json_unref(include);
        return -ENOMEM;
    }
    r |= json_set(filter, "include", include);
    return r | json_set(entry, "toolFilter", filter);
}

static Json *entry_of(const ClientForm *form, bool docker, const char *command)
{
    Settings settings = {.max_timeout_ms = 60000};
    Json *entry = json_new_object();
    Json *env = json_new_object();
    Json *args = docker ? docker_args(env, &settings) : json_new_array();
    if (!entry || !env || !args || (!docker && add_variables(env, NULL, &settings) != 0)) {
        (void)json_unref(args);
        (void)json_unref(env);
        return json_unref(entry);
    }
    int r = form->has_type ? json_set(entry, "type", json_new_string("stdio")) : 0;
    r |= form->is_openclaw ? json_set(entry, "transport", json_new_string("stdio")) : 0;
    r |= json_set(entry, "command", json_new_string(command));
    r |= json_set(entry, "args", args);
    r |= json_set(entry, "env", env);
    r |= form->is_openclaw ? add_openclaw(entry, &settings) : 0;
    return r == 0 ? entry : json_unref(entry);
}

Json *client_form_entry(const ClientForm *form, bool docker, char *ret_error, size_t error_size)
{
    _cleanup_(free_p) char *found = NULL;
    const char *command = paths_executable();
    if (docker) {
        if (paths_search("docker", &found) < 0) {
            (void)snprintf(ret_error, error_size,
                    "config %s --docker: docker was not found on PATH: install Docker, or leave "
                    "--docker out to run the server without it",
                    form->name);
            return NULL;
        }
        command = found;
    }
    if (!command) {
        (void)snprintf(ret_error, error_size,
                "can't find out the path of this program: call it by its absolute path");
        return NULL;
    }
    Json *entry = entry_of(form, docker, command);
    if (!entry) {
        (void)snprintf(ret_error, error_size,
                "config %s: the configuration can't be made: out of memory, or %s is not UTF-8",
                form->name, command);
    }
    return entry;
}

/* Where it goes ----------------------------------------------------------------------------------
 */

/* The value of a variable, or what stands for it; false when there is none. */
static bool place_root(const char *variable, char ret[PATH_MAX])
{
    const char *value = getenv(variable);
    char home[PATH_MAX];
    size_t n = sizeof home;
    bool is_home = strcmp(variable, "HOME") == 0;
    if (!is_home && (!value || value[0] == '\0')) {
        return false;
    }
    bool from_home = is_home || (value[0] == '~' && (value[1] == '/' || value[1] == '\0'));
    if (from_home && uv_os_homedir(home, &n) < 0) { /* HOME, or what the system has of us */
        home[0] = '\0';
    }
    (void)snprintf(ret, PATH_MAX, "%s%s", from_home ? home : value,
            from_home && !is_home ? value + 1 : "");
    return true;
}

int client_form_file(
        const ClientForm *form, char ret_path[PATH_MAX], char *ret_error, size_t error_size)
{
    const struct ClientPlace *p = places;
    char root[PATH_MAX];
    while (strcmp(p->client, form->name) != 0 || !place_root(p->variable, root)) {
        p++; /* ends: the last row of a client is HOME */
    }
    char shown[CONFIG_SHOWN_MAX];
    if (root[0] != '/') {
        (void)snprintf(ret_error, error_size,
                "%s=%s: must be an absolute path, since %s finds its configuration by it",
                p->variable, config_shown(root, shown), form->title);
        return -EINVAL;
    }
    int n = snprintf(ret_path, PATH_MAX, "%s%s", root, p->below);
    if (n < 0 || n >= PATH_MAX) {
        (void)snprintf(ret_error, error_size, "%s=%s: is too long for a path", p->variable,
                config_shown(root, shown));
        return -ENAMETOOLONG;
    }
    return 0;
}
