/* `config CLIENT`: what to paste into an MCP client so that it starts this server; with --write it
 * is put into the client's file. */
#pragma once

#include "main/cli.h"

/* Prints the client's configuration on stdout (JSON and nothing else), and on stderr where it goes.
 * With --write nothing goes to stdout unless the file can't be written: then it is what to paste.
 * Returns the exit status. Blocks on a stdout that nobody reads, and on a person's answer. */
int client_config_main(const Cli *cli);
