/* A call's life: checked, submitted, perhaps waiting, running, answered. It leaves the peer's list
 * when its answer is sent or it is cancelled, whichever is first; its memory goes when the loop has
 * closed its timer.
 *
 * The timer, there only with a progressToken, first sends progress. When the program has ended no
 * progress is sent any more (2025-11-25, "Progress": notifications MUST stop after completion). A
 * client that gets the last progress and the response in one read may handle the response first and
 * then take the progress for an error, so a response follows progress at a small distance; the
 * timer then keeps that.
 *
 * Ids must not be used twice at a time. When a client does so, both calls run and both are answered
 * under that id: an error for the second one would end the first in the client's eyes. */
#include "mcp/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "mcp/arguments.h"
#include "mcp/build.h"
#include "mcp/notify.h"
#include "mcp/result_json.h"
#include "mcp/tool.h"

enum {
    PROGRESS_EVERY_MS = 250,
    PROGRESS_GAP_MS = 10, /* from the last progress to the response */
};

struct McpCall {
    McpCall *next, **link; /* in the peer's list */
    McpRequest request;    /* params are not kept; the id is our own reference */
    char request_id[9];
    Job *job; /* NULL when the program has ended */
    int64_t capped_from_ms;
    uint64_t arrived_us;
    Json *progress_token; /* owned; NULL: no progress, and no timer */
    uint64_t progress_ms; /* the last value sent */
    uint64_t progress_sent_us;
    Json *held; /* the result, kept back for PROGRESS_GAP_MS */
    uv_timer_t timer;
};

/* The list, and the end of a call ----------------------------------------------------------- */

static void call_link(McpCall *c)
{
    McpPeer *p = c->request.peer;

    c->next = p->calls;
    c->link = &p->calls;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    p->calls = c;
    p->n_calls++;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static McpCall *call_free(McpCall *c)
{
    McpPeer *p = c->request.peer;

    if (c->link != NULL) {
        *c->link = c->next;
        if (c->next != NULL) {
            c->next->link = c->link;
        }
        p->n_calls--;
        p->idle_due = p->idle_due || p->n_calls == 0;
    }
    (void)json_unref(c->request.id);
    (void)json_unref(c->held);
    if (c->progress_token != NULL) {
        (void)json_unref(c->progress_token);
        uv_close((uv_handle_t *)&c->timer, on_timer_closed);
    } else {
        free(c);
    }
    return NULL;
}

static McpCall *call_find(const McpPeer *p, const Json *id)
{
    McpCall *c = p->calls;

    while (c != NULL && !json_equal(c->request.id, id)) {
        c = c->next;
    }
    return c;
}

static void call_give_up(McpCall *c)
{
    if (c->job != NULL) {
        job_cancel(c->job);
        log_info(c->request_id, TOOL_NAME " ended: status=cancelled after_ms=%" PRIu64,
                (clock_now_us() - c->arrived_us) / 1000);
    }
    request_give_up(&c->request);
    (void)call_free(c);
}

bool call_cancel(McpPeer *p, const Json *id)
{
    McpCall *c = call_find(p, id);

    if (c == NULL) {
        return false;
    }
    call_give_up(c);
    return true;
}

void call_cancel_all(McpPeer *p)
{
    McpCall *next;

    for (McpCall *c = p->calls; c != NULL; c = next) {
        next = c->next;
        call_give_up(c);
    }
}

/* Results ----------------------------------------------------------------------------------- */

static Json *result_new(
        const McpRequest *rq, int64_t capped_from_ms, const Outcome *o, const char *reason)
{
    ResultContext context = {
            .settings = rq->peer->server->settings,
            .era = rq->era,
            .capped_from_ms = capped_from_ms,
            .max_bytes = rq->batch != NULL ? batch_reply_max(rq->batch) : MCP_REPLY_MAX,
    };

    return result_json_call(&context, o, reason);
}

/* The program was not run: the reason is all there is to say. */
static void refuse(
        const McpRequest *rq, const char *request_id, RunStatus status, const char *reason)
{
    Outcome o = {.status = status};

    memcpy(o.request_id, request_id, sizeof(o.request_id));
    log_info(request_id, TOOL_NAME " ended: status=%s", run_status_name(o.status));
    request_respond(rq, result_new(rq, 0, &o, reason));
}

static void call_answer(McpCall *c, Json *result)
{
    McpPeer *p = c->request.peer;

    request_respond(&c->request, result);
    (void)call_free(c);
    peer_settle(p);
}

/* Progress ---------------------------------------------------------------------------------- */

static int set_progress_message(const McpCall *c, Json *params)
{
    size_t position = job_queue_position(c->job);
    const char *line;
    char text[64];

    if (position > 0) {
        (void)snprintf(text, sizeof(text), "waiting for a free slot (position %zu)", position);
        line = text;
    } else {
        line = job_last_line(c->job);
    }
    return line[0] != '\0' ? json_set(params, "message", json_new_string(line)) : 0;
}

/* `progress` is the time since the call arrived, in seconds. */
static void send_progress(McpCall *c)
{
    uint64_t now_us = clock_now_us(), ms = (now_us - c->arrived_us) / 1000;
    Json *params = json_new_object();
    int r = json_set(params, "progressToken", json_ref(c->progress_token));

    c->progress_ms = ms > c->progress_ms ? ms : c->progress_ms + 1;
    c->progress_sent_us = now_us;
    r |= json_set(params, "progress", json_new_real((double)c->progress_ms / 1000));
    if (c->request.era->progress_message) {
        r |= set_progress_message(c, params);
    }
    params = built(params, r);
    peer_send(c->request.peer,
            params != NULL ? rpc_notification("notifications/progress", params) : NULL);
}

static bool is_congested(const McpPeer *p)
{
    return p->pending != NULL && p->pending(p->userdata) > MCP_PROGRESS_BACKLOG;
}

static void on_timer(uv_timer_t *timer)
{
    McpCall *c = timer->data;

    if (c->job != NULL) {
        if (!is_congested(c->request.peer)) {
            send_progress(c);
        }
    } else {
        Json *result = c->held;

        c->held = NULL;
        call_answer(c, result);
    }
}

/* A token of another type, or one too long to be kept, gets no progress, which is a server's to
 * give. */
static bool is_token(const Json *v)
{
    size_t n = 0;

    return json_is(v, JSON_T_INTEGER) || (json_string_bytes(v, &n) != NULL && n <= MCP_ID_MAX);
}

static int progress_open(McpCall *c, const McpRequest *rq)
{
    Json *token = json_get(json_get(rq->params, "_meta"), "progressToken");
    int r;

    if (!is_token(token)) {
        return 0;
    }
    r = uv_timer_init(rq->peer->server->loop, &c->timer);
    if (r < 0) {
        return r;
    }
    c->timer.data = c;
    c->progress_token = json_ref(token);
    return uv_timer_start(&c->timer, on_timer, PROGRESS_EVERY_MS, PROGRESS_EVERY_MS);
}

/* How long the response has to wait, so that it does not share a read with the last progress. */
static uint64_t progress_gap_ms(const McpCall *c)
{
    uint64_t since_ms = (clock_now_us() - c->progress_sent_us) / 1000;

    return c->progress_sent_us == 0 || since_ms >= PROGRESS_GAP_MS ? 0 : PROGRESS_GAP_MS - since_ms;
}

/* The job ----------------------------------------------------------------------------------- */

static void on_started(void *userdata, Job *job UNUSED)
{
    const McpCall *c = userdata;

    log_info(c->request_id, TOOL_NAME " started");
    notify_started(&c->request, c->request_id);
}

/* Right away, or when the last progress was long enough ago. */
static void answer_in_time(McpCall *c, Json *result)
{
    uint64_t gap_ms = progress_gap_ms(c);

    if (c->progress_token != NULL) {
        (void)uv_timer_stop(&c->timer);
    }
    if (gap_ms > 0 && uv_timer_start(&c->timer, on_timer, gap_ms, 0) == 0) {
        c->held = result;
        return;
    }
    call_answer(c, result);
}

static void on_done(void *userdata, Job *job, const Outcome *o)
{
    McpCall *c = userdata;
    const char *reason = NULL;

    c->job = NULL;
    if (o->status == RUN_SANDBOX_ERROR || o->status == RUN_REJECTED) {
        reason = o->error; /* which the runner has logged */
        if (reason == NULL) {
            reason = "the runner could not run the program; try again";
            log_error(c->request_id, "%s", reason);
        }
    }
    notify_ended(&c->request, o);
    answer_in_time(c, result_new(&c->request, c->capped_from_ms, o, reason));
    /* Behind the answer, which need not wait for it. The call may be gone. */
    log_info(job_request_id(job),
            TOOL_NAME " ended: status=%s duration_ms=%" PRId64 " cpu_ms=%" PRId64
                      " queued_ms=%" PRId64,
            run_status_name(o->status), o->duration_us / 1000, o->cpu_us / 1000,
            o->queued_us / 1000);
}

/* The request ------------------------------------------------------------------------------- */

static McpCall *call_new(const McpRequest *rq, const char *request_id, const Arguments *a)
{
    McpCall *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        return NULL;
    }
    c->request = *rq;
    c->request.params = NULL;
    c->request.id = json_ref(rq->id);
    c->arrived_us = clock_now_us();
    c->capped_from_ms = a->capped_from_ms;
    memcpy(c->request_id, request_id, sizeof(c->request_id));
    if (progress_open(c, rq) < 0) {
        return call_free(c);
    }
    return c;
}

static void refuse_submit(const McpRequest *rq, const char *request_id, int error)
{
    char reason[192];

    if (error == RUNNER_E_QUEUE_FULL) {
        (void)snprintf(reason, sizeof(reason),
                "the queue is full: at most %" PRId64
                " calls (RUNNER_MAX_QUEUE) may wait, and only so much of programs and inputs. Try "
                "again in a few seconds.",
                rq->peer->server->settings->max_queue);
        refuse(rq, request_id, RUN_REJECTED, reason);
        return;
    }
    (void)snprintf(reason, sizeof(reason),
            "the call can't be queued: %s. Try again in a few seconds.", strerror(-error));
    log_error(request_id, "%s", reason);
    refuse(rq, request_id, RUN_SANDBOX_ERROR, reason);
}

static void submit(const McpRequest *rq, const char *request_id, const Arguments *a)
{
    static const JobHandlers handlers = {.on_started = on_started, .on_done = on_done};
    McpCall *c = call_new(rq, request_id, a);
    JobRequest job = {
            .code = a->code,
            .code_bytes = a->code_bytes,
            .stdin_bytes = a->stdin_bytes,
            .stdin_n = a->stdin_n,
            .stdin_fd = -1,
            .timeout_ms = a->timeout_ms,
    };
    int r = -ENOMEM;

    memcpy(job.request_id, request_id, sizeof(job.request_id));
    if (c != NULL) {
        r = runner_submit(rq->peer->server->runner, &job, &handlers, c, &c->job);
    }
    if (r == 0) {
        call_link(c);
        return;
    }
    if (c != NULL) {
        (void)call_free(c);
    }
    refuse_submit(rq, request_id, r);
}

void call_run(const McpRequest *rq)
{
    const Json *name = json_get(rq->params, "name");
    char request_id[9], reason[ARGUMENTS_REASON_SIZE], text[QUOTE_SIZE + 64], quoted[QUOTE_SIZE];
    const char *bytes;
    Arguments a;
    size_t n = 0;

    bytes = json_string_bytes(name, &n);
    if (bytes == NULL) {
        request_fail(rq, RPC_INVALID_PARAMS,
                "Invalid params: tools/call needs the string params.name", NULL);
        return;
    }
    if (!json_is_text(name, TOOL_NAME)) {
        (void)snprintf(text, sizeof(text), "Unknown tool: %s; the tool is " TOOL_NAME,
                quote_text(bytes, n, quoted));
        request_fail(rq, RPC_INVALID_PARAMS, text, NULL);
        return;
    }
    if (call_find(rq->peer, rq->id) != NULL) {
        log_warning(NULL, "the client uses an id again that is still in use; both calls run");
    }
    runner_request_id(request_id);
    if (arguments_read(json_get(rq->params, "arguments"), rq->peer->server->settings, &a, reason) !=
            0) {
        refuse(rq, request_id, RUN_REJECTED, reason);
        return;
    }
    submit(rq, request_id, &a);
}
