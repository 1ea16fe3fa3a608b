#include "exec/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/macro.h"

enum { BLAS_THREADS_MAX = 4, TZ_LENGTH_MAX = 64 };

typedef struct Variable {
    const char *name;
    const char *value; /* NULL: see variable_value() */
    const char *reason;
} Variable;

static const Variable variables[] = {
        {"PATH", "/usr/local/bin:/usr/bin:/bin",
                "subprocess and shutil.which find the system's programs"},
        {"HOME", "/", "expanduser(); the worker puts its work directory here"},
        {"TMPDIR", "/tmp", "tempfile; the worker puts its own temporary directory here"},
        {"LANG", "C.UTF-8", "UTF-8 streams and file names everywhere, no translated messages"},
        {"TZ", NULL, "local time as the owner of the server has it, where a zone is named"},
        {"OMP_NUM_THREADS", NULL,
                "one thread per host core would pass the process and memory limits"},
        {"OPENBLAS_NUM_THREADS", NULL, "the same for numpy's usual BLAS"},
        {"MKL_NUM_THREADS", NULL, "the same for Intel's"},
        {"NUMEXPR_NUM_THREADS", "1",
                "numexpr, which pandas imports, starts threads at once; no fork would have them"},
};

/* A zone name or a POSIX rule, never a path: TZ=:/some/file would tell of the host's files. */
static const char *zone(void)
{
    const char *tz = getenv("TZ");

    if (!tz || !*tz || *tz == '/' || *tz == ':' || strlen(tz) > TZ_LENGTH_MAX || strstr(tz, "..")) {
        return NULL;
    }
    return tz[strspn(tz, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+-,.:<>")]
                   ? NULL
                   : tz;
}

static const char *variable_value(const Variable *v, const char *blas_threads)
{
    if (v->value) {
        return v->value;
    }
    return strcmp(v->name, "TZ") == 0 ? zone() : blas_threads;
}

char **environment_new(void)
{
    char **env = calloc(ARRAY_SIZE(variables) + 1, sizeof(*env));
    char threads[16];
    size_t n = 0;

    (void)snprintf(threads, sizeof(threads), "%u",
            MIN(MAX(uv_available_parallelism(), 1U), BLAS_THREADS_MAX));
    for (size_t i = 0; env && i < ARRAY_SIZE(variables); i++) {
        const char *value = variable_value(&variables[i], threads);
        size_t size;

        if (!value) {
            continue;
        }
        size = strlen(variables[i].name) + strlen(value) + 2;
        env[n] = malloc(size);
        if (!env[n]) {
            return environment_free(env);
        }
        (void)snprintf(env[n++], size, "%s=%s", variables[i].name, value);
    }
    return env;
}

char **environment_free(char **env)
{
    for (size_t i = 0; env && env[i]; i++) {
        free(env[i]);
    }
    free((void *)env);
    return NULL;
}
