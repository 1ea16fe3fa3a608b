/* The server's log: one line an event on stderr, under a request id where there is one.
 *
 * A client that never reads our stderr must not stop us (pipes hold 64 KiB, pipe(7)): stderr is
 * written without blocking, and lines that do not fit are counted and reported once there is room
 * again. A line never holds code or output of a program. Not thread-safe; not for use after fork.
 * Limits: a line is cut at 2 KiB. Control characters of arguments are escaped. */
#pragma once

#include <stdbool.h>

#include "base/macro.h"

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, _LOG_LEVEL_N } LogLevel;
typedef enum LogFormat { LOG_TEXT, LOG_JSON, _LOG_FORMAT_N } LogFormat;

void log_init(LogLevel level, LogFormat format);
bool log_enabled(LogLevel level);
const char *log_level_name(LogLevel level); /* "DEBUG" ... */

/* request_id may be NULL. Text: `2026-01-02T03:04:05.678Z INFO [a1b2c3d4] message`.
 * JSON: {"time","level","request_id","message"} */
void log_write(LogLevel level, const char *request_id, const char *fmt, ...) PRINTF_LIKE(3, 4);

#define log_debug(id, ...)                                                                         \
    (log_enabled(LOG_DEBUG) ? log_write(LOG_DEBUG, (id), __VA_ARGS__) : (void)0)
#define log_info(id, ...) (log_enabled(LOG_INFO) ? log_write(LOG_INFO, (id), __VA_ARGS__) : (void)0)
#define log_warning(id, ...) log_write(LOG_WARNING, (id), __VA_ARGS__)
#define log_error(id, ...) log_write(LOG_ERROR, (id), __VA_ARGS__)
