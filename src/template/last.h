/* Whether a program's last statement can have a value, found without parsing it. Pure: bytes in, a
 * verdict out; no allocation, linear time. Source: The Python Language Reference, chapter 2
 * (lexical analysis). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True only where the last statement is certainly none whose value could be anything but None: an
 * assignment, an import, a block ..., or a call of print, which nothing in the program gives
 * another meaning. False means nothing. */
bool last_has_no_value(const char *code, size_t n);
