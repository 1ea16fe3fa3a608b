/* Argument rules on calls that concern descriptors, files and sockets. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "sandbox/seccomp_rules.h"
#include "sandbox/seccomp_rules_internal.h"

/* --- fcntl --- */

/* fcntl(fd, cmd, who): the command is an unsigned int; of F_SETOWN the kernel takes the argument as
 * int: 0 for nobody, else a process, or a group where negative. The owner gets SIGIO or, after
 * F_SETSIG, SIGKILL. Of F_SETOWN_EX the target lies in memory. A lease on a file that others use
 * too (the user's own virtual environment, say) holds their open(2) up for 45 seconds. */
void seccomp_rule_fcntl(BpfCode *code, const SeccompOptions *options)
{
    bpf_load_arg_low(code, 1);
    bpf_ret_if_equal(code, F_SETOWN_EX, RET_ERROR(EPERM));
    bpf_ret_if_equal(code, F_SETLEASE, RET_ERROR(EPERM));
    bpf_ret_unless_equal(code, F_SETOWN, RET_ALLOW);
    bpf_load_arg_low(code, 2);
    bpf_ret_if_equal(code, 0, RET_ALLOW);
    if (options->pid_namespace) {
        bpf_ret_if_equal(code, 1, RET_ERROR(EPERM)); /* the keeper */
        bpf_ret_if_at_least(code, 0x80000000u, RET_ERROR(EPERM));
        bpf_ret(code, RET_ALLOW);
    } else {
        bpf_ret(code, RET_ERROR(EPERM));
    }
}

/* --- ioctl --- */

/* What is not here is answered ENOTTY, as of a file that does not know the request: thousands of
 * requests to drivers, of which a run can open none anyway, and to file systems. Terminals are here
 * since programs open pseudo-terminals where /dev/ptmx is to be had. */
static const BpfRange ioctl_requests[] = {
        {0x5401, 0x540d, RET_ALLOW, 0}, /* TCGETS (isatty) to TIOCNXCL: modes of a terminal */
        {0x540e, 0x5411, RET_ALLOW, 0}, /* TIOCSCTTY, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ */
        {0x5412, 0x5412, RET_ERROR(EPERM), 0}, /* TIOCSTI: types into a terminal */
        {0x5413, 0x5418, RET_ALLOW, 0},        /* TIOCGWINSZ, TIOCSWINSZ, modem lines */
        {0x541b, 0x541b, RET_ALLOW, 0},        /* FIONREAD */
        {0x541c, 0x541c, RET_ERROR(EPERM), 0}, /* TIOCLINUX: pastes into a console */
        {0x5420, 0x5422, RET_ALLOW, 0},        /* TIOCPKT, FIONBIO, TIOCNOTTY */
        {0x5424, 0x5425, RET_ALLOW, 0}, /* TIOCGETD, TCSBRKP; never TIOCSETD: it loads modules */
        {0x5429, 0x542d, RET_ALLOW, 0}, /* TIOCGSID; TCGETS2, TCSETS2 by their old numbers */
        {0x5441, 0x5441, RET_ALLOW, 0}, /* TIOCGPTPEER */
        {0x5450, 0x5452, RET_ALLOW, 0}, /* FIONCLEX, FIOCLEX, FIOASYNC */
        {0x5460, 0x5460, RET_ALLOW, 0}, /* FIOQSIZE */
        {0x8901, 0x8902, RET_ERROR(EPERM), 0}, /* FIOSETOWN, SIOCSPGRP: F_SETOWN by another name */
        {0x8903, 0x8907, RET_ALLOW, 0}, /* FIOGETOWN, SIOCGPGRP, SIOCATMARK, SIOCGSTAMP, _NS */
        {0x40045431, 0x40045431, RET_ALLOW, 0}, /* TIOCSPTLCK */
        {0x40049409, 0x40049409, RET_ALLOW, 0}, /* FICLONE */
        {0x4020940d, 0x4020940d, RET_ALLOW, 0}, /* FICLONERANGE */
        {0x402c542b, 0x402c542d, RET_ALLOW, 0}, /* TCSETS2, TCSETSW2, TCSETSF2 */
        {0x80045430, 0x80045430, RET_ALLOW, 0}, /* TIOCGPTN */
        {0x80045438, 0x80045440, RET_ALLOW, 0}, /* TIOCGPKT, TIOCGPTLCK, TIOCGEXCL */
        {0x80086601, 0x80086601, RET_ALLOW, 0}, /* FS_IOC_GETFLAGS */
        {0x802c542a, 0x802c542a, RET_ALLOW, 0}, /* TCGETS2 */
        {0xc020660b, 0xc020660b, RET_ALLOW, 0}, /* FS_IOC_FIEMAP */
};

/* Asking for interfaces; netdevice(7). Any socket answers them, so without a network namespace
 * these would tell the host's names and addresses. */
static const BpfRange interface_requests[] = {
        {0x8910, 0x8910, RET_ALLOW, 0}, /* SIOCGIFNAME */
        {0x8912, 0x8913, RET_ALLOW, 0}, /* SIOCGIFCONF, SIOCGIFFLAGS */
        {0x8915, 0x8915, RET_ALLOW, 0}, /* SIOCGIFADDR */
        {0x8917, 0x8917, RET_ALLOW, 0}, /* SIOCGIFDSTADDR */
        {0x8919, 0x8919, RET_ALLOW, 0}, /* SIOCGIFBRDADDR */
        {0x891b, 0x891b, RET_ALLOW, 0}, /* SIOCGIFNETMASK */
        {0x891d, 0x891d, RET_ALLOW, 0}, /* SIOCGIFMETRIC */
        {0x8921, 0x8921, RET_ALLOW, 0}, /* SIOCGIFMTU */
        {0x8927, 0x8927, RET_ALLOW, 0}, /* SIOCGIFHWADDR */
        {0x8933, 0x8933, RET_ALLOW, 0}, /* SIOCGIFINDEX */
        {0x8942, 0x8942, RET_ALLOW, 0}, /* SIOCGIFTXQLEN */
};

/* ioctl(fd, request, argument): the kernel takes the request as unsigned int. */
void seccomp_rule_ioctl(BpfCode *code, const SeccompOptions *options)
{
    bpf_load_arg_low(code, 1);
    if (options->inet) {
        for (size_t i = 0; i < N_ELEMENTS(interface_requests); i++) {
            bpf_ret_if_equal(code, interface_requests[i].low, RET_ALLOW);
        }
    }
    bpf_switch(code, ioctl_requests, N_ELEMENTS(ioctl_requests), RET_ERROR(ENOTTY));
}

/* --- mknod --- */

/* Mode 0 is a regular file. A character device of number 0, which everybody may make, is a mark of
 * overlay file systems and no device, but nobody needs it. */
static void mknod_mode(BpfCode *code, unsigned i)
{
    static const BpfRange types[] = {
            {0, 0, RET_ALLOW, 0},
            {S_IFIFO, S_IFIFO, RET_ALLOW, 0},
            {S_IFREG, S_IFREG, RET_ALLOW, 0},
            {S_IFSOCK, S_IFSOCK, RET_ALLOW, 0},
    };

    bpf_load_arg_low(code, i);
    bpf_and(code, S_IFMT); /* the kernel takes the mode as a 16-bit number, S_IFMT its top bits */
    bpf_switch(code, types, N_ELEMENTS(types), RET_ERROR(EPERM));
}

void seccomp_rule_mknod(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    mknod_mode(code, 1);
}

void seccomp_rule_mknodat(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    mknod_mode(code, 2);
}

/* --- sockets --- */

/* inotify_add_watch(fd, path, mask). Landlock has no say here: without a private root a program
 * could learn the names of other runs' directories, and what happens in this user's folders. */
void seccomp_rule_watch(BpfCode *code, const SeccompOptions *options)
{
    bpf_ret(code, options->pid_namespace ? RET_ALLOW : RET_ERROR(EACCES));
}

/* socket(family, type, protocol), all int. A family that is not allowed is answered as of a kernel
 * that lacks it, which programs cope with: glibc's getaddrinfo goes on with the next family, and
 * without netlink. Where there is no network at all, the answer of socket(2) for that is EACCES:
 * "permission denied" is what a user understands. Types and protocols are those the kernel always
 * has: others would load a module. Raw sockets need a capability; the kernel says so. */
void seccomp_rule_socket(BpfCode *code, const SeccompOptions *options)
{
    static const BpfRange protocols[] = {
            {0, 1, RET_ALLOW, 0}, /* any, IPPROTO_ICMP */
            {IPPROTO_TCP, IPPROTO_TCP, RET_ALLOW, 0},
            {IPPROTO_UDP, IPPROTO_UDP, RET_ALLOW, 0},
            {IPPROTO_ICMPV6, IPPROTO_ICMPV6, RET_ALLOW, 0},
            {IPPROTO_UDPLITE, IPPROTO_UDPLITE, RET_ALLOW, 0},
    };

    bpf_load_arg_low(code, 0);
    bpf_ret_if_equal(code, AF_UNIX, RET_ALLOW);
    if (!options->inet) {
        bpf_ret_if_equal(code, AF_INET, RET_ERROR(EACCES));
        bpf_ret_if_equal(code, AF_INET6, RET_ERROR(EACCES));
        bpf_ret(code, RET_ERROR(EAFNOSUPPORT));
        return;
    }
    bpf_ret_unless_either(code, AF_INET, AF_INET6, RET_ERROR(EAFNOSUPPORT));
    bpf_load_arg_low(code, 1);
    bpf_and(code, 0xf); /* the rest is SOCK_CLOEXEC and SOCK_NONBLOCK */
    bpf_ret_if_at_least(code, SOCK_RAW + 1, RET_ERROR(ESOCKTNOSUPPORT));
    bpf_load_arg_low(code, 2);
    bpf_switch(code, protocols, N_ELEMENTS(protocols), RET_ERROR(EPROTONOSUPPORT));
}

void seccomp_rule_socketpair(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    bpf_load_arg_low(code, 0);
    bpf_ret_if_equal(code, AF_UNIX, RET_ALLOW);
    bpf_ret(code, RET_ERROR(EAFNOSUPPORT));
}

/* setsockopt(fd, level, option, ...), both int. A program attached to a socket is code for the
 * kernel's interpreter; an upper-layer protocol is a module of its own. */
void seccomp_rule_setsockopt(BpfCode *code, const SeccompOptions *options)
{
    static const BpfRange socket_options[] = {
            {SO_ATTACH_FILTER, SO_ATTACH_FILTER, RET_ERROR(EPERM), 0},
            {SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_EBPF, RET_ERROR(EPERM), 0},
    };
    const uint32_t tcp_ulp = 31;
    size_t block;

    (void)options;
    bpf_load_arg_low(code, 1);
    block = bpf_if_equal(code, SOL_SOCKET);
    bpf_load_arg_low(code, 2);
    bpf_switch(code, socket_options, N_ELEMENTS(socket_options), RET_ALLOW);
    bpf_end_if(code, block);
    bpf_ret_unless_equal(code, IPPROTO_TCP, RET_ALLOW);
    bpf_load_arg_low(code, 2);
    bpf_ret_if_equal(code, tcp_ulp, RET_ERROR(ENOPROTOOPT));
    bpf_ret(code, RET_ALLOW);
}
