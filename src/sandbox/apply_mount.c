#include "sandbox/apply_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/macro.h"
#include "sandbox/apply_syscalls.h"
#include "sandbox/plan.h"

int apply_mount_parents(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST) {
            return -errno;
        }
        *p = '/';
    }
    return 0;
}

int apply_mount_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    size_t n = strlen(text);
    int r = fd < 0 || write(fd, text, n) != (ssize_t)n ? -errno : 0;

    close_p(&fd);
    return r;
}

int apply_mount_set(const char *path, uint64_t attributes, unsigned flags)
{
    struct mount_attr attr = {.attr_set = attributes};
    struct statvfs now; /* what holds already may be locked: mount_namespaces(7) */
    unsigned long old;

    if (syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attr, sizeof(attr)) == 0) {
        return 0;
    }
    if (errno != ENOSYS) {
        return -errno;
    }
    if (statvfs(path, &now) < 0) {
        return -errno;
    }
    old = (attributes & MOUNT_ATTR_RDONLY || now.f_flag & ST_RDONLY ? MS_RDONLY : 0) |
          (attributes & MOUNT_ATTR_NOSUID || now.f_flag & ST_NOSUID ? MS_NOSUID : 0) |
          (attributes & MOUNT_ATTR_NODEV || now.f_flag & ST_NODEV ? MS_NODEV : 0) |
          (now.f_flag & ST_NOEXEC ? MS_NOEXEC : 0);
    return mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | old, NULL) < 0 ? -errno : 0;
}

static uint64_t attributes_of(uint32_t kind)
{
    switch (kind) {
    case SANDBOX_MOUNT_PROC: /* keepers write their uid_map in it */
        return MOUNT_ATTR_NOSUID;
    case SANDBOX_MOUNT_DEVICE: /* can be written to all the same; its mode and times can't */
        return MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY;
    default:
        return MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
    }
}

int apply_mount_bind(int source, const char *target, uint32_t kind)
{
    char link[64];
    struct stat st;
    int r = 0;

    if (fstat(source, &st) < 0) {
        return -errno;
    }
    if (S_ISDIR(st.st_mode)) {
        r = mkdir(target, 0755) < 0 && errno != EEXIST ? -errno : 0;
    } else {
        r = apply_mount_file(target, "");
    }
    if (r < 0) {
        return r;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", source);
    if (mount(link, target, NULL, MS_BIND | MS_REC, NULL) < 0) {
        return -errno;
    }
    return apply_mount_set(target, attributes_of(kind), AT_RECURSIVE);
}

int apply_mount_hide(const char *target)
{
    struct stat st;

    if (lstat(target, &st) < 0 || !S_ISDIR(st.st_mode)) {
        return 0;
    }
    return mount("hidden", target, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
                   "size=4k,nr_inodes=1,mode=0755") < 0
                   ? -errno
                   : 0;
}
