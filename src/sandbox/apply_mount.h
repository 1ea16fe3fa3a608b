/* What private roots are made of. After fork, or in the template: no allocation, no lock. 0 or
 * -errno. Sources: mount(2), mount_setattr(2), mount_namespaces(7). */
#pragma once

#include <stdint.h>

/* The directories above `path`, where they are missing. `path` is changed and changed back. */
int apply_mount_parents(char *path);
/* A new file with this content. */
int apply_mount_file(const char *path, const char *text);
/* `attributes` (MOUNT_ATTR_*) are added to the mount whose top is `path` (and, with AT_RECURSIVE,
 * to all below it: before Linux 5.12 only the top can be changed). -EINVAL: `path` is no top. */
int apply_mount_set(const char *path, uint64_t attributes, unsigned flags);
/* What `source`, an O_PATH descriptor, shows, at `target`, which is made; as `kind` (enum
 * sandbox_mount_kind) says. Needs /proc. */
int apply_mount_bind(int source, const char *target, uint32_t kind);
/* Nothing where `target` is a directory. */
int apply_mount_hide(const char *target);
