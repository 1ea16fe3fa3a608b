/* The policy on system calls that concern memory, locks, shared objects. */
#include "sandbox/syscalls_rows.h"

static const Syscall rows[] = {

        /* Own address space; its size is bounded by RLIMIT_AS and the cgroup. */
        ALLOWED("mmap", 9, 222, "memory"),
        ALLOWED("munmap", 11, 215, "memory"),
        ALLOWED("mremap", 25, 216, "memory"),
        ALLOWED("brk", 12, 214, "memory"),
        ALLOWED("mprotect", 10, 226, "compilers, ctypes; native code is no secret weapon here"),
        ALLOWED("msync", 26, 227, "mmap.flush"),
        ALLOWED("madvise", 28, 233, "advice about own pages"),
        ALLOWED("mincore", 27, 232, "advice about own pages"),
        ALLOWED("mlock", 149, 228, "bounded by RLIMIT_MEMLOCK"),
        ALLOWED("mlock2", 325, 284, "bounded by RLIMIT_MEMLOCK"),
        ALLOWED("mlockall", 151, 230, "bounded by RLIMIT_MEMLOCK"),
        ALLOWED("munlock", 150, 229, "bounded by RLIMIT_MEMLOCK"),
        ALLOWED("munlockall", 152, 231, "bounded by RLIMIT_MEMLOCK"),
        ALLOWED("pkey_mprotect", 329, 288, "locks own pages more tightly"),
        ALLOWED("pkey_alloc", 330, 289, "locks own pages more tightly"),
        ALLOWED("pkey_free", 331, 290, "locks own pages more tightly"),
        ALLOWED("mseal", 462, 462, "locks own pages more tightly"),
        ALLOWED("map_shadow_stack", 453, 453,
                "the C library's stacks for threads where the CPU has them"),
        UNKNOWN("remap_file_pages", 216, 234, "emulated since 4.0; nothing uses it"),
        REFUSED("userfaultfd", 323, 282,
                "holds the kernel up in the middle of a copy: the classic race opener"),

        /* NUMA: as of a kernel without it. Libraries take that for one node. */
        UNKNOWN("mbind", 237, 235, "placement; libnuma and OpenBLAS take ENOSYS for one node"),
        UNKNOWN("set_mempolicy", 238, 237,
                "placement; libnuma and OpenBLAS take ENOSYS for one node"),
        UNKNOWN("get_mempolicy", 239, 236,
                "placement; libnuma and OpenBLAS take ENOSYS for one node"),
        UNKNOWN("set_mempolicy_home_node", 450, 450,
                "placement; libnuma and OpenBLAS take ENOSYS for one node"),
        REFUSED("move_pages", 279, 239, "moves pages of other processes"),
        REFUSED("migrate_pages", 256, 238, "moves pages of other processes"),

        /* Locks between threads and processes. */
        ALLOWED("futex", 202, 98, "every lock"),
        ALLOWED("futex_waitv", 449, 449, "every lock"),
        UNKNOWN("futex_wake", 454, 454, "since 6.7; glibc uses futex"),
        UNKNOWN("futex_wait", 455, 455, "since 6.7; glibc uses futex"),
        UNKNOWN("futex_requeue", 456, 456, "since 6.7; glibc uses futex"),
        ALLOWED("membarrier", 324, 283, "thread libraries"),

        /* Objects that outlive the run, as of a kernel without them. Python has its own in
           /dev/shm. */
        UNKNOWN("shmget", 29, 194, "outlives every process of the run"),
        UNKNOWN("shmat", 30, 196, "outlives every process of the run"),
        UNKNOWN("shmctl", 31, 195, "outlives every process of the run"),
        UNKNOWN("shmdt", 67, 197, "outlives every process of the run"),
        UNKNOWN("semget", 64, 190, "outlives every process of the run"),
        UNKNOWN("semop", 65, 193, "outlives every process of the run"),
        UNKNOWN("semtimedop", 220, 192, "outlives every process of the run"),
        UNKNOWN("semctl", 66, 191, "outlives every process of the run"),
        UNKNOWN("msgget", 68, 186, "outlives every process of the run"),
        UNKNOWN("msgsnd", 69, 189, "outlives every process of the run"),
        UNKNOWN("msgrcv", 70, 188, "outlives every process of the run"),
        UNKNOWN("msgctl", 71, 187, "outlives every process of the run"),
        UNKNOWN("mq_open", 240, 180, "outlives every process of the run"),
        UNKNOWN("mq_unlink", 241, 181, "outlives every process of the run"),
        UNKNOWN("mq_timedsend", 242, 182, "outlives every process of the run"),
        UNKNOWN("mq_timedreceive", 243, 183, "outlives every process of the run"),
        UNKNOWN("mq_notify", 244, 184, "outlives every process of the run"),
        UNKNOWN("mq_getsetattr", 245, 185, "outlives every process of the run"),

        /* Randomness. */
        ALLOWED("getrandom", 318, 278, "secrets, uuid, hash seeds"),
};

const SyscallTable syscalls_memory = {rows, sizeof(rows) / sizeof(rows[0])};
