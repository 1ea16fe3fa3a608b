/* Modules are imported where a program would import them: in the private root, with the same
 * directories of its own around it. So what a module remembers (its home, where it may write) is
 * true in every program, and whatever it writes is gone before the first one. */

#include "sandbox/apply_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/apply_platform.h"

/* There the run directory is a tmpfs that is there already, and goes with the run's namespaces. */
static bool has_private_root(const struct sandbox_plan *plan)
{
    return plan->layers & SANDBOX_NAMESPACES;
}

static int make_dir_below(const char *run_dir, const char *name)
{
    char path[WIRE_PATH_MAX + 8];
    size_t n = strnlen(run_dir, WIRE_PATH_MAX - 1);

    memcpy(path, run_dir, n);
    path[n] = '/';
    memcpy(path + n + 1, name, strlen(name) + 1);
    return mkdir(path, S_IRWXU) < 0 ? -errno : 0;
}

int apply_make_run_dir(const struct sandbox_plan *plan, const char *run_dir)
{
    int r = !has_private_root(plan) && mkdir(run_dir, S_IRWXU) < 0 ? -errno : 0;

    if (r == 0) {
        r = make_dir_below(run_dir, "work");
    }
    if (r == 0) {
        r = make_dir_below(run_dir, "tmp");
    }
    return r;
}

void apply_remove_run_dir(const struct sandbox_plan *plan, const char *run_dir)
{
    if (!has_private_root(plan)) {
        (void)apply_remove_tree(run_dir);
    }
}

static int enter(const char *run_dir)
{
    char path[WIRE_PATH_MAX + 8];
    size_t n = strnlen(run_dir, WIRE_PATH_MAX - 1);

    memcpy(path, run_dir, n);
    memcpy(path + n, "/work", sizeof("/work"));
    return chdir(path) < 0 ? -errno : 0;
}

int apply_preload_begin(const struct sandbox_plan *plan, const char *run_dir)
{
    int r;

    apply_platform_die_with_parent(true);
    r = apply_platform_writable(plan);

    if (r == 0) {
        r = apply_make_run_dir(plan, run_dir);
    }
    return r < 0 ? r : enter(run_dir);
}

int apply_preload_end(const struct sandbox_plan *plan, const char *run_dir)
{
    if (chdir("/") < 0) {
        return -errno;
    }
    apply_platform_die_with_parent(false);
    apply_remove_run_dir(plan, run_dir);
    return apply_platform_writable_end(plan);
}
