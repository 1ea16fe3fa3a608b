#include "main/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/macro.h"

/* Below the executable's own directory, in this order. The first is where `meson install` puts it
 * (RUNNER_TEMPLATE_DIR, relative to the directory of programs), the second the build tree. */
static const char *const template_dirs[] = {RUNNER_TEMPLATE_DIR, "src/template"};

/* What has to be there. */
static const char *const template_files[] = {"main.py"};

static char executable[PATH_MAX];

int paths_absolute(const char *path, char **ret_path)
{
    if (path[0] == '/') {
        char *copy = strdup(path);
        if (!copy) {
            return -ENOMEM;
        }
        *ret_path = copy;
        return 0;
    }
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd)) {
        return -errno;
    }
    char *joined = NULL;
    if (asprintf(&joined, "%s/%s", strcmp(cwd, "/") == 0 ? "" : cwd, path) < 0) {
        return -ENOMEM;
    }
    *ret_path = joined;
    return 0;
}

int paths_executable_check(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        return -errno;
    }
    if (S_ISDIR(st.st_mode)) {
        return -EISDIR;
    }
    if (!S_ISREG(st.st_mode)) {
        return -EACCES;
    }
    return access(path, X_OK) < 0 ? -errno : 0;
}

/* One entry of PATH; an empty one is the current directory (POSIX, "Other Environment Variables").
 */
static int search_in(const char *dir, size_t dir_n, const char *name, char **ret_path)
{
    _cleanup_(free_p) char *candidate = NULL;
    if (asprintf(&candidate, "%.*s%s%s", (int)dir_n, dir, dir_n > 0 ? "/" : "", name) < 0) {
        candidate = NULL;
        return -ENOMEM;
    }
    if (paths_executable_check(candidate) < 0) {
        return -ENOENT;
    }
    return paths_absolute(candidate, ret_path);
}

int paths_search(const char *name, char **ret_path)
{
    char fallback[256] = "/usr/bin:/bin";
    const char *path = getenv("PATH");
    if (!path) {
        size_t n = confstr(_CS_PATH, NULL, 0);
        if (n > 0 && n <= sizeof fallback) {
            (void)confstr(_CS_PATH, fallback, sizeof fallback);
        }
        path = fallback;
    }
    if (name[0] == '\0') {
        return -ENOENT;
    }
    for (;;) {
        size_t n = strcspn(path, ":");
        int r = n < PATH_MAX ? search_in(path, n, name, ret_path) : -ENOENT;
        if (r != -ENOENT || path[n] == '\0') {
            return r;
        }
        path += n + 1;
    }
}

/* For systems without a way to ask: what the caller called us. */
static void executable_from_argv0(const char *argv0)
{
    char *found = NULL;
    char resolved[PATH_MAX];
    if (!argv0) {
        return;
    }
    int r = strchr(argv0, '/') ? paths_absolute(argv0, &found) : paths_search(argv0, &found);
    if (r == 0 && realpath(found, resolved)) {
        (void)snprintf(executable, sizeof executable, "%s", resolved);
    }
    free(found);
}

void paths_init(const char *argv0)
{
    size_t n = sizeof executable;
    if (uv_exepath(executable, &n) < 0 || executable[0] != '/') {
        executable[0] = '\0';
        executable_from_argv0(argv0);
    }
}

const char *paths_executable(void)
{
    return executable[0] != '\0' ? executable : NULL;
}

static bool has_template_files(const char *dir)
{
    for (size_t i = 0; i < ARRAY_SIZE(template_files); i++) {
        char file[PATH_MAX];
        int n = snprintf(file, sizeof file, "%s/%s", dir, template_files[i]);
        if (n < 0 || (size_t)n >= sizeof file || access(file, R_OK) < 0) {
            return false;
        }
    }
    return true;
}

int paths_template_dir(const char **ret_dir, char *ret_error, size_t error_size)
{
    static char found[PATH_MAX];
    char looked[2][PATH_MAX] = {{0}};

    if (executable[0] == '\0') {
        (void)snprintf(ret_error, error_size,
                "can't find out where this program is installed: mount /proc, or call it by its "
                "absolute path");
        return -ENOENT;
    }
    const char *slash = strrchr(executable, '/');
    int dir_n = (int)(slash - executable);
    for (size_t i = 0; i < ARRAY_SIZE(template_dirs); i++) {
        const char *dir = template_dirs[i];
        int n = dir[0] == '/' ? snprintf(looked[i], PATH_MAX, "%s", dir)
                              : snprintf(looked[i], PATH_MAX, "%.*s/%s", dir_n, executable, dir);
        if (n > 0 && n < PATH_MAX && has_template_files(looked[i]) && realpath(looked[i], found)) {
            *ret_dir = found;
            return 0;
        }
    }
    (void)snprintf(ret_error, error_size,
            "the files that belong to %s are missing: no main.py in %s nor in %s; install or build "
            "it again",
            executable, looked[0], looked[1]);
    return -ENOENT;
}
