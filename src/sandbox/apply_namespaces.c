/* Theory of operation: namespaces
 *
 * Thrice. Once before the interpreter is started (apply_pin): /proc/self/exe leads to its file on
 * the very mount it was executed from, however many roots were changed since, and what a program
 * may do there is decided by that mount alone. Where the user owns the interpreter, and the mount
 * is the host's, a program could change its mode (Landlock knows of no modes). So an ordinary
 * user's is executed in a mount namespace where that mount is read-only. Root's programs own
 * nothing.
 *
 * Once, in the template (apply_root): a mount namespace (and for an ordinary user the user
 * namespace that allows it) with a private root: a small read-only tmpfs into which the plan's
 * table binds what an interpreter needs, at the same paths as outside, so that everything the
 * template has loaded stays true. The host's root is gone from it.
 *
 * Then for each run (apply_fork_namespaces, apply_enter): the keeper is cloned straight into
 * namespaces of its own, of which it is process
 * 1. Its mount namespace is a copy of the template's, a dozen mounts instead of the host's; it adds
 * /proc, the work directory, /tmp and /dev/shm. An ordinary user's keeper has a user namespace
 * below the template's; root's keeper first becomes an unprivileged uid of its own, then makes a
 * user namespace too, so that RLIMIT_NPROC counts this run only (user_namespaces(7): limits are
 * counted per namespace since Linux 5.14).
 *
 * Order matters: a process must be dumpable to write its own uid_map; changing uids makes it
 * undumpable and clears the parent-death signal; a fresh /proc can only be mounted while an
 * unmasked one is visible (the template keeps the host's below). */

#include "sandbox/apply_namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/macro.h"
#include "sandbox/apply_mount.h"
#include "sandbox/apply_net.h"
#include "sandbox/apply_syscalls.h"

enum {
    RUN_NAMESPACES = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                     CLONE_NEWCGROUP,
    LAST_CAPABILITY = 63,
};

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    int r = n < 0 ? -errno : 0;

    close_p(&fd);
    return r;
}

/* Maps one id inside to the one it really is. setgroups has to be given up first:
 * user_namespaces(7). */
static int map_ids(uint32_t inside_uid, uint32_t uid, uint32_t inside_gid, uint32_t gid)
{
    char text[64];
    int r = write_file("/proc/self/setgroups", "deny");

    if (r == 0) {
        (void)snprintf(text, sizeof(text), "%u %u 1", inside_uid, uid);
        r = write_file("/proc/self/uid_map", text);
    }
    if (r == 0) {
        (void)snprintf(text, sizeof(text), "%u %u 1", inside_gid, gid);
        r = write_file("/proc/self/gid_map", text);
    }
    return r;
}

/* The one id a program has. */
static int map_to_inside(uint32_t uid, uint32_t gid)
{
    return map_ids(SANDBOX_INSIDE_ID, uid, SANDBOX_INSIDE_ID, gid);
}

/* the private root */

static int add_to_root(const struct sandbox_mount *m, int source, const char *staging)
{
    char target[2 * SANDBOX_PATH_MAX];
    bool bind = m->kind <= SANDBOX_MOUNT_PROC;
    int r;

    if (bind && source < 0) {
        return 0;
    }
    (void)snprintf(target, sizeof(target), "%s%s", staging, m->target);
    if (m->kind == SANDBOX_MOUNT_EMPTY) {
        return apply_mount_hide(target);
    }
    r = apply_mount_parents(target);
    if (r < 0) {
        return r;
    }
    switch (m->kind) {
    case SANDBOX_MOUNT_DIR:
        return mkdir(target, 0755) < 0 && errno != EEXIST ? -errno : 0;
    case SANDBOX_MOUNT_LINK:
        return symlink(m->source, target) < 0 && errno != EEXIST ? -errno : 0;
    case SANDBOX_MOUNT_FILE:
        return apply_mount_file(target, m->source);
    default:
        return apply_mount_bind(source, target, m->kind);
    }
}

static int build_root(const struct sandbox_plan *plan, const char *staging)
{
    int sources[SANDBOX_MOUNTS_MAX];
    const uint32_t n = plan->n_mounts;
    int r = 0;

    /* Before the staging area hides anything. */
    for (uint32_t i = 0; i < n; i++) {
        const struct sandbox_mount *m = &plan->mounts[i];
        bool bind = m->kind <= SANDBOX_MOUNT_PROC;

        sources[i] = bind ? open(m->source, O_PATH | O_CLOEXEC) : -1;
        if (bind && sources[i] < 0 && !m->optional) {
            return -errno;
        }
    }
    if (mount("root", staging, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m,nr_inodes=1024") <
            0) {
        return -errno;
    }
    for (uint32_t i = 0; i < n; i++) {
        r = r < 0 ? r : add_to_root(&plan->mounts[i], sources[i], staging);
        close_p(&sources[i]);
    }
    return r;
}

/* pivot_root(2), "pivot_root(".", ".")": the old root ends up on top of the new one, and is taken
 * away. */
static int enter_root(const char *staging)
{
    if (chdir(staging) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
            umount2(".", MNT_DETACH) < 0 || chdir("/") < 0) {
        return -errno;
    }
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0
                   ? -errno
                   : 0;
}

/* Only the top of a mount can be changed: EINVAL says that `path` is none. */
static int make_mount_read_only(char *path)
{
    for (;;) {
        int r = apply_mount_set(path, MOUNT_ATTR_RDONLY, 0);
        char *slash = strrchr(path, '/');

        if (r != -EINVAL || strcmp(path, "/") == 0) {
            return r;
        }
        slash[slash == path] = '\0';
    }
}

/* A script only looks for the interpreter, and may want to write while it does. */
static bool is_script(const char *path)
{
    char start[2] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof(start));

    close_p(&fd);
    return n == (ssize_t)sizeof(start) && memcmp(start, "#!", sizeof(start)) == 0;
}

int apply_pin(
        const struct sandbox_plan *plan, const char *executable, enum sandbox_stage *ret_stage)
{
    char path[PATH_MAX];
    int r;

    if (plan->as_root || !realpath(executable, path) || is_script(path)) {
        return 0; /* a file that is missing: exec has the words for it */
    }
    *ret_stage = SANDBOX_STAGE_NAMESPACE;
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
        return -errno;
    }
    *ret_stage = SANDBOX_STAGE_ID_MAP;
    r = map_ids(plan->host_uid, plan->host_uid, plan->host_gid, plan->host_gid);
    if (r < 0) {
        return r;
    }
    *ret_stage = SANDBOX_STAGE_ROOT;
    return make_mount_read_only(path);
}

int apply_root(const struct sandbox_plan *plan, enum sandbox_stage *ret_stage)
{
    static const char *const stagings[] = {"/tmp", "/run", "/mnt", "/var"};
    struct stat st;
    size_t i = 0;
    int r;

    *ret_stage = SANDBOX_STAGE_NAMESPACE;
    if (unshare(CLONE_NEWNS | (plan->as_root ? 0 : CLONE_NEWUSER)) < 0) {
        return -errno;
    }
    *ret_stage = SANDBOX_STAGE_ID_MAP;
    r = plan->as_root ? 0 : map_to_inside(plan->host_uid, plan->host_gid);
    if (r < 0) {
        return r;
    }
    *ret_stage = SANDBOX_STAGE_ROOT;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        return -errno;
    }
    while (i + 1 < ARRAY_SIZE(stagings) && (stat(stagings[i], &st) < 0 || !S_ISDIR(st.st_mode))) {
        i++;
    }
    r = build_root(plan, stagings[i]);
    return r < 0 ? r : enter_root(stagings[i]);
}

/* the run */

uint64_t apply_namespace_flags(const struct sandbox_plan *plan, bool has_net)
{
    return (RUN_NAMESPACES & ~(has_net ? CLONE_NEWNET : 0)) | (plan->as_root ? 0 : CLONE_NEWUSER);
}

pid_t apply_fork_namespaces(uint64_t flags)
{
    /* fork() has no flags. The child gets its own memory (no CLONE_VM), so what the C library keeps
     * of the parent's id matters only until the child's own fork() sets it right. */
    return (pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
}

/* What of /proc is the host's and says too much, or could be written by a mistake. */
static const char *const masked_files[] = {"/proc/kcore", "/proc/keys", "/proc/key-users",
        "/proc/timer_list", "/proc/sched_debug", "/proc/config.gz", "/proc/slabinfo",
        "/proc/sysrq-trigger", "/proc/kallsyms", "/proc/kmsg", "/proc/iomem", "/proc/ioports",
        "/proc/modules", "/proc/cmdline", "/proc/mtrr", "/proc/interrupts", "/proc/latency_stats"};
static const char *const masked_dirs[] = {"/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver",
        "/proc/fs", "/proc/irq", "/proc/scsi", "/proc/sysvipc"};

static int mount_proc(void)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
        return -errno;
    }
    for (size_t i = 0; i < ARRAY_SIZE(masked_files); i++) {
        if (mount("/.masked", masked_files[i], NULL, MS_BIND, NULL) < 0 && errno != ENOENT) {
            return -errno;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(masked_dirs); i++) {
        if (mount("/.empty", masked_dirs[i], NULL, MS_BIND, NULL) < 0 && errno != ENOENT) {
            return -errno;
        }
    }
    if (mount("/proc/sys", "/proc/sys", NULL, MS_BIND | MS_REC, NULL) < 0 ||
            mount(NULL, "/proc/sys", NULL,
                    MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
                    NULL) < 0) {
        return -errno;
    }
    return 0;
}

static const char *const tmpfs_targets[] = {SANDBOX_RUN_DIR, "/tmp", "/dev/shm"};

static int mount_tmpfs(const struct sandbox_plan *plan, uint32_t uid, uint32_t gid)
{
    char options[128];

    for (size_t i = 0; i < ARRAY_SIZE(tmpfs_targets); i++) {
        (void)snprintf(options, sizeof(options), "mode=%s,size=%llu,nr_inodes=%llu,uid=%u,gid=%u",
                i == 0 ? "0755" : "1777", (unsigned long long)plan->tmpfs_bytes,
                (unsigned long long)plan->tmpfs_inodes, uid, gid);
        if (mount("run", tmpfs_targets[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) <
                0) {
            return -errno;
        }
    }
    return 0;
}

/* An interpreter below /tmp, say: of the template's root, and hidden by the run's tmpfs. */
static bool is_below_tmpfs(const struct sandbox_mount *m)
{
    for (size_t i = 0; m->kind == SANDBOX_MOUNT_BIND && i < ARRAY_SIZE(tmpfs_targets); i++) {
        size_t n = strlen(tmpfs_targets[i]);

        if (strncmp(m->target, tmpfs_targets[i], n) == 0 && m->target[n] == '/') {
            return true;
        }
    }
    return false;
}

static int bind_again(const struct sandbox_mount *m, int source)
{
    char target[SANDBOX_PATH_MAX];
    int r;

    memcpy(target, m->target, sizeof(target));
    r = apply_mount_parents(target);
    return r < 0 ? r : apply_mount_bind(source, target, m->kind);
}

static int mount_writable(const struct sandbox_plan *plan, uint32_t uid, uint32_t gid)
{
    int hidden[SANDBOX_MOUNTS_MAX];
    int r;

    for (uint32_t i = 0; i < plan->n_mounts; i++) {
        const struct sandbox_mount *m = &plan->mounts[i];

        hidden[i] = is_below_tmpfs(m) ? open(m->target, O_PATH | O_CLOEXEC) : -1;
    }
    r = mount_tmpfs(plan, uid, gid);
    for (uint32_t i = 0; i < plan->n_mounts; i++) {
        r = r == 0 && hidden[i] >= 0 ? bind_again(&plan->mounts[i], hidden[i]) : r;
        close_p(&hidden[i]);
    }
    return r;
}

int apply_writable(const struct sandbox_plan *plan)
{
    uint32_t id = plan->as_root ? 0 : SANDBOX_INSIDE_ID;

    return mount_writable(plan, id, id);
}

int apply_writable_end(void)
{
    int r = 0;

    for (size_t i = ARRAY_SIZE(tmpfs_targets); i-- > 0;) {
        r = umount2(tmpfs_targets[i], MNT_DETACH) < 0 ? -errno : r;
    }
    return r;
}

/* Root's keeper becomes an unprivileged user, then makes the user namespace that an ordinary user's
 * already has. */
static int leave_root(uint32_t uid, uint32_t gid)
{
    if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0 ||
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER) < 0) {
        return -errno;
    }
    return map_to_inside(uid, gid);
}

static int step(int r, enum sandbox_stage stage, enum sandbox_stage *ret_stage)
{
    if (r < 0) {
        *ret_stage = stage;
    }
    return r;
}

int apply_enter(const struct sandbox_plan *plan, uint32_t host_uid, bool has_net,
        enum sandbox_stage *ret_stage)
{
    uint32_t owner = plan->as_root ? host_uid : SANDBOX_INSIDE_ID;
    int r = 0;

    if (!plan->as_root) {
        r = step(map_to_inside(SANDBOX_INSIDE_ID, SANDBOX_INSIDE_ID), SANDBOX_STAGE_ID_MAP,
                ret_stage);
    }
    if (r == 0) {
        r = step(mount_proc(), SANDBOX_STAGE_PROC, ret_stage);
    }
    if (r == 0) {
        r = step(mount_writable(plan, owner, owner), SANDBOX_STAGE_TMPFS, ret_stage);
    }
    if (r == 0 && !has_net) {
        r = step(apply_net_raise_loopback(), SANDBOX_STAGE_LOOPBACK, ret_stage);
    }
    if (r == 0) {
        r = step(sethostname("runner", 6) < 0 ? -errno : 0, SANDBOX_STAGE_NAMESPACE, ret_stage);
    }
    if (r == 0 && plan->as_root) {
        r = step(leave_root(host_uid, host_uid), SANDBOX_STAGE_IDENTITY, ret_stage);
    }
    return r;
}

int apply_drop_capabilities(void)
{
    struct {
        uint32_t version;
        int32_t pid;
    } header = {0x20080522 /* _LINUX_CAPABILITY_VERSION_3 */, 0};
    uint32_t none[6] = {0};

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (int c = 0; c <= LAST_CAPABILITY && prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++) {
        (void)prctl(PR_CAPBSET_DROP, c, 0, 0,
                0); /* without CAP_SETPCAP it stays, and no_new_privs makes it harmless */
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_capset, &header, none) < 0) {
        return -errno;
    }
    return 0;
}
