/* Theory of operation: who left that in /dev/shm
 *
 * Without a private root all runs, and whatever else this user runs, share one /dev/shm. POSIX
 * shared memory and semaphores have to work there (shm_overview(7): the path is fixed in the C
 * library), and what a run leaves has to go. A file says who owns it, not which process made it, so
 * two things are known about an entry: its owner and when it was born.
 *
 * Among runs: all keepers of a template share a table, made before the first of them, with the time
 * at which each one's program began. An entry belongs to a run that was under way when it was born.
 * It is removed at the end of a run when no other run is under way that began before the entry was
 * born; otherwise that other run's end will see to it. Times are the coarse clock's, which is the
 * one that file systems use. The table is looked at again for each entry: a run that could have
 * made it is in the table before the entry is in the directory.
 *
 * Towards everybody else: nothing is touched that is older than the template, nor anything while
 * some process of this user is about that is neither one of ours nor an ancestor of the supervisor.
 * In a container there is none; on a desktop there always is, and entries stay. Also not touched:
 * anything of another owner, and anything at all where /proc hides processes (proc(5), hidepid).
 *
 * Before Linux 5.18 tmpfs keeps no birth times; the time of the last change of state stands in for
 * them, and then only where this user had nothing in /dev/shm when the template started.
 *
 * A keeper that was killed leaves its row; who takes a row looks whether its keeper lives. */

#include "sandbox/apply_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "sandbox/apply.h"
#include "sandbox/apply_dir.h"

#define SHM_DIR "/dev/shm/"

enum {
    ROWS = 128, /* more than runs at the same time: a template's old ones end beside a new one's */
    ANCESTORS = 32,  /* of the supervisor */
    PROCESSES = 4096 /* a machine with more is no container of ours */
};

struct row {
    int32_t keeper;     /* 0: free */
    int64_t started_ns; /* 0: the program does not run (yet) */
};

struct shm_table {
    int64_t since_ns;
    int32_t template;
    int32_t supervisor;
    int32_t ancestors[ANCESTORS];
    bool was_empty; /* of this user's entries */
    struct row rows[ROWS];
};

static struct shm_table *table;
static struct row *own_row;

static int64_t timestamp_ns(int64_t seconds, int64_t nanoseconds)
{
    return seconds * 1000000000 + nanoseconds;
}

static int64_t now_ns(void)
{
    struct timespec t = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &t);
    return timestamp_ns(t.tv_sec, t.tv_nsec);
}

/* processes */

static unsigned long number_after(const char *text, const char *name)
{
    const char *p = strstr(text, name);

    return p ? strtoul(p + strlen(name), NULL, 10) : 0;
}

bool apply_shm_parse_status(const char *text, struct shm_process *ret)
{
    const char *uid = strstr(text, "\nUid:\t");
    const char *state = strstr(text, "\nState:\t");
    char *end;

    if (!uid || !state || state[strlen("\nState:\t")] == 'Z') {
        return false;
    }
    ret->pid = (int)number_after(text, "\nPid:\t");
    ret->parent = (int)number_after(text, "\nPPid:\t");
    ret->uid = (unsigned)strtoul(uid + strlen("\nUid:\t"), &end, 10);
    ret->effective_uid = (unsigned)strtoul(end, NULL, 10);
    return ret->pid > 0;
}

static bool read_process(int proc, const char *name, struct shm_process *ret)
{
    char path[32], text[2048];
    size_t length = strnlen(name, 16);
    ssize_t n;
    int fd;

    memcpy(path, name, length);
    memcpy(path + length, "/status", sizeof("/status"));
    fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    return apply_shm_parse_status(text, ret);
}

static size_t copy_number(char *ret, int number)
{
    char digits[12];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < n; i++) {
        ret[i] = digits[n - 1 - i];
    }
    ret[n] = '\0';
    return n;
}

static void note_ancestors(struct shm_table *t)
{
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int pid = t->supervisor;

    for (size_t i = 0; proc >= 0 && i < ANCESTORS; i++) {
        struct shm_process p;
        char name[12];

        (void)copy_number(name, pid);
        if (!read_process(proc, name, &p) || p.parent <= 0) {
            break;
        }
        pid = t->ancestors[i] = p.parent;
    }
    (void)close(proc);
}

/* All processes, or -1. A process may show twice while the list is read; that does no harm. */
static int list_processes(struct shm_process *ret, int max)
{
    struct apply_dir dir;
    struct apply_dir_entry entry;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int n = 0, r = proc < 0 ? -1 : apply_dir_open(&dir, proc);

    while (r >= 0 && (r = apply_dir_next(&dir, &entry)) > 0) {
        if (entry.name[0] >= '1' && entry.name[0] <= '9' &&
                read_process(proc, entry.name, &ret[n]) && ++n == max) {
            r = -1;
        }
    }
    (void)close(proc);
    return r < 0 ? -1 : n;
}

static bool is_root_of_ours(int pid)
{
    if (pid == table->supervisor || pid == table->template || pid == getpid()) {
        return true;
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (pid == __atomic_load_n(&table->rows[i].keeper, __ATOMIC_SEQ_CST)) {
            return true;
        }
    }
    return false;
}

static bool is_ancestor(int pid)
{
    for (size_t i = 0; i < ANCESTORS; i++) {
        if (pid == table->ancestors[i]) {
            return true;
        }
    }
    return false;
}

/* Whether `p` comes from one of ours. */
static bool is_ours(const struct shm_process *p, const struct shm_process *all, int n)
{
    for (int steps = 0; p && steps < n; steps++) {
        const struct shm_process *parent = NULL;

        if (is_root_of_ours(p->pid)) {
            return true;
        }
        for (int i = 0; i < n && !parent; i++) {
            parent = all[i].pid == p->parent ? &all[i] : NULL;
        }
        p = parent;
    }
    return false;
}

/* Whether nobody but runs could have made an entry of this user's. */
static bool is_private(void)
{
    static struct shm_process all[PROCESSES]; /* touched pages only are memory */
    int n = access("/proc/1", F_OK) == 0 ? list_processes(all, PROCESSES) : -1;

    for (int i = 0; i < n; i++) {
        bool mine = all[i].uid == geteuid() || all[i].effective_uid == geteuid();

        if (mine && !is_ancestor(all[i].pid) && !is_ours(&all[i], all, n)) {
            return false;
        }
    }
    return n > 0;
}

/* entries */

struct shm_scan {
    int fd;
    bool asked, private; /* is_private() is asked at the first entry that matters */
};

static int64_t birth_ns(const struct statx *s)
{
    if (s->stx_mask & STATX_BTIME) {
        return timestamp_ns(s->stx_btime.tv_sec, s->stx_btime.tv_nsec);
    }
    return table->was_empty ? timestamp_ns(s->stx_ctime.tv_sec, s->stx_ctime.tv_nsec) : 0;
}

static bool other_run_may_have_made_it(int64_t born_ns)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &table->rows[i];
        int64_t started = __atomic_load_n(&row->started_ns, __ATOMIC_SEQ_CST);

        if (row != own_row && started != 0 && started <= born_ns &&
                (kill(row->keeper, 0) == 0 || errno != ESRCH)) {
            return true;
        }
    }
    return false;
}

static void look_at(struct shm_scan *scan, const char *name)
{
    char path[sizeof(SHM_DIR) + 256] = SHM_DIR;
    size_t length = strlen(name);
    struct statx s;
    int64_t born;

    if (statx(scan->fd, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &s) < 0 ||
            s.stx_uid != geteuid() || length > 255) {
        return;
    }
    born = birth_ns(&s);
    if (born < table->since_ns || other_run_may_have_made_it(born)) {
        return;
    }
    if (!scan->asked) {
        scan->private = is_private();
        scan->asked = true;
    }
    if (!scan->private) {
        return;
    }
    if (S_ISDIR(s.stx_mode)) {
        memcpy(path + strlen(SHM_DIR), name, length + 1);
        (void)apply_remove_tree(path);
    } else {
        (void)unlinkat(scan->fd, name, 0);
    }
}

/* Calls look_at() for each entry; or, in the template, tells whether one of this user's is there.
 */
static bool scan_entries(bool only_ask)
{
    struct shm_scan scan = {.fd = open(SHM_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct apply_dir dir;
    struct apply_dir_entry entry;
    bool any = false;

    if (scan.fd < 0 || apply_dir_open(&dir, scan.fd) < 0) {
        (void)close(scan.fd);
        return true;
    }
    while (apply_dir_next(&dir, &entry) > 0) {
        struct stat st;

        if (!only_ask) {
            look_at(&scan, entry.name);
        } else if (fstatat(scan.fd, entry.name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
                   st.st_uid == geteuid()) {
            any = true;
        }
    }
    apply_dir_close(&dir);
    (void)close(scan.fd);
    return any;
}

/* the run's life */

void apply_shm_open(void)
{
    struct shm_table *t =
            mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (t == MAP_FAILED) {
        return; /* nothing is removed then */
    }
    t->since_ns = now_ns();
    t->template = getpid();
    t->supervisor = getppid();
    t->was_empty = !scan_entries(true);
    note_ancestors(t);
    table = t;
}

void apply_shm_enter(void)
{
    int32_t self = getpid();

    for (size_t i = 0; table && i < ROWS; i++) {
        struct row *row = &table->rows[i];
        int32_t keeper = __atomic_load_n(&row->keeper, __ATOMIC_SEQ_CST);

        if (keeper != 0 && (kill(keeper, 0) == 0 || errno != ESRCH)) {
            continue;
        }
        if (__atomic_compare_exchange_n(
                    &row->keeper, &keeper, self, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&row->started_ns, 0, __ATOMIC_SEQ_CST);
            own_row = row;
            return;
        }
    }
}

void apply_shm_begin(void)
{
    if (own_row) {
        __atomic_store_n(&own_row->started_ns, now_ns(), __ATOMIC_SEQ_CST);
    }
    if (table) {
        (void)munmap(table, sizeof(*table));
        table = NULL;
        own_row = NULL;
    }
}

void apply_shm_empty(void)
{
    if (!own_row) {
        return;
    }
    if (__atomic_exchange_n(&own_row->started_ns, 0, __ATOMIC_SEQ_CST) != 0) {
        (void)scan_entries(false);
    }
    __atomic_store_n(&own_row->keeper, 0, __ATOMIC_SEQ_CST);
}
