#include "exec/outcome.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "base/macro.h"
#include "base/utf8.h"

const char *run_status_name(RunStatus s)
{
    static const char *const names[_RUN_STATUS_N] = {
            [RUN_EXITED] = "exited",
            [RUN_SIGNALED] = "signaled",
            [RUN_TIMEOUT] = "timeout",
            [RUN_CPU_LIMIT] = "cpu_limit",
            [RUN_MEMORY_LIMIT] = "memory_limit",
            [RUN_SANDBOX_ERROR] = "sandbox_error",
            [RUN_REJECTED] = "rejected",
    };
    return s < _RUN_STATUS_N ? names[s] : "unknown";
}

/* signal(7). sigabbrev_np(3) knows them too, but only in glibc 2.32 and newer. */
const char *signal_name(int number)
{
#define NAME(s) [s] = #s
    static const char *const names[] = {
            NAME(SIGHUP),
            NAME(SIGINT),
            NAME(SIGQUIT),
            NAME(SIGILL),
            NAME(SIGTRAP),
            NAME(SIGABRT),
            NAME(SIGBUS),
            NAME(SIGFPE),
            NAME(SIGKILL),
            NAME(SIGUSR1),
            NAME(SIGSEGV),
            NAME(SIGUSR2),
            NAME(SIGPIPE),
            NAME(SIGALRM),
            NAME(SIGTERM),
            NAME(SIGCHLD),
            NAME(SIGCONT),
            NAME(SIGSTOP),
            NAME(SIGTSTP),
            NAME(SIGTTIN),
            NAME(SIGTTOU),
            NAME(SIGURG),
            NAME(SIGXCPU),
            NAME(SIGXFSZ),
            NAME(SIGVTALRM),
            NAME(SIGPROF),
            NAME(SIGWINCH),
            NAME(SIGIO),
            NAME(SIGSYS),
#ifdef SIGSTKFLT
            NAME(SIGSTKFLT),
#endif
#ifdef SIGPWR
            NAME(SIGPWR),
#endif
    };
#undef NAME
    if (number > 0 && (size_t)number < ARRAY_SIZE(names) && names[number]) {
        return names[number];
    }
    static char other[16];
    (void)snprintf(other, sizeof(other), "SIG%d", number);
    return other;
}

/* Byte offset of code point `at` in head and tail taken as one. */
static size_t text_offset(const KeptText *t, size_t head_chars, size_t at)
{
    if (at <= head_chars) {
        return utf8_prefix(t->head, t->head_bytes, at);
    }
    return t->head_bytes + utf8_prefix(t->tail, t->tail_bytes, at - head_chars);
}

static int append_range(Buf *out, const KeptText *t, size_t from, size_t to)
{
    int r = 0;
    if (from < t->head_bytes) {
        size_t end = MIN(to, t->head_bytes);
        r = buf_append(out, t->head + from, end - from);
        from = end;
    }
    if (r == 0 && from < to) {
        r = buf_append(out, t->tail + (from - t->head_bytes), to - from);
    }
    return r;
}

static int append_marker(Buf *out, bool newline_before, uint64_t omitted)
{
    return buf_appendf(out, "%s\u2026 [%" PRIu64 " characters omitted] \u2026\n",
            newline_before ? "\n" : "", omitted);
}

/* The parts in front of and behind the gap, in code points. A gap that is there already can't
 * move; where nothing is missing yet, it goes to the middle. */
static void choose_parts(const KeptText *t, size_t head_chars, size_t tail_chars, size_t max_chars,
        size_t *ret_front, size_t *ret_back)
{
    size_t front = max_chars / 2;
    size_t back = max_chars - front;
    if (t->omitted_chars > 0) {
        front = MIN(front, head_chars);
        back = MIN(max_chars - front, tail_chars);
        front = MIN(max_chars - back, head_chars);
    }
    *ret_front = front;
    *ret_back = back;
}

static int format(const KeptText *t, size_t max_chars, Buf *out, bool *ret_truncated)
{
    size_t head_chars = utf8_count(t->head, t->head_bytes);
    size_t tail_chars = utf8_count(t->tail, t->tail_bytes);
    size_t kept = head_chars + tail_chars;
    size_t all_bytes = t->head_bytes + t->tail_bytes;
    if (t->omitted_chars == 0 && kept <= max_chars) {
        *ret_truncated = false;
        return append_range(out, t, 0, all_bytes);
    }
    size_t front, back;
    choose_parts(t, head_chars, tail_chars, MIN(max_chars, kept), &front, &back);
    size_t front_end = text_offset(t, head_chars, front);
    size_t back_start = text_offset(t, head_chars, kept - back);
    size_t before = out->len;
    int r = append_range(out, t, 0, front_end);
    if (r == 0) {
        bool newline_before = out->len > before && out->data[out->len - 1] != '\n';
        r = append_marker(out, newline_before, t->omitted_chars + (kept - front - back));
    }
    if (r == 0) {
        r = append_range(out, t, back_start, all_bytes);
    }
    if (r == 0) {
        *ret_truncated = true;
    }
    return r;
}

int kept_text_format(const KeptText *t, size_t max_chars, Buf *out, bool *ret_truncated)
{
    size_t before = out->len;
    bool truncated;
    int r = format(t, max_chars, out, &truncated);
    if (r != 0) {
        out->len = before; /* as buf_append(): all of it or nothing */
        return r;
    }
    if (ret_truncated) {
        *ret_truncated = truncated;
    }
    return 0;
}
