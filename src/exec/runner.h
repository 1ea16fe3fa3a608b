/* Runs programs: a queue in order of arrival, slots, the template, capture, clocks. One thread, on
 * a libuv loop.
 *
 * A submitted job ends in exactly one on_done call, never from inside runner_submit(), unless it is
 * cancelled: then nothing is called any more. A Job pointer is valid until its on_done returns or
 * job_cancel() is called. Nothing blocks. Memory of a job: its code and stdin until they are handed
 * over, then two captures of max_output_chars. Errors: 0, -errno (fatal), positive as documented.
 * Not for use after fork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "exec/outcome.h"
#include "exec/preload.h"
#include "exec/settings.h"

enum { RUNNER_E_QUEUE_FULL = 1 };

typedef struct Runner Runner;
typedef struct Job Job;

typedef struct JobHandlers {
    void (*on_started)(void *userdata, Job *job); /* may be NULL */
    /* Raw output as it comes, stream 1 or 2; may be NULL */
    void (*on_output)(void *userdata, Job *job, int stream, const void *bytes, size_t n);
    void (*on_done)(void *userdata, Job *job, const Outcome *outcome);
} JobHandlers;

typedef struct JobRequest {
    char request_id[9]; /* runner_request_id() */
    const char *code;   /* copied; a Markdown fence around the whole of it is taken off */
    size_t code_bytes;
    const char *stdin_bytes; /* copied; NULL: empty */
    size_t stdin_n;
    int stdin_fd;       /* -1, or a descriptor that becomes the program's standard input (stays the
                           caller's) */
    int64_t timeout_ms; /* already within the limits */
} JobRequest;

typedef struct RunnerInfo { /* of the interpreter's hello */
    const char *executable;
    const char *version;
} RunnerInfo;

int runner_new(Runner **ret, uv_loop_t *loop, const Settings *settings);
/* Starts the template. on_ready is called once, when the interpreter has introduced itself (error
 * NULL) or can't be used (error: one sentence with the variable, its value and what is allowed). */
int runner_start(Runner *r, void (*on_ready)(void *userdata, const char *error), void *userdata);
const RunnerInfo *runner_info(const Runner *r);
const Preload *runner_preload(const Runner *r); /* what became of it in the newest template */

void runner_request_id(char ret_id[9]); /* 8 random lowercase hex digits; getrandom(2) */

/* 0, RUNNER_E_QUEUE_FULL, or -ENOMEM. */
int runner_submit(Runner *r, const JobRequest *request, const JobHandlers *handlers, void *userdata,
        Job **ret_job);
void job_cancel(Job *job);
const char *job_request_id(const Job *job);
bool job_started(const Job *job);
size_t job_queue_position(const Job *job); /* 1 for the next in line; 0 when it has a slot */
/* The newest complete line of output, at most 200 code points, clean UTF-8; "" when there is none.
 * Valid until the loop goes on. */
const char *job_last_line(const Job *job);
void job_pause_output(
        Job *job, bool pause); /* stops and resumes reading its pipes; its clock goes on */

size_t runner_active(const Runner *r); /* jobs that wait or run */
/* Cancels every job, ends the template and all keepers, removes the run directories; on_stopped is
 * called when nothing lives any more (within a second). */
void runner_stop(Runner *r, void (*on_stopped)(void *userdata), void *userdata);
Runner *runner_free(Runner *r);
