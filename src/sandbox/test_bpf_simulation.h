/* Runs a seccomp program as the kernel would, and checks what the kernel checks at its installation
 * (kernel/seccomp.c, seccomp_check_filter; net/core/filter.c, bpf_check_classic). For tests. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* Fails the test where the kernel would not take the program. */
void simulation_check(const struct sock_filter *insns, size_t n);

/* The program's answer. *ret_steps, where not NULL, becomes the number of instructions it took. */
uint32_t simulation_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *data,
        unsigned *ret_steps);
