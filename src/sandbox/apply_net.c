/* Theory of operation: using a network namespace again
 *
 * A run gets a network with nobody in it but itself. Making one costs about as much as all else of
 * a fork, since the kernel registers a few hundred files and sysctls for it, and takes them back in
 * a queue of its own. So the template makes them, one for each run at the same time, enters one
 * before it forks, and a later run gets one whose run is dead, if nothing of that run can be in it.
 *
 * It can't have changed anything: the namespace belongs to the template's user namespace (or to
 * root's), above the run's, in which the run has no capability (user_namespaces(7)); /proc/sys is
 * read-only. What an unprivileged process leaves is seen in the kernel's own words: that no socket
 * is left; that not one packet went over loopback, without which there is no connection that waits
 * for its end, no learned metric, no fragment; that no counter of the protocols has moved, which
 * the next run could read; no group joined, no flow label held. They are compared as a whole with
 * what they were when the namespace was new. Runs that have used the network at all leave theirs to
 * be replaced. */

#include "sandbox/apply_net.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/macro.h"
#include "wire/wire.h"

static struct {
    bool made;
    int fd;
    uint64_t state; /* when it was new */
} nets[WIRE_NETS_MAX];

static uint64_t hash(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* FNV-1a */
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3ULL;
    }
    return h;
}

static uint64_t hash_file(uint64_t h, const char *path)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

    while (n > 0) {
        h = hash(h, text, (size_t)n);
        n = read(fd, text, sizeof(text));
    }
    close_p(&fd);
    return h;
}

/* The sockets of the namespace; what follows counts the whole machine's. */
static uint64_t hash_sockets(uint64_t h)
{
    char text[256] = "";
    int fd = open("/proc/self/net/sockstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    close_p(&fd);
    return hash(h, text, n > 0 ? strcspn(text, "\n") : 0);
}

static uint64_t look(void)
{
    static const char *const files[] = {"/proc/self/net/dev", "/proc/self/net/snmp",
            "/proc/self/net/snmp6", "/proc/self/net/netstat", "/proc/self/net/igmp",
            "/proc/self/net/igmp6", "/proc/self/net/ip6_flowlabel"};
    uint64_t h = hash_sockets(0xcbf29ce484222325ULL);

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        h = hash_file(h, files[i]); /* a kernel without IPv6 lacks some */
    }
    return h;
}

int apply_net_raise_loopback(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int r = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0 ? -errno : 0;

    close_p(&fd);
    return r == -EAFNOSUPPORT ? 0 : r; /* a kernel without IPv4 has nothing to raise */
}

static int make_net(uint32_t number)
{
    int fd, r;

    if (unshare(CLONE_NEWNET) < 0) {
        return -errno;
    }
    r = apply_net_raise_loopback();
    fd = r < 0 ? r : open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return r < 0 ? r : -errno;
    }
    if (nets[number].made) {
        (void)close(nets[number].fd);
    }
    nets[number].made = true;
    nets[number].fd = fd;
    nets[number].state = look();
    return 0;
}

int apply_net_enter(uint32_t number, bool make)
{
    if (number >= WIRE_NETS_MAX) {
        return -EINVAL;
    }
    if (make || !nets[number].made) {
        return make_net(number);
    }
    return setns(nets[number].fd, CLONE_NEWNET) < 0 ? -errno : 0;
}

bool apply_net_is_clean(uint32_t number)
{
    return number < WIRE_NETS_MAX && nets[number].made && look() == nets[number].state;
}
