/* exit and quit, which `-S` leaves out (without it they are the site module's own). They belong to
 * no module of ours: no frame of a runner shows when they raise, and repr() and behaviour are those
 * of the site module's. */

#include "template/template.h"

#include <structmember.h>

struct quitter {
    PyObject_HEAD PyObject *name;
    PyObject *eof;
};

static void quitter_dealloc(PyObject *self)
{
    struct quitter *q = (struct quitter *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(q->name);
    Py_XDECREF(q->eof);
    release(self);
    Py_DECREF(type);
}

static PyObject *quitter_repr(PyObject *self)
{
    struct quitter *q = (struct quitter *)self;

    return PyUnicode_FromFormat("Use %U() or %U to exit", q->name, q->eof);
}

static PyObject *quitter_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {(char *)"code", NULL};
    PyObject *code = Py_None, *stream, *closed = NULL;

    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:__call__", names, &code)) {
        return NULL;
    }
    stream = PySys_GetObject("stdin"); /* borrowed */
    if (stream) {
        closed = PyObject_CallMethod(stream, "close", NULL);
    }
    Py_XDECREF(closed);
    PyErr_Clear();
    PyErr_SetObject(PyExc_SystemExit, code);
    return NULL;
}

static PyMemberDef quitter_members[] = {
        {"name", T_OBJECT_EX, offsetof(struct quitter, name), 0, NULL},
        {"eof", T_OBJECT_EX, offsetof(struct quitter, eof), 0, NULL},
        {NULL, 0, 0, 0, NULL},
};

static PyType_Slot quitter_slots[] = {
        {Py_tp_dealloc, quitter_dealloc},
        {Py_tp_repr, quitter_repr},
        {Py_tp_call, quitter_call},
        {Py_tp_members, quitter_members},
        {0, NULL},
};

static PyType_Spec quitter_spec = {
        .name = "_sitebuiltins.Quitter",
        .basicsize = sizeof(struct quitter),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = quitter_slots,
};

static int install_one(PyObject *type, PyObject *builtins, const char *name)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    PyObject *object = allocate((PyTypeObject *)type, 0);
    struct quitter *q = (struct quitter *)object;
    int r;

    if (!object) {
        return -1;
    }
    q->name = PyUnicode_FromString(name);
    q->eof = PyUnicode_FromString("Ctrl-D (i.e. EOF)");
    r = q->name && q->eof ? PyObject_SetAttrString(builtins, name, object) : -1;
    Py_DECREF(object);
    return r;
}

int quitter_install(void)
{
    PyObject *builtins = PyImport_AddModule("builtins"); /* borrowed */
    PyObject *type;
    int r = -1;

    if (builtins && PyDict_GetItemString(PyModule_GetDict(builtins), "exit")) {
        return 0;
    }
    type = builtins ? PyType_FromSpec(&quitter_spec) : NULL;
    if (type) {
        r = install_one(type, builtins, "exit");
        if (r == 0) {
            r = install_one(type, builtins, "quit");
        }
        Py_DECREF(type);
    }
    return r;
}
