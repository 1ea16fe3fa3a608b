/* The policy on system calls: one constant row a call, with its number on each architecture, what
 * becomes of it, and why.
 *
 * Every call of the kernel's own tables (Linux 7.0: arch/x86/entry/syscalls/syscall_64.tbl and
 * scripts/syscall.tbl, which is arm64's) has a row; test_syscalls.c fails where the installed
 * kernel headers know one that has none. A number without a row is answered ENOSYS, so what a newer
 * kernel adds is off until someone has looked at it.
 *
 * The classes:
 *   ALLOW   harmless inside the other layers, and some ordinary program needs it
 *   ENOSYS  as of a kernel that has no such call: programs have a fallback for that
 *   EPERM   dangerous, or of use to administrators only
 *   ARGS    depends on the arguments: see seccomp_rules.h
 *
 * Pure constants; no ownership, no errors, safe after fork. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct BpfCode;
struct SeccompOptions;

enum {
    /* Beyond every number in the tables; a row must lie below it. */
    SYSCALL_NR_END = 512,
};

typedef enum SyscallClass {
    SYSCALL_ALLOW,
    SYSCALL_ENOSYS,
    SYSCALL_EPERM,
    SYSCALL_ARGS,
} SyscallClass;

/* Writes the instructions that decide on a call by its arguments, and end in a return. */
typedef void SeccompRule(struct BpfCode *code, const struct SeccompOptions *options);

typedef struct Syscall {
    const char *name;
    int16_t x86_64; /* -1: not on this architecture */
    int16_t arm64;
    SyscallClass class;
    SeccompRule *rule; /* of ARGS, else NULL */
    const char *reason;
} Syscall;

typedef struct SyscallTable {
    const Syscall *rows;
    size_t n_rows;
} SyscallTable;

/* The tables, by subject. */
enum { SYSCALL_TABLE_N = 5 };
extern const SyscallTable *const syscall_tables[SYSCALL_TABLE_N];

extern const SyscallTable syscalls_files;
extern const SyscallTable syscalls_processes;
extern const SyscallTable syscalls_memory;
extern const SyscallTable syscalls_sockets;
extern const SyscallTable syscalls_system;
