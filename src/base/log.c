/* Theory. Standard error belongs to the client too, and O_NONBLOCK is a property of the open file
 * description that all holders share (open(2)): setting it would change the mode under a shell or
 * a client. So a description of our own is opened where the system gives one (pipes and terminals
 * through /proc/self/fd), sockets are asked not to block per call, and everything else is polled
 * before each write; a pipe that polls writable takes PIPE_BUF bytes without blocking (pipe(7)).
 *
 * A line is at most LINE_MAX_BYTES, below PIPE_BUF, so a pipe takes all of it or nothing. Terminals
 * and sockets may take a part: the rest is kept and goes out before anything else. */
#include "base/log.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "base/utf8.h"

enum { LINE_MAX_BYTES = 2048 };
_Static_assert(LINE_MAX_BYTES <= PIPE_BUF, "a pipe would take a part of a line");

typedef enum SinkKind { SINK_UNOPENED, SINK_OWN, SINK_SOCKET, SINK_POLLED, SINK_GONE } SinkKind;

typedef struct Line {
    char bytes[LINE_MAX_BYTES];
    size_t n;
} Line;

static struct {
    LogLevel level;
    LogFormat format;
    SinkKind kind;
    int fd;
    Line rest; /* of a line that was taken in part */
    uint64_t dropped;
} the_log = {.level = LOG_INFO, .fd = -1};

static void sink_close(void)
{
    if (the_log.kind == SINK_OWN) {
        close_p(&the_log.fd);
    }
    the_log.fd = -1;
    the_log.kind = SINK_UNOPENED;
}

static void sink_open(void)
{
    struct stat st;
    the_log.fd = STDERR_FILENO;
    the_log.kind = SINK_POLLED;
    if (fstat(STDERR_FILENO, &st) < 0) {
        the_log.kind = SINK_GONE;
    } else if (S_ISSOCK(st.st_mode)) {
        the_log.kind = SINK_SOCKET;
    } else if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
        int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (fd >= 0) {
            the_log.fd = fd;
            the_log.kind = SINK_OWN;
        }
    }
}

void log_init(LogLevel level, LogFormat format)
{
    sink_close();
    the_log.level = level;
    the_log.format = format;
    the_log.rest.n = 0;
    the_log.dropped = 0;
}

bool log_enabled(LogLevel level)
{
    return level >= the_log.level;
}

const char *log_level_name(LogLevel level)
{
    static const char *const names[_LOG_LEVEL_N] = {
            [LOG_DEBUG] = "DEBUG",
            [LOG_INFO] = "INFO",
            [LOG_WARNING] = "WARNING",
            [LOG_ERROR] = "ERROR",
    };
    return level < _LOG_LEVEL_N ? names[level] : "?";
}

/* One attempt. The bytes taken, 0 when there is no room (or no disk), never an error. */
static size_t sink_write(const char *bytes, size_t n)
{
    long r;
    if (the_log.kind == SINK_SOCKET) {
        r = send(the_log.fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        r = r < 0 ? -errno : r;
    } else {
        struct pollfd p = {.fd = the_log.fd, .events = POLLOUT};
        if (the_log.kind == SINK_POLLED && poll(&p, 1, 0) != 1) {
            return 0;
        }
        r = fd_write_some(the_log.fd, bytes, n);
    }
    if (r == -EPIPE || r == -EBADF || r == -ECONNRESET) {
        the_log.kind = SINK_GONE; /* nobody reads it any more, and nobody can again */
    }
    return r > 0 ? (size_t)r : 0;
}

/* True when nothing of an earlier line is left. */
static bool flush_rest(void)
{
    if (the_log.rest.n == 0) {
        return true;
    }
    size_t taken = sink_write(the_log.rest.bytes, the_log.rest.n);
    the_log.rest.n -= taken;
    memmove(the_log.rest.bytes, the_log.rest.bytes + taken, the_log.rest.n);
    return the_log.rest.n == 0;
}

static bool put_line(const Line *line)
{
    size_t taken = sink_write(line->bytes, line->n);
    if (taken == 0) {
        return false;
    }
    the_log.rest.n = line->n - taken;
    memcpy(the_log.rest.bytes, line->bytes + taken, the_log.rest.n);
    return true;
}

/* Appends `s` if all of it fits below `room`. */
static bool line_add(Line *line, size_t room, const char *s, size_t n)
{
    if (n > room - line->n) {
        return false;
    }
    memcpy(line->bytes + line->n, s, n);
    line->n += n;
    return true;
}

static void line_add_str(Line *line, const char *s)
{
    (void)line_add(line, sizeof(line->bytes), s, strlen(s));
}

/* The escape for a character that must not reach a terminal or break a line, "" for none. C0, DEL
 * and C1 (U+0080 to U+009F, two bytes) are controls; JSON (RFC 8259, 7) wants two more escaped and
 * knows no \x. */
static void escape_of(LogFormat format, const char *c, size_t n, char ret_escape[8])
{
    static const char letters[] = "\bb\tt\nn\ff\rr";
    unsigned char byte = (unsigned char)c[0];
    bool c1 = n == 2 && byte == 0xc2 && (unsigned char)c[1] < 0xa0;
    ret_escape[0] = '\0';
    if (n == 1 && format == LOG_JSON && (byte == '"' || byte == '\\')) {
        (void)snprintf(ret_escape, 8, "\\%c", byte);
    } else if (c1 || (n == 1 && (byte < 0x20 || byte == 0x7f))) {
        const char *letter = byte != 0 ? strchr(letters, byte) : NULL;
        if (n == 1 && letter) {
            (void)snprintf(ret_escape, 8, "\\%c", letter[1]);
        } else {
            unsigned value = n == 1 ? byte : (unsigned char)c[1];
            (void)snprintf(ret_escape, 8, format == LOG_JSON ? "\\u%04x" : "\\x%02x", value);
        }
    }
}

/* Appends clean UTF-8, escaped, up to `room`; what does not fit is replaced by an ellipsis. */
static void line_add_text(Line *line, size_t room, const char *text, size_t n)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    size_t safe = line->n; /* where the ellipsis still fits */
    while (n > 0) {
        size_t length = utf8_prefix(text, n, 1);
        char escape[8];
        escape_of(the_log.format, text, length, escape);
        bool added = escape[0] != '\0' ? line_add(line, room, escape, strlen(escape))
                                       : line_add(line, room, text, length);
        if (!added) {
            line->n = safe;
            (void)line_add(line, room, ellipsis, sizeof(ellipsis) - 1);
            return;
        }
        if (line->n + sizeof(ellipsis) - 1 <= room) {
            safe = line->n;
        }
        text += length;
        n -= length;
    }
}

static void format_time(char *ret, size_t size)
{
    struct timespec now = {0};
    struct tm tm = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &tm);
    (void)snprintf(ret, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
            tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
            (int)(now.tv_nsec / 1000000));
}

static void format_line(
        Line *line, LogLevel level, const char *request_id, const char *message, size_t n)
{
    char time[96]; /* whatever the numbers are */
    format_time(time, sizeof(time));
    bool json = the_log.format == LOG_JSON;
    size_t id_n = request_id ? strnlen(request_id, 64) : 0;

    line->n = 0;
    line_add_str(line, json ? "{\"time\":\"" : "");
    line_add_str(line, time);
    line_add_str(line, json ? "\",\"level\":\"" : " ");
    line_add_str(line, log_level_name(level));
    if (json) {
        line_add_str(line, request_id ? "\",\"request_id\":\"" : "\",\"request_id\":null");
    } else {
        line_add_str(line, request_id ? " [" : "");
    }
    line_add_text(line, 512, request_id ? request_id : "", id_n);
    if (json) {
        line_add_str(line, request_id ? "\",\"message\":\"" : ",\"message\":\"");
    } else {
        line_add_str(line, request_id ? "] " : " ");
    }
    const char *end = json ? "\"}\n" : "\n";
    line_add_text(line, sizeof(line->bytes) - strlen(end), message, n);
    line_add_str(line, end);
}

/* The count first, where there is one: what comes after it is complete again. */
static bool report_dropped(void)
{
    if (the_log.dropped == 0) {
        return true;
    }
    char text[80];
    int n = snprintf(text, sizeof(text), "%llu log lines dropped: stderr was not read",
            (unsigned long long)the_log.dropped);
    Line line;
    format_line(&line, LOG_WARNING, NULL, text, (size_t)n);
    if (!put_line(&line)) {
        return false;
    }
    the_log.dropped = 0;
    return the_log.rest.n == 0;
}

void log_write(LogLevel level, const char *request_id, const char *fmt, ...)
{
    if (!log_enabled(level)) {
        return;
    }
    int saved = errno; /* %m in fmt, and the caller's own use of it afterwards */
    if (the_log.kind == SINK_UNOPENED) {
        sink_open();
    }
    if (the_log.kind == SINK_GONE) {
        errno = saved;
        return;
    }
    char raw[LINE_MAX_BYTES];
    va_list args;
    va_start(args, fmt);
    errno = saved;
    int n = vsnprintf(raw, sizeof(raw), fmt, args);
    va_end(args);

    char clean[UTF8_CLEAN_MAX(sizeof(raw))];
    Utf8 state = {0};
    size_t clean_n =
            utf8_clean(&state, raw, n < 0 ? 0 : MIN((size_t)n, sizeof(raw) - 1), clean, NULL);
    clean_n += utf8_clean_end(&state, clean + clean_n, NULL);

    Line line;
    format_line(&line, level, request_id, clean, clean_n);
    if (!flush_rest() || !report_dropped() || !put_line(&line)) {
        the_log.dropped++;
    }
    errno = saved;
}
