#include "main/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macro.h"

/* `PATH WHAT: why`, and the error as it is. */
static int say(ReplaceFile *f, int r, const char *path, const char *what)
{
    (void)snprintf(f->error, sizeof f->error, "%s %s%s%s", path, what, r < 0 ? ": " : "",
            r < 0 ? strerror(-r) : "");
    return r;
}

/* The same, with an error whose name would say nothing. */
static int say_plainly(ReplaceFile *f, int r, const char *path, const char *what)
{
    (void)say(f, 0, path, what);
    return r;
}

/* Reading ---------------------------------------------------------------------------------------
 */

static int read_all(int fd, size_t size, char **ret_text, size_t *ret_n)
{
    size_t n = 0;
    char *text = malloc(size + 2);
    while (text) {
        ssize_t got = read(fd, text + n, size + 1 - n); /* one more than it was: has it grown? */
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            int r = -errno;
            free(text);
            return r;
        }
        n += (size_t)got;
        if (got == 0 || n > size) {
            text[n] = '\0';
            *ret_text = text;
            *ret_n = n;
            return 0;
        }
    }
    return -ENOMEM;
}

static int resolve(ReplaceFile *f, const char *path)
{
    struct stat st;
    char resolved[PATH_MAX];
    if (strlen(path) >= sizeof f->path) {
        return say(f, -ENAMETOOLONG, "the path of the configuration", "can't be used");
    }
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    if (realpath(path, resolved)) {
        (void)snprintf(f->path, sizeof f->path, "%s", resolved);
        f->exists = true;
        return 0;
    }
    if (errno != ENOENT) {
        return say(f, -errno, path, "can't be looked at");
    }
    if (lstat(path, &st) == 0) {
        return say_plainly(f, -ENOENT, path,
                "is a link to something that is not there: make that file, or remove the link");
    }
    return 0;
}

int replace_file_read(ReplaceFile *f, const char *path)
{
    *f = (ReplaceFile){0};
    int r = resolve(f, path);
    if (r < 0) {
        return r;
    }
    if (!f->exists) {
        f->text = strdup("");
        return f->text ? 0 : say(f, -ENOMEM, f->path, "can't be read");
    }
    /* Looked at before it is opened: opening a device may do something. */
    if (stat(f->path, &f->st) < 0) {
        return say(f, -errno, f->path, "can't be looked at");
    }
    if (!S_ISREG(f->st.st_mode)) {
        return say_plainly(f, -EINVAL, f->path,
                S_ISDIR(f->st.st_mode) ? "is a directory, and should be a file"
                                       : "is no regular file");
    }
    if (f->st.st_size > REPLACE_FILE_MAX) {
        return say_plainly(f, -EFBIG, f->path, "is larger than 64 MB");
    }
    _cleanup_(close_p) int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &f->st) < 0) {
        return say(f, -errno, f->path, "can't be read");
    }
    r = read_all(fd, (size_t)f->st.st_size, &f->text, &f->n);
    if (r < 0) {
        return say(f, r, f->path, "can't be read");
    }
    if (faccessat(AT_FDCWD, f->path, W_OK, AT_EACCESS) < 0) {
        return say(f, -errno, f->path, "is not to be written");
    }
    return 0;
}

/* Writing ---------------------------------------------------------------------------------------
 */

static int make_folders(ReplaceFile *f)
{
    const char *path = f->path;
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0700) < 0 && errno != EEXIST) {
            int r = -errno;
            struct stat st; /* what is there may be on a file system that can't be written */
            if (stat(part, &st) < 0 || !S_ISDIR(st.st_mode)) {
                return say(f, r, part, "can't be made");
            }
        }
    }
    return 0;
}

/* Written, given the old one's mode and owner, and on the disk. */
static int fill(int fd, const ReplaceFile *f, const void *data, size_t n)
{
    int r = fd_write_all(fd, data, n);
    if (r < 0) {
        return r;
    }
    if (f->exists &&
            (fchown(fd, f->st.st_uid, f->st.st_gid) < 0 || fchmod(fd, f->st.st_mode & 07777) < 0)) {
        return -errno;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static int write_beside(
        ReplaceFile *f, const void *data, size_t n, char *ret_temp, size_t temp_size)
{
    const char *slash = strrchr(f->path, '/');
    int len = snprintf(
            ret_temp, temp_size, "%.*s/.%s.XXXXXX", (int)(slash - f->path), f->path, slash + 1);
    _cleanup_(close_p) int fd =
            len > 0 && (size_t)len < temp_size ? mkostemp(ret_temp, O_CLOEXEC) : -1;
    if (fd < 0) {
        int r = len > 0 && (size_t)len < temp_size ? -errno : -ENAMETOOLONG;
        ret_temp[0] = '\0';
        return say(f, r, f->path, "can't be replaced: no file can be made beside it");
    }
    int r = fill(fd, f, data, n);
    if (r == -EPERM) {
        return say_plainly(f, r, f->path,
                "belongs to somebody else, whose it would not be any more: do it as that user");
    }
    return r < 0 ? say(f, r, f->path, "can't be replaced") : 0;
}

/* A name with the date that no other file has: an older copy is never written over. */
static int keep_copy(ReplaceFile *f)
{
    enum { TRIES = 1000 };
    char date[32];
    time_t now = time(NULL);
    struct tm tm;
    if (!localtime_r(&now, &tm) || strftime(date, sizeof date, "%Y-%m-%dT%H-%M-%S", &tm) == 0) {
        (void)snprintf(date, sizeof date, "%lld", (long long)now);
    }
    _cleanup_(close_p) int fd = -1;
    for (int i = 1; i < TRIES && fd < 0; i++) {
        char number[16] = "";
        if (i > 1) {
            (void)snprintf(number, sizeof number, ".%d", i);
        }
        int len = snprintf(f->backup, sizeof f->backup, "%s.backup-%s%s", f->path, date, number);
        if (len < 0 || (size_t)len >= sizeof f->backup) {
            errno = ENAMETOOLONG;
            break;
        }
        fd = open(f->backup, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    int r = fd < 0 ? -errno : fill(fd, f, f->text, f->n);
    if (r < 0) {
        if (fd >= 0) {
            (void)unlink(f->backup);
        }
        f->backup[0] = '\0';
        return say(f, r, f->path, "can't be replaced: no copy of it can be made");
    }
    const struct timespec times[] = {f->st.st_atim, f->st.st_mtim};
    (void)futimens(fd, times);
    return 0;
}

static bool is_unchanged(const ReplaceFile *f)
{
    struct stat st;
    char *text = NULL;
    size_t n = 0;
    _cleanup_(close_p) int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != f->st.st_ino || st.st_dev != f->st.st_dev ||
            read_all(fd, f->n, &text, &n) < 0) {
        return false;
    }
    bool same = text && n == f->n && memcmp(text, f->text, n) == 0;
    free(text);
    return same;
}

static int take_name(ReplaceFile *f, const char *temp)
{
    static const char changed[] = "was changed by another program just now";
    int r;
    if (f->exists) {
        if (!is_unchanged(f)) {
            return say_plainly(f, -ESTALE, f->path, changed);
        }
        r = rename(temp, f->path) < 0 ? -errno : 0;
    } else {
        r = link(temp, f->path) < 0 ? -errno : 0;
        if (r == -EEXIST) {
            return say_plainly(f, -ESTALE, f->path, changed);
        }
        if (r == -EPERM || r == -EOPNOTSUPP) { /* a file system without links, link(2) */
            r = access(f->path, F_OK) == 0 ? -EEXIST : rename(temp, f->path) < 0 ? -errno : 0;
        }
    }
    return r < 0 ? say(f, r, f->path, "can't be replaced") : 0;
}

int replace_file_write(ReplaceFile *f, const void *data, size_t n)
{
    char folder[PATH_MAX];
    char temp[PATH_MAX] = "";
    int r = f->exists ? 0 : make_folders(f);
    if (r < 0) {
        return r;
    }
    size_t folder_n = (size_t)(strrchr(f->path, '/') - f->path);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)MAX(folder_n, 1), f->path);
    _cleanup_(close_p) int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        return say(f, -errno, folder, "can't be opened");
    }
    (void)flock(dir, LOCK_EX); /* some file systems have none: the look before the rename remains */
    r = write_beside(f, data, n, temp, sizeof temp);
    r = r < 0 || !f->exists ? r : keep_copy(f);
    r = r < 0 ? r : take_name(f, temp);
    if (temp[0] != '\0' && (r < 0 || !f->exists)) {
        (void)unlink(temp);
    }
    if (r < 0 && f->backup[0] != '\0') {
        (void)unlink(f->backup);
        f->backup[0] = '\0';
    }
    (void)fsync(dir);
    return r;
}

void replace_file_deinit(ReplaceFile *f)
{
    free(f->text);
    f->text = NULL;
}
