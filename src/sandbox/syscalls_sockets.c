/* The policy on system calls that concern sockets. */
#include "sandbox/syscalls_rows.h"

static const Syscall rows[] = {

        /* Which peers can be reached: the network namespace and Landlock say. */
        RULED("socket", 41, 198, socket,
                "local sockets; internet only in a network namespace of the run's own; no other "
                "family"),
        RULED("socketpair", 53, 199, socketpair,
                "local ones: asyncio and multiprocessing need them"),
        RULED("setsockopt", 54, 208, setsockopt,
                "options; no socket filters, no upper-layer protocols"),
        ALLOWED("getsockopt", 55, 209, "reads of an open socket"),
        ALLOWED("getsockname", 51, 204, "reads of an open socket"),
        ALLOWED("getpeername", 52, 205, "reads of an open socket"),
        ALLOWED("bind", 49, 200, "on sockets the rule above let be"),
        ALLOWED("connect", 42, 203, "on sockets the rule above let be"),
        ALLOWED("listen", 50, 201, "on sockets the rule above let be"),
        ALLOWED("accept", 43, 202, "on sockets the rule above let be"),
        ALLOWED("accept4", 288, 242, "on sockets the rule above let be"),
        ALLOWED("shutdown", 48, 210, "on sockets the rule above let be"),
        ALLOWED("sendto", 44, 206, "input and output on sockets"),
        ALLOWED("sendmsg", 46, 211, "input and output on sockets"),
        ALLOWED("sendmmsg", 307, 269, "input and output on sockets"),
        ALLOWED("recvfrom", 45, 207, "input and output on sockets"),
        ALLOWED("recvmsg", 47, 212, "input and output on sockets"),
        ALLOWED("recvmmsg", 299, 243, "input and output on sockets"),
};

const SyscallTable syscalls_sockets = {rows, sizeof(rows) / sizeof(rows[0])};
