/* Argument rules on prctl(2) and arch_prctl(2): the option is an int and decides alone. Numbers,
 * since no header has them all; they are the kernel's promise (include/uapi/linux/prctl.h,
 * arch/x86/include/uapi/asm/prctl.h). */
#include "sandbox/seccomp_rules.h"
#include "sandbox/seccomp_rules_internal.h"

/* An option that is not here is answered EINVAL, as of a kernel that does not know it. */
static const BpfRange prctl_options[] = {
        {1, 3, RET_ALLOW, 0},          /* SET_PDEATHSIG, GET_PDEATHSIG, GET_DUMPABLE */
        {4, 4, RET_ERROR(EPERM), 0},   /* SET_DUMPABLE: the keeper decided who may look */
        {7, 7, RET_ALLOW, 0},          /* GET_KEEPCAPS */
        {8, 8, RET_ERROR(EPERM), 0},   /* SET_KEEPCAPS */
        {13, 13, RET_ALLOW, 0},        /* GET_TIMING */
        {14, 14, RET_ERROR(EPERM), 0}, /* SET_TIMING */
        {15, 16, RET_ALLOW, 0},        /* SET_NAME, GET_NAME: thread names */
        {21, 21, RET_ALLOW, 0},        /* GET_SECCOMP */
        {22, 22, RET_ERROR(EPERM), 0}, /* SET_SECCOMP: as seccomp(2) */
        {23, 23, RET_ALLOW, 0},        /* CAPBSET_READ */
        {24, 24, RET_ERROR(EPERM), 0}, /* CAPBSET_DROP */
        {25, 25, RET_ALLOW, 0},        /* GET_TSC */
        {26, 26, RET_ERROR(EPERM), 0}, /* SET_TSC */
        {27, 27, RET_ALLOW, 0},        /* GET_SECUREBITS */
        {28, 28, RET_ERROR(EPERM), 0}, /* SET_SECUREBITS */
        {29, 30, RET_ALLOW, 0},        /* SET_TIMERSLACK, GET_TIMERSLACK: of oneself */
        {31, 33, RET_ERROR(EPERM), 0}, /* TASK_PERF_EVENTS_DISABLE, _ENABLE, MCE_KILL */
        {34, 34, RET_ALLOW, 0},        /* MCE_KILL_GET */
        {35, 35, RET_ERROR(EPERM), 0}, /* SET_MM: rewrites what /proc says of the process */
        {36, 37, RET_ALLOW, 0},        /* SET_CHILD_SUBREAPER, GET: init programs; inside the run */
        {38, 39, RET_ALLOW, 0},        /* SET_NO_NEW_PRIVS, GET: on already, and only goes on */
        {40, 42, RET_ALLOW, 0},        /* GET_TID_ADDRESS, SET_THP_DISABLE, GET */
        {47, 47, RET_ERROR(EPERM), 0}, /* CAP_AMBIENT */
        {50, 51, RET_ALLOW, 0},        /* SVE_SET_VL, SVE_GET_VL: vector length of arm64 */
        {52, 52, RET_ALLOW, 0},        /* GET_SPECULATION_CTRL */
        {53, 53, RET_ERROR(EPERM), 0}, /* SET_SPECULATION_CTRL: could take mitigations off */
        {54, 56, RET_ALLOW, 0},        /* PAC_RESET_KEYS, SET_TAGGED_ADDR_CTRL, GET: arm64 glibc */
        {57, 60, RET_ERROR(EPERM), 0}, /* SET_IO_FLUSHER, GET (both for administrators),
                                          SET_SYSCALL_USER_DISPATCH, PAC_SET_ENABLED_KEYS */
        {61, 61, RET_ALLOW, 0},        /* PAC_GET_ENABLED_KEYS */
        {62, 62, RET_ERROR(EPERM), 0}, /* SCHED_CORE: takes a pid */
        {63, 64, RET_ALLOW, 0},        /* SME_SET_VL, SME_GET_VL: as SVE */
        {65, 65, RET_ERROR(EPERM), 0}, /* SET_MDWE: compilers would die of it later */
        {66, 66, RET_ALLOW, 0},        /* GET_MDWE */
        {67, 67, RET_ERROR(EPERM), 0}, /* SET_MEMORY_MERGE: pages shared with strangers tell */
        {68, 68, RET_ALLOW, 0},        /* GET_MEMORY_MERGE */
        {74, 76, RET_ALLOW, 0},        /* GET_, SET_, LOCK_SHADOW_STACK_STATUS: arm64 glibc */
        {77, 78, RET_ERROR(EPERM), 0}, /* TIMER_CREATE_RESTORE_IDS, FUTEX_HASH */
        {0x41555856, 0x41555856, RET_ALLOW, 0},        /* GET_AUXV: one's own */
        {0x53564d41, 0x53564d41, RET_ALLOW, 0},        /* SET_VMA: names of own mappings */
        {0x59616d61, 0x59616d61, RET_ERROR(EPERM), 0}, /* SET_PTRACER: invites a debugger */
};

void seccomp_rule_prctl(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    bpf_load_arg_low(code, 0);
    bpf_switch(code, prctl_options, N_ELEMENTS(prctl_options), RET_ERROR(EINVAL));
}

static const BpfRange arch_prctl_options[] = {
        {0x1001, 0x1004, RET_ALLOW, 0},        /* SET_GS, SET_FS, GET_FS, GET_GS */
        {0x1011, 0x1011, RET_ALLOW, 0},        /* GET_CPUID */
        {0x1012, 0x1012, RET_ERROR(EPERM), 0}, /* SET_CPUID: makes cpuid fault */
        {0x1021, 0x1023, RET_ALLOW, 0}, /* GET_XCOMP_SUPP, GET_XCOMP_PERM, REQ_XCOMP_PERM: AMX */
        {0x1024, 0x1025, RET_ERROR(EPERM), 0}, /* the same for virtual machines */
        {0x2001, 0x2003, RET_ERROR(EPERM), 0}, /* MAP_VDSO_X32, _32, _64: checkpoint and restore */
        {0x4001, 0x4001, RET_ALLOW, 0},        /* GET_UNTAG_MASK */
        {0x5001, 0x5003, RET_ALLOW, 0},        /* SHSTK_ENABLE, _DISABLE, _LOCK: glibc's start */
        {0x5005, 0x5005, RET_ALLOW, 0},        /* SHSTK_STATUS */
};

void seccomp_rule_arch_prctl(BpfCode *code, const SeccompOptions *options)
{
    (void)options;
    bpf_load_arg_low(code, 0);
    bpf_switch(code, arch_prctl_options, N_ELEMENTS(arch_prctl_options), RET_ERROR(EINVAL));
}
