/* Argument rules on calls that start, signal, steer and describe processes. */
#include <sched.h>
#include <sys/resource.h>

#include "sandbox/seccomp_rules.h"
#include "sandbox/seccomp_rules_internal.h"

#define NAMESPACE_FLAGS                                                                            \
    ((uint32_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |      \
                CLONE_NEWPID | CLONE_NEWNET))

#define PID_KEEPER 1u            /* in a pid namespace of the run's own */
#define PID_NEGATIVE 0x80000000u /* pids are int: from here on they are negative */

/* --- starting --- */

/* Flags are the first argument on both architectures, and the kernel looks at its low half
 * (kernel/fork.c, SYSCALL_DEFINE5(clone)). CLONE_NEWTIME lies where the exit signal does, so only
 * clone3 and unshare have it. CLONE_PARENT would give the keeper children it did not start. */
void seccomp_rule_clone(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    bpf_load_arg_low(code, 0);
    bpf_ret_if_any_bit(code, NAMESPACE_FLAGS | CLONE_PARENT, RET_ERROR(EPERM));
    bpf_ret(code, RET_ALLOW);
}

/* personality(2): unsigned int. 0xffffffff asks. */
void seccomp_rule_personality(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    bpf_load_arg_low(code, 0);
    bpf_ret_if_equal(code, 0xffffffffu, RET_ALLOW);
    bpf_ret_if_equal(code, 0, RET_ALLOW);
    bpf_ret(code, RET_ERROR(EPERM));
}

/* --- whose limits and priorities --- */

/* Refuses any process but the caller's own run; goes on where the argument names one that is. A
 * negative pid is no process: the kernel has the right error for it. */
static void refuse_others(BpfCode *code, const SeccompOptions *options, unsigned i)
{
    bpf_load_arg_low(code, i);
    if (options->pid_namespace) {
        bpf_ret_if_equal(code, PID_KEEPER, RET_ERROR(EPERM));
        return;
    }
    bpf_ret_if_at_least(code, PID_NEGATIVE, RET_ALLOW);
    bpf_ret_unless_equal(code, 0, RET_ERROR(EPERM));
}

void seccomp_rule_self(BpfCode *code, const SeccompOptions *options)
{
    refuse_others(code, options, 0);
    bpf_ret(code, RET_ALLOW);
}

/* prlimit(pid, resource, new, old), the pointers NULL or not. Setting the limit of core dumps seems
 * to succeed and does nothing: programs that want no dumps have what they want. */
void seccomp_rule_prlimit(BpfCode *code, const SeccompOptions *options)
{
    size_t low, high;

    refuse_others(code, options, 0);
    if (!options->core_limit_kept) {
        bpf_ret(code, RET_ALLOW);
        return;
    }
    bpf_load_arg_low(code, 1);
    bpf_ret_unless_equal(code, RLIMIT_CORE, RET_ALLOW);
    bpf_load_arg_low(code, 3);
    low = bpf_if_equal(code, 0);
    bpf_load_arg_high(code, 3);
    high = bpf_if_equal(code, 0);
    bpf_ret(code, RET_ERROR(0));
    bpf_end_if(code, high);
    bpf_end_if(code, low);
    /* It asks for the old limit, and may set a new one. */
    bpf_load_arg_low(code, 2);
    bpf_ret_unless_equal(code, 0, RET_ERROR(EPERM));
    bpf_load_arg_high(code, 2);
    bpf_ret_unless_equal(code, 0, RET_ERROR(EPERM));
    bpf_ret(code, RET_ALLOW);
}

void seccomp_rule_setrlimit(BpfCode *code, const SeccompOptions *options)
{
    bpf_load_arg_low(code, 0);
    if (options->core_limit_kept) {
        bpf_ret_if_equal(code, RLIMIT_CORE, RET_ERROR(0));
    }
    bpf_ret(code, RET_ALLOW);
}

/* sched_setscheduler(pid, policy, param). A real-time policy would starve the host's other work
 * where the host's limits let the user have it (audio groups do). The policies with
 * SCHED_RESET_ON_FORK are the same. */
void seccomp_rule_sched_setscheduler(BpfCode *code, const SeccompOptions *options)
{
    static const BpfRange policies[] = {
            {SCHED_OTHER, SCHED_OTHER, RET_ALLOW, 0},
            {SCHED_BATCH, SCHED_BATCH, RET_ALLOW, 0},
            {SCHED_IDLE, SCHED_IDLE, RET_ALLOW, 0},
    };

    refuse_others(code, options, 0);
    bpf_load_arg_low(code, 1);
    bpf_and(code, ~(uint32_t)SCHED_RESET_ON_FORK);
    bpf_switch(code, policies, N_ELEMENTS(policies), RET_ERROR(EPERM));
}

/* setpriority(which, who, nice): PRIO_PROCESS is 0. */
void seccomp_rule_setpriority(BpfCode *code, const SeccompOptions *options)
{
    bpf_load_arg_low(code, 0);
    bpf_ret_unless_equal(code, 0, RET_ERROR(EPERM));
    refuse_others(code, options, 1);
    bpf_ret(code, RET_ALLOW);
}

/* ioprio_set(which, who, priority): IOPRIO_WHO_PROCESS is 1. */
void seccomp_rule_ioprio_set(BpfCode *code, const SeccompOptions *options)
{
    bpf_load_arg_low(code, 0);
    bpf_ret_unless_equal(code, 1, RET_ERROR(EPERM));
    refuse_others(code, options, 1);
    bpf_ret(code, RET_ALLOW);
}

/* --- whom to signal --- */

static void refuse_protected(BpfCode *code, const SeccompOptions *options, unsigned i)
{
    bpf_load_arg_low(code, i);
    if (options->pid_namespace) {
        /* -1 is everybody but the namespace's init, which the keeper is. */
        bpf_ret_if_equal(code, PID_KEEPER, RET_ERROR(EPERM));
        return;
    }
    for (size_t p = 0; p < options->n_protected; p++) {
        const uint32_t pid = (uint32_t)options->protected_pids[p];

        bpf_ret_if_equal(code, pid, RET_ERROR(EPERM));
        bpf_ret_if_equal(code, 0u - pid, RET_ERROR(EPERM)); /* the group */
    }
    /* Everybody. Under Landlock's signal scope it reaches the run alone, but says 0 even where it
     * reached nobody (kernel/signal.c, kill_something_info). */
    bpf_ret_if_equal(code, 0u - 1u, RET_ERROR(EPERM));
}

void seccomp_rule_kill(BpfCode *code, const SeccompOptions *options)
{
    refuse_protected(code, options, 0);
    bpf_ret(code, RET_ALLOW);
}

void seccomp_rule_tgkill(BpfCode *code, const SeccompOptions *options)
{
    refuse_protected(code, options, 0);
    refuse_protected(code, options, 1);
    bpf_ret(code, RET_ALLOW);
}

void seccomp_rule_pidfd_send_signal(BpfCode *code, const SeccompOptions *options)
{
    bpf_ret(code, options->signals_scoped ? RET_ALLOW : RET_ERROR(EPERM));
}

/* --- whom to become --- */

/* The ids of a run are never root's. Refused here, since a user namespace without an id 0 answers
 * EINVAL, which no program expects of an ordinary user's setuid(0). */
static void refuse_root(BpfCode *code, unsigned n_ids)
{
    for (unsigned i = 0; i < n_ids; i++) {
        bpf_load_arg_low(code, i);
        bpf_ret_if_equal(code, 0, RET_ERROR(EPERM));
    }
    bpf_ret(code, RET_ALLOW);
}

void seccomp_rule_set_1_id(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    refuse_root(code, 1);
}

void seccomp_rule_set_2_ids(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    refuse_root(code, 2);
}

void seccomp_rule_set_3_ids(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    refuse_root(code, 3);
}
