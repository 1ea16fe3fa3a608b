#include "sandbox/syscalls.h"

const SyscallTable *const syscall_tables[SYSCALL_TABLE_N] = {
        &syscalls_files,
        &syscalls_processes,
        &syscalls_memory,
        &syscalls_sockets,
        &syscalls_system,
};
