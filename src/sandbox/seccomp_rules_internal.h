/* What the argument rules return. For the seccomp_rules_*.c files only. */
#pragma once

#include <errno.h>
#include <linux/seccomp.h>

#define RET_ALLOW SECCOMP_RET_ALLOW
#define RET_ERROR(error) (SECCOMP_RET_ERRNO | (error))

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
