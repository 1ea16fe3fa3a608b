#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macro.h"
#include "sandbox/sandbox.h"

enum { OTHER_ID = 65533 };

static const SandboxLimits limits = {
        .memory_bytes = (uint64_t)256 << 20,
        .cpu_us = UINT64_C(10000000),
        .file_bytes = (uint64_t)10 << 20,
        .processes = 32,
        .concurrent = 4,
        .result_bytes_max = 80000,
};

static void test_values(void **state)
{
    struct sandbox_plan plan;

    (void)state;
    assert_int_equal(sandbox_plan_build(&limits, &plan), 0);
    assert_int_equal(plan.version, SANDBOX_PLAN_VERSION);
    assert_int_equal(plan.size, sizeof(plan));
    assert_int_equal(plan.memory_bytes, limits.memory_bytes);
    assert_int_equal(plan.cpu_us, limits.cpu_us);
    assert_int_equal(plan.file_bytes, limits.file_bytes);
    assert_int_equal(plan.result_bytes_max, limits.result_bytes_max);
    assert_true(plan.n_cpus >= 1);
}

/* RLIMIT_NPROC counts the whole user: what runs already, then a keeper and its processes a run. The
 * count is no older than a second. */
static int check_processes(void)
{
    struct sandbox_plan plan;
    uint64_t runs = (uint64_t)(limits.processes + 1) * limits.concurrent;
    uint32_t alone;
    int link[2];
    pid_t pid;

    if (pipe(link) < 0 || sandbox_plan_build(&limits, &plan) < 0) {
        return 1;
    }
    alone = sandbox_process_limit(&plan);
    if (alone < runs + 1) {
        return 1;
    }
    pid = fork();
    if (pid == 0) {
        char byte;
        (void)close(link[1]);
        _exit(read(link[0], &byte, 1) == 0 ? 0 : 1); /* lives as long as its parent wants */
    }
    if (pid < 0 || sandbox_process_limit(&plan) != alone) {
        return 2; /* it has just been counted */
    }
    (void)usleep(1100000); /* the count's life, not an event */
    return sandbox_process_limit(&plan) == alone + 1 ? 0 : 3;
}

static void test_processes_of_a_user(void **state)
{
    int status = -1;
    pid_t pid;

    (void)state;
    pid = fork();
    if (pid == 0) {
        _exit(geteuid() == 0 && (setgid(OTHER_ID) < 0 || setuid(OTHER_ID) < 0) ? 99
                                                                               : check_processes());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (geteuid() == 0) { /* nobody else runs as that user */
        assert_int_equal(status, 0);
    } else {
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) % 3 == 0);
    }
}

static void test_processes_of_root(void **state)
{
    struct sandbox_plan plan;

    (void)state;
    assert_int_equal(sandbox_plan_build(&limits, &plan), 0);
    assert_int_equal(sandbox_process_limit(&plan) == 0, getuid() == 0);
    plan.layers |= SANDBOX_NAMESPACES;
    assert_int_equal(sandbox_process_limit(&plan), limits.processes + 1);
}

static void test_nonsense(void **state)
{
    struct sandbox_plan plan = {.version = 77};
    SandboxLimits none = limits;

    (void)state;
    none.memory_bytes = 0;
    assert_int_equal(sandbox_plan_build(&none, &plan), -EINVAL);
    assert_int_equal(plan.version, 77);
}

static void test_words(void **state)
{
    const char *const *gaps = sandbox_gaps();
    bool told = false;

    (void)state;
    for (uint32_t i = 0; i < _SANDBOX_STAGE_N; i++) {
        assert_non_null(sandbox_stage_name(i));
        assert_true(strlen(sandbox_stage_name(i)) > 0);
    }
    assert_non_null(sandbox_stage_name(_SANDBOX_STAGE_N));
    assert_non_null(sandbox_stage_name(UINT32_MAX));
    assert_string_equal(sandbox_tier(), "rlimits");
    for (; *gaps; gaps++) {
        told = told || strstr(*gaps, "RUNNER_MAX_PROCESSES") != NULL;
        assert_int_equal((*gaps)[strlen(*gaps) - 1], '.');
    }
    assert_true(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_values),
            cmocka_unit_test(test_processes_of_a_user),
            cmocka_unit_test(test_processes_of_root),
            cmocka_unit_test(test_nonsense),
            cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
