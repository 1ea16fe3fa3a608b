/* Theory of operation: what a program leaves behind
 *
 * Py_FinalizeEx() takes the interpreter apart, object by object: milliseconds in a forked process,
 * since every page it touches is copied first. All of it goes with the process anyway. So it is
 * left out where nobody could notice: stdout and stderr can be flushed, and nothing that lives at
 * the end would do anything when it is destroyed. Any doubt is a reason to finalise, which then
 * does all of it, in its own order (Python/pylifecycle.c):
 *
 * - threads that still run, callbacks that the program gave to atexit or threading
 * - what collections report: gc.callbacks, gc.garbage, debug flags
 * - objects that the program has frozen, which nothing lists. Where we have frozen a preload, the
 *   count goes down as those objects die, and only the program's text tells
 * - warnings of unclosed resources, where the program asked for them
 * - audit hooks: they hear of finalisation, and nothing can tell whether there are any but the
 *   program's text
 * - what can look at the interpreter from below, after its end (ctypes), and sub-interpreters
 * - objects with a finaliser (`__del__`, which is also what the interpreter calls those of its own
 *   types: files, sockets, generators, tasks), and weak references with a callback
 *
 * Objects are those the collector knows of. A class whose instances it does not know of
 * (`__slots__ = ()`) counts as soon as it has a finaliser. What was there before the program
 * started, in the template, is no program's, and known by its address.
 *
 * The collector's oldest generation is everything the template has made, so it is looked through
 * only when a collection may have moved objects of the program there. */

#include "template/template.h"

#include <stdlib.h>
#include <string.h>

enum {
    HARMLESS_MAX = 512, /* types remembered */
    HARMLESS_TRIES = 8,
    OLDEST_GENERATION = 2,
    ONE_ATEXIT_SINCE = 0x030a0000,
    NO_GENERATIONS_SINCE = 0x030e0000, /* 3.14: gc.get_objects(generation) means something else */
};

static struct {
    PyObject *gc, *atexit;   /* modules, not in sys.modules on account of us */
    PyObject *get_attribute; /* type.__getattribute__: asks no metaclass of the program's */
    PyObject *del;           /* "__del__" */
    uintptr_t *before;       /* what of the template would count: sorted addresses */
    size_t n_before, room;
    PyObject *buffers[2]; /* io.StringIO and io.BytesIO: files with no end to speak of */
    bool has_ctypes;
    long n_exit_functions, n_frozen;
    long long collections; /* that move objects into the oldest generation, so far */
} known;

/* Types that were looked at and have no finaliser; by address. Emptied before each look. */
static PyTypeObject *harmless[HARMLESS_MAX];

static long long count_collections(void)
{
    PyObject *stats = PyObject_CallMethod(known.gc, "get_stats", NULL);
    long long n = stats ? 0 : -1;

    for (Py_ssize_t i = 1; stats && i < PyList_Size(stats); i++) {
        PyObject *one =
                PyDict_GetItemString(PyList_GetItem(stats, i), "collections"); /* borrowed */
        n += one ? PyLong_AsLongLong(one) : 0;
    }
    Py_XDECREF(stats);
    return n;
}

/* types */

static bool has_finaliser(PyTypeObject *type)
{
    PyObject *found =
            PyObject_CallFunctionObjArgs(known.get_attribute, (PyObject *)type, known.del, NULL);

    if (!found) {
        PyErr_Clear();
    }
    Py_XDECREF(found);
    return found != NULL;
}

static bool type_may_matter(PyTypeObject *type)
{
    size_t at = ((uintptr_t)type >> 5) % HARMLESS_MAX;

    for (int tries = 0; tries < HARMLESS_TRIES && harmless[at]; tries++) {
        if (harmless[at] == type) {
            return false;
        }
        at = (at + 1) % HARMLESS_MAX;
    }
    if (has_finaliser(type) || PyType_IsSubtype(type, &_PyWeakref_RefType) ||
            PyType_IsSubtype(type, &_PyWeakref_ProxyType) ||
            PyType_IsSubtype(type, &_PyWeakref_CallableProxyType)) {
        return true;
    }
    harmless[at] = type; /* or in another's place, which is looked at again */
    return false;
}

/* objects */

static bool is_of_module(PyObject *function, const char *name)
{
    PyObject *module = function ? PyObject_GetAttrString(function, "__module__") : NULL;
    bool is = module && PyUnicode_Check(module) &&
              PyUnicode_CompareWithASCIIString(module, name) == 0;

    Py_XDECREF(module);
    PyErr_Clear();
    return is;
}

static bool attribute_is_none(PyObject *object, const char *name)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    bool is = value == Py_None;

    Py_XDECREF(value);
    PyErr_Clear();
    return is;
}

/* The interpreter's own weak dictionaries and sets remove an entry of theirs, and abc an entry of
 * its caches. */
static bool callback_matters(PyObject *reference)
{
    PyObject *callback = PyObject_GetAttrString(reference, "__callback__");
    bool matters = callback && callback != Py_None && !PyCFunction_Check(callback) &&
                   !is_of_module(callback, "weakref") && !is_of_module(callback, "_weakrefset");

    PyErr_Clear();
    Py_XDECREF(callback);
    return matters;
}

static bool is_builtin_type(PyTypeObject *type, const char *name)
{
    PyObject *own = PyObject_GetAttrString((PyObject *)type, "__name__");
    bool is = !(PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) && own &&
              PyUnicode_CompareWithASCIIString(own, name) == 0;

    Py_XDECREF(own);
    PyErr_Clear();
    return is;
}

/* An object whose type has a finaliser. */
static bool finaliser_matters(PyObject *object)
{
    static const char *const frames[][2] = {
            {"generator", "gi_frame"}, {"coroutine", "cr_frame"}, {"async_generator", "ag_frame"}};
    PyTypeObject *type = Py_TYPE(object);

    if ((PyObject *)type == known.buffers[0] || (PyObject *)type == known.buffers[1]) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
        if (is_builtin_type(type, frames[i][0])) {
            return !attribute_is_none(object, frames[i][1]); /* it has ended */
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

    if (type_may_matter(type)) {
        if (PyType_IsSubtype(type, &_PyWeakref_RefType)) {
            return callback_matters(object) || has_finaliser(type);
        }
        return !has_finaliser(type) || finaliser_matters(object); /* a proxy tells nothing */
    }
    return instances_are_hidden(object);
}

/* what was there before */

static int compare(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

static bool was_there(PyObject *object)
{
    uintptr_t address = (uintptr_t)object;

    return known.n_before > 0 &&
           bsearch(&address, known.before, known.n_before, sizeof(address), compare) != NULL;
}

static int note(PyObject *object)
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
    known.before[known.n_before++] = (uintptr_t)object;
    return 0;
}

void leftover_ignore(PyObject *object)
{
    if (note(object) == 0) {
        qsort(known.before, known.n_before, sizeof(uintptr_t), compare);
    }
}

/* looking */

/* generation -1: all. */
static PyObject *get_objects(int generation)
{
    return generation < 0 ? PyObject_CallMethod(known.gc, "get_objects", NULL)
                          : PyObject_CallMethod(known.gc, "get_objects", "i", generation);
}

static bool any_object_matters(int generation)
{
    PyObject *objects = get_objects(generation);
    Py_ssize_t n = objects ? PyList_Size(objects) : 0;
    bool any = objects == NULL;

    for (Py_ssize_t i = 0; i < n && !any; i++) {
        PyObject *object = PyList_GetItem(objects, i); /* borrowed */
        any = matters(object) && !was_there(object);
    }
    Py_XDECREF(objects);
    PyErr_Clear();
    return any;
}

static bool objects_matter(void)
{
    memset(harmless, 0, sizeof(harmless));
    if (state_python_since(NO_GENERATIONS_SINCE) || count_collections() != known.collections) {
        return any_object_matters(-1);
    }
    for (int i = 0; i < OLDEST_GENERATION; i++) {
        if (any_object_matters(i)) {
            return true;
        }
    }
    return false;
}

static bool list_is_empty(PyObject *object, const char *name)
{
    PyObject *list = PyObject_GetAttrString(object, name);
    bool is = list && PyList_Check(list) && PyList_Size(list) == 0;

    Py_XDECREF(list);
    PyErr_Clear();
    return is;
}

static long call_for_long(PyObject *object, const char *name)
{
    PyObject *value = PyObject_CallMethod(object, name, NULL);
    long n = value ? PyLong_AsLong(value) : -1;

    Py_XDECREF(value);
    PyErr_Clear();
    return n;
}

static bool is_loaded(const char *name)
{
    return PyDict_GetItemString(PyImport_GetModuleDict(), name) != NULL;
}

static bool collector_reports(void)
{
    return !list_is_empty(known.gc, "callbacks") || !list_is_empty(known.gc, "garbage") ||
           call_for_long(known.gc, "get_debug") != 0 ||
           (is_loaded("gc") && call_for_long(known.gc, "get_freeze_count") > known.n_frozen);
}

/* Of a warning that a filter is for, by its category. */
static bool shows(PyObject *action, bool has_conditions, bool *ret_decided)
{
    bool ignores =
            PyUnicode_Check(action) && PyUnicode_CompareWithASCIIString(action, "ignore") == 0;

    *ret_decided = !ignores || !has_conditions; /* else it shows none that the next one would not */
    return !ignores;
}

/* The first filter that fits decides: warnings.filters. */
static bool resource_warnings_show(void)
{
    PyObject *modules = PyImport_GetModuleDict();                 /* borrowed */
    PyObject *module = PyDict_GetItemString(modules, "warnings"); /* borrowed */
    PyObject *filters = NULL;
    bool show = true;

    module = module ? module : PyDict_GetItemString(modules, "_warnings");
    filters = module ? PyObject_GetAttrString(module, "filters") : NULL;
    for (Py_ssize_t i = 0; filters && PyList_Check(filters) && i < PyList_Size(filters); i++) {
        PyObject *filter = PyList_GetItem(filters, i); /* borrowed */
        PyObject *action, *text, *category, *where, *line;

        if (!PyTuple_Check(filter) ||
                !PyArg_ParseTuple(filter, "OOOOO", &action, &text, &category, &where, &line)) {
            break;
        }
        if (PyType_Check(category) &&
                PyType_IsSubtype((PyTypeObject *)PyExc_ResourceWarning, (PyTypeObject *)category)) {
            bool decided;

            show = shows(action, text != Py_None || where != Py_None, &decided);
            if (decided) {
                break;
            }
        }
    }
    Py_XDECREF(filters);
    PyErr_Clear();
    return show;
}

/* threading has a list of callbacks of its own; the pools' have nothing to do without threads. */
static bool has_thread_callbacks(PyObject *threading)
{
    PyObject *list = PyObject_GetAttrString(threading, "_threading_atexits");
    bool has = list && !PyList_Check(list);

    for (Py_ssize_t i = 0; list && !has && i < PyList_Size(list); i++) {
        PyObject *partial = PyList_GetItem(list, i); /* borrowed */
        PyObject *function = PyObject_GetAttrString(partial, "func");

        has = !is_of_module(function ? function : partial, "concurrent.futures.thread");
        Py_XDECREF(function);
        PyErr_Clear();
    }
    Py_XDECREF(list);
    PyErr_Clear();
    return has;
}

static bool threads_matter(void)
{
    PyObject *modules = PyImport_GetModuleDict();                     /* borrowed */
    PyObject *module = PyDict_GetItemString(modules, "_thread");      /* borrowed */
    PyObject *threading = PyDict_GetItemString(modules, "threading"); /* borrowed */
    PyObject *shutdown = threading ? PyObject_GetAttrString(threading, "_shutdown") : NULL;
    bool matter = !module || call_for_long(module, "_count") != 0;

    if (threading) {
        matter = matter || !is_of_module(shutdown, "threading") || has_thread_callbacks(threading);
    }
    Py_XDECREF(shutdown);
    PyErr_Clear();
    return matter;
}

/* Sub-interpreters are ended, and some versions say so. Through ctypes the C library's exit
 * handlers may be the program's, and see what finalisation has freed. */
static bool looks_below(void)
{
    return is_loaded("_interpreters") || is_loaded("_xxsubinterpreters") ||
           (!known.has_ctypes && is_loaded("_ctypes"));
}

/* the end */

/* Until 3.10 the callbacks belong to a module, later to the interpreter. Borrowed; may be NULL. */
static PyObject *atexit_module(void)
{
    return state_python_since(ONE_ATEXIT_SINCE)
                   ? known.atexit
                   : PyDict_GetItemString(PyImport_GetModuleDict(), "atexit");
}

static long count_exit_functions(void)
{
    PyObject *atexit = atexit_module();

    return atexit ? call_for_long(atexit, "_ncallbacks") : 0;
}

/* Those of preloaded modules. They print their own errors. */
static void run_exit_functions(void)
{
    PyObject *atexit = known.n_exit_functions > 0 ? atexit_module() : NULL;
    PyObject *result = atexit ? PyObject_CallMethod(atexit, "_run_exitfuncs", NULL) : NULL;

    Py_XDECREF(result);
    PyErr_Clear();
}

/* The stream the interpreter was started with, open, and flushed now. */
static bool flush_own(const char *name, const char *own_name)
{
    PyObject *stream = PySys_GetObject(name), *own = PySys_GetObject(own_name); /* borrowed */
    PyObject *result = NULL;

    if (stream && stream == own && was_there(stream)) {
        result = PyObject_CallMethod(stream, "flush", NULL);
    }
    Py_XDECREF(result);
    PyErr_Clear(); /* finalisation says it again, and has the exit code for it */
    return result != NULL;
}

static bool flush(void)
{
    return flush_own("stdout", "__stdout__") && flush_own("stderr", "__stderr__");
}

bool leftover_none(void)
{
    bool none = known.gc && !threads_matter() && count_exit_functions() == known.n_exit_functions &&
                flush() && !looks_below() && !collector_reports() && !resource_warnings_show() &&
                !objects_matter();

    if (none && known.n_exit_functions > 0) {
        run_exit_functions();
        none = flush();
    }
    return none;
}

void leftover_rehearse(void)
{
    (void)(known.gc && !threads_matter() && count_exit_functions() == known.n_exit_functions &&
            flush() && !looks_below() && !collector_reports() && !resource_warnings_show() &&
            objects_matter());
}

bool leftover_may_be_audited(const char *code, size_t n)
{
    return memmem(code, n, "addaudithook", strlen("addaudithook")) != NULL ||
           (known.n_frozen > 0 && memmem(code, n, "freeze", strlen("freeze")) != NULL);
}

/* in the template */

int leftover_init(PyObject *gc)
{
    PyObject *io = PyImport_ImportModule("_io"); /* loaded since the start */

    known.get_attribute = PyObject_GetAttrString((PyObject *)&PyType_Type, "__getattribute__");
    known.del = PyUnicode_InternFromString("__del__");
    Py_INCREF(gc);
    known.gc = gc;
    known.atexit = state_import_hidden("atexit");
    known.buffers[0] = io ? PyObject_GetAttrString(io, "StringIO") : NULL;
    known.buffers[1] = io ? PyObject_GetAttrString(io, "BytesIO") : NULL;
    Py_XDECREF(io);
    return known.get_attribute && known.del && known.atexit && known.buffers[0] && known.buffers[1]
                   ? 0
                   : -1;
}

/* Only what the baseline has looked at: nothing lists it afterwards. */
int leftover_freeze(void)
{
    PyObject *result = PyObject_CallMethod(known.gc, "freeze", NULL);

    Py_XDECREF(result);
    known.n_frozen = call_for_long(known.gc, "get_freeze_count");
    return result ? 0 : -1;
}

int leftover_baseline(void)
{
    PyObject *objects = get_objects(-1);
    Py_ssize_t n = objects ? PyList_Size(objects) : -1;
    int r = n < 0 ? -1 : 0;

    memset(harmless, 0, sizeof(harmless));
    for (Py_ssize_t i = 0; i < n && r == 0; i++) {
        PyObject *object = PyList_GetItem(objects, i); /* borrowed */
        r = matters(object) ? note(object) : 0;
    }
    Py_XDECREF(objects);
    PyErr_Clear();
    if (known.n_before > 0) {
        qsort(known.before, known.n_before, sizeof(uintptr_t), compare);
    }
    known.collections = count_collections();
    known.has_ctypes = is_loaded("_ctypes");
    known.n_exit_functions = count_exit_functions();
    return r;
}
