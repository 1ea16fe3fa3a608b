#include "wire/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for control messages, aligned as CMSG_FIRSTHDR(3) needs it: cmsg(3). */
union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))];
};

int wire_send(int socket, const void *message, uint32_t size, const int *fds, uint32_t n_fds)
{
    if (n_fds > WIRE_FDS_MAX) {
        return -EINVAL;
    }
    struct iovec iov = {.iov_base = (void *)message, .iov_len = size};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    union control control;
    if (n_fds > 0) {
        memset(&control, 0, sizeof(control));
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &msg, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0; /* a datagram goes whole or not at all */
}

/* Collects what SCM_RIGHTS brought. The kernel never installs more than the control room holds and
 * says MSG_CTRUNC for the rest, so that this can't overflow ret_fds. */
static uint32_t take_fds(struct msghdr *msg, int *ret_fds)
{
    uint32_t n = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t bytes = c->cmsg_len - CMSG_LEN(0);
        for (size_t at = 0; at + sizeof(int) <= bytes && n < WIRE_FDS_MAX; at += sizeof(int)) {
            memcpy(&ret_fds[n++], CMSG_DATA(c) + at, sizeof(int));
        }
    }
    return n;
}

static int check(const void *message, ssize_t received, int flags)
{
    struct wire_header h;
    if ((flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || received < (ssize_t)sizeof(h)) {
        return -EPROTO;
    }
    memcpy(&h, message, sizeof(h));
    return h.version == WIRE_VERSION ? 0 : -EPROTO;
}

long wire_recv(
        int socket, void *message, uint32_t size, int *ret_fds, uint32_t *ret_n_fds, int restart)
{
    struct iovec iov = {.iov_base = message, .iov_len = size};
    union control control;
    struct msghdr msg = {
            .msg_iov = &iov,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof(control.bytes),
    };
    ssize_t received;
    do {
        received = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR && restart);
    if (received < 0) {
        return -errno;
    }
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds = take_fds(&msg, fds);
    /* The end of the stream looks like an empty datagram, which nobody sends: recv(2). */
    int r = received == 0 ? 0 : check(message, received, msg.msg_flags);
    if (r < 0 || received == 0) {
        for (uint32_t i = 0; i < n_fds; i++) {
            (void)close(fds[i]);
        }
        return r;
    }
    memcpy(ret_fds, fds, n_fds * sizeof(int));
    *ret_n_fds = n_fds;
    return received;
}

long wire_recv_sender(int socket, void *message, uint32_t size, pid_t *ret_pid)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred))]; /* descriptors find no room: MSG_CTRUNC */
    } control;
    struct iovec iov = {.iov_base = message, .iov_len = size};
    struct msghdr msg = {
            .msg_iov = &iov,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof(control.bytes),
    };
    struct ucred sender = {.pid = 0};
    ssize_t received;
    do {
        received = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (received < 0 && errno == EINTR);
    if (received <= 0) {
        return received < 0 ? -errno : 0;
    }
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        memcpy(&sender, CMSG_DATA(c), sizeof(sender));
    }
    *ret_pid = sender.pid;
    int r = check(message, received, msg.msg_flags);
    return r < 0 ? r : received;
}
