/* What becomes of a run whose keeper was killed. Its processes fall to the supervisor, which made
 * itself their reaper of last resort (prctl(2), PR_SET_CHILD_SUBREAPER), and which kills every
 * child that it does not know. Rare, so /proc is simply read (proc(5), /proc/PID/stat) whether or
 * not the kernel has the children files. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if !SANDBOX_POSIX
#include <sys/prctl.h>
#endif

#include "base/log.h"
#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/sandbox.h"

enum { REMOVER_TRIES = 100, REMOVER_PAUSE_US = 20000, REMOVERS_MAX = 16 };

/* Our own helpers are children too, and must not be taken for orphans. The oldest is forgotten
 * first. */
static pid_t removers[REMOVERS_MAX];
static size_t n_removers;

void sandbox_remove_run_dir(const char *path)
{
    pid_t pid;

    if (access(path, F_OK) < 0 && errno == ENOENT) {
        return;
    }
    pid = fork();
    if (pid == 0) {
        /* Orphans of the run may still be making files in it while they are being killed. */
        for (int i = 0; i < REMOVER_TRIES && apply_remove_tree(path) < 0; i++) {
            (void)usleep(REMOVER_PAUSE_US);
        }
        _exit(0);
    }
    if (pid < 0) {
        log_error(NULL, "cannot fork to remove %s: %s; remove it by hand", path, strerror(errno));
        return;
    }
    removers[n_removers++ % REMOVERS_MAX] = pid;
}

#if SANDBOX_POSIX

int sandbox_adopt_orphans(void)
{
    return 0;
}

size_t sandbox_kill_orphans(const pid_t *known, size_t n_known)
{
    (void)known;
    (void)n_known;
    return 0;
}

#else

int sandbox_adopt_orphans(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* The parent of `pid`; 0 when it is gone, or dead and only waits to be reaped. */
static pid_t live_parent(const char *pid)
{
    char path[64], text[512];
    char state = 0;
    const char *after_name;
    ssize_t n;
    int fd, parent = 0;

    (void)snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    after_name = strrchr(text, ')'); /* the name may hold anything, brackets too */
    if (!after_name || sscanf(after_name + 1, " %c %d", &state, &parent) != 2 || state == 'Z') {
        return 0;
    }
    return parent;
}

static bool is_known(pid_t pid, const pid_t *known, size_t n_known)
{
    for (size_t i = 0; i < n_known; i++) {
        if (known[i] == pid) {
            return true;
        }
    }
    for (size_t i = 0; i < REMOVERS_MAX; i++) {
        if (removers[i] == pid) {
            return true;
        }
    }
    return false;
}

size_t sandbox_kill_orphans(const pid_t *known, size_t n_known)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    size_t n = 0;

    while (proc && (entry = readdir(proc))) {
        pid_t pid;

        if (!isdigit((unsigned char)entry->d_name[0]) || live_parent(entry->d_name) != getpid()) {
            continue;
        }
        pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (!is_known(pid, known, n_known)) {
            (void)kill(pid, SIGKILL);
            n++;
        }
    }
    if (proc) {
        (void)closedir(proc);
    }
    return n;
}

#endif
