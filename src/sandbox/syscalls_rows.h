/* How the rows of the tables are written: name, number on x86-64, number on arm64, (rule,) reason.
 * For the syscalls_*.c files only. */
#pragma once

#include "sandbox/seccomp_rules.h"
#include "sandbox/syscalls.h"

#define ALLOWED(name, x86_64, arm64, why)                                                          \
    {                                                                                              \
        name, x86_64, arm64, SYSCALL_ALLOW, NULL, why                                              \
    }
#define UNKNOWN(name, x86_64, arm64, why)                                                          \
    {                                                                                              \
        name, x86_64, arm64, SYSCALL_ENOSYS, NULL, why                                             \
    }
#define REFUSED(name, x86_64, arm64, why)                                                          \
    {                                                                                              \
        name, x86_64, arm64, SYSCALL_EPERM, NULL, why                                              \
    }
#define RULED(name, x86_64, arm64, rule, why)                                                      \
    {                                                                                              \
        name, x86_64, arm64, SYSCALL_ARGS, seccomp_rule_##rule, why                                \
    }
