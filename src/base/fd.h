/* Descriptors. Every descriptor made here is close-on-exec at birth (O_CLOEXEC, SOCK_CLOEXEC).
 * Ownership: returned descriptors belong to the caller. Errors: 0 or -errno, outputs untouched
 * then. Nothing blocks except fd_write_all() on a blocking descriptor. Async-signal-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

int fd_set_nonblock(int fd, bool on);
int fd_set_cloexec(int fd, bool on);
int fd_pipe(int *ret_read, int *ret_write);          /* pipe2(2), both blocking */
int fd_socketpair_seqpacket(int *ret_a, int *ret_b); /* AF_UNIX SOCK_SEQPACKET, socketpair(2) */
/* What comes in on it tells who has sent it (SO_PASSCRED), or does not any more. While it does,
 * what is sent on it binds it to a name of its own, unix(7). 0 or -errno. */
int fd_tell_sender(int socket, bool on);
int fd_write_all(
        int fd, const void *data, size_t n); /* restarts on EINTR; EPIPE is returned, not raised */
/* One write(2): the bytes written, or -errno (-EINTR too). EPIPE is returned, not raised. */
long fd_write_some(int fd, const void *data, size_t n);

/* An anonymous file with these bytes, its offset at 0: memfd_create(2) on Linux (sealed against
 * writing and resizing), an unlinked temporary file elsewhere. */
int fd_from_bytes(const void *data, size_t n, int *ret_fd);
/* An anonymous zeroed file of `size` bytes that can be mapped shared. On Linux its size is sealed;
 * elsewhere whoever has it can shrink it, and a mapping of it then raises SIGBUS. */
int fd_shared_memory(size_t size, int *ret_fd);
