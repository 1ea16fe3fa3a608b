/* Theory of operation: the end of a program
 *
 * As pymain_run_file() and Py_RunMain() do it: the streams are flushed, the exception is printed
 * (SystemExit ends the process there; nothing of ours may then hold __main__, or its objects would
 * never end), __file__ and __cached__ leave __main__, the interpreter is
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

/* The interpreter's flush_io() after a script. */
static void flush_python(void)
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

void finish_program(const struct worker *w, PyObject *main_module)
{
    bool interrupted = PyErr_Occurred() == PyExc_KeyboardInterrupt;
    int code = 0;

    flush_python();
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError) && getpid() == w->pid) {
            w->page->flags |= WIRE_PAGE_MEMORY_ERROR;
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
    if (Py_FinalizeEx() < 0) {
        code = 120;
    }
    if (interrupted) {
        die_of_interrupt();
    }
    note_exit_code(code);
    exit(code);
}
