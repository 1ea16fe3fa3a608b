/* Small helpers for every part, the apply side and the template included.
 * Nothing here allocates, blocks or touches errno except close_p(), which preserves it.
 * Everything is async-signal-safe and may be used after fork. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* <sys/param.h>, which libuv brings along, has the same two. */
#undef MIN
#undef MAX
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

/* Scope-bound cleanup: `_cleanup_(close_p) int fd = -1;` */
#define _cleanup_(f) __attribute__((cleanup(f)))

/* Closes *fd when it is one, keeps errno, leaves -1 behind. */
static inline void close_p(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        (void)close(*fd);
        errno = saved;
        *fd = -1;
    }
}

static inline void free_p(void *p)
{
    free(*(void **)p);
}

/* Gives an owned descriptor away: returns it and leaves -1 behind. */
static inline int take_fd(int *fd)
{
    int r = *fd;
    *fd = -1;
    return r;
}
