/* What the argument rules are to answer, case by case. For test_seccomp.c. */
#pragma once

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOW SECCOMP_RET_ALLOW
#define ERROR(error) (SECCOMP_RET_ERRNO | (error))
#define DENY ERROR(EPERM)
#define NONE ERROR(ENOSYS)

typedef struct Case {
    const char *call;
    uint64_t args[6];
    uint32_t full; /* in a pid and a network namespace */
    uint32_t bare; /* in none; processes 100 and 200 are protected */
} Case;

extern const Case seccomp_cases[];
extern const size_t n_seccomp_cases;
