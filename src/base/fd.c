#include "base/fd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int set_flag(int fd, int get, int set, int flag, bool on)
{
    int flags = fcntl(fd, get);
    if (flags < 0) {
        return -errno;
    }
    int wanted = on ? flags | flag : flags & ~flag;
    if (wanted != flags && fcntl(fd, set, wanted) < 0) {
        return -errno;
    }
    return 0;
}

int fd_set_nonblock(int fd, bool on)
{
    return set_flag(fd, F_GETFL, F_SETFL, O_NONBLOCK, on);
}

int fd_set_cloexec(int fd, bool on)
{
    return set_flag(fd, F_GETFD, F_SETFD, FD_CLOEXEC, on);
}

int fd_pipe(int *ret_read, int *ret_write)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) < 0) {
        return -errno;
    }
    *ret_read = fds[0];
    *ret_write = fds[1];
    return 0;
}

int fd_socketpair_seqpacket(int *ret_a, int *ret_b)
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
        return -errno;
    }
    *ret_a = fds[0];
    *ret_b = fds[1];
    return 0;
}

int fd_tell_sender(int socket, bool on)
{
    int value = on;

    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* write(2) raises SIGPIPE in the calling thread before it returns EPIPE, and only send(2) has a
 * flag against it. So it is blocked meanwhile, and taken back when it was ours: blocked, it stays
 * pending for this thread until it is waited for (signal(7)). An ignored one never gets pending. */
long fd_write_some(int fd, const void *data, size_t n)
{
    sigset_t sigpipe, before, pending;
    (void)sigemptyset(&sigpipe);
    (void)sigaddset(&sigpipe, SIGPIPE);
    (void)sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &sigpipe, &before);

    ssize_t written = write(fd, data, MIN(n, (size_t)PTRDIFF_MAX));
    long r = written < 0 ? -errno : written;

    if (r == -EPIPE && !was_pending && sigpending(&pending) == 0 &&
            sigismember(&pending, SIGPIPE) == 1) {
        int number;
        (void)sigwait(&sigpipe, &number);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

int fd_write_all(int fd, const void *data, size_t n)
{
    const char *at = data;
    while (n > 0) {
        long written = fd_write_some(fd, at, n);
        if (written == -EINTR) {
            continue;
        }
        if (written < 0) {
            return (int)written;
        }
        at += written;
        n -= (size_t)written;
    }
    return 0;
}

#if defined(__linux__) && !defined(FD_WITHOUT_MEMFD)

/* Where the system wants memfds without execute permission (vm.memfd_noexec=2), only
 * MFD_NOEXEC_SEAL is let through; kernels before 6.3 answer EINVAL to it: memfd_create(2). */
static int anonymous_file(int *ret_fd)
{
    int fd = memfd_create("runner", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create("runner", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (fd < 0) {
        return -errno;
    }
    *ret_fd = fd;
    return 0;
}

static int seal(int fd, bool against_writing)
{
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (against_writing ? F_SEAL_WRITE : 0);
    return fcntl(fd, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

#else

static int anonymous_file(int *ret_fd)
{
    char path[] = "/tmp/runner-XXXXXX";
    _cleanup_(close_p) int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0 || unlink(path) < 0) {
        return -errno;
    }
    *ret_fd = take_fd(&fd);
    return 0;
}

static int seal(int fd, bool against_writing)
{
    (void)fd;
    (void)against_writing;
    return 0;
}

#endif

int fd_from_bytes(const void *data, size_t n, int *ret_fd)
{
    _cleanup_(close_p) int fd = -1;
    int r = anonymous_file(&fd);
    if (r < 0) {
        return r;
    }
    r = fd_write_all(fd, data, n);
    if (r < 0) {
        return r;
    }
    if (lseek(fd, 0, SEEK_SET) < 0) {
        return -errno;
    }
    r = seal(fd, true);
    if (r < 0) {
        return r;
    }
    *ret_fd = take_fd(&fd);
    return 0;
}

int fd_shared_memory(size_t size, int *ret_fd)
{
    _cleanup_(close_p) int fd = -1;
    int r = anonymous_file(&fd);
    if (r < 0) {
        return r;
    }
    if (size > (size_t)PTRDIFF_MAX) {
        return -EFBIG;
    }
    if (ftruncate(fd, (off_t)size) < 0) {
        return -errno;
    }
    /* Whoever could shrink it would raise SIGBUS in everybody else who has it mapped. */
    r = seal(fd, false);
    if (r < 0) {
        return r;
    }
    *ret_fd = take_fd(&fd);
    return 0;
}
