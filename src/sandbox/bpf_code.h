/* Writes a classic BPF program for seccomp(2), instruction by instruction, into an array of the
 * caller's. Why not libseccomp: 2.5.4 resolves numbers through names, so it can write no rule for a
 * call newer than itself, nor for a call that another architecture has and this one has not; and
 * the arm64 program could not be made and tried on x86-64.
 *
 * Only instructions that the kernel's own simulation knows are used on the way to a call without an
 * argument rule (loads of nr and arch, jumps, returns): since Linux 5.11 such a call is
 * found to be always allowed when the filter is installed, and then costs one bit test
 * (kernel/seccomp.c, seccomp_is_const_allow).
 *
 * A program that does not fit sets `overflow` and is cut off; bpf_link() reports it. Classic jumps
 * only go forward, and conditional ones at most 255 instructions. Pure, no allocation. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BPF_LABEL_N = 48,
    BPF_RANGE_MAX = 1024, /* ranges in one switch */
};

typedef struct BpfCode {
    struct sock_filter *insns;
    size_t max;
    size_t n;
    size_t labels[BPF_LABEL_N]; /* 0: not placed yet */
    bool overflow;
} BpfCode;

/* Values low to high (both included) lead to `action`, a SECCOMP_RET_ value, or, where `label` is
 * not 0, to that label. */
typedef struct BpfRange {
    uint32_t low;
    uint32_t high;
    uint32_t action;
    uint32_t label;
} BpfRange;

void bpf_init(BpfCode *code, struct sock_filter *insns, size_t max);

/* The accumulator becomes ... */
void bpf_load_nr(BpfCode *code);
void bpf_load_arch(BpfCode *code);
/* ... the low half of argument `i`. For arguments the kernel takes as int: it looks at no more. */
void bpf_load_arg_low(BpfCode *code, unsigned i);
/* ... the high half of argument `i`. */
void bpf_load_arg_high(BpfCode *code, unsigned i);
/* ... what it was, with only these bits left. */
void bpf_and(BpfCode *code, uint32_t mask);

/* Returns, always or depending on the accumulator. `action` is a SECCOMP_RET_ value. */
void bpf_ret(BpfCode *code, uint32_t action);
void bpf_ret_if_equal(BpfCode *code, uint32_t value, uint32_t action);
void bpf_ret_unless_equal(BpfCode *code, uint32_t value, uint32_t action);
void bpf_ret_unless_either(BpfCode *code, uint32_t one, uint32_t other, uint32_t action);
void bpf_ret_if_at_least(BpfCode *code, uint32_t value, uint32_t action);
void bpf_ret_if_any_bit(BpfCode *code, uint32_t mask, uint32_t action);

/* What is written until bpf_end_if() runs only where the accumulator is `value`; at most 255
 * instructions. bpf_if_equal() returns what bpf_end_if() wants. */
size_t bpf_if_equal(BpfCode *code, uint32_t value);
void bpf_end_if(BpfCode *code, size_t block);

/* Returns or jumps by a binary search for the accumulator among `ranges`, which are sorted and do
 * not overlap; values in none of them lead to `otherwise`. Neighbours that lead to the same are
 * taken as one. */
void bpf_switch(BpfCode *code, const BpfRange *ranges, size_t n_ranges, uint32_t otherwise);

/* What follows is `label` (1 to BPF_LABEL_N - 1). */
void bpf_place_label(BpfCode *code, uint32_t label);

/* Fills in the jumps to labels. 0, -E2BIG where the program did not fit, -EINVAL where a label was
 * used and never placed, or lies before a jump to it. */
int bpf_link(BpfCode *code);
