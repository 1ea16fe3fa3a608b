/* The control files of cgroups: small texts that the kernel makes as they are read. Errors: 0 or
 * -errno. Nothing is allocated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text with a NUL behind it; -E2BIG for more than fits. */
int cgroup_file_read(int dir, const char *name, char *ret, size_t size);
int cgroup_file_write(int dir, const char *name, const char *text);
/* The number that follows `key` at the start of a line; key NULL: the first number. -ENODATA where
 * there is none. Untouched ret_value then. */
int cgroup_file_value(int dir, const char *name, const char *key, uint64_t *ret_value);
/* Words are separated by blanks and newlines. */
bool cgroup_file_has_word(const char *text, const char *word);
/* Where in the file system the cgroup of a process is, from the texts of its /proc/PID/cgroup and
 * /proc/PID/mountinfo, proc(5). Pure. 0, -ENOENT: there is no version 2 or it is not mounted, or
 * -ENAMETOOLONG. */
int cgroup_path(const char *cgroup, const char *mountinfo, char *ret, size_t size);
