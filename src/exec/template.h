/* The supervisor's side of the template: the user's interpreter, started once, which only forks
 * workers.
 *
 * Life: DOWN -> STARTING (exec, hello, preload) -> READY (plan sent and taken) -> DOWN when it
 * ends. One that can't preload a module is started again without it, and stays STARTING.
 * template_start() may be called again whenever it is DOWN. Handlers are never called from inside
 * template_start() or template_spawn(). Ownership: the Template owns process, socket and the
 * strings of its info. Errors: 0 or -errno. Nothing blocks, except that the end of a template waits
 * for a process that has already been killed. Not for use after fork. */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "exec/preload.h"
#include "exec/runner.h"
#include "exec/settings.h"
#include "sandbox/plan.h"
#include "wire/wire.h"

enum {
    TEMPLATE_HELLO_TIMEOUT_MS = 20000,
    TEMPLATE_IMPORT_TIMEOUT_MS = 60000, /* of one module that is preloaded */
};

typedef struct Template Template;

typedef enum TemplateState { TEMPLATE_DOWN, TEMPLATE_STARTING, TEMPLATE_READY } TemplateState;

typedef struct TemplateHandlers {
    void (*on_hello)(void *userdata,
            const struct wire_hello *hello); /* template_info() is known; the plan is sent next */
    void (*on_ready)(void *userdata, Template *t);
    /* error: 0 or an errno */
    void (*on_spawned)(void *userdata, Template *t, uint64_t run, pid_t keeper_pid, int error);
    /* It has ended; `reason` says how, in words, with the last thing it wrote on stderr. */
    void (*on_ended)(void *userdata, Template *t, const char *reason);
} TemplateHandlers;

int template_new(Template **ret, uv_loop_t *loop, const Settings *settings,
        const struct sandbox_plan *plan, Preload *preload, const TemplateHandlers *handlers,
        void *userdata);
/* Another one like `t`, DOWN, which knows what `t` has found out about the interpreter. */
int template_new_like(Template **ret, const Template *t);
int template_start(Template *t);
TemplateState template_state(const Template *t);
pid_t template_pid(const Template *t);              /* 0 while DOWN */
const RunnerInfo *template_info(const Template *t); /* empty strings before the first hello */

/* The network namespace of a run: one of the template's, while its process lives. */
typedef struct TemplateNet {
    uint32_t number;
    uint32_t flags; /* enum wire_spawn_flags; 0: the run makes its own */
    uint64_t life;
} TemplateNet;

/* Asks for a worker; fds in the order of enum wire_spawn_fd stay the caller's, the last may be
 * -1. -ENOTCONN unless READY. */
int template_spawn(Template *t, uint64_t run, uint32_t host_uid, const char *run_dir,
        const int fds[_WIRE_SPAWN_FD_N], TemplateNet *ret_net);

/* Nothing of that run lives; `clean`: its network can be another run's. */
void template_free_net(Template *t, const TemplateNet *net, bool clean);

/* Ends it without a word; it is DOWN then. What it has forked lives on. */
void template_retire(Template *t);

/* The reaper tells how a child ended; true when it was the template. */
bool template_reaped(Template *t, pid_t pid, int wait_status);
Template *template_free(
        Template *t); /* ends it; its runs live on until their own supervisor's sockets close */
