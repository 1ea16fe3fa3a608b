/* Theory of operation: running main.py
 *
 * The source is parsed to a tree; the last statement, if it is an expression, becomes the
 * assignment `sink[None] = expression`, where the sink is an object of ours that hands what it is
 * given to value.c; the tree is compiled, and the sink put in place of a constant. So the value is
 * looked at inside the program's one frame and dropped there, as every statement's value is: one
 * code object, the same names and locations, and what the value's end says (a coroutine that was
 * never awaited) says it of the same line. A module that is nothing but a docstring stays as it is,
 * and its value is the docstring. Where the last statement can have no value (last.c) there is no
 * need for any of this.
 *
 * A program that does not parse is handed to the interpreter as a file (PyRun_SimpleFileExFlags, no
 * part of the limited API but exported by every CPython): parsing a file and parsing a string
 * differ in the words of some errors, and the words are to be those of `python3 main.py`. A tree
 * that is too deep to be converted (RecursionError) is compiled without the detour, and without a
 * value.
 *
 * With await at the top level the code object is a coroutine, and asyncio.run() runs it. */

#include "template/last.h"
#include "template/template.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { /* of the compiler flags and code flags, which the limited API does not name */
    FLAG_ONLY_AST = 0x0400,
    FLAG_TOP_LEVEL_AWAIT = 0x2000,
    CODE_COROUTINE = 0x0080,
    NO_LOCATION_SINCE = 0x030a0000, /* 3.10: line -1 is "of no line" */
};

/* The constant that the sink replaces; no program has it. */
static const char placeholder[] = "\x7fresult of the last expression\x7f";

struct program {
    struct worker *worker;
    PyObject *source;
    PyObject *file_name;
    PyObject *main_module;
    PyObject *docstring; /* of a module that is nothing else */
    bool has_sink;
    bool is_rehearsal; /* of ours: an error is returned */
};

static PyObject *call_compile(PyObject *source, PyObject *file_name, int flags)
{
    PyObject *builtins = PyImport_AddModule("builtins"); /* borrowed */

    return builtins ? PyObject_CallMethod(
                              builtins, "compile", "OOsii", source, file_name, "exec", flags, 1)
                    : NULL;
}

/* The tree */

static bool has_type(PyObject *node, const char *name)
{
    PyObject *type_name = PyObject_GetAttrString((PyObject *)Py_TYPE(node), "__name__");
    bool same = type_name && PyUnicode_CompareWithASCIIString(type_name, name) == 0;

    Py_XDECREF(type_name);
    return same;
}

static int copy_attribute(PyObject *from, PyObject *to, const char *name)
{
    PyObject *value = PyObject_GetAttrString(from, name);
    int r = value ? PyObject_SetAttrString(to, name, value) : -1;

    Py_XDECREF(value);
    return r;
}

static int set_location(PyObject *from, PyObject *to)
{
    static const char *const names[] = {"lineno", "col_offset", "end_lineno", "end_col_offset"};
    PyObject *nowhere = from ? NULL : PyLong_FromLong(-1);
    int r = from || nowhere ? 0 : -1;

    for (size_t i = 0; i < ARRAY_SIZE(names) && r == 0; i++) {
        r = from ? copy_attribute(from, to, names[i])
                 : PyObject_SetAttrString(to, names[i], nowhere);
    }
    Py_XDECREF(nowhere);
    return r;
}

/* The node of `"placeholder"[None]=0`, made by the parser, so that no module of node types has to
 * be loaded. */
static PyObject *new_assignment(PyObject *file_name)
{
    PyObject *source = PyUnicode_FromFormat("'%s'[None]=0", placeholder);
    PyObject *tree = source ? call_compile(source, file_name, FLAG_ONLY_AST) : NULL;
    PyObject *body = tree ? PyObject_GetAttrString(tree, "body") : NULL;
    PyObject *node = body ? PySequence_GetItem(body, 0) : NULL;

    Py_XDECREF(body);
    Py_XDECREF(tree);
    Py_XDECREF(source);
    return node;
}

/* The store is of no line, like the instruction that drops a statement's value: a tracer sees no
 * difference. Before 3.10 that instruction is of the statement's line. */
static int set_target_location(PyObject *assignment, PyObject *statement)
{
    PyObject *location = state_python_since(NO_LOCATION_SINCE) ? NULL : statement;
    PyObject *targets = PyObject_GetAttrString(assignment, "targets");
    PyObject *target = targets ? PySequence_GetItem(targets, 0) : NULL;
    PyObject *value = target ? PyObject_GetAttrString(target, "value") : NULL;
    PyObject *slice = target ? PyObject_GetAttrString(target, "slice") : NULL;
    int r = -1;

    if (value && slice && set_location(location, target) == 0 &&
            set_location(location, value) == 0) {
        r = set_location(location, slice);
    }
    Py_XDECREF(targets);
    Py_XDECREF(target);
    Py_XDECREF(value);
    Py_XDECREF(slice);
    return r;
}

/* body[last], an expression statement, becomes the assignment of its value. */
static int keep_value(struct program *p, PyObject *body, Py_ssize_t last, PyObject *statement)
{
    PyObject *assignment = new_assignment(p->file_name);
    int r = -1;

    if (assignment && copy_attribute(statement, assignment, "value") == 0 &&
            set_location(statement, assignment) == 0 &&
            set_target_location(assignment, statement) == 0) {
        r = PySequence_SetItem(body, last, assignment);
        p->has_sink = r == 0;
    }
    Py_XDECREF(assignment);
    return r;
}

/* The string when the statement is nothing else, else NULL without an error. */
static PyObject *string_of(PyObject *statement)
{
    PyObject *value = PyObject_GetAttrString(statement, "value");
    PyObject *constant =
            value && has_type(value, "Constant") ? PyObject_GetAttrString(value, "value") : NULL;

    PyErr_Clear();
    Py_XDECREF(value);
    if (constant && !PyUnicode_Check(constant)) {
        Py_CLEAR(constant);
    }
    return constant;
}

static int rewrite_last(struct program *p, PyObject *tree)
{
    PyObject *body = PyObject_GetAttrString(tree, "body");
    Py_ssize_t n = body ? PySequence_Size(body) : -1;
    PyObject *statement = n > 0 ? PySequence_GetItem(body, n - 1) : NULL;
    int r = n < 0 || (n > 0 && !statement) ? -1 : 0;

    if (statement && has_type(statement, "Expr")) {
        p->docstring = n == 1 ? string_of(statement) : NULL;
        if (!p->docstring) {
            r = keep_value(p, body, n - 1, statement);
        }
    }
    Py_XDECREF(statement);
    Py_XDECREF(body);
    return r;
}

/* Compiling */

static void note_flag(struct program *p, uint32_t flag)
{
    if (getpid() == p->worker->pid) {
        p->worker->page->flags |= flag;
    }
}

/* The warnings of a source that does not parse have been shown when it is parsed again. */
static void ignore_warnings(void)
{
    PyObject *module = state_loaded("_warnings"); /* borrowed */
    PyObject *filters = module ? PyObject_GetAttrString(module, "filters") : NULL;
    PyObject *filter =
            filters ? Py_BuildValue("(sOOOi)", "ignore", Py_None, PyExc_Warning, Py_None, 0) : NULL;

    if (filter && PyList_Check(filters)) {
        (void)PyList_Insert(filters, 0, filter);
    }
    Py_XDECREF(filters);
    Py_XDECREF(filter);
    PyErr_Clear();
}

/* The interpreter itself runs the file, mostly to say why it can't. Returns only when there is no
 * such function in it; the error is then still set. */
static void run_as_file(struct program *p)
{
    int (*run)(FILE *, const char *, int, void *) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "PyRun_SimpleFileExFlags");
    FILE *file = symbol ? fopen(p->worker->path, "rbe") : NULL;
    int r;

    if (!file) {
        return;
    }
    memcpy(&run, &symbol, sizeof(run)); /* dlsym(3): a function in a pointer to void */
    PyErr_Clear();
    ignore_warnings();
    r = run(file, p->worker->path, 1, NULL);
    finish_process(p->main_module, r == 0 ? 0 : 1, false);
}

static NORETURN void refuse(struct program *p, bool parsed)
{
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
        note_flag(p, WIRE_PAGE_MEMORY_ERROR);
    } else {
        note_flag(p, WIRE_PAGE_SYNTAX_ERROR);
    }
    if (!parsed) {
        run_as_file(p);
    }
    finish_program(p->worker, p->main_module);
}

static PyObject *compile_plainly(struct program *p)
{
    PyObject *code;

    PyErr_Clear();
    code = call_compile(p->source, p->file_name, FLAG_TOP_LEVEL_AWAIT);
    if (!code && !p->is_rehearsal) {
        refuse(p, false);
    }
    return code;
}

static bool is_placeholder(PyObject *constant)
{
    return PyUnicode_Check(constant) &&
           PyUnicode_CompareWithASCIIString(constant, placeholder) == 0;
}

/* The constants with the sink in the placeholder's place. */
static PyObject *new_constants(PyObject *old, PyObject *sink)
{
    Py_ssize_t n = PyTuple_Check(old) ? PyTuple_Size(old) : 0;
    PyObject *constants = PyTuple_New(n);

    for (Py_ssize_t i = 0; constants && i < n; i++) {
        PyObject *constant = PyTuple_GetItem(old, i); /* borrowed */
        constant = is_placeholder(constant) ? sink : constant;
        Py_INCREF(constant);
        (void)PyTuple_SetItem(constants, i, constant);
    }
    return constants;
}

/* code.replace(co_consts=...); takes `code`. */
static PyObject *install_sink(struct program *p, PyObject *code)
{
    PyObject *sink = value_sink_new(p->worker);
    PyObject *old = PyObject_GetAttrString(code, "co_consts");
    PyObject *constants = old && sink ? new_constants(old, sink) : NULL;
    PyObject *replace = PyObject_GetAttrString(code, "replace");
    PyObject *none = PyTuple_New(0);
    PyObject *options = constants ? Py_BuildValue("{s:O}", "co_consts", constants) : NULL;
    PyObject *result = NULL;

    if (replace && none && options) {
        result = PyObject_Call(replace, none, options);
    }
    Py_XDECREF(sink);
    Py_XDECREF(old);
    Py_XDECREF(constants);
    Py_XDECREF(replace);
    Py_XDECREF(none);
    Py_XDECREF(options);
    Py_DECREF(code);
    return result;
}

static bool is_valid_utf8(const char *bytes, Py_ssize_t n)
{
    PyObject *text = PyUnicode_DecodeUTF8(bytes, n, "strict");

    Py_XDECREF(text);
    return text != NULL;
}

/* Whether the first two lines may name an encoding (PEP 263). */
static bool may_have_cookie(const char *bytes, size_t n)
{
    const char *line = memchr(bytes, '\n', n);
    size_t head = line ? (size_t)(line - bytes) + 1 : n;

    line = memchr(bytes + head, '\n', n - head);
    head = line ? (size_t)(line - bytes) : n;
    return memmem(bytes, head, "coding", 6) != NULL;
}

/* A string's parser passes over wrong bytes in a comment; a file's does not. */
static void check_encoding(struct program *p)
{
    const char *bytes = PyBytes_AsString(p->source);
    Py_ssize_t n = PyBytes_Size(p->source);

    if (!is_valid_utf8(bytes, n)) {
        if (!may_have_cookie(bytes, (size_t)n)) {
            refuse(p, false);
        }
        PyErr_Clear();
    }
}

/* Whether there can't be a value, so that there is nothing to change. In another encoding a byte
 * may look like a bracket and be half a character. */
static bool has_no_value(const struct program *p)
{
    const char *bytes = PyBytes_AsString(p->source);
    size_t n = (size_t)PyBytes_Size(p->source);

    return !may_have_cookie(bytes, n) && last_has_no_value(bytes, n);
}

static PyObject *compile_with_value(struct program *p)
{
    PyObject *tree = call_compile(p->source, p->file_name, FLAG_ONLY_AST | FLAG_TOP_LEVEL_AWAIT);
    PyObject *code = NULL;
    bool parsed = tree != NULL;

    if (tree && rewrite_last(p, tree) == 0) {
        code = call_compile(tree, p->file_name, FLAG_TOP_LEVEL_AWAIT);
    }
    Py_XDECREF(tree);
    if (code && p->has_sink) {
        code = install_sink(p, code);
    }
    if (!code && !p->is_rehearsal &&
            (PyErr_ExceptionMatches(PyExc_RecursionError) ||
                    PyErr_ExceptionMatches(PyExc_MemoryError))) {
        Py_CLEAR(p->docstring);
        code = compile_plainly(p);
    }
    if (!code && !p->is_rehearsal) {
        refuse(p, parsed);
    }
    return code;
}

static PyObject *compile_program(struct program *p)
{
    return has_no_value(p) ? compile_plainly(p) : compile_with_value(p);
}

/* Running */

static bool is_coroutine(PyObject *code)
{
    PyObject *flags = PyObject_GetAttrString(code, "co_flags");
    long value = flags ? PyLong_AsLong(flags) : 0;

    Py_XDECREF(flags);
    PyErr_Clear();
    return (value & CODE_COROUTINE) != 0;
}

static bool is_of_code(PyObject *trace, PyObject *code)
{
    PyObject *frame = PyObject_GetAttrString(trace, "tb_frame");
    PyObject *frame_code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    bool same = frame_code == code;

    Py_XDECREF(frame);
    Py_XDECREF(frame_code);
    PyErr_Clear();
    return same;
}

/* The part of the traceback that starts in the program; new reference, NULL when there is none. */
static PyObject *own_part(PyObject *trace, PyObject *code)
{
    Py_XINCREF(trace);
    while (trace && trace != Py_None && !is_of_code(trace, code)) {
        PyObject *next = PyObject_GetAttrString(trace, "tb_next");
        Py_DECREF(trace);
        trace = next;
    }
    if (trace == Py_None) {
        Py_CLEAR(trace);
    }
    return trace;
}

/* Takes asyncio's frames off the top of the error's traceback. */
static void strip_runner(PyObject *code)
{
    PyObject *type, *value, *trace, *own;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    own = own_part(trace, code);
    if (own && value && PyException_SetTraceback(value, own) == 0) {
        Py_XDECREF(trace);
        trace = own;
        own = NULL;
    }
    Py_XDECREF(own);
    PyErr_Restore(type, value, trace);
}

static PyObject *run_coroutine(PyObject *coroutine, PyObject *code)
{
    PyObject *asyncio = PyImport_ImportModule("asyncio");
    PyObject *result = asyncio ? PyObject_CallMethod(asyncio, "run", "O", coroutine) : NULL;

    Py_XDECREF(asyncio);
    if (!result) {
        strip_runner(code);
    }
    return result;
}

static PyObject *run_code(PyObject *code, PyObject *main_dict)
{
    PyObject *result = PyEval_EvalCode(code, main_dict, main_dict), *coroutine = result;

    if (result && is_coroutine(code)) {
        result = run_coroutine(coroutine, code);
        Py_DECREF(coroutine);
    }
    return result;
}

int program_try(struct worker *w, PyObject *source, PyObject *globals)
{
    struct program p = {.worker = w, .source = source, .is_rehearsal = true};
    PyObject *code = NULL, *result = NULL;

    p.file_name = PyUnicode_DecodeFSDefault(w->path);
    if (p.file_name) {
        check_encoding(&p);
        code = compile_program(&p);
    }
    if (code) {
        result = run_code(code, globals);
        Py_DECREF(code);
    }
    Py_XDECREF(result);
    Py_XDECREF(p.file_name);
    return result ? 0 : -1;
}

void program_run(struct worker *w, PyObject *source, PyObject *main_module)
{
    struct program p = {.worker = w, .source = source, .main_module = main_module};
    PyObject *code, *result;

    p.file_name = PyUnicode_DecodeFSDefault(w->path);
    if (!p.file_name) {
        finish_program(w, main_module);
    }
    check_encoding(&p);
    code = compile_program(&p);
    Py_CLEAR(p.source);
    result = run_code(code, PyModule_GetDict(main_module));
    Py_DECREF(code);
    if (result && p.docstring) {
        value_write(w, p.docstring);
    }
    Py_XDECREF(result);
    Py_XDECREF(p.docstring);
    Py_DECREF(p.file_name);
    finish_program(w, main_module);
}
