/* Theory of operation: removing a tree that a hostile program left
 *
 * One descriptor is open at a time, on the directory being emptied; names are never joined to
 * paths, so depth does not matter. Entries are removed as they are read. At the first directory
 * that is not empty the descriptor moves down into it; when that one is done it moves up by "..",
 * which can't lead elsewhere, since nothing that could rename a directory lives any more. In the
 * parent the scan goes on at the child's entry (found by inode), so that what could not be removed
 * is not entered a second time. Where inodes of entries and of directories differ (some overlays)
 * the scan starts over instead, a bounded number of times.
 *
 * Modes are no obstacle to the owner: a directory is made rwx before it is entered, by name, after
 * a look that it is no link (nothing can exchange it, see above). */

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/apply.h"
#include "sandbox/apply_dir.h"

enum { RESTARTS_MAX = 1000, OPEN_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct removal {
    dev_t device;
    int error;          /* -errno of the first thing that could not be removed */
    unsigned restarts;  /* scans that did not find where to go on */
    uint64_t resume_at; /* inode of the entry that was just entered; 0: from the start */
    struct apply_dir dir;
};

enum step { STEP_DONE, STEP_ENTER };

static void note_error(struct removal *r, int error)
{
    if (r->error == 0) {
        r->error = error;
    }
}

/* Opens a directory whatever its mode. The descriptor or -errno. */
static int open_dir(int at, const char *name, struct stat *ret_stat)
{
    int fd, e;

    if (fstatat(at, name, ret_stat, AT_SYMLINK_NOFOLLOW) < 0) {
        return -errno;
    }
    if (!S_ISDIR(ret_stat->st_mode)) {
        return -ENOTDIR;
    }
    if ((ret_stat->st_mode & S_IRWXU) != S_IRWXU && fchmodat(at, name, S_IRWXU, 0) < 0) {
        /* Opening it says whether that matters. */
    }
    fd = openat(at, name, OPEN_FLAGS);
    e = errno;
    return fd < 0 ? -e : fd;
}

/* Removes one entry. 0, STEP_ENTER when it is a directory with something in it, or -errno. */
static int remove_entry(int fd, const struct apply_dir_entry *entry)
{
    if (entry->is_dir != 1) {
        if (unlinkat(fd, entry->name, 0) == 0 || errno == ENOENT) {
            return 0;
        }
        /* A directory: EISDIR says Linux, EPERM says POSIX. */
        if (entry->is_dir == 0 || (errno != EISDIR && errno != EPERM)) {
            return -errno;
        }
    }
    if (unlinkat(fd, entry->name, AT_REMOVEDIR) == 0 || errno == ENOENT) {
        return 0;
    }
    return errno == ENOTEMPTY || errno == EEXIST ? STEP_ENTER : -errno;
}

/* Goes down into `name`: the new descriptor, or -errno. */
static int enter(struct removal *r, int fd, const char *name)
{
    struct stat st;
    int child = open_dir(fd, name, &st);

    if (child >= 0 && st.st_dev != r->device) {
        (void)close(child);
        return -EBUSY; /* a mount point */
    }
    return child;
}

/* Removes what can be removed in `fd`. STEP_DONE: nothing more to do here. STEP_ENTER: *ret_child
 * is open. */
static enum step scan(struct removal *r, int fd, int *ret_child)
{
    struct apply_dir_entry entry;
    bool skipping = r->resume_at != 0, resumed = false;
    int e = apply_dir_open(&r->dir, fd);

    if (e < 0) {
        note_error(r, e);
        return STEP_DONE;
    }
    while ((e = apply_dir_next(&r->dir, &entry)) > 0) {
        resumed = false;
        if (skipping) {
            if (entry.inode != r->resume_at) {
                continue;
            }
            skipping = false;
            resumed = true; /* it has been emptied, as far as that was possible */
        }
        e = remove_entry(fd, &entry);
        if (e == STEP_ENTER && !resumed) {
            e = enter(r, fd, entry.name);
            if (e >= 0) {
                *ret_child = e;
                apply_dir_close(&r->dir);
                return STEP_ENTER;
            }
        }
        if (e != 0) {
            note_error(r, e < 0 ? e : -ENOTEMPTY);
        }
    }
    apply_dir_close(&r->dir);
    if (e < 0) {
        note_error(r, e);
    }
    if (skipping && r->restarts++ < RESTARTS_MAX) {
        r->resume_at = 0;
        return scan(r, fd, ret_child); /* once: it does not skip now */
    }
    return STEP_DONE;
}

/* Empties the directory `fd`, which it closes. */
static void empty(struct removal *r, int fd)
{
    uint64_t depth = 0;

    for (;;) {
        struct stat st;
        int next = -1;

        if (scan(r, fd, &next) == STEP_ENTER) {
            r->resume_at = 0;
            depth++;
        } else {
            if (depth == 0) {
                break;
            }
            r->resume_at = fstat(fd, &st) == 0 ? st.st_ino : 0;
            next = openat(fd, "..", OPEN_FLAGS);
            if (next < 0) {
                note_error(r, -errno);
                break;
            }
            depth--;
        }
        (void)close(fd);
        fd = next;
    }
    (void)close(fd);
}

int apply_remove_tree(const char *path)
{
    struct removal r = {.error = 0};
    struct stat st;
    int fd = open_dir(AT_FDCWD, path, &st);

    if (fd < 0) {
        return fd == -ENOENT ? 0 : fd;
    }
    r.device = st.st_dev;
    empty(&r, fd);
    if (unlinkat(AT_FDCWD, path, AT_REMOVEDIR) < 0 && errno != ENOENT) {
        note_error(&r, -errno);
    }
    return r.error;
}
