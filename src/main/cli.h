/* The command line: one table of commands and options, from which it is parsed and --help is made.
 * Pure but for cli_help(), which writes to a stream. Strings of a Cli belong to argv. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum CliCommandId {
    CLI_SERVE,
    CLI_RUN,
    CLI_CONFIG,
    CLI_DOCTOR,
    CLI_HELP,
    CLI_VERSION,
} CliCommandId;

typedef struct Cli {
    CliCommandId command;
    const char *operand; /* FILE, "-" or CLIENT; NULL when not given */
    const char *code;    /* run -c */
    int64_t timeout_ms;  /* run --timeout; 0: not given */
    bool json;           /* run --format json, doctor --json */
    bool docker;         /* config --docker */
    bool write;          /* config --write */
    bool yes;            /* config --write --yes */
} Cli;

/* Exit statuses that are ours. */
enum {
    EXIT_NOT_WRITTEN = 1, /* config --write */
    EXIT_USAGE = 2,       /* command line or configuration */
    EXIT_TIMED_OUT = 124,
    EXIT_RUNNER = 125, /* the runner failed, not the program */
    EXIT_SIGNAL = 128, /* + its number */
};

/* 0, or -EINVAL with one line in ret_error that names the thing and what is known. */
int cli_parse(int argc, char **argv, Cli *ret, char *ret_error, size_t error_size);
void cli_help(FILE *to);
