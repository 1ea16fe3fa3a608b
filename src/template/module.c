/* The extension module: what has to be set before the first program, and serve(). */

#include "template/template.h"

#if HAVE_MALLOPT
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdio.h>

enum { THREAD_STACK_BYTES = 4 * 1024 * 1024 };

/* A thread costs address space, which is limited: glibc reserves 64 MiB for each further arena
 * (mallopt(3)) and 8 MiB for each stack. With these, 31 idle threads fit into 256 MiB. */
static int set_memory_use(void)
{
#if HAVE_MALLOPT
    (void)mallopt(M_ARENA_MAX, 1);
#endif
#if HAVE_PTHREAD_SETATTR_DEFAULT_NP
    pthread_attr_t attributes;
    int r;

    if (pthread_attr_init(&attributes) != 0) {
        return -1;
    }
    r = pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    if (r == 0) {
        r = pthread_setattr_default_np(&attributes);
    }
    (void)pthread_attr_destroy(&attributes);
    return r == 0 ? 0 : -1;
#else
    return 0;
#endif
}

/* What was printed so far is there when a program is killed. */
static int set_line_buffering(void)
{
    PyObject *stream = PySys_GetObject("stdout"); /* borrowed */
    PyObject *reconfigure, *none, *options, *result = NULL;

    if (!stream || stream == Py_None) {
        return 0;
    }
    reconfigure = PyObject_GetAttrString(stream, "reconfigure");
    none = PyTuple_New(0);
    options = Py_BuildValue("{s:O}", "line_buffering", Py_True);
    if (reconfigure && none && options) {
        result = PyObject_Call(reconfigure, none, options);
    }
    Py_XDECREF(reconfigure);
    Py_XDECREF(none);
    Py_XDECREF(options);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

static PyObject *module_serve(PyObject *self, PyObject *args)
{
    (void)args;
    if (state_hide_module(self) < 0 || serve() < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int module_exec(PyObject *module)
{
    (void)module;
    if (finish_register() < 0 || set_memory_use() < 0) {
        PyErr_SetString(PyExc_OSError, "the C library refuses a setting that programs need");
        return -1;
    }
    return set_line_buffering() < 0 || quitter_install() < 0 ? -1 : 0;
}

static PyMethodDef methods[] = {
        {"serve", module_serve, METH_NOARGS, NULL},
        {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, module_exec},
        {0, NULL},
};

static struct PyModuleDef definition = {
        .m_base = PyModuleDef_HEAD_INIT,
        .m_name = "_python_runner",
        .m_size = 0,
        .m_methods = methods,
        .m_slots = slots,
};

PyMODINIT_FUNC PyInit__python_runner(void);

PyMODINIT_FUNC PyInit__python_runner(void)
{
    return PyModuleDef_Init(&definition);
}
