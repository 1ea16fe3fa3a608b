/* The parts of the extension module, among themselves.
 *
 *   module.c   load, serve()       serve.c    the template's loop
 *   worker.c   from fork to GO     program.c  compiling and running main.py
 *   value.c    the last value      finish.c   the end of the process
 *   last.c     whether there is one
 *   rehearse.c what every run does leftover.c whether finalisation would be noticed
 *   preload.c  RUNNER_PRELOAD      finaliser.c and by which objects
 *   quitter.c  exit and quit       state.c    thread state and __main__
 *
 * Only what the limited API of Python 3.9 has (PEP 384), so that one file serves every later
 * version. PyObject results are new references; NULL or -1 with a Python error set is failure. */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/plan.h"
#include "wire/wire.h"

struct worker {
    struct apply_spawn spawn;
    int go_fd;
    struct wire_page *page;
    pid_t pid;
    char path[WIRE_PATH_MAX + 16]; /* of main.py, in the directory "work" of the run */
    int main_fd;                   /* on it, new and empty */
    uint64_t cpu_start_us;         /* used up before the program */
    bool rehearse;                 /* before it waits */
    bool always_finalize;
    bool near; /* on the processor that the supervisor wants next */
};

/* What serve() changed in the process and a program must find as the interpreter left it. */
struct process_state {
    sigset_t mask;
    struct sigaction child_action;
};

/* serve.c: until the supervisor goes; a forked worker never returns from it. */
int serve(void);

/* worker.c */
NORETURN void worker_run(struct worker *w, const struct process_state *original);

/* Then it rehearses, and says so. Not where its program is there already: it was asked for then. */
bool worker_will_wait(const struct worker *w);

/* HOME and TMPDIR are work/ and tmp/ in it. */
int worker_set_environment(const char *run_dir);

/* preload.c: imports the modules of the list; 0, or -errno with the stage that failed. Does not
 * return when a module can't be preloaded: the supervisor knows which and why. */
int preload_run(const struct sandbox_plan *plan, struct wire_preload *m, enum sandbox_stage *stage);
bool preload_was_done(void);
/* In the worker: makes it ready, and different from any other. */
int preload_after_fork(bool with_rehearsal);

/* state.c */
bool state_python_since(unsigned long hexversion);
PyObject *state_loaded(const char *name); /* in sys.modules: borrowed, or NULL without an error */
/* Whether it has that attribute, a string, with this ASCII text. `object` may be NULL. */
bool state_attribute_is(PyObject *object, const char *attribute, const char *text);
bool state_fresh_thread(void);                /* of which no frame shows; false: no memory */
PyObject *state_fresh_main(const char *path); /* replaces sys.modules['__main__'] */
int state_move_importer_cache(const char *path);
int state_hide_module(PyObject *module); /* our own, and the script that calls it */
PyObject *state_import_hidden(
        const char *name); /* built in; of which no program sees that we use it */

/* program.c: runs main.py, and the process ends. */
NORETURN void program_run(struct worker *w, PyObject *source, PyObject *main_module);
/* Compiles and runs a source of ours in `globals`. -1 with a Python error. */
int program_try(struct worker *w, PyObject *source, PyObject *globals);

/* rehearse.c: in the template, whose worker has no page, and in a worker that is going to wait.
 * Leaves nothing behind that a program could see. 0 or -1 with a Python error. */
int rehearse(struct worker *w);

/* finaliser.c: objects that would do something when they are destroyed. Lists are the collector's.
 */
int finaliser_init(void);                  /* -1 with a Python error */
int finaliser_baseline(PyObject *objects); /* these are there before the program; -1: no memory */
void finaliser_note_streams(void);         /* so are the streams of sys */
bool finaliser_is_original(const PyObject *stream);
void finaliser_begin(void); /* before some calls of the next one */
bool finaliser_in(PyObject *objects);
void finaliser_note_main(const PyObject *module);
/* Whether the program's __main__ was among those objects: where it is, all that the program made
 * is. */
bool finaliser_saw_main(void);

/* leftover.c */
int leftover_init(PyObject *gc); /* at load; -1 with a Python error */
int leftover_baseline(void);     /* before the program: what lives is not its */
int leftover_freeze(void);       /* after that */
/* Whether nothing is left that finalisation would disturb; then all is done but that. */
bool leftover_none(void);
void leftover_rehearse(void);
bool leftover_may_be_hidden(const char *code, size_t n); /* then leftover_none() can't tell */

/* value.c: repr(value) into the page. Never fails: what repr() raises becomes the text. */
void value_write(const struct worker *w, PyObject *value);
PyObject *value_sink_new(const struct worker *w); /* sink[None] = value writes it */

/* finish.c */
int finish_register(void); /* at load, before anything else registers a handler */
void finish_arm(const struct worker *w);
/* The interpreter's flush_io() after a script: sys.stderr, then sys.stdout. The exception that is
 * set stays. */
void finish_flush(void);
/* The exception that is set ends the program, or none does. Both take the reference to main. */
NORETURN void finish_program(const struct worker *w, PyObject *main_module);

NORETURN void finish_process(PyObject *main_module, int code, bool interrupted);

/* quitter.c */
int quitter_install(void);
