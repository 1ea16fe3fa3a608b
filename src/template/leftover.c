/* Theory of operation: what a program leaves behind
 *
 * Py_FinalizeEx() takes the interpreter apart, object by object: milliseconds in a forked process,
 * since every page it touches is copied first. All of it goes with the process anyway. So it is
 * left out where nobody could notice: stdout and stderr can be flushed, and nothing that lives at
 * the end would do anything when it is destroyed. Any doubt is a reason to finalise, which then
 * does all of it, in its own order (Python/pylifecycle.c):
 *
 * - threads that still run, callbacks that the program gave to atexit or threading
 * - who follows every call (sys.settrace, sys.setprofile, sys.monitoring)
 * - what collections report: gc.callbacks, gc.garbage, debug flags
 * - objects that the program has frozen, which nothing lists: its __main__ is not listed then
 * either
 * - warnings of unclosed resources, where the program asked for them
 * - audit hooks: they hear of finalisation, and nothing can tell whether there are any but the
 *   program's text
 * - what can look at the interpreter from below, after its end (ctypes), and sub-interpreters
 * - objects that would do something (finaliser.c)
 *
 * The collector's oldest generation is everything the template has made, so it is looked through
 * only when objects of the program may have got there. */

#include "template/template.h"

#include <stdlib.h>
#include <string.h>

enum {
    OLDEST_GENERATION = 2,
    ONE_ATEXIT_SINCE = 0x030a0000,
    MONITORING_SINCE = 0x030c0000,
    MONITORING_TOOLS = 6,              /* sys.monitoring: identifiers 0 to 5 */
    NO_GENERATIONS_SINCE = 0x030e0000, /* 3.14: gc.get_objects(generation) means something else */
};

/* The interpreter's own, whatever the program puts in their places. */
static struct {
    PyObject *get_objects, *get_stats, *get_debug, *freeze; /* of gc */
    PyObject *callbacks, *garbage;                          /* likewise: lists */
    PyObject *gettrace, *getprofile, *count_threads;
    PyObject *atexit; /* a module, not in sys.modules on account of us */
    bool has_ctypes, has_gc;
    long n_exit_functions;
    long long collections; /* that move objects into the oldest generation, so far */
} known;

static long long count_collections(void)
{
    PyObject *stats = PyObject_CallFunctionObjArgs(known.get_stats, NULL);
    long long n = stats ? 0 : -1;

    for (Py_ssize_t i = 1; stats && i < PyList_Size(stats); i++) {
        PyObject *one =
                PyDict_GetItemString(PyList_GetItem(stats, i), "collections"); /* borrowed */
        n += one ? PyLong_AsLongLong(one) : 0;
    }
    Py_XDECREF(stats);
    return n;
}

/* looking */

/* generation -1: all. */
static PyObject *get_objects(int generation)
{
    return generation < 0 ? PyObject_CallFunctionObjArgs(known.get_objects, NULL)
                          : PyObject_CallFunction(known.get_objects, "i", generation);
}

static bool any_object_matters(int generation)
{
    PyObject *objects = get_objects(generation);
    bool any = !objects || finaliser_in(objects);

    Py_XDECREF(objects);
    PyErr_Clear();
    return any;
}

/* Only through the collector's own module, or by a collection, does anything get among the oldest.
 */
static bool oldest_may_be_new(void)
{
    return state_python_since(NO_GENERATIONS_SINCE) || count_collections() != known.collections ||
           (state_loaded("gc") && !known.has_gc);
}

static bool objects_matter(void)
{
    finaliser_begin();
    if (oldest_may_be_new()) {
        return any_object_matters(-1) || !finaliser_saw_main();
    }
    for (int i = 0; i < OLDEST_GENERATION; i++) {
        if (any_object_matters(i)) {
            return true;
        }
    }
    return !finaliser_saw_main();
}

static long call_for_long(PyObject *function)
{
    PyObject *value = function ? PyObject_CallFunctionObjArgs(function, NULL) : NULL;
    long n = value ? PyLong_AsLong(value) : -1;

    Py_XDECREF(value);
    PyErr_Clear();
    return n;
}

static bool collector_reports(void)
{
    return PyList_Size(known.callbacks) != 0 || PyList_Size(known.garbage) != 0 ||
           call_for_long(known.get_debug) != 0;
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
    PyObject *module = state_loaded("warnings"); /* borrowed */
    PyObject *filters = NULL;
    bool show = true;

    module = module ? module : state_loaded("_warnings");
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

        has = !state_attribute_is(
                function ? function : partial, "__module__", "concurrent.futures.thread");
        Py_XDECREF(function);
        PyErr_Clear();
    }
    Py_XDECREF(list);
    PyErr_Clear();
    return has;
}

/* What finalisation asks of threading, and it would get answers of its own. */
static bool is_changed(PyObject *threading)
{
    PyObject *shutdown, *main_thread;
    bool changed;

    if (!PyModule_CheckExact(threading)) {
        return true;
    }
    shutdown = PyObject_GetAttrString(threading, "_shutdown");
    main_thread = PyObject_GetAttrString(threading, "_main_thread");
    changed = !state_attribute_is(shutdown, "__module__", "threading") || !main_thread ||
              !state_attribute_is((PyObject *)Py_TYPE(main_thread), "__module__", "threading");
    Py_XDECREF(shutdown);
    Py_XDECREF(main_thread);
    PyErr_Clear();
    return changed;
}

static bool threads_matter(void)
{
    PyObject *threading = state_loaded("threading"); /* borrowed */

    if (call_for_long(known.count_threads) != 0) {
        return true;
    }
    return threading && (is_changed(threading) || has_thread_callbacks(threading));
}

/* Takes the reference. */
static bool is_none(PyObject *value)
{
    bool is = value == Py_None;

    Py_XDECREF(value);
    PyErr_Clear();
    return is;
}

static bool is_monitored(PyObject *sys)
{
    PyObject *monitoring =
            state_python_since(MONITORING_SINCE) ? PyObject_GetAttrString(sys, "monitoring") : NULL;
    bool is = false;

    for (int tool = 0; monitoring && tool < MONITORING_TOOLS && !is; tool++) {
        is = !is_none(PyObject_CallMethod(monitoring, "get_tool", "i", tool));
    }
    Py_XDECREF(monitoring);
    PyErr_Clear();
    return is;
}

/* Finalisation runs functions of threading, and others: who follows every call would hear of them.
 */
static bool is_followed(void)
{
    PyObject *sys = state_loaded("sys"); /* borrowed */

    return !sys || !PyModule_CheckExact(sys) ||
           !is_none(PyObject_CallFunctionObjArgs(known.gettrace, NULL)) ||
           !is_none(PyObject_CallFunctionObjArgs(known.getprofile, NULL)) || is_monitored(sys);
}

/* Sub-interpreters are ended, and some versions say so. Through ctypes the C library's exit
 * handlers may be the program's, and see what finalisation has freed. */
static bool looks_below(void)
{
    return state_loaded("_interpreters") || state_loaded("_xxsubinterpreters") ||
           (!known.has_ctypes && state_loaded("_ctypes"));
}

/* the end */

/* Until 3.10 the callbacks belong to a module, later to the interpreter. Borrowed; may be NULL. */
static PyObject *atexit_module(void)
{
    return state_python_since(ONE_ATEXIT_SINCE) ? known.atexit : state_loaded("atexit");
}

static long count_exit_functions(void)
{
    PyObject *atexit = atexit_module();
    PyObject *count = atexit ? PyObject_GetAttrString(atexit, "_ncallbacks") : NULL;
    long n = atexit ? call_for_long(count) : 0;

    Py_XDECREF(count);
    PyErr_Clear();
    return n;
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

    if (stream && stream == own && finaliser_is_original(stream)) {
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

static bool is_quiet(void)
{
    return known.get_objects && !is_followed() && !threads_matter() &&
           count_exit_functions() == known.n_exit_functions && flush() && !looks_below() &&
           !collector_reports() && !resource_warnings_show() && !objects_matter();
}

bool leftover_none(void)
{
    bool none = is_quiet();

    if (none && known.n_exit_functions > 0) {
        run_exit_functions();
        none = flush();
    }
    return none;
}

void leftover_rehearse(void)
{
    (void)is_quiet();
}

static bool has_word(const char *code, size_t n, const char *word)
{
    return memmem(code, n, word, strlen(word)) != NULL;
}

/* Of these nothing is to be seen at the end. */
bool leftover_may_be_hidden(const char *code, size_t n)
{
    return has_word(code, n, "addaudithook") ||
           (!state_python_since(ONE_ATEXIT_SINCE) && has_word(code, n, "atexit"));
}

/* in the template */

static int take(PyObject **ret, PyObject *module, const char *name)
{
    *ret = module ? PyObject_GetAttrString(module, name) : NULL;
    return *ret ? 0 : -1;
}

int leftover_init(PyObject *gc)
{
    PyObject *sys = state_loaded("sys"), *thread = state_loaded("_thread"); /* borrowed */

    known.atexit = state_import_hidden("atexit");
    if (!known.atexit || take(&known.get_stats, gc, "get_stats") < 0 ||
            take(&known.get_debug, gc, "get_debug") < 0 ||
            take(&known.callbacks, gc, "callbacks") < 0 ||
            take(&known.garbage, gc, "garbage") < 0 || take(&known.freeze, gc, "freeze") < 0 ||
            take(&known.gettrace, sys, "gettrace") < 0 ||
            take(&known.getprofile, sys, "getprofile") < 0 ||
            take(&known.count_threads, thread, "_count") < 0 ||
            take(&known.get_objects, gc, "get_objects") < 0) {
        return -1;
    }
    return finaliser_init();
}

/* Only what the baseline has looked at: nothing lists it afterwards. */
int leftover_freeze(void)
{
    PyObject *result = PyObject_CallFunctionObjArgs(known.freeze, NULL);

    Py_XDECREF(result);
    return result ? 0 : -1;
}

int leftover_baseline(void)
{
    PyObject *objects = get_objects(-1);
    int r = objects ? finaliser_baseline(objects) : -1;

    Py_XDECREF(objects);
    PyErr_Clear();
    known.collections = count_collections();
    known.has_ctypes = state_loaded("_ctypes") != NULL;
    known.has_gc = state_loaded("gc") != NULL;
    known.n_exit_functions = count_exit_functions();
    return r;
}
