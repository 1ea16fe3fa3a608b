/* The environment of template and programs: built from a table, so that nothing of the server's
 * leaks in. The worker sets HOME and TMPDIR to its own directories when its program starts. */
#pragma once

/* A new NULL-terminated vector for execve(2), freed by environment_free(). NULL when memory is
 * short. */
char **environment_new(void);
char **environment_free(char **env);
