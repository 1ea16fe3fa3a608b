/* The argument rules of the system call policy: what the class ARGS in syscalls.h refers to. Each
 * writes instructions that end in a return for every argument.
 *
 * Halves: a register has 64 bits. Where the kernel takes an int it looks at the low half alone, and
 * so must the rule, or 0x1'0000'0001 would pass for something else than 1. No rule here concerns an
 * argument that the kernel reads with 64 bits.
 *
 * A rule sees registers, not memory: where the decisive value lies behind a pointer (clone3,
 * F_SETOWN_EX, sched_setattr) the whole thing is refused. Pure, no errors. */
#pragma once

#include "sandbox/bpf_code.h"
#include "sandbox/seccomp_program.h"

void seccomp_rule_clone(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_fcntl(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_ioctl(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_mknod(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_mknodat(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_personality(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_prctl(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_arch_prctl(BpfCode *code, const SeccompOptions *options);

/* The first argument is a process or thread to look at or change: itself, see SeccompOptions. */
void seccomp_rule_self(BpfCode *code, const SeccompOptions *options);
/* Limits; see core_limit_kept. */
void seccomp_rule_prlimit(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_setrlimit(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_sched_setscheduler(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_setpriority(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_ioprio_set(BpfCode *code, const SeccompOptions *options);

/* The first argument is whom to signal; of tgkill the second as well. */
void seccomp_rule_kill(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_tgkill(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_pidfd_send_signal(BpfCode *code, const SeccompOptions *options);

/* The first 1, 2 or 3 arguments are user or group ids to become. */
void seccomp_rule_set_1_id(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_set_2_ids(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_set_3_ids(BpfCode *code, const SeccompOptions *options);

void seccomp_rule_watch(BpfCode *code, const SeccompOptions *options);

void seccomp_rule_socket(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_socketpair(BpfCode *code, const SeccompOptions *options);
void seccomp_rule_setsockopt(BpfCode *code, const SeccompOptions *options);
