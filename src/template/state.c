/* What a program could see of us, made as if the interpreter had been started for it alone: the
 * thread state it runs on, its __main__, and the one cache that names the script. */

#include "template/template.h"

bool state_python_since(unsigned long hexversion)
{
    static unsigned long own;

    if (!own) {
        PyObject *version = PySys_GetObject("hexversion"); /* borrowed */
        own = version ? PyLong_AsUnsignedLong(version) : 0;
    }
    return own >= hexversion;
}

PyObject *state_loaded(const char *name)
{
    return PyDict_GetItemString(PyImport_GetModuleDict(), name);
}

bool state_attribute_is(PyObject *object, const char *attribute, const char *text)
{
    PyObject *value = object ? PyObject_GetAttrString(object, attribute) : NULL;
    bool is = value && PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, text) == 0;

    Py_XDECREF(value);
    PyErr_Clear();
    return is;
}

/* Up to 3.12 the threading module, where a preload has loaded it, has a lock that is open once the
 * main thread's state is gone, and insists on its being closed when the program ends. */
static void keep_main_thread(void)
{
    PyObject *threading = state_loaded("threading"); /* borrowed */
    PyObject *thread = threading ? PyObject_GetAttrString(threading, "_main_thread") : NULL;
    PyObject *lock = thread ? PyObject_GetAttrString(thread, "_tstate_lock") : NULL;
    PyObject *result = lock ? PyObject_CallMethod(lock, "acquire", "O", Py_False) : NULL;

    Py_XDECREF(result);
    Py_XDECREF(lock);
    Py_XDECREF(thread);
    PyErr_Clear();
}

/* The forked thread state has the frame of the template's own script on it, and with it the depth
 * and whatever hangs on it. A fresh one has none: sys._getframe().f_back is None in the program.
 *
 * The old one has to be gone before the new one comes: PyGILState_Ensure() finds the state through
 * a thread-specific slot which, before 3.12, only PyThreadState_New() fills, and only when it is
 * empty. From 3.13 on, finalisation insists on the interpreter's first state; its memory is used
 * again, when there is no other state. 3.11 and 3.12 use that memory again without having cleared
 * it, so another state is kept beside it for the moment. False: no memory, and no thread state any
 * more. */
bool state_fresh_thread(void)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    PyThreadState *forked = PyThreadState_Get(), *beside = NULL, *fresh;

    if (state_python_since(0x030b0000) && !state_python_since(0x030d0000)) {
        beside = PyThreadState_New(interpreter);
        if (!beside) {
            return false;
        }
    }
    PyThreadState_Clear(forked);
    (void)PyThreadState_Swap(NULL);
    PyThreadState_Delete(forked);
    fresh = PyThreadState_New(interpreter);
    if (!fresh) {
        return false;
    }
    (void)PyThreadState_Swap(fresh);
    if (beside) {
        PyThreadState_Clear(beside);
        PyThreadState_Delete(beside);
    }
    keep_main_thread();
    return true;
}

static int set_new(PyObject *dict, const char *key, PyObject *value)
{
    int r = value ? PyDict_SetItemString(dict, key, value) : -1;

    Py_XDECREF(value);
    return r;
}

/* A loader of the old one's type for the program's file. */
static PyObject *new_loader(PyObject *old_dict, PyObject *file)
{
    PyObject *loader = PyDict_GetItemString(old_dict, "__loader__"); /* borrowed */

    if (!loader) {
        PyErr_SetString(PyExc_AttributeError, "__main__ has no __loader__");
        return NULL;
    }
    return PyObject_CallFunction((PyObject *)Py_TYPE(loader), "sO", "__main__", file);
}

/* What the interpreter itself puts into __main__, in its order; nothing that the script added. */
static int copy_names(PyObject *from, PyObject *to)
{
    static const char *const names[] = {"__name__", "__doc__", "__package__", "__loader__",
            "__spec__", "__annotations__", "__builtins__", "__file__", "__cached__"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        PyObject *value = PyDict_GetItemString(from, names[i]); /* borrowed */
        if (value && PyDict_SetItemString(to, names[i], value) < 0) {
            return -1;
        }
    }
    return 0;
}

static int fill_main(PyObject *old_dict, PyObject *dict, PyObject *file)
{
    if (copy_names(old_dict, dict) < 0 || PyDict_SetItemString(dict, "__doc__", Py_None) < 0 ||
            PyDict_SetItemString(dict, "__file__", file) < 0 ||
            set_new(dict, "__loader__", new_loader(old_dict, file)) < 0) {
        return -1;
    }
    if (PyDict_GetItemString(dict, "__annotations__")) {
        return set_new(dict, "__annotations__", PyDict_New());
    }
    return 0;
}

/* The old module can't be freed (the script runs in it), so it becomes empty and gc.get_objects()
 * does not list it. */
static void forget(PyObject *module, PyObject *dict)
{
    PyDict_Clear(dict);
    PyObject_GC_UnTrack(dict);
    PyObject_GC_UnTrack(module);
}

/* Under every name that it has: multiprocessing, where a preload has loaded it, knows it as
 * __mp_main__ too. */
static int replace_module(PyObject *modules, PyObject *old, PyObject *module)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int r = 0;

    while (r == 0 && PyDict_Next(modules, &at, &key, &value)) {
        r = value == old ? PyDict_SetItem(modules, key, module) : 0;
    }
    return r;
}

/* A new module, not the old one made clean: the template's script still runs in the old one's
 * dictionary as far as reference counts go, and a program's globals would never be freed there.
 */
PyObject *state_fresh_main(const char *path)
{
    PyObject *modules = PyImport_GetModuleDict();              /* borrowed */
    PyObject *old = PyDict_GetItemString(modules, "__main__"); /* borrowed */
    PyObject *old_dict = old ? PyModule_GetDict(old) : NULL;   /* borrowed */
    PyObject *file = PyUnicode_DecodeFSDefault(path);
    PyObject *module = PyModule_New("__main__");

    Py_XINCREF(old); /* for ever */
    if (!old_dict || !file || !module || fill_main(old_dict, PyModule_GetDict(module), file) < 0 ||
            replace_module(modules, old, module) < 0) {
        Py_XDECREF(file);
        Py_XDECREF(module);
        return NULL;
    }
    forget(old, old_dict);
    Py_DECREF(file);
    return module;
}

/* The interpreter has looked whether its script is a package, and sys.path_importer_cache keeps the
 * script's name. Puts the program's in the same place. */
int state_move_importer_cache(const char *path)
{
    PyObject *cache = PySys_GetObject("path_importer_cache"); /* borrowed */
    PyObject *main_module = PyImport_AddModule("__main__");   /* borrowed */
    PyObject *old_file = main_module
                                 ? PyDict_GetItemString(PyModule_GetDict(main_module), "__file__")
                                 : NULL; /* borrowed */
    PyObject *copy, *key, *value, *file;
    Py_ssize_t at = 0;
    int r = 0;

    if (!cache || !PyDict_Check(cache) || !old_file || !PyDict_Contains(cache, old_file)) {
        return 0;
    }
    copy = PyDict_Copy(cache);
    file = PyUnicode_DecodeFSDefault(path);
    if (!copy || !file) {
        r = -1;
    } else {
        PyDict_Clear(cache);
    }
    while (r == 0 && PyDict_Next(copy, &at, &key, &value)) {
        r = PyDict_SetItem(cache, PyUnicode_Compare(key, old_file) == 0 ? file : key, value);
    }
    Py_XDECREF(copy);
    Py_XDECREF(file);
    return r;
}

static void hide(PyObject *object)
{
    Py_XINCREF(object); /* for ever: nothing expects to free what is not tracked */
    if (object) {
        PyObject_GC_UnTrack(object);
    }
}

static bool is_script(PyObject *object, PyObject *main_dict)
{
    PyObject *globals = PyObject_GetAttrString(object, "__globals__");
    bool is = globals == main_dict && state_attribute_is(object, "__name__", "<module>");

    Py_XDECREF(globals);
    PyErr_Clear();
    return is;
}

PyObject *state_import_hidden(const char *name)
{
    bool was_loaded = state_loaded(name) != NULL;
    PyObject *module = PyImport_ImportModule(name);

    if (module && !was_loaded) {
        hide(PyModule_GetDict(module));
        hide(module);
        if (PyDict_DelItemString(PyImport_GetModuleDict(), name) < 0) {
            Py_CLEAR(module);
        }
    }
    return module;
}

/* From 3.11 on the frame of a script belongs to a function object. */
static int hide_script(PyObject *gc)
{
    PyObject *main_module = PyImport_AddModule("__main__"); /* borrowed */
    PyObject *objects = main_module ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
    Py_ssize_t n = objects ? PyList_Size(objects) : -1;

    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *object = PyList_GetItem(objects, i); /* borrowed */
        if (is_script(object, PyModule_GetDict(main_module))) {
            hide(object);
        }
    }
    Py_XDECREF(objects);
    return n < 0 ? -1 : 0;
}

/* What is not tracked, gc.get_objects() in a program does not list. */
int state_hide_module(PyObject *module)
{
    PyObject *serve_function = PyObject_GetAttrString(module, "serve");
    PyObject *gc = state_import_hidden("gc");
    int r = gc ? leftover_init(gc) : -1;

    hide(serve_function);
    Py_XDECREF(serve_function);
    hide(PyModule_GetDict(module));
    hide(module);
    if (r == 0 && state_python_since(0x030b0000)) {
        r = hide_script(gc);
    }
    Py_XDECREF(gc);
    return serve_function ? r : -1;
}
