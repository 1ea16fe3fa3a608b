#include "main/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/macro.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "main/modules.h"
#include "main/paths.h"
#include "sandbox/sandbox.h"
#include "wire/wire.h"

#define MEMBER(m) offsetof(Settings, m)

/* Lower bounds: less would not let an ordinary interpreter start or say anything. Upper bounds:
 * what still makes sense on a large machine, and keeps products of two of them within 64 bits. */
static const ConfigVariable variables[] = {
        {"RUNNER_DEFAULT_TIMEOUT_SEC", CONFIG_SECONDS, "10", 100, 86400000,
                MEMBER(default_timeout_ms),
                "seconds a run may take when the call does not say; if only the maximum is set, "
                "and to less than this, that is used"},
        {"RUNNER_MAX_TIMEOUT_SEC", CONFIG_SECONDS, "60", 100, 86400000, MEMBER(max_timeout_ms),
                "the most seconds a client may ask for; more is capped, and the result says so"},
        {"RUNNER_MAX_OUTPUT_CHARS", CONFIG_COUNT, "20000", 100, 1000000, MEMBER(max_output_chars),
                "characters kept of stdout, of stderr and of the result, each; the middle is left "
                "out"},
        {"RUNNER_MAX_MEMORY_MB", CONFIG_COUNT, "256", 32, 1048576, MEMBER(max_memory_mb),
                "address space of the program"},
        {"RUNNER_MAX_CPU_SECONDS", CONFIG_COUNT, "10", 1, 86400, MEMBER(max_cpu_seconds),
                "CPU time of one run"},
        {"RUNNER_MAX_PROCESSES", CONFIG_COUNT, "32", 1, 4096, MEMBER(max_processes),
                "processes and threads the program may have"},
        {"RUNNER_MAX_FILE_SIZE_MB", CONFIG_COUNT, "10", 1, 1048576, MEMBER(max_file_size_mb),
                "the largest file the program may write"},
        {"RUNNER_MAX_CONCURRENT", CONFIG_COUNT, "4", 1, 64, MEMBER(max_concurrent),
                "runs at the same time; the others wait in order"},
        {"RUNNER_WARM_WORKERS", CONFIG_COUNT, "4", 0, 64, MEMBER(warm_workers),
                "workers that wait, locked in, for the next call; when not set, as many as "
                "RUNNER_MAX_CONCURRENT; 0: an interpreter of its own is started for each run"},
        {"RUNNER_MAX_QUEUE", CONFIG_COUNT, "256", 0, 100000, MEMBER(max_queue),
                "calls that may wait; one more is refused with a hint to retry"},
        {"RUNNER_MAX_REQUEST_MB", CONFIG_COUNT, "16", 1, 1024, MEMBER(max_request_mb),
                "the longest input line; a longer one is answered with an error"},
        {"RUNNER_PYTHON", CONFIG_PYTHON, "python3", 0, 0, MEMBER(python),
                "the interpreter; one of a virtual environment will do; empty: as when it is not "
                "set"},
        {"RUNNER_SITE_PACKAGES", CONFIG_BOOL, "false", 0, 0, MEMBER(site_packages),
                "programs see the interpreter's site-packages: they run as under python3 -I, not "
                "-I -S"},
        {"RUNNER_PRELOAD", CONFIG_MODULES, "", 0, 0, MEMBER(preload),
                "modules that are imported beforehand, so that import costs a program nothing"},
        {"RUNNER_TEMPLATE_MAX_RUNS", CONFIG_COUNT, "1000", 0, 1000000000, MEMBER(template_max_runs),
                "after so many runs a new interpreter takes over, with another address layout and "
                "hash seed; 0: never"},
        {"RUNNER_STRUCTURED_OUTPUT", CONFIG_BOOL, "false", 0, 0, MEMBER(structured_output),
                "results also carry structuredContent, and the tool an outputSchema"},
        {"RUNNER_SANDBOX", CONFIG_SANDBOX, "auto", 0, 0, MEMBER(sandbox),
                "auto: the strongest layers that hold here; strict: all of them, or no start; "
                "rlimits: limits alone"},
        {"RUNNER_LOG_LEVEL", CONFIG_LEVEL, "INFO", 0, 0, MEMBER(log_level),
                "least severe log line written to stderr; the default is WARNING for the commands "
                "run and doctor"},
        {"RUNNER_LOG_FORMAT", CONFIG_FORMAT, "text", 0, 0, MEMBER(log_format),
                "form of a log line"},
};

const ConfigVariable *config_variables(size_t *ret_n)
{
    *ret_n = ARRAY_SIZE(variables);
    return variables;
}

const char *config_shown(const char *value, char ret[CONFIG_SHOWN_MAX])
{
    enum { BYTES = 300, CHARS = 60 };
    char clean[UTF8_CLEAN_MAX(BYTES) + 16];
    Utf8 state = {0};
    size_t n = utf8_clean(&state, value, strnlen(value, BYTES), clean, NULL);
    n += utf8_clean_end(&state, clean + n, NULL);
    size_t kept = utf8_prefix(clean, n, CHARS);
    size_t at = 0;
    for (size_t i = 0; i < kept; i++) {
        unsigned char c = (unsigned char)clean[i];
        bool c1 = c == 0xc2 && (unsigned char)clean[i + 1] < 0xa0; /* U+0080 to U+009F */
        if (c1) {
            c = (unsigned char)clean[++i];
        }
        if (c1 || c < 0x20 || c == 0x7f) {
            at += (size_t)snprintf(ret + at, CONFIG_SHOWN_MAX - at, "\\x%02x", c);
        } else {
            ret[at++] = (char)c;
        }
    }
    (void)snprintf(ret + at, CONFIG_SHOWN_MAX - at, "%s", kept < n ? "..." : "");
    return ret;
}

const char *config_seconds_text(int64_t ms, char *ret, size_t size)
{
    if (ms % 1000 == 0) {
        (void)snprintf(ret, size, "%lld", (long long)(ms / 1000));
        return ret;
    }
    int n = snprintf(ret, size, "%lld.%03d", (long long)(ms / 1000), (int)(ms % 1000));
    while (n > 0 && (size_t)n < size && ret[n - 1] == '0') {
        ret[--n] = '\0';
    }
    return ret;
}

const char *config_allowed(const ConfigVariable *v, char *ret, size_t size)
{
    char min[32];
    char max[32];
    switch (v->kind) {
    case CONFIG_COUNT:
        (void)snprintf(ret, size, "a whole number from %lld to %lld", (long long)v->min,
                (long long)v->max);
        break;
    case CONFIG_SECONDS:
        (void)snprintf(ret, size, "a number of seconds from %s to %s",
                config_seconds_text(v->min, min, sizeof min),
                config_seconds_text(v->max, max, sizeof max));
        break;
    case CONFIG_BOOL:
        (void)snprintf(ret, size, "true or false");
        break;
    case CONFIG_LEVEL:
        (void)snprintf(ret, size, "DEBUG, INFO, WARNING or ERROR");
        break;
    case CONFIG_FORMAT:
        (void)snprintf(ret, size, "text or json");
        break;
    case CONFIG_SANDBOX:
        (void)snprintf(ret, size, "auto, strict or rlimits");
        break;
    case CONFIG_PYTHON:
        (void)snprintf(ret, size, "a CPython executable, 3.9 or newer: a name on PATH or a path");
        break;
    case CONFIG_MODULES:
        (void)snprintf(ret, size, "names of modules with commas between them, at most %d",
                PRELOAD_MODULES_MAX);
        break;
    }
    return ret;
}

static int parse_level(const char *value, LogLevel *ret_level)
{
    for (int i = 0; i < _LOG_LEVEL_N; i++) {
        if (strcasecmp(value, log_level_name((LogLevel)i)) == 0) {
            *ret_level = (LogLevel)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_format(const char *value, LogFormat *ret_format)
{
    if (strcasecmp(value, "text") == 0) {
        *ret_format = LOG_TEXT;
        return 0;
    }
    if (strcasecmp(value, "json") == 0) {
        *ret_format = LOG_JSON;
        return 0;
    }
    return -EINVAL;
}

static int parse_sandbox(const char *value, int *ret_mode)
{
    static const char *const names[] = {
            [SANDBOX_AUTO] = "auto", [SANDBOX_STRICT] = "strict", [SANDBOX_RLIMITS] = "rlimits"};

    for (int i = 0; i < _SANDBOX_MODE_N; i++) {
        if (strcasecmp(value, names[i]) == 0) {
            *ret_mode = i;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *python_fault(int r, const char *value)
{
    switch (r) {
    case -ENOENT:
        if (value[0] == '~') {
            return " (no such file; ~ is not expanded here)";
        }
        return strchr(value, '/') ? " (no such file)" : " (not found on PATH)";
    case -EISDIR:
        return " (it is a directory)";
    case -EACCES:
        return " (not executable)";
    case -EINVAL:
        return "";
    default:
        return " (can't be looked at)";
    }
}

/* The last link is not followed: a virtual environment's python is a link that knows where it
 * lies. */
static int parse_python(const char *value, const char **ret_path, const char **ret_fault)
{
    static char found[PATH_MAX];
    _cleanup_(free_p) char *path = NULL;
    int r = -EINVAL;
    if (value[0] != '\0') {
        r = strchr(value, '/') ? paths_absolute(value, &path) : paths_search(value, &path);
        r = r < 0 ? r : paths_executable_check(path);
        r = r == 0 && strlen(path) >= sizeof found ? -ENAMETOOLONG : r;
    }
    if (r < 0) {
        *ret_fault = python_fault(r, value);
        return -EINVAL;
    }
    (void)snprintf(found, sizeof found, "%s", path);
    *ret_path = found;
    return 0;
}

int config_parse(const ConfigVariable *v, const char *value, Settings *settings, char *ret_error,
        size_t error_size)
{
    void *member = (char *)settings + v->offset;
    const char *fault = "";
    int r = -EINVAL;
    switch (v->kind) {
    case CONFIG_COUNT:
        r = parse_i64(value, v->min, v->max, member);
        break;
    case CONFIG_SECONDS:
        r = parse_seconds_ms(value, v->min, v->max, member);
        break;
    case CONFIG_BOOL:
        r = parse_bool(value, member);
        break;
    case CONFIG_LEVEL:
        r = parse_level(value, member);
        break;
    case CONFIG_FORMAT:
        r = parse_format(value, member);
        break;
    case CONFIG_SANDBOX:
        r = parse_sandbox(value, member);
        break;
    case CONFIG_PYTHON:
        r = parse_python(value, member, &fault);
        break;
    case CONFIG_MODULES:
        r = modules_parse(value, member);
        break;
    }
    if (r == 0) {
        return 0;
    }
    char shown[CONFIG_SHOWN_MAX];
    char allowed[128];
    (void)snprintf(ret_error, error_size, "%s=%s: must be %s%s", v->name,
            config_shown(value, shown), config_allowed(v, allowed, sizeof allowed), fault);
    return -EINVAL;
}

/* Run directories go below it, and their names have to fit a message (WIRE_PATH_MAX). */
static int load_temp_dir(Settings *s, char *ret_error, size_t error_size)
{
    enum { RUN_DIR_ROOM = 96 };
    static char found[WIRE_PATH_MAX - RUN_DIR_ROOM];
    _cleanup_(free_p) char *path = NULL;
    const char *value = getenv("TMPDIR");
    if (!value || value[0] == '\0') {
        value = "/tmp";
    }
    char shown[CONFIG_SHOWN_MAX];
    struct stat st;
    if (paths_absolute(value, &path) < 0 || stat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
            access(path, W_OK | X_OK) < 0) {
        (void)snprintf(ret_error, error_size, "TMPDIR=%s: must be a directory that we may write to",
                config_shown(value, shown));
        return -EINVAL;
    }
    if (strlen(path) >= sizeof found) {
        (void)snprintf(ret_error, error_size, "TMPDIR=%s: must be shorter than %zu bytes",
                config_shown(value, shown), sizeof found);
        return -EINVAL;
    }
    (void)snprintf(found, sizeof found, "%s", path);
    s->temp_dir = found;
    return 0;
}

static int load_variable(const ConfigVariable *v, Settings *s, char *ret_error, size_t error_size)
{
    const char *value = getenv(v->name);
    if (value) {
        return config_parse(v, value, s, ret_error, error_size);
    }
    int r = config_parse(v, v->fallback, s, ret_error, error_size);
    if (r < 0 && v->kind == CONFIG_PYTHON) {
        (void)snprintf(ret_error, error_size,
                "%s is not set and %s was not found on PATH: install it, or set %s to a CPython "
                "executable, 3.9 or newer",
                v->name, v->fallback, v->name);
    }
    return r;
}

void config_prepare(void)
{
    const char *python = getenv("RUNNER_PYTHON");
    if (python && python[0] == '\0') {
        (void)unsetenv("RUNNER_PYTHON");
    }
}

int config_load(Settings *ret, char *ret_error, size_t error_size)
{
    Settings s = {0};
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        int r = load_variable(&variables[i], &s, ret_error, error_size);
        if (r < 0) {
            return r;
        }
    }
    const char *timeout = getenv("RUNNER_DEFAULT_TIMEOUT_SEC");
    if (s.default_timeout_ms > s.max_timeout_ms && timeout) {
        char max[32];
        (void)snprintf(ret_error, error_size,
                "RUNNER_DEFAULT_TIMEOUT_SEC=%s: must not be more than RUNNER_MAX_TIMEOUT_SEC, "
                "which is %s",
                timeout, config_seconds_text(s.max_timeout_ms, max, sizeof max));
        return -EINVAL;
    }
    s.default_timeout_ms = MIN(s.default_timeout_ms, s.max_timeout_ms);
    if (!getenv("RUNNER_WARM_WORKERS")) {
        s.warm_workers = s.max_concurrent;
    }
    int r = load_temp_dir(&s, ret_error, error_size);
    if (r < 0) {
        return r;
    }
    r = paths_template_dir(&s.template_dir, ret_error, error_size);
    if (r < 0) {
        return -EINVAL;
    }
    *ret = s;
    return 0;
}

/* Levenshtein's distance, of the first 63 characters. */
static size_t distance(const char *a, const char *b)
{
    enum { N = 64 };
    size_t row[N];
    size_t a_n = strnlen(a, N - 1);
    size_t b_n = strnlen(b, N - 1);
    for (size_t j = 0; j <= b_n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_n; j++) {
            size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = MIN(changed, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_n];
}

const char *config_closest(const char *word, const char *const *known, size_t n)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 4 + 1; /* more than that is another word */
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, known[i]);
        if (d <= best_distance && (!best || d < best_distance)) {
            best = known[i];
            best_distance = d;
        }
    }
    return best;
}

static void warn_unless_known(const char *name, const char *const *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, known[i]) == 0) {
            return;
        }
    }
    char shown[CONFIG_SHOWN_MAX];
    const char *meant = config_closest(name, known, n);
    log_warning(NULL, "%s is not a variable of this version and has no effect%s%s%s",
            config_shown(name, shown), meant ? "; did you mean " : "", meant ? meant : "",
            meant ? "?" : " (see --help)");
}

/* For tests, so not in --help: main/host.c, sandbox/probe.c, exec/template.c. */
static const char *const test_variables[] = {
        "RUNNER_TEST_LAYERS_OFF", "RUNNER_TEST_LANDLOCK_ABI", "RUNNER_TEST_FINALIZE"};

void config_warn_unknown(void)
{
    const char *known[ARRAY_SIZE(variables) + ARRAY_SIZE(test_variables)];
    uv_env_item_t *items;
    int n;
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        known[i] = variables[i].name;
    }
    memcpy(&known[ARRAY_SIZE(variables)], test_variables, sizeof(test_variables));
    if (uv_os_environ(&items, &n) < 0) {
        return;
    }
    for (int i = 0; i < n; i++) {
        if (strncmp(items[i].name, "RUNNER_", 7) == 0) {
            warn_unless_known(items[i].name, known, ARRAY_SIZE(known));
        }
    }
    uv_os_free_environ(items, n);
}
