#include "sandbox/apply_dir.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static int is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int dir_flag(unsigned char d_type)
{
    return d_type == DT_UNKNOWN ? -1 : d_type == DT_DIR;
}

#if SANDBOX_POSIX

int apply_dir_open(struct apply_dir *d, int fd)
{
    int copy = dup(fd);

    if (copy < 0) {
        return -errno;
    }
    d->fd = fd;
    d->stream = fdopendir(copy);
    if (!d->stream) {
        int e = errno;
        (void)close(copy);
        return -e;
    }
    rewinddir(d->stream);
    return 0;
}

int apply_dir_next(struct apply_dir *d, struct apply_dir_entry *ret_entry)
{
    for (;;) {
        const struct dirent *entry;

        errno = 0;
        entry = readdir(d->stream);
        if (!entry) {
            return -errno;
        }
        if (!is_dots(entry->d_name)) {
            ret_entry->name = entry->d_name;
            ret_entry->inode = entry->d_ino;
            ret_entry->is_dir = dir_flag(entry->d_type);
            return 1;
        }
    }
}

void apply_dir_close(struct apply_dir *d)
{
    (void)closedir(d->stream);
    d->stream = NULL;
}

#else

#include <sys/syscall.h>

/* getdents64(2); glibc has no wrapper before 2.30. */
struct linux_dirent64 {
    uint64_t d_ino;
    int64_t d_off;
    uint16_t d_reclen;
    unsigned char d_type;
    char d_name[];
};

int apply_dir_open(struct apply_dir *d, int fd)
{
    d->fd = fd;
    d->stream = NULL;
    d->length = 0;
    d->at = 0;
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

int apply_dir_next(struct apply_dir *d, struct apply_dir_entry *ret_entry)
{
    for (;;) {
        const struct linux_dirent64 *entry;

        if (d->at >= d->length) {
            long n = syscall(SYS_getdents64, d->fd, d->buffer, sizeof(d->buffer));
            if (n <= 0) {
                return n < 0 ? -errno : 0;
            }
            d->length = (int)n;
            d->at = 0;
        }
        entry = (const void *)(d->buffer + d->at);
        d->at += entry->d_reclen;
        if (!is_dots(entry->d_name)) {
            ret_entry->name = entry->d_name;
            ret_entry->inode = entry->d_ino;
            ret_entry->is_dir = dir_flag(entry->d_type);
            return 1;
        }
    }
}

void apply_dir_close(struct apply_dir *d)
{
    d->length = 0;
}

#endif
