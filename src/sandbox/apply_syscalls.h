/* Kernel interfaces that the C library of our oldest system (glibc 2.36, kernel headers 6.1) has no
 * wrapper or no constant for; only the Linux apply side uses them. Numbers are those of all
 * architectures since Linux 5.1's common table. */
#pragma once

#include <linux/landlock.h>
#include <linux/mount.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* landlock(7); bits that the headers of an older kernel do not name */
enum {
    LANDLOCK_FS_EXECUTE = 1 << 0,
    LANDLOCK_FS_WRITE_FILE = 1 << 1,
    LANDLOCK_FS_READ_FILE = 1 << 2,
    LANDLOCK_FS_READ_DIR = 1 << 3,
    LANDLOCK_FS_ALL_ABI1 = (1 << 13) - 1,
    LANDLOCK_FS_REFER = 1 << 13,     /* ABI 2 */
    LANDLOCK_FS_TRUNCATE = 1 << 14,  /* ABI 3 */
    LANDLOCK_FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
    LANDLOCK_NET_TCP = 3,            /* ABI 4: bind and connect */
    LANDLOCK_SCOPES = 3,             /* ABI 6: abstract sockets and signals */
    LANDLOCK_SCOPE_SIGNALS = 2,
};

struct landlock_attr {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; /* ABI 4 */
    uint64_t scoped;             /* ABI 6 */
};
