#include "sandbox/test_bpf_simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void check_jump(size_t at, uint32_t offset, size_t n)
{
    if (at + 1 + offset >= n) {
        fail_msg("instruction %zu jumps out of the program", at);
    }
}

void simulation_check(const struct sock_filter *insns, size_t n)
{
    assert_in_range(n, 1, BPF_MAXINSNS);
    for (size_t i = 0; i < n; i++) {
        switch (insns[i].code) {
        case BPF_LD | BPF_W | BPF_ABS:
            assert_int_equal(insns[i].k % 4, 0);
            assert_true(insns[i].k < sizeof(struct seccomp_data));
            break;
        case BPF_ALU | BPF_AND | BPF_K:
        case BPF_RET | BPF_K:
            break;
        case BPF_JMP | BPF_JA:
            check_jump(i, insns[i].k, n);
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            check_jump(i, insns[i].jt, n);
            check_jump(i, insns[i].jf, n);
            break;
        default:
            fail_msg("instruction %zu is of no kind known here: %#x", i, insns[i].code);
        }
    }
    assert_int_equal(insns[n - 1].code, BPF_RET | BPF_K);
}

uint32_t simulation_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *data,
        unsigned *ret_steps)
{
    uint32_t a = 0;
    unsigned steps = 0;

    for (size_t pc = 0; pc < n; pc++) {
        const struct sock_filter *insn = &insns[pc];

        steps++;
        switch (insn->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&a, (const char *)data + insn->k, sizeof(a));
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= insn->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += insn->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == insn->k ? insn->jt : insn->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += a >= insn->k ? insn->jt : insn->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += (a & insn->k) != 0 ? insn->jt : insn->jf;
            break;
        case BPF_RET | BPF_K:
            if (ret_steps) {
                *ret_steps = steps;
            }
            return insn->k;
        default:
            fail_msg("instruction %zu is of no kind known here: %#x", pc, insn->code);
        }
    }
    fail_msg("the program ran off its end");
    return 0;
}
