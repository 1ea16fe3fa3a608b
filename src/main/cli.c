#include "main/cli.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"
#include "base/parse.h"
#include "main/client_form.h"
#include "main/config.h"

typedef struct CliCommand {
    const char *name;
    CliCommandId id;
    const char *usage;   /* behind the name, in --help */
    const char *operand; /* its name, or NULL when the command takes none */
    const char *meaning;
} CliCommand;

static const CliCommand commands[] = {
        {"serve", CLI_SERVE, "", NULL,
                "speak MCP on standard input and output, until the input ends; the command when "
                "none is given"},
        {"run", CLI_RUN, " [-c CODE | FILE | -]", "FILE",
                "run one program the same way; its output, its input and its exit status are ours"},
        {"config", CLI_CONFIG, " CLIENT", "CLIENT",
                "print the configuration to paste into a client, or put it into the client's file"},
        {"doctor", CLI_DOCTOR, "", NULL, "try for real whether everything works on this machine"},
};

enum { COMMAND_ANY = -1 };

typedef enum CliOptionId {
    OPTION_CODE,
    OPTION_TIMEOUT,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_DOCKER,
    OPTION_WRITE,
    OPTION_YES,
    OPTION_HELP,
    OPTION_VERSION
} CliOptionId;

typedef struct CliOption {
    CliOptionId id;
    int command;           /* CliCommandId, or COMMAND_ANY */
    const char *long_name; /* with its dashes; NULL when there is none */
    const char *short_name;
    const char *argument; /* NULL when it takes none */
    const char *meaning;
} CliOption;

static const CliOption options[] = {
        {OPTION_CODE, CLI_RUN, NULL, "-c", "CODE",
                "the program itself; without it, it is read from FILE, or from standard input"},
        {OPTION_TIMEOUT, CLI_RUN, "--timeout", NULL, "S",
                "seconds it may take, such as 2 or 0.5, up to RUNNER_MAX_TIMEOUT_SEC"},
        {OPTION_FORMAT, CLI_RUN, "--format", NULL, "FORMAT",
                "text (the output as it comes) or json (one object at the end)"},
        {OPTION_DOCKER, CLI_CONFIG, "--docker", NULL, NULL,
                "the server in a container, without network, with a read-only root"},
        {OPTION_WRITE, CLI_CONFIG, "--write", NULL, NULL,
                "ask, then put it into the client's own file: all else in it stays, and a copy of "
                "it "
                "is kept"},
        {OPTION_YES, CLI_CONFIG, "--yes", "-y", NULL, "with --write: do not ask"},
        {OPTION_JSON, CLI_DOCTOR, "--json", NULL, NULL, "one JSON object instead of lines"},
        {OPTION_HELP, COMMAND_ANY, "--help", "-h", NULL, "print this help"},
        {OPTION_VERSION, COMMAND_ANY, "--version", "-V", NULL, "print the version"},
};

/* What is left of the command line. */
typedef struct Parser {
    int argc;
    char **argv;
    int at;
    Cli *cli;
    char *error;
    size_t error_size;
} Parser;

#define FAIL(p, ...) ((void)snprintf((p)->error, (p)->error_size, __VA_ARGS__), -EINVAL)

static const CliCommand *command_of(CliCommandId id)
{
    size_t i = 0;
    while (i + 1 < ARRAY_SIZE(commands) && commands[i].id != id) {
        i++;
    }
    return &commands[i];
}

static int unknown_command(const Parser *p, const char *word)
{
    const char *known[ARRAY_SIZE(commands)];
    char list[128] = "";
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        known[i] = commands[i].name;
        size_t n = strlen(list);
        (void)snprintf(list + n, sizeof list - n, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    char shown[CONFIG_SHOWN_MAX];
    const char *meant = config_closest(word, known, ARRAY_SIZE(commands));
    return FAIL(p, "unknown command %s%s%s%s; known: %s (see --help)", config_shown(word, shown),
            meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "", list);
}

static bool option_belongs(const CliOption *o, CliCommandId command)
{
    return o->command == COMMAND_ANY || o->command == (int)command;
}

static int unknown_option(const Parser *p, const char *word)
{
    char list[256] = "";
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        const CliOption *o = &options[i];
        if (option_belongs(o, p->cli->command)) {
            size_t n = strlen(list);
            (void)snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "",
                    o->long_name ? o->long_name : o->short_name);
        }
    }
    char shown[CONFIG_SHOWN_MAX];
    return FAIL(p, "unknown option %s of %s; known: %s (see --help)", config_shown(word, shown),
            command_of(p->cli->command)->name, list);
}

/* Finds the option that `word` is, alone, as --name=value or as -cvalue. */
static const CliOption *find_option(const Cli *cli, const char *word, const char **ret_attached)
{
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        const CliOption *o = &options[i];
        if (!option_belongs(o, cli->command)) {
            continue;
        }
        size_t long_n = o->long_name ? strlen(o->long_name) : 0;
        if (long_n > 0 && strncmp(word, o->long_name, long_n) == 0 &&
                (word[long_n] == '\0' || word[long_n] == '=')) {
            *ret_attached = word[long_n] == '=' ? word + long_n + 1 : NULL;
            return o;
        }
        if (o->short_name && strncmp(word, o->short_name, 2) == 0 &&
                (word[2] == '\0' || o->argument)) {
            *ret_attached = word[2] != '\0' ? word + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

static int set_timeout(const Parser *p, const char *value)
{
    char shown[CONFIG_SHOWN_MAX];
    int64_t ms;
    if (parse_seconds_ms(value, 1, INT64_C(1000) * 86400 * 365, &ms) < 0) {
        return FAIL(p, "--timeout %s: must be a number of seconds above 0, such as 2 or 0.5",
                config_shown(value, shown));
    }
    p->cli->timeout_ms = ms;
    return 0;
}

static int apply_option(const Parser *p, const CliOption *o, const char *value)
{
    char shown[CONFIG_SHOWN_MAX];
    switch (o->id) {
    case OPTION_CODE:
        p->cli->code = value;
        return 0;
    case OPTION_TIMEOUT:
        return set_timeout(p, value);
    case OPTION_FORMAT:
        if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0) {
            return FAIL(p, "--format %s: must be text or json", config_shown(value, shown));
        }
        p->cli->json = strcmp(value, "json") == 0;
        return 0;
    case OPTION_JSON:
        p->cli->json = true;
        return 0;
    case OPTION_DOCKER:
        p->cli->docker = true;
        return 0;
    case OPTION_WRITE:
        p->cli->write = true;
        return 0;
    case OPTION_YES:
        p->cli->yes = true;
        return 0;
    case OPTION_HELP:
        p->cli->command = CLI_HELP;
        return 0;
    case OPTION_VERSION:
        p->cli->command = CLI_VERSION;
        return 0;
    }
    return 0;
}

static int parse_option(Parser *p, const char *word)
{
    const char *value = NULL;
    const CliOption *o = find_option(p->cli, word, &value);
    if (!o) {
        return unknown_option(p, word);
    }
    const char *name = o->long_name ? o->long_name : o->short_name;
    if (!o->argument && value) {
        return FAIL(p, "%s takes no value (see --help)", name);
    }
    if (o->argument && !value) {
        if (p->at + 1 >= p->argc) {
            return FAIL(p, "%s needs its %s (see --help)", name, o->argument);
        }
        value = p->argv[++p->at];
    }
    return apply_option(p, o, value ? value : "");
}

static int parse_operand(const Parser *p, const char *word)
{
    const CliCommand *c = command_of(p->cli->command);
    char shown[CONFIG_SHOWN_MAX];
    if (!c->operand) {
        return FAIL(p, "%s takes no operand, but %s was given (see --help)", c->name,
                config_shown(word, shown));
    }
    if (p->cli->operand) {
        return FAIL(p, "%s takes one %s, but %s was given as well (see --help)", c->name,
                c->operand, config_shown(word, shown));
    }
    p->cli->operand = word;
    return 0;
}

/* What can be said only once everything is read. */
static int check(const Parser *p)
{
    const Cli *cli = p->cli;
    char shown[CONFIG_SHOWN_MAX];
    char known[CLIENT_KNOWN_MAX];
    if (cli->command == CLI_RUN && cli->code && cli->operand) {
        return FAIL(p, "run takes -c CODE or a FILE, not both: %s (see --help)",
                config_shown(cli->operand, shown));
    }
    if (cli->command == CLI_CONFIG && !cli->operand) {
        return FAIL(p, "config needs its CLIENT; known: %s", client_form_known(known));
    }
    if (cli->command == CLI_CONFIG && !client_form(cli->operand)) {
        return FAIL(p, "unknown client %s; known: %s (see --help)",
                config_shown(cli->operand, shown), client_form_known(known));
    }
    if (cli->yes && !cli->write) {
        return FAIL(p, "--yes is for config CLIENT --write: without it nothing is changed");
    }
    return 0;
}

static int parse_command(Parser *p)
{
    if (p->argc < 2 || p->argv[1][0] == '-') {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(p->argv[1], commands[i].name) == 0) {
            p->cli->command = commands[i].id;
            p->at = 2;
            return 0;
        }
    }
    return unknown_command(p, p->argv[1]);
}

int cli_parse(int argc, char **argv, Cli *ret, char *ret_error, size_t error_size)
{
    Cli cli = {.command = CLI_SERVE};
    Parser p = {.argc = argc, .argv = argv, .at = 1, .cli = &cli, .error_size = error_size};
    p.error = ret_error;
    bool options_end = false;

    int r = parse_command(&p);
    for (; r == 0 && p.at < argc; p.at++) {
        const char *word = argv[p.at];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        bool is_option = !options_end && word[0] == '-' && word[1] != '\0';
        r = is_option ? parse_option(&p, word) : parse_operand(&p, word);
        if (cli.command == CLI_HELP || cli.command == CLI_VERSION) {
            break; /* whatever else is there */
        }
    }
    if (r == 0) {
        r = check(&p);
    }
    if (r == 0) {
        *ret = cli;
    }
    return r;
}

/* Words of `text` in lines of at most 100 columns, those after the first indented. */
static void print_wrapped(FILE *to, const char *text, size_t column, size_t indent)
{
    enum { WIDTH = 100 };
    bool first = true;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (!first && column + 1 + n > WIDTH) {
            (void)fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', to);
            column++;
        }
        (void)fprintf(to, "%.*s", (int)n, text);
        column += n;
        text += n + strspn(text + n, " ");
        first = false;
    }
    (void)fputc('\n', to);
}

/* A name on the left, its meaning in a column of its own. */
static void print_row(FILE *to, int indent, const char *name, const char *meaning)
{
    enum { COLUMN = 30 };
    int n = fprintf(to, "%*s%s", indent, "", name);
    (void)fprintf(to, "%*s", n < COLUMN ? COLUMN - n : 1, "");
    print_wrapped(to, meaning, (size_t)MAX(n + 1, COLUMN), COLUMN);
}

static void print_options(FILE *to, int command, int indent)
{
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        const CliOption *o = &options[i];
        char name[64];
        if (o->command != command) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s%s%s%s%s", o->short_name ? o->short_name : "",
                o->short_name && o->long_name ? ", " : "", o->long_name ? o->long_name : "",
                o->argument ? " " : "", o->argument ? o->argument : "");
        print_row(to, indent, name, o->meaning);
    }
}

static void print_variables(FILE *to)
{
    size_t n;
    const ConfigVariable *v = config_variables(&n);
    for (size_t i = 0; i < n; i++) {
        char allowed[128];
        char text[512];
        (void)snprintf(text, sizeof text, "%s; %s, default %s", v[i].meaning,
                config_allowed(&v[i], allowed, sizeof allowed),
                v[i].fallback[0] ? v[i].fallback : "none");
        print_row(to, 2, v[i].name, text);
    }
}

void cli_help(FILE *to)
{
    (void)fputs(
            "Usage: python-runner-mcp [COMMAND] [OPTION...]\n\n"
            "An MCP server with one tool, run_python: each call runs Python code in a process of "
            "its own,\nunder hard limits.\n\nCommands:\n",
            to);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", commands[i].name, commands[i].usage);
        print_row(to, 2, name, commands[i].meaning);
        print_options(to, (int)commands[i].id, 6);
    }
    char known[CLIENT_KNOWN_MAX];
    (void)fprintf(to, "\nClients: %s\n\nOptions:\n", client_form_known(known));
    print_options(to, COMMAND_ANY, 2);
    (void)fputs("\nEnvironment:\n", to);
    print_variables(to);
    (void)fputs(
            "\nExit status: 0 when the input has ended or a signal has stopped the server; 2 for a "
            "command line or a\nvariable that can't be used. run: the program's own; 124 at the "
            "timeout; 128+N when signal N ended it\n(152, SIGXCPU, at the CPU limit); 125 when the "
            "runner failed. doctor: 1 when something does not work.\nconfig --write: 1 when the "
            "file is as it was.\n\n"
            "Try: python-runner-mcp run -c 'print(1)'\n",
            to);
}
