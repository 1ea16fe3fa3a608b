/* Theory of operation: the rehearsal
 *
 * A forked process shares its pages until it writes to them, and has none of the interpreter's code
 * in its page tables: the first of everything costs a page fault, and a run of a small program is
 * little else. So a worker that is going to wait first runs a program of ours by the same functions
 * that its own will take: then these pages are its own. The template does so too, for what the
 * interpreter makes once and keeps (the node types of the parser's trees).
 *
 * The program must not be able to tell. The rehearsal loads no module and makes no object that
 * outlives it; it prints to /dev/null; what it has written into the page is taken back. It makes no
 * cycles, which would live on until a collection. */

#include "template/template.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Strings, numbers, containers, a function, an exception; output. */
static const char program[] = "def square(n):\n"
                              "    return n * n\n"
                              "\n"
                              "numbers = [square(n) for n in range(20)]\n"
                              "words = {str(n): n / 3 for n in numbers}\n"
                              "try:\n"
                              "    words['none']\n"
                              "except KeyError as e:\n"
                              "    text = repr(e)\n"
                              "print(sum(numbers), f'{len(words):>5} {max(words.values()):.3f}', "
                              "sorted(words)[0], text.upper())\n";

static int run(struct worker *w, const char *source)
{
    PyObject *code = PyBytes_FromString(source);
    PyObject *globals = PyDict_New();
    PyObject *name = PyUnicode_FromString("__main__");
    int r = -1;

    if (code && globals && name && PyDict_SetItemString(globals, "__name__", name) == 0 &&
            PyDict_SetItemString(globals, "__builtins__", PyImport_AddModule("builtins")) == 0) {
        r = program_try(w, code, globals);
    }
    if (globals) {
        PyDict_Clear(globals); /* functions and their globals are a cycle */
    }
    Py_XDECREF(name);
    Py_XDECREF(globals);
    Py_XDECREF(code);
    return r;
}

static void clear_page(struct wire_page *page)
{
    memset(page->result, 0, page->head_bytes + page->tail_bytes);
    memset(page, 0, sizeof(*page));
}

int rehearse(struct worker *w)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int r = -1;

    if (null >= 0 && own >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
        r = run(w, "[n * 2 for n in (1, 2)]\n"); /* the way that takes a value */
        r = r < 0 ? r : run(w, program);
        if (r == 0) {
            leftover_rehearse();
        }
        (void)dup2(own, STDOUT_FILENO);
    } else {
        (void)PyErr_SetFromErrno(PyExc_OSError);
    }
    close_p(&null);
    close_p(&own);
    if (w->page) {
        clear_page(w->page);
    }
    return r;
}
