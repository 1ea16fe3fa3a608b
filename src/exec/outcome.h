/* How a run ended, in data; mcp/ turns it into words. Valid during the on_done call only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

typedef enum RunStatus {
    RUN_EXITED,
    RUN_SIGNALED,
    RUN_TIMEOUT,
    RUN_CPU_LIMIT,
    RUN_MEMORY_LIMIT,  /* the kernel's word (cgroup), not a MemoryError */
    RUN_SANDBOX_ERROR, /* the runner failed; the program did not run, or its run was lost */
    RUN_REJECTED,      /* never started: bad arguments, queue full */
    _RUN_STATUS_N,
} RunStatus;

const char *run_status_name(RunStatus s); /* "exited", "signaled", "timeout", ... */
const char *signal_name(
        int number); /* "SIGSEGV"; "SIG35" style for the rest, never NULL; static storage */

/* Text kept of a stream: when omitted_chars is 0 the whole of it is head followed by tail, else
 * `omitted_chars` code points are missing between them. Well-formed UTF-8. */
typedef struct KeptText {
    const char *head;
    size_t head_bytes;
    const char *tail;
    size_t tail_bytes;
    uint64_t omitted_chars;
    uint64_t total_bytes; /* as the program wrote them */
} KeptText;

/* Appends the text, cut down further to max_chars code points if it has more: head, a line of its
 * own with `… [N characters omitted] …`, tail. Sets *ret_truncated (may be NULL). Errors as
 * buf_append(). */
int kept_text_format(const KeptText *t, size_t max_chars, Buf *out, bool *ret_truncated);

typedef struct Outcome {
    char request_id[9];
    RunStatus status;
    int exit_code;       /* RUN_EXITED */
    int signal;          /* RUN_SIGNALED, RUN_MEMORY_LIMIT */
    int64_t timeout_ms;  /* the wall clock limit of this run */
    int64_t duration_us; /* from the program's start to its end */
    int64_t queued_us;   /* from the call to the program's start */
    int64_t cpu_us;
    int64_t max_rss_kb;
    bool usage_reported; /* cpu_us and max_rss_kb are the worker's word, not the kernel's */
    KeptText out, err, result;
    bool has_result;    /* the last expression had a value that is not None */
    bool memory_error;  /* an uncaught MemoryError ended the program */
    bool syntax_error;  /* it did not compile */
    bool notebook_line; /* it did not compile and has a line that starts with ! or % */
    const char *error; /* RUN_SANDBOX_ERROR: what happened, to which thing, what to do; else NULL */
} Outcome;
