/* Theory of operation: modules that are imported once, for all programs
 *
 * They are imported in the template, in the directories and with the environment that a program
 * has. What was imported has to survive a fork, or it is refused by name and the template ends: the
 * next one is started without it, so that nothing of a failed import is in any program.
 *
 *   threads      A forked process has one. Libraries that know of this end theirs before a fork
 *                (pthread_atfork(3); OpenBLAS does, and starts them again when they are needed). So
 *                the process is forked for once, and what is still there then would be missed.
 *   descriptors  A program has 0 to 2. A module that keeps another one would find it closed, or
 *                find one of the program's under its number.
 *   output       What is still in a buffer would be every program's: it is written, to us.
 *   randomness   Python's own generator is seeded anew after a fork, what the table of renewals
 *                has by us, in each worker.
 *
 * At last the garbage is collected and what lives is frozen (gc.freeze()): no collection in a
 * program, nor the last one at its end, goes through the modules and copies their pages. */

#include "template/template.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DESCRIPTORS_MAX = 1024,
    THREAD_PATIENCE_MS = 1000,
};

static bool has_preloaded;

/* What is loaded too, when a module is: where it would be work for each program. */
static const char *const companions[][2] = {
        {"matplotlib", "matplotlib.font_manager"}, /* looks at every font of the system */
};

/* What was found wrong */

static int tell(uint32_t index, bool failed, const char *reason)
{
    struct wire_preloading m = {.h = {.type = WIRE_PRELOADING, .version = WIRE_VERSION},
            .index = index,
            .failed = failed};

    (void)snprintf(m.reason, sizeof(m.reason), "%s", reason);
    return wire_send(WIRE_TEMPLATE_FD, &m, sizeof(m), NULL, 0);
}

/* The last line of the traceback; takes the error. */
static void describe_error(char *ret, size_t size)
{
    PyObject *type, *value, *trace, *name, *text, *bytes = NULL;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    text = value ? PyObject_Str(value) : NULL;
    PyErr_Clear();
    text = name ? PyUnicode_FromFormat(
                          "%U%s%V", name, text && PyUnicode_GetLength(text) ? ": " : "", text, "")
                : NULL;
    bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;
    (void)snprintf(ret, size, "%s", bytes ? PyBytes_AsString(bytes) : "an error without words");
    ret[strcspn(ret, "\n")] = '\0';
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* Threads */

/* 0 where there is no /proc. */
static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned n = 0;

    while (tasks && (entry = readdir(tasks))) {
        n += entry->d_name[0] != '.';
    }
    if (tasks) {
        (void)closedir(tasks);
    }
    return n;
}

/* A thread that was joined may still be in the list for a moment; one that is about to end needs
 * the interpreter for it. */
static bool threads_end(void)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    bool alone = false;

    Py_BEGIN_ALLOW_THREADS;
    for (int i = 0; i < THREAD_PATIENCE_MS && !alone; i++) {
        alone = count_threads() <= 1;
        if (!alone) {
            (void)nanosleep(&pause, NULL);
        }
    }
    Py_END_ALLOW_THREADS;
    return alone;
}

static const char *check_threads(char *reason, size_t size)
{
    pid_t pid;

    if (count_threads() <= 1) {
        return NULL;
    }
    pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    if (threads_end()) {
        return NULL;
    }
    (void)snprintf(reason, size,
            "it started %u thread(s), which no program would have: a program is a fork",
            count_threads() - 1);
    return reason;
}

/* Descriptors */

static bool is_open[DESCRIPTORS_MAX];

static void note_descriptors(void)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        is_open[fd] = fcntl(fd, F_GETFD) >= 0;
    }
}

static const char *check_descriptors(char *reason, size_t size)
{
    char link[64], target[256];

    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        ssize_t n;

        if (is_open[fd] || fcntl(fd, F_GETFD) < 0) {
            continue;
        }
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, target, sizeof(target) - 1);
        target[MAX(n, 0)] = '\0';
        (void)snprintf(reason, size,
                "it keeps descriptor %d open (%s), which no program would have", fd, target);
        return reason;
    }
    return NULL;
}

/* Import */

static int import_one(uint32_t index, const char *name, char *reason, size_t size)
{
    PyObject *module;

    if (tell(index, false, "") < 0) {
        _exit(1);
    }
    module = PyImport_ImportModule(name);
    for (size_t i = 0; module && i < ARRAY_SIZE(companions); i++) {
        if (state_loaded(companions[i][0])) {
            Py_DECREF(module);
            module = PyImport_ImportModule(companions[i][1]);
        }
    }
    if (!module) {
        describe_error(reason, size);
        return -1;
    }
    Py_DECREF(module);
    return check_threads(reason, size) || check_descriptors(reason, size) ? -1 : 0;
}

static void import_all(struct wire_preload *m)
{
    char reason[WIRE_REASON_SIZE];
    char *name = m->modules, *end;

    for (uint32_t i = 0; *name; i++, name = end) {
        end = name + strcspn(name, ",");
        end += *end ? (size_t)(*end = '\0', 1) : 0;
        if (import_one(i, name, reason, sizeof(reason)) < 0) {
            (void)tell(i, true, reason);
            _exit(1);
        }
    }
}

/* tempfile remembers the first directory that it could write to; without a private root each
 * program has another one. */
static int forget_temporary_directory(void)
{
    PyObject *tempfile = state_loaded("tempfile"); /* borrowed */

    return tempfile ? PyObject_SetAttrString(tempfile, "tempdir", Py_None) : 0;
}

/* What is run where a module is loaded. */
struct snippet {
    const char *module;
    const char *code;
    PyObject *compiled;
};

/* A program's first use of a library finds caches to fill and modules to load, and touches pages
 * that are still shared. So each is used once in the template, and once more in each worker before
 * it waits: what one program does of that another one need not do. Nothing of it is left but that.
 */
static struct snippet rehearsals[] = {
        {"numpy",
                "import numpy\n"
                "a = numpy.arange(9.0).reshape(3, 3)\n"
                "str((a @ a + a).sum(axis=0)), numpy.random.RandomState(1).rand(3).mean()\n",
                NULL},
        {"pandas",
                "import pandas\n"
                "f = pandas.DataFrame({'a': list('xyx'), 'b': [1, 2, 3], 'c': [0.5, 1.5, 2.5]})\n"
                "str(f), str(f.groupby('a').b.sum()), str(f.groupby('a').agg({'c': 'mean'}))\n"
                "str(f[f.b > 1].sort_values('c')), f.describe()\n",
                NULL},
};

/* In each worker: what two programs must not have the same, and what is not true after a fork. */
static struct snippet renewals[] = {
        {"numpy.random", "import numpy.random\nnumpy.random.seed()\n", NULL},
        {"multiprocessing.process",
                "import multiprocessing.process, os\n"
                "multiprocessing.process.current_process().authkey = os.urandom(32)\n",
                NULL},
        {"threading", "import threading\nthreading.main_thread()._set_native_id()\n", NULL},
};

static int run(const struct snippet *s)
{
    PyObject *names = PyDict_New();
    PyObject *result = NULL;

    if (names && PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) == 0) {
        result = PyEval_EvalCode(s->compiled, names, names);
    }
    Py_XDECREF(result);
    Py_XDECREF(names);
    return result ? 0 : -1;
}

static int compile_snippets(struct snippet *snippets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct snippet *s = &snippets[i];

        if (state_loaded(s->module)) {
            s->compiled = Py_CompileString(s->code, "<preload>", Py_file_input);
            if (!s->compiled) {
                return -1;
            }
        }
    }
    return 0;
}

static int prepare_snippets(void)
{
    if (compile_snippets(rehearsals, ARRAY_SIZE(rehearsals)) < 0) {
        return -1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rehearsals); i++) {
        if (rehearsals[i].compiled && run(&rehearsals[i]) < 0) {
            PyErr_Clear();
            Py_CLEAR(rehearsals[i].compiled); /* another version of it: programs do without */
        }
    }
    return compile_snippets(renewals, ARRAY_SIZE(renewals));
}

bool preload_was_done(void)
{
    return has_preloaded;
}

/* No bytecode is written beside the modules: nothing of the host is changed by a look at it. */
static int import_without_bytecode(struct wire_preload *m)
{
    PyObject *before = PySys_GetObject("dont_write_bytecode"); /* borrowed */
    int r;

    Py_XINCREF(before);
    r = PySys_SetObject("dont_write_bytecode", Py_True);
    if (r == 0) {
        import_all(m);
        r = prepare_snippets();
        r |= PySys_SetObject("dont_write_bytecode", before);
    }
    Py_XDECREF(before);
    return r;
}

/* What a module may have set, and every program would have. */
static void restore_process(void)
{
    static const struct itimerval none;

    (void)umask(022);
    (void)setitimer(ITIMER_REAL, &none, NULL);
    (void)setitimer(ITIMER_VIRTUAL, &none, NULL);
    (void)setitimer(ITIMER_PROF, &none, NULL);
}

int preload_run(const struct sandbox_plan *plan, struct wire_preload *m, enum sandbox_stage *stage)
{
    int r;

    *stage = SANDBOX_STAGE_RUN_DIR;
    r = apply_preload_begin(plan, m->run_dir);
    if (r < 0) {
        return r;
    }
    *stage = SANDBOX_STAGE_PYTHON;
    note_descriptors();
    if (worker_set_environment(m->run_dir) < 0 || import_without_bytecode(m) < 0 ||
            forget_temporary_directory() < 0) {
        PyErr_Clear();
        return -EINVAL;
    }
    restore_process();
    finish_flush();
    (void)fflush(NULL);
    *stage = SANDBOX_STAGE_RUN_DIR;
    r = apply_preload_end(plan, m->run_dir);
    if (r < 0) {
        return r;
    }
    has_preloaded = true;
    return 0;
}

int preload_after_fork(bool with_rehearsal)
{
    if (!has_preloaded) {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rehearsals) && with_rehearsal; i++) {
        if (rehearsals[i].compiled && run(&rehearsals[i]) < 0) {
            PyErr_Clear();
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(renewals); i++) {
        if (renewals[i].compiled && run(&renewals[i]) < 0) {
            return -1;
        }
    }
    (void)PyGC_Collect();
    return leftover_baseline() < 0 ? -1 : leftover_freeze();
}
