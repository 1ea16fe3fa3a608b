#include "exec/preload.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

void preload_init(Preload *p, const char *modules, bool site_packages)
{
    *p = (Preload){.site_packages = site_packages};
    while (*modules && p->n < PRELOAD_MODULES_MAX) {
        size_t n = strcspn(modules, ",");

        (void)snprintf(p->modules[p->n++].name, PRELOAD_NAME_SIZE, "%.*s", (int)n, modules);
        modules += n + (modules[n] == ',');
    }
}

bool preload_message(const Preload *p, struct wire_preload *ret)
{
    size_t at = 0;

    *ret = (struct wire_preload){.h = {WIRE_PRELOAD, WIRE_VERSION}};
    for (size_t i = 0; i < p->n; i++) {
        if (!p->modules[i].left_out && at < sizeof(ret->modules)) {
            at += (size_t)snprintf(ret->modules + at, sizeof(ret->modules) - at, "%s%s",
                    at > 0 ? "," : "", p->modules[i].name);
        }
    }
    return at > 0;
}

PreloadModule *preload_module(Preload *p, size_t index)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!p->modules[i].left_out && index-- == 0) {
            return &p->modules[i];
        }
    }
    return NULL;
}

void preload_leave_out(Preload *p, PreloadModule *m, const char *reason)
{
    bool missing = strncmp(reason, "ModuleNotFoundError", strlen("ModuleNotFoundError")) == 0;

    m->left_out = true;
    m->loaded = false;
    (void)snprintf(m->reason, sizeof(m->reason), "%s%s", reason,
            missing && !p->site_packages
                    ? " (what is in site-packages is found with RUNNER_SITE_PACKAGES=true)"
                    : "");
    log_error(NULL, "RUNNER_PRELOAD: %s is not preloaded: %s; everything else works without it",
            m->name, m->reason);
}

bool preload_ended(Preload *p, PreloadModule *m, const char *how)
{
    char reason[WIRE_REASON_SIZE];

    m->ends++;
    if (m->ends < PRELOAD_ENDS_MAX) {
        log_warning(
                NULL, "the template %s while it imported %s; it is tried once more", how, m->name);
        return false;
    }
    (void)snprintf(reason, sizeof(reason), "the interpreter %s while it imported it", how);
    preload_leave_out(p, m, reason);
    return true;
}

void preload_done(Preload *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->modules[i].loaded = !p->modules[i].left_out;
        p->modules[i].ends = 0;
    }
}
