#include "sandbox/apply_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "base/macro.h"
#include "sandbox/apply_syscalls.h"

uint64_t apply_landlock_handled_fs(uint32_t abi)
{
    uint64_t handled = LANDLOCK_FS_ALL_ABI1;

    handled |= abi >= 2 ? LANDLOCK_FS_REFER : 0;
    handled |= abi >= 3 ? LANDLOCK_FS_TRUNCATE : 0;
    handled |= abi >= 5 ? LANDLOCK_FS_IOCTL_DEV : 0;
    return handled;
}

static int add_rule(int ruleset, const char *path, uint64_t access, bool optional)
{
    struct landlock_path_beneath_attr attr = {.allowed_access = access};
    int fd = open(path, O_PATH | O_CLOEXEC);
    int r = 0;

    if (fd < 0) {
        return optional ? 0 : -errno;
    }
    attr.parent_fd = fd;
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0) {
        r = -errno;
    }
    (void)close(fd);
    return r;
}

/* Moving between directories (REFER) is the one right that every domain takes away, even one that
 * does not name it (landlock(7)); so it is given back. */
int apply_landlock_scope(void)
{
    struct landlock_attr attr = {
            .handled_access_fs = LANDLOCK_FS_REFER, .scoped = LANDLOCK_SCOPE_SIGNALS};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    int r = ruleset < 0 ? -errno : add_rule(ruleset, "/", LANDLOCK_FS_REFER, false);

    if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0) {
        r = -errno;
    }
    close_p(&ruleset);
    return r;
}

int apply_landlock(const struct sandbox_plan *plan, const char *run_dir)
{
    struct landlock_attr attr = {
            .handled_access_fs = apply_landlock_handled_fs(plan->landlock_abi),
            .handled_access_net = plan->landlock_abi >= 4 && !plan->inet ? LANDLOCK_NET_TCP : 0,
            .scoped = plan->landlock_abi >= 6 ? LANDLOCK_SCOPES : 0,
    };
    size_t size = plan->landlock_abi >= 6   ? sizeof(attr)
                  : plan->landlock_abi >= 4 ? offsetof(struct landlock_attr, scoped)
                                            : offsetof(struct landlock_attr, handled_access_net);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    int r = ruleset < 0 ? -errno : 0;

    for (uint32_t i = 0; r == 0 && i < plan->n_rules; i++) {
        const struct sandbox_rule *rule = &plan->rules[i];

        r = add_rule(ruleset, rule->path, rule->access & attr.handled_access_fs, rule->optional);
    }
    if (r == 0 && run_dir[0]) {
        r = add_rule(ruleset, run_dir, attr.handled_access_fs, false);
    }
    if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0) {
        r = -errno;
    }
    close_p(&ruleset);
    return r;
}
