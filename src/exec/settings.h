/* All that can be configured, parsed and checked (main/config.c fills it from RUNNER_*); constant
 * while the server runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"

typedef struct Settings {
    int64_t default_timeout_ms; /* RUNNER_DEFAULT_TIMEOUT_SEC */
    int64_t max_timeout_ms;     /* RUNNER_MAX_TIMEOUT_SEC */
    int64_t max_output_chars;   /* RUNNER_MAX_OUTPUT_CHARS, code points of stdout, stderr and result
                                   each */
    int64_t max_memory_mb;      /* RUNNER_MAX_MEMORY_MB */
    int64_t max_cpu_seconds;    /* RUNNER_MAX_CPU_SECONDS */
    int64_t max_processes;      /* RUNNER_MAX_PROCESSES */
    int64_t max_file_size_mb;   /* RUNNER_MAX_FILE_SIZE_MB */
    int64_t max_concurrent;     /* RUNNER_MAX_CONCURRENT */
    int64_t warm_workers;       /* RUNNER_WARM_WORKERS */
    int64_t max_queue;          /* RUNNER_MAX_QUEUE */
    int64_t max_request_mb;     /* RUNNER_MAX_REQUEST_MB */
    int64_t template_max_runs;  /* RUNNER_TEMPLATE_MAX_RUNS, 0: no end */
    const char *preload;    /* RUNNER_PRELOAD: module names with commas between them; "" for none */
    bool site_packages;     /* RUNNER_SITE_PACKAGES */
    bool structured_output; /* RUNNER_STRUCTURED_OUTPUT */
    int sandbox;            /* RUNNER_SANDBOX, SandboxMode of sandbox/sandbox.h */
    LogLevel log_level;     /* RUNNER_LOG_LEVEL */
    LogFormat log_format;   /* RUNNER_LOG_FORMAT */
    const char
            *python; /* RUNNER_PYTHON, resolved on PATH to an absolute path; not a link's target */
    const char *template_dir; /* where main.py and the extension module are, absolute */
    const char *temp_dir; /* TMPDIR of the server or /tmp, absolute; run directories go below it */
} Settings;
