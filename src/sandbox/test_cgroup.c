/* The cgroup layer's texts, and what it does where nothing is delegated; that it holds where
 * something is, tests/vm shows. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macro.h"
#include "sandbox/cgroup.h"
#include "sandbox/cgroup_file.h"

static const char mounts[] =
        "22 1 0:5 / /proc rw - proc proc rw\n"
        "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";

typedef struct Case {
    const char *cgroup, *mountinfo;
    int result;
    const char *path;
} Case;

static const Case cases[] = {
        {"0::/user.slice/a.scope\n", mounts, 0, "/sys/fs/cgroup/user.slice/a.scope"},
        {"0::/\n", mounts, 0, "/sys/fs/cgroup"},
        /* hybrid: version 2 is the last line, and mounted elsewhere */
        {"9:name=systemd:/x\n4:memory:/y\n0::/z\n",
                "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
                0, "/sys/fs/cgroup/unified/z"},
        /* version 1 only */
        {"4:memory:/y\n", mounts, -ENOENT, NULL},
        {"0::/\n", "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", -ENOENT,
                NULL},
        /* only a part of the tree is mounted: ours, another, one whose name starts alike */
        {"0::/pod/b\n", "30 22 0:26 /pod /mnt rw - cgroup2 cgroup rw\n", 0, "/mnt/b"},
        {"0::/pod\n", "30 22 0:26 /pod /mnt rw - cgroup2 cgroup rw\n", 0, "/mnt"},
        {"0::/pod/b\n", "30 22 0:26 /other /mnt rw - cgroup2 cgroup rw\n", -ENOENT, NULL},
        {"0::/pod2/b\n", "30 22 0:26 /pod /mnt rw - cgroup2 cgroup rw\n", -ENOENT, NULL},
        /* blanks in a name, no optional fields, several of them */
        {"0::/a b\n", "30 22 0:26 / /c\\040d rw - cgroup2 cgroup rw\n", 0, "/c d/a b"},
        {"0::/a\n", "30 22 0:26 / /c rw shared:1 master:2 - cgroup2 cgroup rw", 0, "/c/a"},
        /* a mount that only looks like one */
        {"0::/a\n", "30 22 0:26 / /c rw - tmpfs - cgroup2 x\n", -ENOENT, NULL},
        {"", "", -ENOENT, NULL},
        {"0::/a\n", "30 22 0:26", -ENOENT, NULL},
};

static void test_path(void **state)
{
    char path[64];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        (void)strcpy(path, "untouched");
        assert_int_equal(cgroup_path(cases[i].cgroup, cases[i].mountinfo, path, sizeof(path)),
                cases[i].result);
        assert_string_equal(path, cases[i].path ? cases[i].path : "untouched");
    }
    assert_int_equal(cgroup_path("0::/abc\n", mounts, path, 18), -ENAMETOOLONG);
    assert_int_equal(cgroup_path("0::/abc\n", mounts, path, 19), 0);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(cgroup_file_has_word("cpuset cpu io memory pids\n", "memory"));
    assert_true(cgroup_file_has_word("memory", "memory"));
    assert_true(cgroup_file_has_word("pids.x pids\n", "pids"));
    assert_false(cgroup_file_has_word("cpuset\n", "cpu"));
    assert_false(cgroup_file_has_word("xmemory memory2\n", "memory"));
    assert_false(cgroup_file_has_word("", "memory"));
}

static void test_values(void **state)
{
    static const char text[] = "low 0\nmax 12\noom 3\noom_kill 4\noom_group_kill x\n";
    char path[] = "/tmp/test-cgroup-XXXXXX";
    char small[8];
    uint64_t value = 77;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(cgroup_file_write(AT_FDCWD, path, text), 0);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, "oom_kill", &value), 0);
    assert_int_equal(value, 4);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, "oom", &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, "kill", &value), -ENODATA);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, "oom_group_kill", &value), -ENODATA);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, NULL, &value), -ENODATA);
    assert_int_equal(cgroup_file_read(AT_FDCWD, path, small, sizeof(small)), -E2BIG);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(cgroup_file_write(AT_FDCWD, path, "4096\n"), 0);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, NULL, &value), 0);
    assert_int_equal(value, 4096);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(cgroup_file_value(AT_FDCWD, path, NULL, &value), -ENOENT);
    assert_int_equal(value, 4096);
    assert_int_equal(close(fd), 0);
}

/* The test's own runner shares our cgroup: nothing may be done to it. */
static void test_shared_cgroup(void **state)
{
    static struct sandbox_plan plan = {.sum_memory_bytes = 64 << 20, .processes = 4};
    static char before[65536], after[65536];
    SandboxLayer layer = {.name = "cgroup"};
    SandboxUsage usage = {.cpu_us = 1};
    SandboxRun *run = (SandboxRun *)&plan;

    (void)state;
    assert_int_equal(cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", before, sizeof(before)), 0);
    assert_false(cgroup_open(&layer, &plan));
    assert_true(layer.why[0] && layer.advice[0]);
    assert_int_equal(cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", after, sizeof(after)), 0);
    assert_string_equal(before, after);
    assert_int_equal(sandbox_run_new(&run, &plan, 1), 0);
    assert_null(run);
    assert_int_equal(sandbox_run_fd(run), -1);
    sandbox_run_kill(run);
    sandbox_run_usage(run, &usage);
    assert_int_equal(usage.cpu_us, 0);
    assert_null(sandbox_run_free(run));
    assert_int_equal(sandbox_runs_sweep(), 0);
    cgroup_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_path),
            cmocka_unit_test(test_words),
            cmocka_unit_test(test_values),
            cmocka_unit_test(test_shared_cgroup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
