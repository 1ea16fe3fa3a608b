/* Theory of operation: the worker, from its fork to its program
 *
 * All that does not depend on the program is done before the worker waits: a new thread state, a
 * new __main__, the environment, the working directory, an empty main.py, a rehearsal, the limits
 * that count nothing. Then it blocks on the go socket. After GO come the bytes of main.py, standard
 * input, and the limits that count, late, so that they meter the program and not us; a word on the
 * go socket, and its end.
 *
 * A failure here is ours and no program's: {stage, errno} on the go socket, and the process ends.
 */

#include "template/template.h"

#include "sandbox/apply_platform.h"
#include "sandbox/apply_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static NORETURN void fail_python(struct worker *w)
{
    int error = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError) ? ENOMEM : EINVAL;

    if (PyErr_Occurred()) {
        PyErr_Print();
    }
    apply_fail(w->go_fd, SANDBOX_STAGE_PYTHON, error);
}

/* The mask was full since the keeper's fork. */
static void restore_process(struct worker *w, const struct process_state *original)
{
    if (sigaction(SIGCHLD, &original->child_action, NULL) < 0 ||
            sigprocmask(SIG_SETMASK, &original->mask, NULL) < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_SESSION, errno);
    }
}

/* One variable, where C code, the posix module and a loaded os module look for it. */
static int set_variable(const char *name, const char *value)
{
    PyObject *posix = state_loaded("posix"), *os = state_loaded("os"); /* borrowed */
    PyObject *map = NULL, *key, *bytes;
    int r = -1;

    if (setenv(name, value, 1) < 0) {
        (void)PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    key = PyBytes_FromString(name);
    bytes = PyBytes_FromString(value);
    map = posix ? PyObject_GetAttrString(posix, "environ") : NULL;
    if (key && bytes && map) {
        r = PyObject_SetItem(map, key, bytes);
    }
    Py_XDECREF(map);
    map = r == 0 && os ? PyObject_GetAttrString(os, "environb") : NULL;
    if (map) {
        r = PyObject_SetItem(map, key, bytes);
        Py_DECREF(map);
    }
    Py_XDECREF(key);
    Py_XDECREF(bytes);
    return r;
}

int worker_set_environment(const char *run_dir)
{
    char path[WIRE_PATH_MAX + 8];

    (void)snprintf(path, sizeof(path), "%s/work", run_dir);
    if (set_variable("HOME", path) < 0) {
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/tmp", run_dir);
    return set_variable("TMPDIR", path);
}

/* The working directory is where main.py will be. */
static void enter_work_dir(struct worker *w)
{
    int n = snprintf(w->path, sizeof(w->path), "%s/work", w->spawn.message.run_dir);

    if (chdir(w->path) < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_PROGRAM, errno);
    }
    (void)snprintf(w->path + n, sizeof(w->path) - (size_t)n, "/main.py");
}

/* The file is there before its bytes are, and so is room for them where the file system gives it:
 * it costs less while nobody waits. */
static void create_main_file(struct worker *w)
{
    w->main_fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (w->main_fd < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_PROGRAM, errno);
    }
    (void)fallocate(w->main_fd, FALLOC_FL_KEEP_SIZE, 0, 1);
}

static _Alignas(struct wire_go) char message[sizeof(struct wire_go) + WIRE_GO_CODE_MAX];

bool worker_will_wait(const struct worker *w)
{
    struct pollfd p = {.fd = w->go_fd, .events = POLLIN};

    return w->rehearse && poll(&p, 1, 0) <= 0;
}

static void say_waiting(const struct worker *w)
{
    struct wire_waiting m = {.h = {.type = WIRE_WAITING, .version = WIRE_VERSION}};

    m.may_be_bound = apply_platform_may_be_bound(m.processors);
    (void)wire_send(w->go_fd, &m, sizeof(m), NULL, 0); /* nobody there: the next thing we hear */
}

/* Blocks until there is a program. */
static const struct wire_go *receive_go(struct worker *w, int *ret_code_fd, int *ret_stdin_fd)
{
    const struct wire_go *m = (const void *)message;
    int fds[WIRE_FDS_MAX];
    uint32_t n_fds = 0, wanted;
    long n = wire_recv(w->go_fd, message, sizeof(message), fds, &n_fds, 1);
    bool in_file = m->flags & WIRE_GO_CODE_FD;

    if (n == 0 || n == -ECONNRESET) {
        _exit(0); /* not needed any more */
    }
    if (n < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_GO, (int)-n);
    }
    wanted = (in_file ? 1 : 0) + (m->flags & WIRE_GO_STDIN_FD ? 1 : 0);
    if (n < (long)sizeof(*m) || m->h.type != WIRE_GO || n_fds != wanted ||
            (!in_file && (uint64_t)n - sizeof(*m) != m->code_bytes)) {
        apply_fail(w->go_fd, SANDBOX_STAGE_GO, EPROTO);
    }
    *ret_code_fd = in_file ? fds[0] : -1;
    *ret_stdin_fd = m->flags & WIRE_GO_STDIN_FD ? fds[n_fds - 1] : -1;
    return m;
}

static void read_file(struct worker *w, int fd, char *ret_bytes, uint64_t n)
{
    uint64_t at = 0;

    while (at < n) {
        ssize_t got = pread(fd, ret_bytes + at, n - at, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            apply_fail(w->go_fd, SANDBOX_STAGE_GO, got < 0 ? errno : EPROTO);
        }
        at += (uint64_t)got;
    }
}

static PyObject *take_source(struct worker *w, const struct wire_go *go, int fd)
{
    PyObject *source = go->code_bytes <= (uint64_t)PY_SSIZE_T_MAX / 2
                               ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)go->code_bytes)
                               : NULL;

    if (!source) {
        apply_fail(w->go_fd, SANDBOX_STAGE_GO, ENOMEM);
    }
    if (fd >= 0) {
        read_file(w, fd, PyBytes_AsString(source), go->code_bytes);
    } else {
        memcpy(PyBytes_AsString(source), go->code, go->code_bytes);
    }
    return source;
}

static void write_program(struct worker *w, PyObject *source)
{
    const char *bytes = PyBytes_AsString(source);
    size_t n = (size_t)PyBytes_Size(source), at = 0;
    struct stat st;

    /* Without a private root somebody may have cleaned the directory above while this worker
     * waited. */
    if (!(w->spawn.plan->layers & SANDBOX_NAMESPACES) && fstat(w->main_fd, &st) == 0 &&
            st.st_nlink == 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_PROGRAM, ENOENT);
    }
    while (at < n) {
        ssize_t put = write(w->main_fd, bytes + at, n - at);
        if (put < 0 && errno != EINTR) {
            break;
        }
        at += put > 0 ? (size_t)put : 0;
    }
    if (at < n || close(w->main_fd) < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_PROGRAM, errno);
    }
}

/* sys.stdin as the interpreter makes it for descriptor 0; `old` has the encoding it chose. */
static PyObject *new_stdin(PyObject *old)
{
    PyObject *io = PyImport_ImportModule("io"); /* loaded since the start */
    PyObject *buffer = NULL, *raw = NULL, *name = NULL, *stream = NULL;
    PyObject *encoding = PyObject_GetAttrString(old, "encoding");
    PyObject *errors = PyObject_GetAttrString(old, "errors");

    if (io && encoding && errors) {
        buffer = PyObject_CallMethod(
                io, "open", "isiOOOO", STDIN_FILENO, "rb", -1, Py_None, Py_None, Py_None, Py_False);
    }
    raw = buffer ? PyObject_GetAttrString(buffer, "raw") : NULL;
    name = raw ? PyUnicode_FromString("<stdin>") : NULL;
    if (name && PyObject_SetAttrString(raw, "name", name) == 0) {
        stream = PyObject_CallMethod(io, "TextIOWrapper", "OOOsO", buffer, encoding, errors, "\n",
                isatty(STDIN_FILENO) ? Py_True : Py_False);
    }
    Py_XDECREF(io);
    Py_XDECREF(buffer);
    Py_XDECREF(raw);
    Py_XDECREF(name);
    Py_XDECREF(encoding);
    Py_XDECREF(errors);
    return stream;
}

/* Replaces /dev/null by what the caller gave. The stream is made anew: whether it can seek and how
 * it buffers were decided when it was made. */
static int set_stdin(struct worker *w, int fd)
{
    PyObject *old = PySys_GetObject("stdin"), *stream, *mode; /* old: borrowed */
    int r = -1;

    if (dup2(fd, STDIN_FILENO) < 0) {
        apply_fail(w->go_fd, SANDBOX_STAGE_STDIO, errno);
    }
    if (!old || old == Py_None) {
        return 0;
    }
    stream = new_stdin(old);
    mode = PyUnicode_FromString("r");
    if (stream && mode && PyObject_SetAttrString(stream, "mode", mode) == 0 &&
            PySys_SetObject("stdin", stream) == 0) {
        r = PySys_SetObject("__stdin__", stream);
        finaliser_note_streams(); /* reading has no end that anybody could see */
    }
    Py_XDECREF(stream);
    Py_XDECREF(mode);
    return r;
}

/* All that can be done before there is a program. */
static PyObject *prepare(struct worker *w, const struct process_state *original)
{
    PyObject *main_module = NULL;

    w->pid = getpid();
    restore_process(w, original);
    finish_arm(w);
    enter_work_dir(w);
    create_main_file(w);
    if (!state_fresh_thread()) {
        apply_fail(w->go_fd, SANDBOX_STAGE_PYTHON, ENOMEM);
    }
    if (state_move_importer_cache(w->path) < 0 || !(main_module = state_fresh_main(w->path)) ||
            worker_set_environment(w->spawn.message.run_dir) < 0) {
        fail_python(w);
    }
    finaliser_note_main(main_module);
    if (worker_will_wait(w) && rehearse(w) < 0) {
        fail_python(w);
    }
    apply_early_limits(&w->spawn, w->go_fd);
    return main_module;
}

void worker_run(struct worker *w, const struct process_state *original)
{
    PyObject *main_module = prepare(w, original), *source;
    const struct wire_go *go;
    int code_fd, stdin_fd;

    if (worker_will_wait(w)) {
        say_waiting(w);
    }
    go = receive_go(w, &code_fd, &stdin_fd);
    w->near = go->flags & WIRE_GO_NEAR;
    if (w->near) {
        apply_platform_unbind();
    }
    source = take_source(w, go, code_fd);
    w->always_finalize =
            w->always_finalize || leftover_may_be_hidden(PyBytes_AsString(source), go->code_bytes);
    write_program(w, source);
    if (stdin_fd >= 0 && set_stdin(w, stdin_fd) < 0) {
        fail_python(w);
    }
    close_p(&code_fd);
    close_p(&stdin_fd);
    w->cpu_start_us = apply_limits(&w->spawn, go->processes, w->go_fd);
    if (apply_say(w->go_fd, SANDBOX_STAGE_NONE, 0) < 0) {
        _exit(APPLY_EXIT_FAILED); /* for the supervisor it was not started, so it must not be */
    }
    (void)close(w->go_fd);
    program_run(w, source, main_module);
}
