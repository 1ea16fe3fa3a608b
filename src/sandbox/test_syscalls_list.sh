#!/bin/sh
# The system calls that a header of the kernel names, as rows of C: test_syscalls_list.sh HEADER COMPILER...
# What the generic table keeps behind switches is asked for as test_syscalls_arm64.c does.
set -eu
header=$1
shift
echo "#include <$header>" |
    "$@" -E -dM -D__BITS_PER_LONG=64 -D__ARCH_WANT_RENAMEAT -D__ARCH_WANT_SET_GET_RLIMIT -D__ARCH_WANT_MEMFD_SECRET \
        -D__ARCH_WANT_NEW_STAT -D__ARCH_WANT_SYS_CLONE3 - |
    sed -n 's/^#define __NR_\([a-z_][a-z0-9_]*\) .*/{"\1", __NR_\1},/p' | sort
