/* Theory of operation: what holds here
 *
 * Every layer is tried for real in a child process, with the very code that a run will use: what a
 * kernel's version, a sysctl, an AppArmor rule or a container's seccomp profile really allow is
 * only known by doing it. The first step that fails is reported through a pipe and put into words,
 * with what to do about it. */

#include "sandbox/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macro.h"
#include "sandbox/apply_landlock.h"
#include "sandbox/apply_namespaces.h"
#include "sandbox/apply_seccomp.h"
#include "sandbox/apply_syscalls.h"
#include "sandbox/sandbox.h"

struct verdict {
    int32_t error; /* 0: it holds */
    uint32_t stage;
};

typedef void (*Trial)(const struct sandbox_plan *plan, int result);

static void tell(int fd, int r, enum sandbox_stage stage)
{
    struct verdict v = {.error = r < 0 ? -r : 0, .stage = (uint32_t)stage};

    (void)!write(fd, &v, sizeof(v));
}

static void try_namespaces(const struct sandbox_plan *plan, int result)
{
    enum sandbox_stage stage = SANDBOX_STAGE_NONE;
    int r = apply_pin(plan, "/proc/self/exe", &stage);
    pid_t pid;

    if (r == 0) {
        r = apply_root(plan, &stage);
    }
    if (r < 0) {
        tell(result, r, stage);
        return;
    }
    pid = apply_fork_namespaces(apply_namespace_flags(plan, false));
    if (pid < 0) {
        tell(result, -errno, SANDBOX_STAGE_NAMESPACE);
    } else if (pid == 0) {
        r = apply_enter(plan, SANDBOX_HOST_UID_BASE, false, &stage);
        if (r == 0) {
            stage = SANDBOX_STAGE_CAPABILITIES;
            r = apply_drop_capabilities();
        }
        tell(result, r, stage);
        _exit(0);
    } else {
        (void)waitpid(pid, NULL, 0);
    }
}

static void try_landlock(const struct sandbox_plan *plan, int result)
{
    int r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : apply_landlock(plan, "");

    tell(result, r, SANDBOX_STAGE_LANDLOCK);
}

static void try_seccomp(const struct sandbox_plan *plan, int result)
{
    int r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : apply_seccomp(plan);

    tell(result, r, SANDBOX_STAGE_SECCOMP);
}

static int run_trial(Trial trial, const struct sandbox_plan *plan, struct verdict *ret)
{
    _cleanup_(close_p) int read_end = -1, write_end = -1;
    struct verdict v = {.error = ECHILD, .stage = SANDBOX_STAGE_NAMESPACE};
    pid_t pid;
    int r = fd_pipe(&read_end, &write_end);

    if (r < 0) {
        return r;
    }
    pid = fork();
    if (pid < 0) {
        return -errno;
    }
    if (pid == 0) {
        trial(plan, write_end);
        _exit(0);
    }
    close_p(&write_end);
    while (read(read_end, &v, sizeof(v)) < 0 && errno == EINTR) {
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *ret = v; /* as it was when the child died without a word */
    return 0;
}

uint32_t probe_landlock_abi(void)
{
    long abi =
            syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    const char *most = getenv("RUNNER_TEST_LANDLOCK_ABI"); /* a test variable: an older kernel's */

    if (most && abi > atol(most)) {
        abi = atol(most);
    }
    return abi > 0 ? (uint32_t)abi : 0;
}

/* words */

static bool sysctl_is(const char *path, char value)
{
    char c = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, &c, 1);

    close_p(&fd);
    return n == 1 && c == value;
}

static const char *namespace_advice(const struct verdict *v)
{
    if (v->stage == SANDBOX_STAGE_PROC) {
        return "the container masks /proc; start it with `--security-opt systempaths=unconfined`, "
               "or be content with the "
               "other layers";
    }
    if (sysctl_is("/proc/sys/kernel/unprivileged_userns_clone", '0')) {
        return "as root: sysctl -w kernel.unprivileged_userns_clone=1";
    }
    if (sysctl_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1')) {
        return "AppArmor forbids user namespaces to programs without a profile; as root: sysctl -w "
               "kernel.apparmor_restrict_unprivileged_userns=0, or install a profile with "
               "`userns,`";
    }
    if (sysctl_is("/proc/sys/user/max_user_namespaces", '0')) {
        return "as root: sysctl -w user.max_user_namespaces=10000";
    }
    if (v->stage == SANDBOX_STAGE_ID_MAP && geteuid() == 0) {
        return "root without capabilities can't map its own id; run the server as an ordinary user";
    }
    if (v->error == EPERM || v->error == EACCES) {
        return "a container's default profile forbids user namespaces; let them through in its "
               "seccomp profile";
    }
    if (v->error == ENOSPC || v->error == EUSERS) {
        return "the limit of namespaces is reached (user_namespaces(7), /proc/sys/user); raise it "
               "or nest less deep";
    }
    return "see user_namespaces(7)";
}

static void put_into_words(SandboxLayer *layer, const struct verdict *v, const char *advice)
{
    layer->holds = v->error == 0;
    if (v->error) {
        (void)snprintf(layer->why, sizeof(layer->why), "%s: %s", sandbox_stage_name(v->stage),
                strerror(v->error));
        (void)snprintf(layer->advice, sizeof(layer->advice), "%s", advice);
    }
}

void probe_layers(
        const struct sandbox_plan *plan, uint32_t wanted, SandboxLayer ret_layers[SANDBOX_LAYERS])
{
    static const struct {
        uint32_t bit;
        Trial trial;
        const char *advice;
    } trials[] = {
            {SANDBOX_NAMESPACES, try_namespaces, NULL},
            {SANDBOX_LANDLOCK, try_landlock,
                    "needs Linux 5.13 or newer with `landlock` in its lsm= list"},
            {SANDBOX_SECCOMP, try_seccomp, "needs a kernel with CONFIG_SECCOMP_FILTER"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(trials); i++) {
        struct verdict v = {.error = ECHILD, .stage = SANDBOX_STAGE_NAMESPACE};
        SandboxLayer *layer = &ret_layers[i];
        int r;

        if (!(wanted & trials[i].bit)) {
            (void)snprintf(layer->why, sizeof(layer->why), "switched off");
            continue;
        }
        r = run_trial(trials[i].trial, plan, &v);
        if (r < 0) {
            v = (struct verdict){.error = -r, .stage = SANDBOX_STAGE_FORK};
        }
        put_into_words(layer, &v, trials[i].advice ? trials[i].advice : namespace_advice(&v));
    }
}
