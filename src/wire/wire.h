/* Messages between supervisor, template, keeper and worker: plain data, fixed size, one datagram
 * each, on AF_UNIX SOCK_SEQPACKET sockets (unix(7)), descriptors passed with SCM_RIGHTS. All
 * processes come from one build; the version is checked in the hello all the same, since the
 * extension module is a file of its own.
 *
 *   supervisor to template (template socket, WIRE_TEMPLATE_FD): PRELOAD, PLAN once, then SPAWNs
 *   template to supervisor (template socket): HELLO, PRELOADINGs, READY, SPAWNED for each SPAWN
 *   supervisor to worker (go socket): GO, the program
 *   worker to supervisor (go socket): WAITING, if it is going to wait; SET_UP, once: it starts the
 *                program, or why it can't; it then closes its end, so that no program can say that
 *                it was not started. The supervisor reads them when it wants to know: they wake
 *                nobody
 *   supervisor to keeper (control socket): KILL, or the end of the stream: the supervisor wants
 *                the run gone, or is dead
 *   keeper to supervisor (control socket): EXITED, SWEPT, then the end of the stream: nothing of
 *                the run lives any more
 *   worker to supervisor (shared page): the end record, the result; nothing in it is trusted
 *
 * A program whose worker has said no SET_UP has run no instruction and may be given to another
 * worker.
 *
 * Nothing here allocates; safe after fork. Structures hold no pointers and no padding that is not
 * named. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum {
    WIRE_VERSION = 3,
    WIRE_TEMPLATE_FD = 3, /* the template's end of its socket */
    WIRE_PATH_MAX = 512,  /* run directories; longer ones are refused by the supervisor at start */
    WIRE_FDS_MAX = 8,
    WIRE_NETS_MAX = 256, /* network namespaces that a template keeps */
    WIRE_PREFIXES_MAX = 6,
    WIRE_PREFIX_SIZE = 512,
    WIRE_MODULES_SIZE = 4096,
    WIRE_REASON_SIZE = 512,
    WIRE_PROCESSORS_SIZE = 128,
};

enum wire_type {
    WIRE_HELLO = 1,
    WIRE_PLAN,
    WIRE_READY,
    WIRE_SPAWN,
    WIRE_SPAWNED,
    WIRE_GO,
    WIRE_KILL,
    WIRE_EXITED,
    WIRE_SWEPT,
    WIRE_PRELOAD,
    WIRE_PRELOADING,
    WIRE_SET_UP,
    WIRE_WAITING,
};

struct wire_header {
    uint32_t type;
    uint32_t version;
};

/* template -> supervisor: the interpreter introduces itself, before anything is preloaded */
struct wire_hello {
    struct wire_header h;
    int32_t pid;
    uint32_t hexversion;   /* sys.hexversion */
    char executable[4096]; /* sys.executable, NUL-terminated */
    char version[128];     /* "3.11.2" */
    /* Where the interpreter's files are: sys.prefix, sys.base_prefix, the directories of its
     * executable; "" for none */
    char prefixes[WIRE_PREFIXES_MAX][WIRE_PREFIX_SIZE];
};

enum wire_plan_flags {
    WIRE_PLAN_REHEARSE = 1 << 0,        /* workers will wait, and rehearse before they do */
    WIRE_PLAN_ALWAYS_FINALIZE = 1 << 1, /* for tests: RUNNER_TEST_FINALIZE */
};

/* supervisor -> template, with one descriptor: the bytes of struct sandbox_plan (sandbox/plan.h);
 * and a second one where there are cgroups: the directory of that which the server was started in
 */
struct wire_plan {
    struct wire_header h;
    uint32_t flags;
    uint32_t _reserved;
};

/* supervisor -> template, before the plan, where there is something to preload */
struct wire_preload {
    struct wire_header h;
    char run_dir[WIRE_PATH_MAX]; /* HOME and TMPDIR lie in it while modules are imported, as they
                                    will for programs */
    char modules[WIRE_MODULES_SIZE]; /* their names, with commas between them */
};

/* template -> supervisor: a module's turn has come, or it can't be preloaded (and the template
 * ends: nothing of it is left in the next one) */
struct wire_preloading {
    struct wire_header h;
    uint32_t index; /* in the list */
    uint32_t failed;
    char reason[WIRE_REASON_SIZE];
};

/* template -> supervisor: the plan is taken, workers may be asked for */
struct wire_ready {
    struct wire_header h;
    uint64_t preload_bytes; /* address space that the preload mapped */
    uint32_t stage; /* the private root could not be made (enum sandbox_stage), with this errno */
    int32_t error;
};

enum wire_spawn_flags {
    WIRE_SPAWN_NET = 1 << 0,     /* else the run makes its own */
    WIRE_SPAWN_NET_NEW = 1 << 1, /* in place of what had that number */
};

/* supervisor -> template, with these descriptors in this order */
enum wire_spawn_fd {
    WIRE_SPAWN_FD_CONTROL, /* the keeper's end */
    WIRE_SPAWN_FD_GO,      /* the worker's end */
    WIRE_SPAWN_FD_STDOUT,  /* write ends of the output pipes */
    WIRE_SPAWN_FD_STDERR,
    WIRE_SPAWN_FD_PAGE,   /* shared memory, WIRE_PAGE_SIZE(plan.result_bytes_max) */
    WIRE_SPAWN_FD_CGROUP, /* a directory; only where the run has a cgroup */
    _WIRE_SPAWN_FD_N,
};

struct wire_spawn {
    struct wire_header h;
    uint64_t run;      /* the supervisor's number for this worker */
    uint32_t host_uid; /* whom the run is, where the server is root and namespaces hold */
    uint32_t flags;
    uint32_t net; /* number of its network namespace among the template's */
    uint32_t _reserved;
    char run_dir[WIRE_PATH_MAX]; /* to be made by the keeper: work/ and tmp/ in it; removed by it at
                                    the end */
};

/* template -> supervisor */
struct wire_spawned {
    struct wire_header h;
    uint64_t run;
    int32_t keeper_pid; /* as the template sees it; 0 when fork failed */
    int32_t error;      /* errno of the fork, else 0 */
};

/* supervisor -> worker. The code (bytes of main.py) follows the structure, or comes in a file,
 * where it is longer than WIRE_GO_CODE_MAX. Descriptors in the order of the flags. */
enum wire_go_flags {
    WIRE_GO_CODE_FD = 1 << 0,
    WIRE_GO_STDIN_FD = 1 << 1, /* else the program's standard input is empty */
    WIRE_GO_NEAR = 1 << 2, /* the worker was bound to the supervisor's processor (sandbox/near.c) */
};

enum { WIRE_GO_CODE_MAX = 16 * 1024 };

struct wire_go {
    struct wire_header h;
    uint64_t code_bytes;
    uint32_t flags;
    uint32_t processes; /* RLIMIT_NPROC; 0: as it is */
    char code[];        /* code_bytes of them; none with WIRE_GO_CODE_FD */
};

/* worker -> supervisor: it waits. The socket tells who it is (wire_recv_sender). */
struct wire_waiting {
    struct wire_header h;
    uint32_t may_be_bound; /* to a processor, until GO, while it may run on these */
    uint32_t _reserved;
    uint8_t processors[WIRE_PROCESSORS_SIZE]; /* as sched_getaffinity(2) gives them */
};

/* worker -> supervisor, before the program's first instruction */
struct wire_set_up {
    struct wire_header h;
    uint32_t stage; /* enum sandbox_stage: here the set-up failed, with this errno; 0: it is done */
    int32_t error;
};

/* supervisor -> keeper */
struct wire_kill {
    struct wire_header h;
};

/* keeper -> supervisor: the worker has ended */
enum wire_exited_flags {
    WIRE_EXITED_CPU_LIMIT = 1 << 0, /* the keeper ended it for its CPU time */
};

struct wire_exited {
    struct wire_header h;
    int32_t wait_status; /* waitpid(2) */
    uint32_t flags;
    uint64_t cpu_us;     /* user + system of all that the run waited for or the keeper reaped */
    uint64_t max_rss_kb; /* getrusage(2), the largest of them */
    uint32_t stage;      /* enum sandbox_stage, when the set-up failed, else 0 */
    int32_t error;       /* its errno */
};

/* keeper -> supervisor, last, where there is something to say: nothing of the run lives */
enum wire_swept_flags {
    WIRE_SWEPT_NET_CLEAN = 1 << 0, /* its network namespace can be another run's */
};

struct wire_swept {
    struct wire_header h;
    uint32_t flags;
    uint32_t _reserved;
};

/* The shared memory. The worker (and any program, if it digs it out) can write everything in it at
 * any time: the supervisor copies a field once, bounds it, and believes none of it beyond this one
 * run. */
enum wire_page_flags {
    WIRE_PAGE_HAS_RESULT = 1 << 0,
    WIRE_PAGE_MEMORY_ERROR = 1 << 1, /* an uncaught MemoryError ended the program */
    WIRE_PAGE_SYNTAX_ERROR = 1 << 2, /* the program did not compile */
    WIRE_PAGE_FINALIZED = 1 << 3,    /* the interpreter was finalised: it was not left out */
};

struct wire_page {
    uint32_t ended; /* 1 after everything else is written: the end record is complete */
    int32_t exit_code;
    uint32_t flags;
    uint32_t max_rss_kb;   /* of the largest process so far, getrusage(2) */
    uint64_t cpu_us;       /* user + system since GO, children that were waited for included */
    uint64_t result_bytes; /* UTF-8 length of the whole repr */
    uint64_t result_chars; /* its code points */
    uint64_t head_bytes;   /* of it, this many bytes from its start are in result[] ... */
    uint64_t tail_bytes;   /* ... directly followed by this many from its end; whole: head_bytes ==
                              result_bytes */
    char result[];
};

#define WIRE_PAGE_SIZE(result_bytes_max) (sizeof(struct wire_page) + (result_bytes_max))

/* Sends one datagram with n_fds descriptors (they stay the caller's). 0 or -errno (-EAGAIN on a
 * full non-blocking socket, -EPIPE when the peer is gone; never raises SIGPIPE). */
int wire_send(int socket, const void *message, uint32_t size, const int *fds, uint32_t n_fds);

/* Receives one datagram of at most `size` bytes. Received descriptors are close-on-exec and the
 * caller's; ret_fds has WIRE_FDS_MAX entries. Returns the bytes received, 0 at the end of the
 * stream, or -errno (-EAGAIN, -EPROTO: the datagram or its descriptors did not fit, or its version
 * is another build's; all descriptors have been closed). Restarts on EINTR when `restart` is set.
 */
long wire_recv(
        int socket, void *message, uint32_t size, int *ret_fds, uint32_t *ret_n_fds, int restart);

/* The same for a message without descriptors, never blocking (-EAGAIN). *ret_pid is its sender, as
 * this process sees it; the socket needs SO_PASSCRED, unix(7), and a larger control area. */
long wire_recv_sender(int socket, void *message, uint32_t size, pid_t *ret_pid);
