/* The last expression's value, as text in the shared page: whole, or head and tail halves of what
 * there is room for. Encoded in pieces, since the program's memory limit holds here too.
 *
 * The sink is the object that a program's last statement assigns its value to: `sink[None] = value`
 * (program.c). It has no other use. */

#include "template/template.h"

#include <string.h>
#include <unistd.h>

enum { PIECE_CHARS = 64 * 1024 };

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0U) == 0x80;
}

/* UTF-8 of text[from:to); lone surrogates as \udc80. */
static PyObject *encode(PyObject *text, Py_ssize_t from, Py_ssize_t to)
{
    PyObject *piece = PyUnicode_Substring(text, from, to);
    PyObject *bytes = piece ? PyUnicode_AsEncodedString(piece, "utf-8", "backslashreplace") : NULL;

    Py_XDECREF(piece);
    return bytes;
}

struct writer {
    struct wire_page *page;
    uint64_t room; /* of result[] */
    uint64_t head; /* bytes of the head so far */
    uint64_t bytes;
    uint64_t chars;
};

/* Counts a piece, and copies of it what belongs to the head: whole characters below `limit`. */
static void take_head(struct writer *w, const char *data, uint64_t n, uint64_t limit)
{
    uint64_t fits = w->head == w->bytes && w->head < limit ? MIN(n, limit - w->head) : 0;

    while (fits > 0 && fits < n && is_continuation(data[fits])) {
        fits--;
    }
    memcpy(w->page->result + w->head, data, fits);
    w->head += fits;
    w->bytes += n;
    for (uint64_t i = 0; i < n; i++) {
        w->chars += !is_continuation(data[i]);
    }
}

/* Puts the last whole characters of the text, at most `limit` bytes, behind the head. */
static int take_tail(struct writer *w, PyObject *text, uint64_t limit, uint64_t *ret_n)
{
    Py_ssize_t chars = PyUnicode_GetLength(text);
    Py_ssize_t from = (uint64_t)chars > limit ? chars - (Py_ssize_t)limit : 0;
    PyObject *bytes = encode(text, from, chars);
    const char *data;
    uint64_t n, skip;

    if (!bytes) {
        return -1;
    }
    data = PyBytes_AsString(bytes);
    n = (uint64_t)PyBytes_Size(bytes);
    skip = n > limit ? n - limit : 0;
    while (skip < n && is_continuation(data[skip])) {
        skip++;
    }
    memcpy(w->page->result + w->head, data + skip, n - skip);
    *ret_n = n - skip;
    Py_DECREF(bytes);
    return 0;
}

/* Writes the text and, last, that it is there. */
static int write_text(const struct worker *worker, PyObject *text)
{
    struct writer w = {.page = worker->page, .room = worker->spawn.plan->result_bytes_max};
    Py_ssize_t chars = PyUnicode_GetLength(text);
    uint64_t tail = 0, half = w.room / 2;

    for (Py_ssize_t at = 0; at < chars; at += PIECE_CHARS) {
        PyObject *bytes = encode(text, at, MIN(at + PIECE_CHARS, chars));
        if (!bytes) {
            return -1;
        }
        take_head(&w, PyBytes_AsString(bytes), (uint64_t)PyBytes_Size(bytes), w.room);
        Py_DECREF(bytes);
    }
    if (w.head < w.bytes) { /* it did not fit: half of the room for each end */
        w.head = MIN(w.head, half);
        while (w.head > 0 && is_continuation(w.page->result[w.head])) {
            w.head--;
        }
        if (take_tail(&w, text, half, &tail) < 0) {
            return -1;
        }
    }
    w.page->result_bytes = w.bytes;
    w.page->result_chars = w.chars;
    w.page->head_bytes = w.head;
    w.page->tail_bytes = tail;
    w.page->flags |= WIRE_PAGE_HAS_RESULT;
    return 0;
}

static PyObject *type_name(PyObject *type)
{
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;

    if (!name || !PyUnicode_Check(name)) {
        PyErr_Clear();
        Py_XDECREF(name);
        name = PyUnicode_FromString("?");
    }
    return name;
}

/* What repr() raised, instead of what it should have returned. Takes the error. */
static PyObject *describe_error(PyObject *value)
{
    PyObject *type, *error, *trace, *text = NULL;
    PyObject *of = NULL, *by = NULL, *message;

    PyErr_Fetch(&type, &error, &trace);
    of = type_name((PyObject *)Py_TYPE(value));
    by = type_name(type);
    message = error ? PyObject_Str(error) : NULL;
    PyErr_Clear();
    if (of && by) {
        text = message && PyUnicode_GetLength(message) > 0
                       ? PyUnicode_FromFormat(
                                 "<repr() of a %U object raised %U: %U>", of, by, message)
                       : PyUnicode_FromFormat("<repr() of a %U object raised %U>", of, by);
    }
    Py_XDECREF(of);
    Py_XDECREF(by);
    Py_XDECREF(message);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return text;
}

void value_write(const struct worker *w, PyObject *value)
{
    PyObject *text;

    if (getpid() != w->pid) {
        return; /* a child that the program forked: the page is not its own */
    }
    text = PyObject_Repr(value);
    if (text && write_text(w, text) < 0) {
        Py_CLEAR(text);
    } else if (text) {
        Py_DECREF(text);
        return;
    }
    text = describe_error(value);
    if (text) {
        (void)write_text(w, text);
        Py_DECREF(text);
    }
    PyErr_Clear();
}

static const struct worker *sink_worker;

static int sink_assign(PyObject *self, PyObject *key, PyObject *value)
{
    (void)self;
    (void)key;
    if (value && value != Py_None) {
        value_write(sink_worker, value);
    }
    return 0;
}

static PyType_Slot sink_slots[] = {
        {Py_mp_ass_subscript, sink_assign},
        {0, NULL},
};

static PyType_Spec sink_spec = {
        .name = "builtins.result",
        .basicsize = sizeof(PyObject),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = sink_slots,
};

/* One type for all: a type is a cycle, and would live until a collection. */
PyObject *value_sink_new(const struct worker *w)
{
    static PyObject *type;
    allocfunc allocate;

    if (!type) {
        type = PyType_FromSpec(&sink_spec);
    }
    allocate = type ? (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc) : NULL;
    sink_worker = w;
    return allocate ? allocate((PyTypeObject *)type, 0) : NULL;
}
