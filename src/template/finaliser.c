/* Theory of operation: objects that would do something when they are destroyed
 *
 * Those with a finaliser (`__del__`, which is also what the interpreter calls those of its own
 * types: files, sockets, generators, tasks), and weak references with a callback. Objects are those
 * the collector knows of; a class whose instances it does not know of (`__slots__ = ()`) counts as
 * soon as it has a finaliser.
 *
 * What was there before the program started is no program's. It is known by its address, and kept,
 * so that no other object can come to that address; but for the standard streams, which end as in
 * any interpreter: they are known as long as sys leads to them.
 *
 * Nothing of the program's is run by looking: no attribute of an object is asked for whose type is
 * not the interpreter's own. */

#include "template/template.h"

#include <stdlib.h>
#include <string.h>

enum {
    HARMLESS_MAX = 512, /* types remembered */
    HARMLESS_TRIES = 8,
    STREAMS_MAX = 6 * 3, /* each with its buffer and its file */
};

typedef PyTypeObject *Types[HARMLESS_MAX]; /* that have no finaliser, by address */

static struct {
    Types harmless;          /* of those that can't change */
    PyObject *get_attribute; /* type.__getattribute__: asks no metaclass of the program's */
    PyObject *del;           /* "__del__" */
    PyTypeObject *function;  /* the type of Python functions */
    PyTypeObject *text;      /* io.TextIOWrapper */
    PyTypeObject *memory[2]; /* io.StringIO and io.BytesIO: files with no end to speak of */
    uintptr_t *before;       /* addresses of objects that are kept */
    size_t n_before, n_sorted, room;
    PyObject *streams[2 * STREAMS_MAX]; /* not kept */
    size_t n_streams;
    const PyObject *main_module; /* the program's; not kept */
} known;

/* Of one look. */
static struct {
    Types harmless; /* of the classes */
    bool has_harmless;
    PyObject *streams[STREAMS_MAX]; /* those that sys leads to now; borrowed */
    size_t n_streams;
    bool has_streams, saw_main;
} look;

/* types */

/* Of a class, what its own slots say: `__del__` may be an attribute that denies itself. */
static bool has_finaliser(PyTypeObject *type)
{
    PyObject *found;

    if (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) {
        return PyType_GetSlot(type, Py_tp_finalize) || PyType_GetSlot(type, Py_tp_del);
    }
    found = PyObject_CallFunctionObjArgs(known.get_attribute, (PyObject *)type, known.del, NULL);
    PyErr_Clear();
    Py_XDECREF(found);
    return found != NULL;
}

static bool is_weak(PyTypeObject *type)
{
    return PyType_IsSubtype(type, &_PyWeakref_RefType) ||
           PyType_IsSubtype(type, &_PyWeakref_ProxyType) ||
           PyType_IsSubtype(type, &_PyWeakref_CallableProxyType);
}

static bool type_may_matter(PyTypeObject *type)
{
    bool is_class = PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE;
    PyTypeObject **harmless = is_class ? look.harmless : known.harmless;
    size_t at = ((uintptr_t)type >> 5) % HARMLESS_MAX;

    for (int tries = 0; tries < HARMLESS_TRIES && harmless[at]; tries++) {
        if (harmless[at] == type) {
            return false;
        }
        at = (at + 1) % HARMLESS_MAX;
    }
    if (has_finaliser(type) || is_weak(type)) {
        return true;
    }
    harmless[at] = type; /* or in another's place, which is looked at again */
    look.has_harmless = look.has_harmless || is_class;
    return false;
}

/* weak references */

/* The interpreter's own weak dictionaries and sets remove an entry of theirs, abc one of its
 * caches, threading.local a thread's dictionary. */
static bool only_removes(PyObject *callback)
{
    static const char *const builtins[] = {"_destroy", "_localdummy_destroyed", "clear_locals"};
    bool removes = false;

    if (Py_TYPE(callback) == known.function) {
        return (state_attribute_is(callback, "__module__", "weakref") &&
                       state_attribute_is(callback, "__name__", "remove")) ||
               (state_attribute_is(callback, "__module__", "_weakrefset") &&
                       state_attribute_is(callback, "__name__", "_remove"));
    }
    for (size_t i = 0; i < ARRAY_SIZE(builtins) && PyCFunction_Check(callback); i++) {
        removes = removes || state_attribute_is(callback, "__name__", builtins[i]);
    }
    return removes;
}

static bool callback_matters(PyObject *reference)
{
    PyObject *callback = PyObject_GetAttrString(reference, "__callback__");
    bool matters = !callback || (callback != Py_None && !only_removes(callback));

    Py_XDECREF(callback);
    PyErr_Clear();
    return matters;
}

/* objects */

/* A generator or coroutine that has ended has no frame. */
static bool has_frame(PyObject *object, const char *attribute)
{
    PyObject *frame = PyObject_GetAttrString(object, attribute);
    bool has = frame != Py_None;

    Py_XDECREF(frame);
    PyErr_Clear();
    return has;
}

/* An object whose type has a finaliser. */
static bool finaliser_matters(PyObject *object)
{
    static const char *const frames[][2] = {
            {"generator", "gi_frame"}, {"coroutine", "cr_frame"}, {"async_generator", "ag_frame"}};
    PyTypeObject *type = Py_TYPE(object);

    if (type == known.memory[0] || type == known.memory[1]) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
        if (!(PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) &&
                state_attribute_is((PyObject *)type, "__name__", frames[i][0])) {
            return has_frame(object, frames[i][1]);
        }
    }
    return true;
}

/* A class whose instances the collector does not know of. */
static bool instances_are_hidden(PyObject *object)
{
    return PyType_Check(object) &&
           !(PyType_GetFlags((PyTypeObject *)object) & Py_TPFLAGS_HAVE_GC) &&
           has_finaliser((PyTypeObject *)object);
}

static bool matters(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);

    if (!type_may_matter(type)) {
        return instances_are_hidden(object);
    }
    if (PyType_IsSubtype(type, &_PyWeakref_RefType)) {
        return has_finaliser(type) || callback_matters(object);
    }
    return is_weak(type) || finaliser_matters(object); /* a proxy tells nothing */
}

/* what was there before */

static size_t add(PyObject **streams, size_t n, PyObject *object)
{
    if (object && n < STREAMS_MAX) {
        streams[n++] = object;
    }
    return n;
}

/* The streams that sys leads to, their buffers and files; borrowed. */
static size_t standard_streams(PyObject *ret_streams[STREAMS_MAX])
{
    static const char *const names[] = {
            "stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__"};
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        PyObject *stream = PySys_GetObject(names[i]); /* borrowed */
        PyObject *buffer = NULL, *raw = NULL;

        if (stream && Py_TYPE(stream) == known.text) {
            n = add(ret_streams, n, stream);
            buffer = PyObject_GetAttrString(stream, "buffer");
        }
        if (buffer && state_attribute_is((PyObject *)Py_TYPE(buffer), "__module__", "_io")) {
            n = add(ret_streams, n, buffer);
            raw = PyObject_GetAttrString(buffer, "raw");
            n = add(ret_streams, n, raw);
        }
        Py_XDECREF(buffer); /* which the stream holds */
        Py_XDECREF(raw);
        PyErr_Clear();
    }
    return n;
}

static bool is_among(PyObject *const *objects, size_t n, const PyObject *object)
{
    for (size_t i = 0; i < n; i++) {
        if (objects[i] == object) {
            return true;
        }
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

static bool is_kept(const PyObject *object)
{
    uintptr_t address = (uintptr_t)object;

    return known.n_sorted > 0 &&
           bsearch(&address, known.before, known.n_sorted, sizeof(address), compare);
}

static int keep(PyObject *object)
{
    if (known.n_before == known.room) {
        size_t room = known.room ? 2 * known.room : 64;
        uintptr_t *more = realloc(known.before, room * sizeof(*more));

        if (!more) {
            return -1;
        }
        known.before = more;
        known.room = room;
    }
    Py_INCREF(object); /* for ever */
    known.before[known.n_before++] = (uintptr_t)object;
    return 0;
}

void finaliser_note_streams(void)
{
    PyObject *streams[STREAMS_MAX];
    size_t n = standard_streams(streams);

    for (size_t i = 0; i < n && known.n_streams < ARRAY_SIZE(known.streams); i++) {
        if (!is_among(known.streams, known.n_streams, streams[i])) {
            known.streams[known.n_streams++] = streams[i];
        }
    }
}

bool finaliser_is_original(const PyObject *stream)
{
    return is_among(known.streams, known.n_streams, stream);
}

void finaliser_begin(void)
{
    if (look.has_harmless) {
        memset(look.harmless, 0, sizeof(look.harmless));
    }
    look.has_harmless = look.has_streams = look.saw_main = false;
}

int finaliser_baseline(PyObject *objects)
{
    Py_ssize_t n = PyList_Size(objects);
    int r = 0;

    finaliser_note_streams();
    finaliser_begin();
    for (Py_ssize_t i = 0; i < n && r == 0; i++) {
        PyObject *object = PyList_GetItem(objects, i); /* borrowed */

        if (matters(object) && !is_kept(object) && !finaliser_is_original(object)) {
            r = keep(object);
        }
    }
    if (known.n_before > 0) {
        qsort(known.before, known.n_before, sizeof(uintptr_t), compare);
    }
    known.n_sorted = known.n_before;
    return r;
}

static bool is_standard_stream(const PyObject *object)
{
    if (!look.has_streams) {
        look.n_streams = standard_streams(look.streams);
        look.has_streams = true;
    }
    return is_among(look.streams, look.n_streams, object);
}

static bool was_there(const PyObject *object)
{
    return is_kept(object) || (finaliser_is_original(object) && is_standard_stream(object));
}

bool finaliser_in(PyObject *objects)
{
    Py_ssize_t n = PyList_Size(objects);

    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *object = PyList_GetItem(objects, i); /* borrowed */

        look.saw_main = look.saw_main || object == known.main_module;
        if (matters(object) && !was_there(object)) {
            return true;
        }
    }
    return false;
}

void finaliser_note_main(const PyObject *module)
{
    known.main_module = module;
}

bool finaliser_saw_main(void)
{
    return look.saw_main;
}

static PyTypeObject *type_in(PyObject *module, const char *name)
{
    return (PyTypeObject *)(module ? PyObject_GetAttrString(module, name) : NULL);
}

int finaliser_init(void)
{
    PyObject *io = PyImport_ImportModule("_io"); /* loaded since the start, as the next one */
    PyObject *bootstrap = PyImport_ImportModule("_frozen_importlib");
    PyObject *function = bootstrap ? PyObject_GetAttrString(bootstrap, "_handle_fromlist") : NULL;

    known.get_attribute = PyObject_GetAttrString((PyObject *)&PyType_Type, "__getattribute__");
    known.del = PyUnicode_InternFromString("__del__");
    known.function = function ? Py_TYPE(function) : NULL;
    known.text = type_in(io, "TextIOWrapper");
    known.memory[0] = type_in(io, "StringIO");
    known.memory[1] = type_in(io, "BytesIO");
    Py_XDECREF(function);
    Py_XDECREF(bootstrap);
    Py_XDECREF(io);
    return known.get_attribute && known.del && known.function && known.text && known.memory[0] &&
                           known.memory[1]
                   ? 0
                   : -1;
}
