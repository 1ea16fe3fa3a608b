#include "exec/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/macro.h"
#include "exec/program.h"

void job_list_push(JobList *l, Job *j)
{
    j->next = NULL;
    j->prev = l->last;
    if (l->last) {
        l->last->next = j;
    } else {
        l->first = j;
    }
    l->last = j;
    l->n++;
}

void job_list_push_front(JobList *l, Job *j)
{
    j->prev = NULL;
    j->next = l->first;
    if (l->first) {
        l->first->prev = j;
    } else {
        l->last = j;
    }
    l->first = j;
    l->n++;
}

void job_list_remove(JobList *l, Job *j)
{
    if (j->prev) {
        j->prev->next = j->next;
    } else {
        l->first = j->next;
    }
    if (j->next) {
        j->next->prev = j->prev;
    } else {
        l->last = j->prev;
    }
    j->next = j->prev = NULL;
    l->n--;
}

static int hold_stdin(Job *j, const JobRequest *request)
{
    if (request->stdin_fd >= 0) {
        j->stdin_fd = fcntl(request->stdin_fd, F_DUPFD_CLOEXEC, 3);
        return j->stdin_fd < 0 ? -errno : 0;
    }
    if (!request->stdin_bytes || request->stdin_n == 0) {
        return 0;
    }
    j->held_bytes += request->stdin_n;
    return fd_from_bytes(request->stdin_bytes, request->stdin_n, &j->stdin_fd);
}

static int hold_code(Job *j, const JobRequest *request)
{
    size_t offset, n;
    bool in_message;

    (void)program_unwrap(request->code, request->code_bytes, &offset, &n);
    in_message = n <= WIRE_GO_CODE_MAX;
    j->go = malloc(sizeof(*j->go) + (in_message ? n : 0));
    if (!j->go) {
        return -ENOMEM;
    }
    *j->go = (struct wire_go){.h = {WIRE_GO, WIRE_VERSION}, .code_bytes = n};
    j->held_bytes += n;
    j->notebook_line = program_has_notebook_line(request->code + offset, n);
    if (in_message) {
        memcpy(j->go->code, request->code + offset, n);
        return 0;
    }
    j->go->flags |= WIRE_GO_CODE_FD;
    return fd_from_bytes(request->code + offset, n, &j->code_fd);
}

int job_new(Job **ret, Runner *r, const JobRequest *request, const JobHandlers *handlers,
        void *userdata)
{
    Job *j = calloc(1, sizeof(*j));
    int e;

    if (!j) {
        return -ENOMEM;
    }
    j->runner = r;
    j->handlers = *handlers;
    j->userdata = userdata;
    memcpy(j->request_id, request->request_id, sizeof(j->request_id));
    j->code_fd = j->stdin_fd = -1;
    j->timeout_ms = request->timeout_ms;
    j->submitted_us = clock_now_us();
    for (int i = 0; i < 2; i++) {
        capture_init(&j->capture[i], (size_t)r->settings->max_output_chars);
    }
    e = hold_code(j, request);
    if (e == 0) {
        e = hold_stdin(j, request);
    }
    if (e == 0 && j->stdin_fd >= 0) {
        j->go->flags |= WIRE_GO_STDIN_FD;
    }
    if (e < 0) {
        job_free(j);
        return e;
    }
    r->held_bytes += j->held_bytes;
    *ret = j;
    return 0;
}

Job *job_free(Job *j)
{
    if (j) {
        j->runner->held_bytes -= MIN(j->runner->held_bytes, j->held_bytes);
        free(j->go);
        close_p(&j->code_fd);
        close_p(&j->stdin_fd);
        capture_deinit(&j->capture[0]);
        capture_deinit(&j->capture[1]);
        free(j);
    }
    return NULL;
}

const char *job_request_id(const Job *job)
{
    return job->request_id;
}

bool job_started(const Job *job)
{
    return job->started_us != 0;
}

size_t job_queue_position(const Job *job)
{
    size_t position = 1;

    if (job->slot) {
        return 0;
    }
    for (const Job *j = job->prev; j; j = j->prev) {
        position++;
    }
    return position;
}

const char *job_last_line(const Job *job)
{
    /* The text lives in the job for its reader's sake; asking does not change what the job is. */
    char *line = ((Job *)job)->last_line;

    if (capture_last_line(&job->capture[job->newest], line) == 0) {
        (void)capture_last_line(&job->capture[!job->newest], line);
    }
    return line;
}

void job_pause_output(Job *job, bool pause)
{
    if (job->slot) {
        worker_pause_output(job->slot->worker, pause);
    }
}
