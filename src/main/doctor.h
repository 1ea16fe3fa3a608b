/* `doctor`: tries for real whether everything works on this machine. */
#pragma once

#include "main/cli.h"

/* Loads the configuration itself: a bad value is one of its findings. Returns the exit status: 0
 * when everything that is needed works, else 1. */
int doctor_main(const Cli *cli);
