/* The calls that the installed kernel headers know. NULL ends them. */
#pragma once

#include <stddef.h>

typedef struct HeaderSyscall {
    const char *name;
    int nr;
} HeaderSyscall;

/* Weak: each is there where its headers are. */
extern const HeaderSyscall header_syscalls_x86_64[] __attribute__((weak));
extern const HeaderSyscall header_syscalls_arm64[] __attribute__((weak));
