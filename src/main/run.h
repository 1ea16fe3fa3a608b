/* `run`: one program by the same path as a tools/call, with our standard streams. */
#pragma once

#include "exec/settings.h"
#include "main/cli.h"

/* Runs the program and waits for it. Returns the exit status: the program's, or one of cli.h. */
int run_main(const Cli *cli, const Settings *settings);
