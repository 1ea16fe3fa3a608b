/* What RUNNER_PRELOAD names, and what became of each module. One for all templates of a server: a
 * module that could not be preloaded in one is not tried in the next.
 *
 * The strings live as long as the Preload. Pure; not for use after fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/wire.h"

enum {
    PRELOAD_MODULES_MAX = 32,
    PRELOAD_NAME_SIZE = 128,
    PRELOAD_ENDS_MAX = 2, /* so often may a template end without a word while it imports a module:
                             somebody may have killed it */
};

typedef struct PreloadModule {
    char name[PRELOAD_NAME_SIZE];
    bool left_out;
    bool loaded; /* in the newest template */
    unsigned ends;
    char reason[WIRE_REASON_SIZE]; /* of being left out */
} PreloadModule;

typedef struct Preload {
    PreloadModule modules[PRELOAD_MODULES_MAX];
    size_t n;
    bool site_packages;
} Preload;

/* `modules`: good names with commas between them. */
void preload_init(Preload *p, const char *modules, bool site_packages);
/* Those that are still to be preloaded, as the template wants them. False: none is. */
bool preload_message(const Preload *p, struct wire_preload *ret);
/* The module with that place in the message; NULL when there is none. */
PreloadModule *preload_module(Preload *p, size_t index);
/* It stays out from now on; logs why. */
void preload_leave_out(Preload *p, PreloadModule *m, const char *reason);
/* The template has ended while it imported the module. True when that was once too often. */
bool preload_ended(Preload *p, PreloadModule *m, const char *how);
void preload_done(Preload *p); /* the template is ready: all that are not left out are loaded */
