#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "main/cli.h"
#include "main/client_config.h"
#include "main/config.h"
#include "main/doctor.h"
#include "main/host.h"
#include "main/paths.h"
#include "main/run.h"
#include "main/serve.h"

enum { ERROR_MAX = 8192 };

/* The log before the configuration is known, and of the commands that a person looks at. */
static LogLevel initial_level(CliCommandId command)
{
    return command == CLI_SERVE ? LOG_INFO : LOG_WARNING;
}

static int with_settings(const Cli *cli)
{
    Settings settings;
    char error[ERROR_MAX];
    if (config_load(&settings, error, sizeof error) < 0) {
        (void)fprintf(stderr, "python-runner-mcp: %s\n", error);
        return EXIT_USAGE;
    }
    if (!getenv("RUNNER_LOG_LEVEL")) {
        settings.log_level = initial_level(cli->command);
    }
    log_init(settings.log_level, settings.log_format);
    config_warn_unknown();
    return cli->command == CLI_RUN ? run_main(cli, &settings) : serve_main(&settings);
}

static int print(void (*what)(FILE *to))
{
    what(stdout);
    /* An earlier flush of a full buffer may have failed: the stream remembers, fflush(3) does not.
     */
    if (ferror(stdout) || fflush(stdout) != 0) {
        perror("python-runner-mcp: can't write to standard output");
        return EXIT_RUNNER;
    }
    return EXIT_SUCCESS;
}

static void print_version(FILE *to)
{
    (void)fputs("python-runner-mcp " RUNNER_VERSION "\n", to);
}

int main(int argc, char **argv)
{
    host_prepare();
    paths_init(argc > 0 ? argv[0] : NULL);
    config_prepare();

    Cli cli;
    char error[ERROR_MAX];
    if (cli_parse(argc, argv, &cli, error, sizeof error) < 0) {
        (void)fprintf(stderr, "python-runner-mcp: %s\n", error);
        return EXIT_USAGE;
    }
    log_init(initial_level(cli.command), LOG_TEXT);
    switch (cli.command) {
    case CLI_SERVE:
    case CLI_RUN:
        return with_settings(&cli);
    case CLI_CONFIG:
        return client_config_main(&cli);
    case CLI_DOCTOR:
        return doctor_main(&cli);
    case CLI_HELP:
        return print(cli_help);
    case CLI_VERSION:
        return print(print_version);
    }
    return EXIT_RUNNER;
}
