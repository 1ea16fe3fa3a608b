/* `serve`: MCP on standard input and output. */
#pragma once

#include "exec/settings.h"

/* Serves until the input ends or a signal comes. Returns the exit status. */
int serve_main(const Settings *settings);
