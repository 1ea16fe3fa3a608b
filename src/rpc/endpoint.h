/* A descriptor that somebody else gave us and may go on using, made readable or writable without
 * blocking and without others noticing.
 *
 * O_NONBLOCK belongs to the open file description, which a client's shell, a logger or our own
 * children may share (open(2), fcntl(2)); setting it there makes their writes fail. So: sockets are
 * used with MSG_DONTWAIT; pipes and terminals are opened a second time through /proc/self/fd
 * (proc(5)), which makes a description of our own; only where that is not allowed, O_NONBLOCK is
 * set and taken back by endpoint_close(). Regular files never block and can't be waited for
 * (epoll_ctl(2), EPERM); they are duplicated, for a second description would have another offset.
 *
 * Ownership: the endpoint owns its own descriptor (close-on-exec), never the given one.
 * Errors: 0 or -errno. Never blocks on a peer; a regular file waits for its disk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum EndpointKind {
    ENDPOINT_SOCKET,
    ENDPOINT_STREAM, /* pipe, terminal */
    ENDPOINT_FILE,   /* always ready */
} EndpointKind;

typedef struct Endpoint {
    int fd;
    EndpointKind kind;
    int saved_flags; /* to put back; -1 for none */
} Endpoint;

/* -EBADF also when the descriptor is open the other way only; -EISDIR for a directory. */
int endpoint_open(Endpoint *e, int fd, bool for_writing);
void endpoint_close(Endpoint *e);
/* Bytes, 0 for the end (reading), -EAGAIN, or -errno; interrupted calls are repeated. */
ssize_t endpoint_read(const Endpoint *e, void *data, size_t n);
ssize_t endpoint_write(const Endpoint *e, const void *data, size_t n);
