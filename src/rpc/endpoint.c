#include "rpc/endpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/macro.h"

/* Opening the master of a pseudo-terminal again would make another terminal (pts(4)). */
static bool is_terminal_master(int fd)
{
#ifdef TIOCGPTN
    unsigned number;
    return ioctl(fd, TIOCGPTN, &number) == 0;
#else
    return isatty(fd);
#endif
}

static int reopen(int fd, bool for_writing)
{
    char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

    if (is_terminal_master(fd)) {
        return -1;
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, (for_writing ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int duplicate(int fd, int *ret_fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (copy < 0) {
        return -errno;
    }
    *ret_fd = copy;
    return 0;
}

static int open_stream(Endpoint *e, int fd, int flags, bool for_writing)
{
    int r;

    e->kind = ENDPOINT_STREAM;
    e->fd = reopen(fd, for_writing);
    if (e->fd >= 0) {
        return 0;
    }
    /* No /proc, a pipe of another user (EACCES), or one without a reader (ENXIO). */
    r = duplicate(fd, &e->fd);
    if (r == 0 && !(flags & O_NONBLOCK)) {
        if (fcntl(e->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
            r = -errno;
            close_p(&e->fd);
        } else {
            e->saved_flags = flags;
        }
    }
    return r;
}

int endpoint_open(Endpoint *e, int fd, bool for_writing)
{
    Endpoint new = {.fd = -1, .saved_flags = -1};
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    int r;

    if (flags < 0 || fstat(fd, &st) < 0) {
        return -errno;
    }
    if ((flags & O_ACCMODE) == (for_writing ? O_RDONLY : O_WRONLY)) {
        return -EBADF;
    }
    if (S_ISDIR(st.st_mode)) {
        return -EISDIR;
    }
    if (S_ISSOCK(st.st_mode)) {
        new.kind = ENDPOINT_SOCKET;
        r = duplicate(fd, &new.fd);
    } else if (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) {
        new.kind = ENDPOINT_FILE;
        r = duplicate(fd, &new.fd);
    } else {
        r = open_stream(&new, fd, flags, for_writing);
    }
    if (r == 0) {
        *e = new;
    }
    return r;
}

void endpoint_close(Endpoint *e)
{
    if (e->fd >= 0 && e->saved_flags >= 0) {
        (void)fcntl(e->fd, F_SETFL, e->saved_flags);
    }
    e->saved_flags = -1;
    close_p(&e->fd);
}

ssize_t endpoint_read(const Endpoint *e, void *data, size_t n)
{
    ssize_t r;

    do {
        r = e->kind == ENDPOINT_SOCKET ? recv(e->fd, data, n, MSG_DONTWAIT) : read(e->fd, data, n);
    } while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : r;
}

ssize_t endpoint_write(const Endpoint *e, const void *data, size_t n)
{
    ssize_t r;

    do {
        r = e->kind == ENDPOINT_SOCKET ? send(e->fd, data, n, MSG_DONTWAIT) : write(e->fd, data, n);
    } while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : r;
}
