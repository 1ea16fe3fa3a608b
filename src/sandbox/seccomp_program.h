/* The finished seccomp program of a run: the policy of syscalls.h and seccomp_rules.h as classic
 * BPF, for prctl(PR_SET_NO_NEW_PRIVS) and seccomp(SECCOMP_SET_MODE_FILTER) in the child.
 *
 * Deny by default, and never a kill: a call without a row, the x32 calls (their numbers begin at
 * 0x40000000) and every call through another architecture's entry (int 0x80) are ENOSYS. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SECCOMP_PROGRAM_MAX = 1024, /* instructions; no set of options needs as many */
    SECCOMP_PROTECTED_MAX = 8,
};

typedef enum SeccompArch {
    SECCOMP_ARCH_X86_64,
    SECCOMP_ARCH_ARM64,
    _SECCOMP_ARCH_N,
} SeccompArch;

typedef struct SeccompOptions {
    SeccompArch arch;

    /* The run has a network namespace of its own: AF_INET and AF_INET6 sockets are allowed, and
     * asking for interfaces. Else local sockets only. */
    bool inet;

    /* The run has a pid namespace of its own, where 1 is its keeper and all others are its own: a
     * pid argument may be any but 1. Else nobody can tell own pids from others by looking at them:
     * limits and priorities can be set only with pid 0, "the caller". */
    bool pid_namespace;

    /* Landlock's signal scope (ABI 6) holds, and keeper, template and supervisor are outside of it.
     * Else pidfd_send_signal is refused. kill(-1) is, where there is no pid namespace. */
    bool signals_scoped;

    /* The limit of core dumps is the one value that keeps the host's handler of them away; it
     * stays: setting it does nothing, and says that it did. */
    bool core_limit_kept;

    /* Processes that the run must not signal, by pid; process groups of the same number neither.
     * For tiers without a pid namespace; unused with one. Values must be positive. kill(2) finds a
     * process by the id of any of its threads, so the processes named here should have only one. */
    pid_t protected_pids[SECCOMP_PROTECTED_MAX];
    size_t n_protected;
} SeccompOptions;

/* The architecture this program was compiled for. 0, or -EOPNOTSUPP where there is no table for it:
 * the seccomp layer is missing there. */
int seccomp_arch_native(SeccompArch *ret_arch);

/* Writes the program into `ret`, which has room for `max` instructions. Pure and deterministic; no
 * allocation. `ret` and `ret_n` are of use only where 0 is returned. 0, -EINVAL for options out of
 * range, -E2BIG where it does not fit (SECCOMP_PROGRAM_MAX always does). */
int seccomp_program_build(
        const SeccompOptions *options, struct sock_filter *ret, size_t max, size_t *ret_n);
