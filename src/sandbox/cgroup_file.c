#include "sandbox/cgroup_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"

int cgroup_file_read(int dir, const char *name, char *ret, size_t size)
{
    _cleanup_(close_p) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    size_t n = 0;

    if (fd < 0) {
        return -errno;
    }
    for (;;) {
        ssize_t got = read(fd, ret + n, size - n);

        if (got == 0 && n < size) {
            ret[n] = '\0';
            return 0;
        }
        if (got == 0) {
            return -E2BIG;
        }
        if (got < 0 && errno != EINTR) {
            return -errno;
        }
        n += got > 0 ? (size_t)got : 0;
    }
}

int cgroup_file_write(int dir, const char *name, const char *text)
{
    _cleanup_(close_p) int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0) {
        return -errno;
    }
    do {
        n = write(fd, text, strlen(text));
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

static const char *next_line(const char *p)
{
    p = strchr(p, '\n');
    return p ? p + 1 : NULL;
}

int cgroup_file_value(int dir, const char *name, const char *key, uint64_t *ret_value)
{
    char text[2048] = "";
    size_t n = key ? strlen(key) : 0;
    int r = cgroup_file_read(dir, name, text, sizeof(text));

    if (r < 0) {
        return r;
    }
    for (const char *p = text; p && *p; p = next_line(p)) {
        const char *number = !key ? p : strncmp(p, key, n) == 0 && p[n] == ' ' ? p + n + 1 : "";

        if (isdigit((unsigned char)*number)) {
            *ret_value = strtoull(number, NULL, 10);
            return 0;
        }
    }
    return -ENODATA;
}

bool cgroup_file_has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = text; (p = strstr(p, word)); p += n) {
        bool starts = p == text || isspace((unsigned char)p[-1]);

        if (starts && (p[n] == '\0' || isspace((unsigned char)p[n]))) {
            return true;
        }
    }
    return false;
}

/* One field of mountinfo, in which blanks and such are written as three octal digits; the end of
 * it, or NULL for one that does not fit. */
static const char *take_field(const char *p, char *ret, size_t size)
{
    size_t n = 0;

    while (*p && *p != ' ' && *p != '\n' && n + 1 < size) {
        if (p[0] == '\\' && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
                isdigit((unsigned char)p[3])) {
            ret[n++] = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            ret[n++] = *p++;
        }
    }
    ret[n] = '\0';
    return *p == ' ' ? p + 1 : *p == '\0' || *p == '\n' ? p : NULL;
}

/* ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS... - TYPE SOURCE OPTIONS: of a cgroup2 file system, the
 * root and the target. */
static bool parse_mount(const char *line, char *root, char *target, size_t size)
{
    const char *end = strchr(line, '\n');
    const char *type = strstr(line, " - ");
    char skipped[64];
    const char *p = line;

    if (!type || (end && type > end) || strncmp(type, " - cgroup2 ", 11) != 0) {
        return false;
    }
    for (int i = 0; i < 3 && p; i++) {
        p = take_field(p, skipped, sizeof(skipped));
    }
    p = p ? take_field(p, root, size) : NULL;
    return p && take_field(p, target, size);
}

/* "0::PATH" in /proc/PID/cgroup */
static bool own_cgroup(const char *cgroup, char *ret, size_t size)
{
    for (const char *p = cgroup; p && *p; p = next_line(p)) {
        if (strncmp(p, "0::", 3) == 0) {
            size_t n = strcspn(p + 3, "\n");

            if (n >= size) {
                return false;
            }
            memcpy(ret, p + 3, n);
            ret[n] = '\0';
            return true;
        }
    }
    return false;
}

int cgroup_path(const char *cgroup, const char *mountinfo, char *ret, size_t size)
{
    char path[512], root[512], target[512];

    if (!own_cgroup(cgroup, path, sizeof(path))) {
        return -ENOENT;
    }
    for (const char *line = mountinfo; line && *line; line = next_line(line)) {
        size_t n;

        if (!parse_mount(line, root, target, sizeof(root))) {
            continue;
        }
        n = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0')) {
            continue; /* shows another part of the tree */
        }
        n += path[n] == '/' && path[n + 1] == '\0'; /* no blank last part */
        if (strlen(target) + strlen(path + n) >= size) {
            return -ENAMETOOLONG;
        }
        memcpy(ret, target, strlen(target) + 1);
        memcpy(ret + strlen(target), path + n, strlen(path + n) + 1);
        return 0;
    }
    return -ENOENT;
}
