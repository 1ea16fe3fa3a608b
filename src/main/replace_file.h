/* A file of somebody else, read, and later replaced as a whole, without a moment in which it is not
 * whole and without a byte lost.
 *
 * Theory of operation: links are followed once, at the beginning, and the file they lead to is what
 * is replaced. The new text is written beside it under another name, with its mode and owner, and
 * synced. A copy of the old text stays under a name with the date. Then, under a lock of the
 * directory that other processes of this program respect, the file is read again; only when it is
 * what was read at first the new one takes its name (rename(2)).
 * A file that is not there yet is made with link(2), which never takes the place of another one.
 *
 * Errors: 0 or negative with one sentence in `error`, and the file is as it was. Blocks. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { REPLACE_FILE_MAX = 64 << 20 }; /* bytes of a file */

typedef struct ReplaceFile {
    char path[PATH_MAX]; /* links followed */
    bool exists;
    struct stat st;
    char *text; /* NUL behind it; "" when it does not exist */
    size_t n;
    char error[2 * PATH_MAX];
    char backup[PATH_MAX]; /* after replace_file_write(); "" when there was nothing to keep */
} ReplaceFile;

int replace_file_read(ReplaceFile *f, const char *path);
/* Makes the folders that are missing. -ESTALE: it was changed since it was read. */
int replace_file_write(ReplaceFile *f, const void *data, size_t n);
void replace_file_deinit(ReplaceFile *f);
