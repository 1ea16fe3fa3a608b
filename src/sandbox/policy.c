#include "sandbox/policy.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply_landlock.h"
#include "sandbox/apply_syscalls.h"

typedef struct RootEntry {
    enum sandbox_mount_kind kind;
    const char *target;
    const char *source; /* NULL: the same path */
    const char *reason;
} RootEntry;

static const RootEntry root_entries[] = {
        {SANDBOX_MOUNT_BIND, "/usr", NULL, "the system's libraries, interpreter, time zones"},
        {SANDBOX_MOUNT_EMPTY, "/usr/local/etc", NULL, "configuration, like /etc"},
        {SANDBOX_MOUNT_EMPTY, "/usr/local/var", NULL, "what services keep, like /var"},
        {SANDBOX_MOUNT_BIND, "/nix/store", NULL, "where NixOS keeps all of those"},
        {SANDBOX_MOUNT_BIND, "/gnu/store", NULL, "where Guix does"},
        {SANDBOX_MOUNT_BIND, "/etc/ld.so.cache", NULL,
                "the loader finds libraries outside /usr/lib by it"},
        {SANDBOX_MOUNT_BIND, "/etc/alternatives", NULL, "Debian's links to the chosen BLAS"},
        {SANDBOX_MOUNT_BIND, "/etc/localtime", NULL, "local time"},
        {SANDBOX_MOUNT_BIND, "/etc/ssl/openssl.cnf", NULL, "ssl reads it when it is loaded"},
        {SANDBOX_MOUNT_BIND, "/etc/ssl/certs", NULL, "ssl.create_default_context() on Debian"},
        {SANDBOX_MOUNT_BIND, "/etc/pki/tls/openssl.cnf", NULL, "the same on Fedora"},
        {SANDBOX_MOUNT_BIND, "/etc/pki/tls/cert.pem", NULL, "the same"},
        {SANDBOX_MOUNT_BIND, "/etc/pki/tls/certs", NULL, "the same, without private/ beside it"},
        {SANDBOX_MOUNT_BIND, "/etc/pki/ca-trust/extracted", NULL,
                "what those certificates point to"},
        {SANDBOX_MOUNT_BIND, "/etc/services", NULL, "socket.getservbyname(); the same everywhere"},
        {SANDBOX_MOUNT_BIND, "/etc/protocols", NULL,
                "socket.getprotobyname(); the same everywhere"},
        {SANDBOX_MOUNT_BIND, "/etc/mime.types", NULL, "mimetypes; a package's data"},
        {SANDBOX_MOUNT_BIND, "/etc/matplotlibrc", NULL,
                "Debian's matplotlib does not start without it"},
        {SANDBOX_MOUNT_BIND, "/etc/fonts", NULL,
                "fontconfig, which matplotlib asks for fonts, complains without it; packages' "
                "data"},
        {SANDBOX_MOUNT_FILE, "/etc/passwd",
                "root:x:0:0:root:/:/usr/sbin/nologin\nrunner:x:1000:1000:runner:" SANDBOX_RUN_DIR
                "/work:/bin/sh\n"
                "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
                "getpass.getuser(), pwd; nobody of the host is in it"},
        {SANDBOX_MOUNT_FILE, "/etc/group", "root:x:0:\nrunner:x:1000:\nnogroup:x:65534:\n", "grp"},
        {SANDBOX_MOUNT_FILE, "/etc/hosts", "127.0.0.1 localhost runner\n::1 localhost\n",
                "servers within the run"},
        {SANDBOX_MOUNT_FILE, "/etc/nsswitch.conf",
                "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
                "no look-up goes to a daemon"},
        {SANDBOX_MOUNT_FILE, "/.masked", "", "lies over files of /proc that are not to be seen"},
        {SANDBOX_MOUNT_DIR, "/.empty", "",
                "lies over directories of /proc that are not to be seen"},
        {SANDBOX_MOUNT_DEVICE, "/dev/null", NULL, "everybody's"},
        {SANDBOX_MOUNT_DEVICE, "/dev/zero", NULL, "mmap of old programs"},
        {SANDBOX_MOUNT_DEVICE, "/dev/full", NULL, "tests of error paths"},
        {SANDBOX_MOUNT_DEVICE, "/dev/random", NULL, "random numbers"},
        {SANDBOX_MOUNT_DEVICE, "/dev/urandom", NULL, "random numbers"},
        {SANDBOX_MOUNT_LINK, "/dev/fd", "/proc/self/fd", "as in every /dev"},
        {SANDBOX_MOUNT_LINK, "/dev/stdin", "/proc/self/fd/0", "as in every /dev"},
        {SANDBOX_MOUNT_LINK, "/dev/stdout", "/proc/self/fd/1", "as in every /dev"},
        {SANDBOX_MOUNT_LINK, "/dev/stderr", "/proc/self/fd/2", "as in every /dev"},
        {SANDBOX_MOUNT_DIR, "/dev/shm", NULL,
                "POSIX shared memory and semaphores; a tmpfs of each run's own"},
        {SANDBOX_MOUNT_DIR, "/tmp", NULL, "the same"},
        {SANDBOX_MOUNT_DIR, SANDBOX_RUN_DIR, NULL, "the same; the program's directories"},
        {SANDBOX_MOUNT_PROC, "/proc", NULL, "each run's own is mounted over it"},
};

/* Links into /usr where it is merged, directories of their own elsewhere. */
static const char *const system_directories[] = {
        "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"};

enum {
    READ = LANDLOCK_FS_READ_FILE | LANDLOCK_FS_READ_DIR | LANDLOCK_FS_EXECUTE,
    DEVICE = LANDLOCK_FS_READ_FILE | LANDLOCK_FS_WRITE_FILE | LANDLOCK_FS_TRUNCATE,
};
#define ALL (~(uint64_t)LANDLOCK_FS_IOCTL_DEV)

enum where { ANYWHERE, PRIVATE_ROOT, HOST_ROOT };

typedef struct RuleEntry {
    enum where where;
    const char *path;
    uint64_t access;
    const char *reason;
} RuleEntry;

static const RuleEntry rule_entries[] = {
        {PRIVATE_ROOT, "/", READ, "what is in the private root is there to be read and executed"},
        {PRIVATE_ROOT, SANDBOX_RUN_DIR, ALL, "the program's directories"},
        {PRIVATE_ROOT, "/tmp", ALL, "temporary files"},
        {HOST_ROOT, "/proc", READ, "a program looks at itself; others are not dumpable"},
        {HOST_ROOT, "/etc/passwd", LANDLOCK_FS_READ_FILE, "getpass.getuser(); it holds no secrets"},
        {HOST_ROOT, "/etc/group", LANDLOCK_FS_READ_FILE, "grp"},
        {HOST_ROOT, "/etc/nsswitch.conf", LANDLOCK_FS_READ_FILE, "where to look those up"},
        {ANYWHERE, "/proc/self/exe", LANDLOCK_FS_READ_FILE | LANDLOCK_FS_EXECUTE,
                "the interpreter, on the mount it was started from: programs start it again by it"},
        {PRIVATE_ROOT, "/dev/shm", ALL, "shared memory"},
        {HOST_ROOT, "/dev/shm", ALL & ~(uint64_t)LANDLOCK_FS_READ_DIR,
                "shared memory; other runs' names are not to be had"},
        {ANYWHERE, "/dev/null", DEVICE, "the nodes that a program may write to"},
        {ANYWHERE, "/dev/zero", DEVICE, "likewise"},
        {ANYWHERE, "/dev/full", DEVICE, "likewise"},
        {ANYWHERE, "/dev/random", DEVICE, "likewise: writing adds no entropy and harms nobody"},
        {ANYWHERE, "/dev/urandom", DEVICE, "likewise"},
};

static int add_mount(struct sandbox_plan *plan, enum sandbox_mount_kind kind, const char *source,
        const char *target)
{
    struct sandbox_mount *m = &plan->mounts[plan->n_mounts];

    if (plan->n_mounts == SANDBOX_MOUNTS_MAX) {
        return -E2BIG;
    }
    if (strlen(source) >= sizeof(m->source) || strlen(target) >= sizeof(m->target)) {
        return -ENAMETOOLONG;
    }
    *m = (struct sandbox_mount){.kind = kind, .optional = 1};
    memcpy(m->source, source, strlen(source) + 1);
    memcpy(m->target, target, strlen(target) + 1);
    plan->n_mounts++;
    return 0;
}

static void add_rule(struct sandbox_plan *plan, const char *path, uint64_t access)
{
    struct sandbox_rule *rule = &plan->rules[plan->n_rules];

    _Static_assert(SANDBOX_RULES_MAX >= SANDBOX_MOUNTS_MAX + ARRAY_SIZE(rule_entries),
            "a rule a mount, and the table");
    *rule = (struct sandbox_rule){.access = access, .optional = 1};
    memcpy(rule->path, path, strnlen(path, sizeof(rule->path) - 1) + 1);
    plan->n_rules++;
}

void policy_add_rules(struct sandbox_plan *plan)
{
    bool private_root = plan->layers & SANDBOX_NAMESPACES;

    plan->n_rules = 0;
    for (size_t i = 0; i < ARRAY_SIZE(rule_entries); i++) {
        if (rule_entries[i].where == ANYWHERE ||
                (rule_entries[i].where == PRIVATE_ROOT) == private_root) {
            add_rule(plan, rule_entries[i].path, rule_entries[i].access);
        }
    }
    for (uint32_t i = 0; !private_root && i < plan->n_mounts; i++) {
        struct stat st;

        if (plan->mounts[i].kind == SANDBOX_MOUNT_BIND && stat(plan->mounts[i].source, &st) == 0) {
            add_rule(plan, plan->mounts[i].source,
                    S_ISDIR(st.st_mode) ? READ : READ & ~(uint64_t)LANDLOCK_FS_READ_DIR);
        }
    }
}

static int add_system_directory(struct sandbox_plan *plan, const char *path)
{
    char text[SANDBOX_PATH_MAX];
    struct stat st;
    ssize_t n;

    if (lstat(path, &st) < 0) {
        return 0;
    }
    if (!S_ISLNK(st.st_mode)) {
        return add_mount(plan, SANDBOX_MOUNT_BIND, path, path);
    }
    n = readlink(path, text, sizeof(text) - 1);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    return add_mount(plan, SANDBOX_MOUNT_LINK, text, path);
}

int policy_add_system(struct sandbox_plan *plan)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(root_entries); i++) {
        const RootEntry *e = &root_entries[i];

        r = add_mount(plan, e->kind, e->source ? e->source : e->target, e->target);
    }
    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(system_directories); i++) {
        r = add_system_directory(plan, system_directories[i]);
    }
    return r;
}

/* Whether `path` is `directory` or below it. */
static bool is_within(const char *path, const char *directory)
{
    size_t n = strlen(directory);

    while (n > 1 && directory[n - 1] == '/') {
        n--;
    }
    return strncmp(path, directory, n) == 0 && (n == 1 || path[n] == '/' || path[n] == '\0');
}

static bool is_covered(const struct sandbox_plan *plan, const char *directory)
{
    for (uint32_t i = 0; i < plan->n_mounts; i++) {
        if (plan->mounts[i].kind == SANDBOX_MOUNT_BIND &&
                is_within(directory, plan->mounts[i].target)) {
            return true;
        }
    }
    return false;
}

/* A directory that is somebody's home, or above one, or the system's own: not to be shown whole. */
static bool holds_more(const char *directory)
{
    static const char *const system[] = {
            "/etc", "/var", "/run", "/home", "/root", "/proc", "/sys", "/dev", "/boot", "/srv"};
    const struct passwd *user = getpwuid(getuid());
    const char *home = getenv("HOME");

    for (size_t i = 0; i < ARRAY_SIZE(system); i++) {
        if (is_within(system[i], directory)) {
            return true;
        }
    }
    return (home && home[0] == '/' && is_within(home, directory)) ||
           (user && is_within(user->pw_dir, directory));
}

int policy_add_interpreter(struct sandbox_plan *plan, const char *directory)
{
    static const char *const parts[] = {"bin", "lib", "lib64", "include", "pyvenv.cfg"};
    int r = 0;

    if (directory[0] != '/' || is_covered(plan, directory)) {
        return 0;
    }
    if (!holds_more(directory)) {
        return add_mount(plan, SANDBOX_MOUNT_BIND, directory, directory);
    }
    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(parts); i++) {
        char path[SANDBOX_PATH_MAX];
        int n = snprintf(path, sizeof(path), "%s/%s", strcmp(directory, "/") == 0 ? "" : directory,
                parts[i]);

        if (n < 0 || (size_t)n >= sizeof(path)) {
            return -ENAMETOOLONG;
        }
        if (access(path, F_OK) == 0 && !is_covered(plan, path)) {
            r = add_mount(plan, SANDBOX_MOUNT_BIND, path, path);
        }
    }
    return r;
}
