/* How the program looks:
 *
 *     right architecture?          else ENOSYS
 *     binary search by number      ends in a return, or
 *     argument rules               one block a rule, reached by a jump from the search
 *
 * The search is over ranges of numbers with the same outcome, some eight or nine steps. */
#include "sandbox/seccomp_program.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include "sandbox/bpf_code.h"
#include "sandbox/syscalls.h"

/* What becomes of each number, and the rules that are used. */
typedef struct Outcomes {
    BpfRange by_nr[SYSCALL_NR_END];
    SeccompRule *rules[BPF_LABEL_N]; /* by label; 0 is none */
    size_t n_rules;
} Outcomes;

int seccomp_arch_native(SeccompArch *ret_arch)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    *ret_arch = SECCOMP_ARCH_X86_64;
    return 0;
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
    *ret_arch = SECCOMP_ARCH_ARM64;
    return 0;
#else
    (void)ret_arch;
    return -EOPNOTSUPP;
#endif
}

static uint32_t audit_arch(SeccompArch arch)
{
    return arch == SECCOMP_ARCH_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
}

/* The label of a rule, one for all calls that share it. 0: no room. */
static uint32_t rule_label(Outcomes *outcomes, SeccompRule *rule)
{
    for (uint32_t label = 1; label <= outcomes->n_rules; label++) {
        if (outcomes->rules[label] == rule) {
            return label;
        }
    }
    if (outcomes->n_rules + 1 >= BPF_LABEL_N) {
        return 0;
    }
    outcomes->rules[++outcomes->n_rules] = rule;
    return (uint32_t)outcomes->n_rules;
}

static int add_row(Outcomes *outcomes, const Syscall *row, int nr)
{
    BpfRange *range;

    if (nr >= SYSCALL_NR_END) {
        return -EINVAL;
    }
    range = &outcomes->by_nr[nr];
    switch (row->class) {
    case SYSCALL_ALLOW:
        range->action = SECCOMP_RET_ALLOW;
        return 0;
    case SYSCALL_ENOSYS:
        range->action = SECCOMP_RET_ERRNO | ENOSYS;
        return 0;
    case SYSCALL_EPERM:
        range->action = SECCOMP_RET_ERRNO | EPERM;
        return 0;
    case SYSCALL_ARGS:
        range->action = 0;
        range->label = rule_label(outcomes, row->rule);
        return range->label > 0 ? 0 : -E2BIG;
    }
    return -EINVAL;
}

static int outcomes_fill(Outcomes *outcomes, SeccompArch arch)
{
    for (uint32_t nr = 0; nr < SYSCALL_NR_END; nr++) {
        outcomes->by_nr[nr] =
                (BpfRange){.low = nr, .high = nr, .action = SECCOMP_RET_ERRNO | ENOSYS};
    }
    for (size_t t = 0; t < SYSCALL_TABLE_N; t++) {
        const SyscallTable *table = syscall_tables[t];

        for (size_t i = 0; i < table->n_rows; i++) {
            const Syscall *row = &table->rows[i];
            const int nr = arch == SECCOMP_ARCH_X86_64 ? row->x86_64 : row->arm64;
            const int r = nr < 0 ? 0 : add_row(outcomes, row, nr);

            if (r < 0) {
                return r;
            }
        }
    }
    return 0;
}

static bool options_are_valid(const SeccompOptions *options)
{
    if (options->arch >= _SECCOMP_ARCH_N || options->n_protected > SECCOMP_PROTECTED_MAX) {
        return false;
    }
    for (size_t i = 0; i < options->n_protected; i++) {
        if (options->protected_pids[i] <= 0) {
            return false;
        }
    }
    return true;
}

int seccomp_program_build(
        const SeccompOptions *options, struct sock_filter *ret, size_t max, size_t *ret_n)
{
    Outcomes outcomes = {.n_rules = 0};
    BpfCode code;
    int r;

    if (!options_are_valid(options)) {
        return -EINVAL;
    }
    r = outcomes_fill(&outcomes, options->arch);
    if (r < 0) {
        return r;
    }
    bpf_init(&code, ret, max);
    bpf_load_arch(&code);
    bpf_ret_unless_equal(&code, audit_arch(options->arch), SECCOMP_RET_ERRNO | ENOSYS);
    bpf_load_nr(&code);
    bpf_switch(&code, outcomes.by_nr, SYSCALL_NR_END, SECCOMP_RET_ERRNO | ENOSYS);
    for (uint32_t label = 1; label <= outcomes.n_rules; label++) {
        bpf_place_label(&code, label);
        outcomes.rules[label](&code, options);
    }
    r = bpf_link(&code);
    if (r < 0) {
        return r;
    }
    *ret_n = code.n;
    return 0;
}
