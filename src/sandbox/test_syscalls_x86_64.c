/* The calls of the installed kernel headers on x86-64. */
#include <asm/unistd_64.h>

#include "sandbox/test_syscalls.h"

const HeaderSyscall header_syscalls_x86_64[] = {
#include "syscalls_x86_64.inc"
        {NULL, -1},
};
