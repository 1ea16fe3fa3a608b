/* Reading a directory after fork, without allocation: getdents64(2) into a buffer of our own. The
 * posix build uses readdir(3), which allocates; there the keeper is the fork of a single-threaded
 * process, where that is safe.
 *
 * Ownership: the reader borrows `fd`, which stays the caller's. Blocks as the file system does. */
#pragma once

#include <stdint.h>

#include "base/macro.h"

struct apply_dir {
    int fd;
    void *stream; /* posix: DIR */
    int length;   /* bytes in `buffer` */
    int at;       /* of them read */
    _Alignas(8) char buffer[8192];
};

/* `name` is valid until the next call. is_dir: 1 yes, 0 no, -1 the file system does not say. */
struct apply_dir_entry {
    const char *name;
    uint64_t inode;
    int is_dir;
};

/* From the first entry on. 0 or -errno. */
int apply_dir_open(struct apply_dir *d, int fd);
/* The next entry but "." and "..": 1, or 0 at the end, or -errno. */
int apply_dir_next(struct apply_dir *d, struct apply_dir_entry *ret_entry);
void apply_dir_close(struct apply_dir *d);
