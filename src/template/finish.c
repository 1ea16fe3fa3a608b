/* Theory of operation: the end of a program
 *
 * As pymain_run_file() and Py_RunMain() do it: the streams are flushed, the exception is printed
 * (SystemExit ends the process there; nothing of ours may then hold __main__, or its objects would
 * never end), __file__ and __cached__ leave __main__, the interpreter is
 * finalised (threads awaited, atexit, finalisers), the process exits. Finalisation is left out
 * where nobody would notice (leftover.c).
 *
 * The end record is written by a handler that was registered before any other, so that the C
 * library runs it last (on_exit(3)): whatever called exit() and with whatever status. Only then are
 * stdout and stderr closed, which wakes the supervisor. A process that ends otherwise (a signal,
 * _exit, exec) leaves no record; the keeper reports those. */

#include "template/template.h"

#include "sandbox/apply_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STEP_ASIDE_NS = 300000 }; /* the answer is on its way by then */

static const struct worker *ending; /* NULL in the template */

/* Without waiting for a stream that another thread holds for ever. */
static void flush_stream(FILE *stream)
{
    if (ftrylockfile(stream) == 0) {
        (void)fflush(stream);
        funlockfile(stream);
    }
}

static void note_usage(struct wire_page *page)
{
    struct rusage self = {.ru_maxrss = 0}, children = {.ru_maxrss = 0};
    uint64_t used;

    (void)getrusage(RUSAGE_SELF, &self);
    (void)getrusage(RUSAGE_CHILDREN, &children);
    used = apply_rusage_us(&self) + apply_rusage_us(&children);
    page->cpu_us = used - MIN(used, ending->cpu_start_us);
    page->max_rss_kb = (uint32_t)apply_platform_max_rss_kb(MAX(self.ru_maxrss, children.ru_maxrss));
}

/* The supervisor, which we have just woken, is to have this processor before our tear-down has. */
static void step_aside(void)
{
    const struct timespec t = {.tv_nsec = STEP_ASIDE_NS};

    (void)nanosleep(&t, NULL);
}

static void write_end_record(int exit_code)
{
    struct wire_page *page;

    if (!ending || getpid() != ending->pid) {
        return;
    }
    page = ending->page;
    flush_stream(stdout);
    flush_stream(stderr);
    page->exit_code = exit_code & 0xff;
    note_usage(page);
    __atomic_store_n(&page->ended, 1, __ATOMIC_RELEASE);
    (void)close(STDERR_FILENO);
    (void)close(STDOUT_FILENO);
    if (ending->near) {
        step_aside();
    }
}

#if HAVE_ON_EXIT

static void on_process_exit(int status, void *unused)
{
    (void)unused;
    write_end_record(status);
}

int finish_register(void)
{
    return on_exit(on_process_exit, NULL) == 0 ? 0 : -1;
}

static void note_exit_code(int code)
{
    (void)code;
}

#else

/* atexit(3) does not tell the status: there is a record only where it was us who called exit(). */
static int noted_code = -1;

static void on_process_exit(void)
{
    if (noted_code >= 0) {
        write_end_record(noted_code);
    }
}

int finish_register(void)
{
    return atexit(on_process_exit) == 0 ? 0 : -1;
}

static void note_exit_code(int code)
{
    noted_code = code;
}

#endif

void finish_arm(const struct worker *w)
{
    ending = w;
}

static void flush_python_stream(const char *name)
{
    PyObject *stream = PySys_GetObject(name); /* borrowed */
    PyObject *result;

    if (stream) {
        Py_INCREF(stream);
        result = PyObject_CallMethod(stream, "flush", NULL);
        Py_XDECREF(result);
        Py_DECREF(stream);
        PyErr_Clear();
    }
}

void finish_flush(void)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    flush_python_stream("stderr");
    flush_python_stream("stdout");
    PyErr_Restore(type, value, trace);
}

static void delete_name(PyObject *dict, const char *name)
{
    if (PyDict_GetItemString(dict, name) && PyDict_DelItemString(dict, name) < 0) {
        PyErr_Clear();
    }
}

static void note_flag(const struct worker *w, uint32_t flag)
{
    if (getpid() == w->pid) {
        w->page->flags |= flag;
    }
}

/* Whether finalisation can be left out. */
static bool may_leave_out(const struct worker *w)
{
    bool may = !w->always_finalize && leftover_none();

    if (!may) {
        note_flag(w, WIRE_PAGE_FINALIZED);
    }
    return may;
}

static void die_of_interrupt(void)
{
    struct sigaction a = {.sa_handler = SIG_DFL};

    (void)sigemptyset(&a.sa_mask);
    if (sigaction(SIGINT, &a, NULL) == 0) {
        (void)kill(getpid(), SIGINT);
    }
    exit(128 + SIGINT); /* where the kernel did not do it */
}

/* A reference to the module if it is still what it was when we let it go. */
static PyObject *loaded_main(PyObject *former)
{
    PyObject *modules = PyImport_GetModuleDict();                                /* borrowed */
    PyObject *main = modules ? PyDict_GetItemString(modules, "__main__") : NULL; /* borrowed */

    if (main != former) {
        return NULL;
    }
    Py_XINCREF(main);
    return main;
}

/* What sys.exit(value) means as an exit code; -1: it has words for stderr, or code of its own. */
static long exit_code_of(PyObject *value)
{
    PyObject *code = NULL;
    long n = -1;

    if (!value || value == Py_None) {
        return 0;
    }
    if (Py_TYPE(value) == (PyTypeObject *)PyExc_SystemExit) {
        code = PyObject_GetAttrString(value, "code");
        value = code;
    }
    if (value == Py_None) {
        n = 0;
    } else if (value && PyLong_CheckExact(value)) {
        n = PyLong_AsLong(value);
        n = PyErr_Occurred() ? -1 : n & 0xff;
    }
    Py_XDECREF(code);
    PyErr_Clear();
    return n;
}

/* SystemExit, as PyErr_Print() ends the process on it, where that can be without finalisation. It
 * returns, and the error is set as before, where it can't. */
static void exit_quietly(const struct worker *w)
{
    PyObject *type, *value, *trace;
    long code;

    PyErr_Fetch(&type, &value, &trace);
    code = exit_code_of(value);
    if (code >= 0 && may_leave_out(w)) {
        note_exit_code((int)code);
        exit((int)code);
    }
    note_flag(w, WIRE_PAGE_FINALIZED);
    PyErr_Restore(type, value, trace);
}

void finish_program(const struct worker *w, PyObject *main_module)
{
    bool interrupted = PyErr_Occurred() == PyExc_KeyboardInterrupt;
    int code = 0;

    finish_flush();
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_SystemExit)) {
        exit_quietly(w);
    }
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
            note_flag(w, WIRE_PAGE_MEMORY_ERROR);
        }
        Py_DECREF(main_module);
        PyErr_Print(); /* SystemExit: does not return */
        main_module = loaded_main(main_module);
        code = 1;
    }
    finish_process(main_module, code, interrupted);
}

void finish_process(PyObject *main_module, int code, bool interrupted)
{
    if (main_module) {
        delete_name(PyModule_GetDict(main_module), "__file__");
        delete_name(PyModule_GetDict(main_module), "__cached__");
        Py_DECREF(main_module);
    }
    if (!ending || !may_leave_out(ending)) {
        code = Py_FinalizeEx() < 0 ? 120 : code;
    }
    if (interrupted) {
        die_of_interrupt();
    }
    note_exit_code(code);
    exit(code);
}
