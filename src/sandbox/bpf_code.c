#include "sandbox/bpf_code.h"

#include <errno.h>
#include <linux/seccomp.h>

/* Stands in a jump for a label until bpf_link(). No jump is that long: BPF_MAXINSNS is 4096. */
#define LABEL_BASE 0x10000u

void bpf_init(BpfCode *code, struct sock_filter *insns, size_t max)
{
    *code = (BpfCode){.insns = insns, .max = max};
}

static void emit(BpfCode *code, uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (code->n >= code->max) {
        code->overflow = true;
        return;
    }
    code->insns[code->n++] = (struct sock_filter){.code = op, .jt = jt, .jf = jf, .k = k};
}

static void load(BpfCode *code, size_t offset)
{
    emit(code, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

void bpf_load_nr(BpfCode *code)
{
    load(code, offsetof(struct seccomp_data, nr));
}

void bpf_load_arch(BpfCode *code)
{
    load(code, offsetof(struct seccomp_data, arch));
}

/* Both architectures are little-endian: the low half comes first. */
void bpf_load_arg_low(BpfCode *code, unsigned i)
{
    load(code, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * i);
}

void bpf_load_arg_high(BpfCode *code, unsigned i)
{
    load(code, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * i + sizeof(uint32_t));
}

void bpf_and(BpfCode *code, uint32_t mask)
{
    emit(code, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
}

void bpf_ret(BpfCode *code, uint32_t action)
{
    emit(code, BPF_RET | BPF_K, 0, 0, action);
}

void bpf_ret_if_equal(BpfCode *code, uint32_t value, uint32_t action)
{
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    bpf_ret(code, action);
}

void bpf_ret_unless_equal(BpfCode *code, uint32_t value, uint32_t action)
{
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value);
    bpf_ret(code, action);
}

void bpf_ret_unless_either(BpfCode *code, uint32_t one, uint32_t other, uint32_t action)
{
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, one);
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, other);
    bpf_ret(code, action);
}

void bpf_ret_if_at_least(BpfCode *code, uint32_t value, uint32_t action)
{
    emit(code, BPF_JMP | BPF_JGE | BPF_K, 0, 1, value);
    bpf_ret(code, action);
}

void bpf_ret_if_any_bit(BpfCode *code, uint32_t mask, uint32_t action)
{
    emit(code, BPF_JMP | BPF_JSET | BPF_K, 0, 1, mask);
    bpf_ret(code, action);
}

size_t bpf_if_equal(BpfCode *code, uint32_t value)
{
    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, value);
    return code->n - 1;
}

void bpf_end_if(BpfCode *code, size_t block)
{
    const size_t length = code->n - block - 1;

    if (code->overflow || length > UINT8_MAX) {
        code->overflow = true;
        return;
    }
    code->insns[block].jf = (uint8_t)length;
}

/* --- the switch --- */

/* Ranges that leave no gap: the first begins at 0, each ends where the next begins. */
typedef struct Partition {
    BpfRange ranges[BPF_RANGE_MAX];
    size_t n;
    bool overflow;
} Partition;

static void partition_add(Partition *partition, BpfRange range)
{
    BpfRange *last = partition->n > 0 ? &partition->ranges[partition->n - 1] : NULL;

    if (last && last->action == range.action && last->label == range.label) {
        last->high = range.high;
    } else if (partition->n < BPF_RANGE_MAX) {
        partition->ranges[partition->n++] = range;
    } else {
        partition->overflow = true;
    }
}

static void partition_fill(
        Partition *partition, const BpfRange *ranges, size_t n_ranges, uint32_t otherwise)
{
    uint64_t next = 0; /* the first value not covered yet */

    for (size_t i = 0; i < n_ranges; i++) {
        if (ranges[i].low > next) {
            partition_add(partition,
                    (BpfRange){
                            .low = (uint32_t)next, .high = ranges[i].low - 1, .action = otherwise});
        }
        partition_add(partition, ranges[i]);
        next = (uint64_t)ranges[i].high + 1;
    }
    if (next <= UINT32_MAX) {
        partition_add(partition,
                (BpfRange){.low = (uint32_t)next, .high = UINT32_MAX, .action = otherwise});
    }
}

/* Is what follows a search among `n` ranges within a conditional jump's reach? Such a search is n
 * leaves and n - 1 forks, of one instruction each. */
static bool is_near(size_t n)
{
    return 2 * n - 1 <= UINT8_MAX;
}

/* Depth is the binary logarithm of the number of ranges, at most 10.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void emit_search(BpfCode *code, const BpfRange *ranges, size_t n)
{
    const size_t half = n / 2;
    size_t fork;

    if (n == 1) {
        if (ranges->label > 0) {
            emit(code, BPF_JMP | BPF_JA, 0, 0, LABEL_BASE + ranges->label);
        } else {
            bpf_ret(code, ranges->action);
        }
        return;
    }
    fork = code->n;
    if (is_near(half)) {
        emit(code, BPF_JMP | BPF_JGE | BPF_K, 0, 0, ranges[half].low);
    } else {
        emit(code, BPF_JMP | BPF_JGE | BPF_K, 0, 1, ranges[half].low);
        emit(code, BPF_JMP | BPF_JA, 0, 0, 0);
    }
    emit_search(code, ranges, half);
    if (code->overflow) {
        return;
    }
    if (is_near(half)) {
        code->insns[fork].jt = (uint8_t)(code->n - fork - 1);
    } else {
        code->insns[fork + 1].k = (uint32_t)(code->n - fork - 2);
    }
    emit_search(code, ranges + half, n - half);
}

void bpf_switch(BpfCode *code, const BpfRange *ranges, size_t n_ranges, uint32_t otherwise)
{
    Partition partition = {.n = 0};

    partition_fill(&partition, ranges, n_ranges, otherwise);
    if (partition.overflow) {
        code->overflow = true;
        return;
    }
    emit_search(code, partition.ranges, partition.n);
}

/* --- labels --- */

void bpf_place_label(BpfCode *code, uint32_t label)
{
    code->labels[label] = code->n;
}

int bpf_link(BpfCode *code)
{
    if (code->overflow) {
        return -E2BIG;
    }
    for (size_t i = 0; i < code->n; i++) {
        struct sock_filter *insn = &code->insns[i];
        size_t label;

        if (insn->code != (BPF_JMP | BPF_JA) || insn->k < LABEL_BASE) {
            continue;
        }
        label = insn->k - LABEL_BASE;
        if (label >= BPF_LABEL_N || code->labels[label] <= i) {
            return -EINVAL;
        }
        insn->k = (uint32_t)(code->labels[label] - i - 1);
    }
    return 0;
}
