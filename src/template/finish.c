/* Theory of operation: the end of a program
 *
 * As pymain_run_file() and Py_RunMain() do it: the streams are flushed, the exception is printed
 * (SystemExit ends the process there), __file__ and __cached__ leave __main__, the interpreter is
 * finalised (threads awaited, atexit, finalisers), the process exits.
 *
 * The end record is written by a handler that was registered before any other, so that the C
 * library runs it last (on_exit(3)): whatever called exit() and with whatever status. Only then are
 * stdout and stderr closed, which wakes the supervisor. A process that ends otherwise (a signal,
 * _exit, exec) leaves no record; the keeper reports those. */

#include "template/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct worker *ending; /* NULL in the template */
static PyObject *gc_unfreeze;

/* Without waiting for a stream that another thread holds for ever. */
static void flush_stream(FILE *stream)
{
    if (ftrylockfile(stream) == 0) {
        (void)fflush(stream);
        funlockfile(stream);
    }
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
    __atomic_store_n(&page->ended, 1, __ATOMIC_RELEASE);
    (void)close(STDOUT_FILENO);
    (void)close(STDERR_FILENO);
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

void finish_keep_gc(PyObject *gc)
{
    gc_unfreeze = PyObject_GetAttrString(gc, "unfreeze");
    PyErr_Clear();
}

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

/* The interpreter's flush_io() after a script, and objects become collectable again: finalisation
 * is to find the cycles it always finds. */
static void settle(void)
{
    PyObject *type, *value, *trace, *result;

    PyErr_Fetch(&type, &value, &trace);
    flush_python_stream("stderr");
    flush_python_stream("stdout");
    result = gc_unfreeze ? PyObject_CallObject(gc_unfreeze, NULL) : NULL;
    Py_XDECREF(result);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

static void delete_name(PyObject *dict, const char *name)
{
    if (PyDict_GetItemString(dict, name) && PyDict_DelItemString(dict, name) < 0) {
        PyErr_Clear();
    }
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

void finish_program(const struct worker *w, PyObject *main_dict)
{
    bool interrupted = PyErr_Occurred() == PyExc_KeyboardInterrupt;
    int code = 0;

    settle();
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError) && getpid() == w->pid) {
            w->page->flags |= WIRE_PAGE_MEMORY_ERROR;
        }
        PyErr_Print(); /* SystemExit: does not return */
        code = 1;
    }
    finish_process(main_dict, code, interrupted);
}

void finish_process(PyObject *main_dict, int code, bool interrupted)
{
    delete_name(main_dict, "__file__");
    delete_name(main_dict, "__cached__");
    if (Py_FinalizeEx() < 0) {
        code = 120;
    }
    if (interrupted) {
        die_of_interrupt();
    }
    note_exit_code(code);
    exit(code);
}
