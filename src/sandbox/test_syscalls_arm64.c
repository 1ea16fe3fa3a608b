/* The calls of the installed kernel headers on arm64: the generic table with what arm64 wants of it
 * (arch/arm64/include/uapi/asm/unistd.h). In a file of its own, since the names are the same. */
#define __BITS_PER_LONG 64
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_MEMFD_SECRET
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SYS_CLONE3
#include <asm-generic/unistd.h>

#include "sandbox/test_syscalls.h"

const HeaderSyscall header_syscalls_arm64[] = {
#include "syscalls_arm64.inc"
        {NULL, -1},
};
