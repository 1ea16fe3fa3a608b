/* apply_remove_tree() on trees such as a program can leave. Root is stopped by no mode, so some of
 * it runs as an ordinary user, whoever runs the test. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macro.h"
#include "sandbox/apply.h"

enum { DEPTH = 10000, WIDTH = 3000, FOREIGN = 100, OTHER_ID = 65534 };

static char base[64];

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(base, sizeof(base), "/tmp/test-remove-XXXXXX");
    return mkdtemp(base) ? 0 : -1;
}

static int exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static void make_file(int at, const char *name)
{
    int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

static int go_down(int at, const char *name)
{
    int fd;

    assert_int_equal(mkdirat(at, name, 0700), 0);
    fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)close(at);
    return fd;
}

static int open_base(void)
{
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static void assert_removed(void)
{
    assert_int_equal(apply_remove_tree(base), 0);
    assert_false(exists(base));
}

static void test_missing(void **state)
{
    (void)state;
    assert_int_equal(apply_remove_tree(base), 0);
    assert_int_equal(apply_remove_tree(base), 0);
}

static void test_deep(void **state)
{
    int fd = open_base();

    (void)state;
    for (int i = 0; i < DEPTH; i++) {
        fd = go_down(fd, "d");
    }
    make_file(fd, "f");
    (void)close(fd);
    assert_removed();
}

static void test_wide(void **state)
{
    int fd = open_base();

    (void)state;
    for (int i = 0; i < WIDTH; i++) {
        char name[32];
        int below;

        (void)snprintf(name, sizeof(name), "%d", i);
        make_file(fd, name);
        (void)snprintf(name, sizeof(name), "d%d", i);
        below = go_down(dup(fd), name);
        make_file(below, "f");
        (void)close(below);
    }
    (void)close(fd);
    assert_removed();
}

static void test_names(void **state)
{
    int fd = open_base();

    (void)state;
    for (int c = 1; c < 256; c++) {
        char name[3] = {(char)c, 'x', '\0'};
        if (c != '/') {
            make_file(fd, name);
        }
    }
    make_file(fd, "...");
    make_file(fd, "-rf");
    (void)close(fd);
    assert_removed();
}

static void test_links_and_kinds(void **state)
{
    char outside[80], kept[100];
    int fd = open_base();

    (void)state;
    (void)snprintf(outside, sizeof(outside), "%s-outside", base);
    (void)snprintf(kept, sizeof(kept), "%s/kept", outside);
    assert_int_equal(mkdir(outside, 0700), 0);
    make_file(AT_FDCWD, kept);
    assert_int_equal(symlinkat(outside, fd, "directory"), 0);
    assert_int_equal(symlinkat(kept, fd, "file"), 0);
    assert_int_equal(symlinkat("nowhere", fd, "dangling"), 0);
    assert_int_equal(symlinkat(".", fd, "self"), 0);
    assert_int_equal(mkfifoat(fd, "fifo", 0), 0);
    assert_int_equal(linkat(AT_FDCWD, kept, fd, "hard", 0), 0);
    (void)close(fd);
    assert_removed();
    assert_true(exists(kept));
    assert_int_equal(apply_remove_tree(outside), 0);
}

static void test_modes(void **state)
{
    int fd = go_down(open_base(), "a");

    (void)state;
    make_file(fd, "f");
    assert_int_equal(mkdirat(fd, "b", 0700), 0);
    assert_int_equal(mkdirat(fd, "b/c", 0700), 0);
    assert_int_equal(fchmodat(fd, "b/c", 0, 0), 0);
    assert_int_equal(fchmodat(fd, "b", 0, 0), 0);
    assert_int_equal(fchmod(fd, 0), 0);
    (void)close(fd);
    assert_int_equal(chmod(base, 0), 0);
    assert_removed();
}

/* Runs `f` as an ordinary user, which is asserted to return 0. */
static void as_user(int (*f)(void))
{
    pid_t pid = fork();
    int status = -1;

    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(setgid(OTHER_ID) < 0 || setuid(OTHER_ID) < 0 ? 99 : f());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int make_and_remove_modes(void)
{
    if (chdir(base) < 0 || mkdir("a", 0700) < 0 || mkdir("a/b", 0700) < 0 ||
            mkdir("a/b/c", 0700) < 0 || chmod("a/b", 0) < 0 || chmod("a", 0) < 0 ||
            chmod(".", 0) < 0) {
        return 1;
    }
    return apply_remove_tree(base) == 0 ? 0 : 2;
}

static void test_modes_as_user(void **state)
{
    (void)state;
    assert_int_equal(chown(base, OTHER_ID, OTHER_ID), 0);
    as_user(make_and_remove_modes);
    assert_false(exists(base));
}

static int remove_in_part(void)
{
    return apply_remove_tree(base) == -EACCES ? 0 : 1;
}

/* What can't be removed is named, is not entered for ever, and the rest goes. */
static void test_foreign(void **state)
{
    char path[80];
    int fd = open_base();

    (void)state;
    for (int i = 0; i < FOREIGN; i++) { /* root's, each with a file that the user can't remove */
        int below;

        (void)snprintf(path, sizeof(path), "foreign%d", i);
        below = go_down(dup(fd), path);
        make_file(below, "f");
        (void)close(below);
        (void)snprintf(path, sizeof(path), "own%d", i);
        make_file(fd, path);
    }
    (void)close(fd);
    assert_int_equal(chown(base, OTHER_ID, OTHER_ID), 0);
    as_user(remove_in_part);
    for (int i = 0; i < FOREIGN; i++) {
        (void)snprintf(path, sizeof(path), "%s/own%d", base, i);
        assert_false(exists(path));
        (void)snprintf(path, sizeof(path), "%s/foreign%d/f", base, i);
        assert_true(exists(path));
    }
    assert_removed();
}

static int tear_down(void **state)
{
    (void)state;
    (void)apply_remove_tree(base);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_missing, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_wide, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_links_and_kinds, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_modes, set_up, tear_down),
    };
    const struct CMUnitTest of_root[] = {
            /* only root can make what another can't remove */
            cmocka_unit_test_setup_teardown(test_modes_as_user, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_foreign, set_up, tear_down),
    };
    int r = cmocka_run_group_tests(tests, NULL, NULL);

    if (r == 0 && geteuid() == 0) {
        r = cmocka_run_group_tests(of_root, NULL, NULL);
    }
    return r;
}
