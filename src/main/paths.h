/* Where this executable is, and what belongs to it.
 *
 * An installed tree may be moved anywhere: the template's files are found relative to the
 * executable (uv_exepath(): /proc/self/exe on Linux), never by a path of the machine that built it.
 * Ownership: returned strings live as long as the process. Blocks shortly (stat(2)). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Once, at start; argv0 is used where the system does not tell the executable's path. */
void paths_init(const char *argv0);
const char *paths_executable(void); /* absolute; NULL when it can't be found out */

/* The directory with the template's main.py and its extension module. 0, or -ENOENT with one line
 * in ret_error that says where it was looked for. */
int paths_template_dir(const char **ret_dir, char *ret_error, size_t error_size);

/* Finds `name` on PATH (the system's default path where PATH is not set): the first executable
 * regular file. `name` without a slash. The result is absolute, on the heap. 0, -ENOENT, -ENOMEM.
 */
int paths_search(const char *name, char **ret_path);
/* `path` itself, or below the current directory when it is relative; `..` and links are left as
 * they are. On the heap. 0, -errno of getcwd(3), -ENOMEM. */
int paths_absolute(const char *path, char **ret_path);
/* 0 when it is a regular file that we may execute; -ENOENT, -EISDIR, -EACCES, ... */
int paths_executable_check(const char *path);
