/* `config CLIENT`: what to paste into an MCP client so that it starts this server. */
#pragma once

#include <stdbool.h>

enum { CLIENT_CONFIG_KNOWN_MAX = 128 };

bool client_config_exists(const char *client);
const char *client_config_known(char ret[CLIENT_CONFIG_KNOWN_MAX]); /* "claude-desktop, ..." */

/* Prints the client's configuration on stdout (JSON and nothing else), and on stderr where it goes.
 * Returns the exit status. Blocks on a stdout that nobody reads. */
int client_config_main(const char *client);
