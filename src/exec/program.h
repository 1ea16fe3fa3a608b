/* What models put around and into a program. Pure: no allocation, never blocks, safe after fork.
 * The code need not be UTF-8 nor NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* When the whole program is one Markdown code fence (CommonMark 0.31, 4.5), maybe with a byte order
 * mark and blank lines around it, true and its inside; otherwise false and all of it. Its language
 * must be Python's or none. No valid program is touched: a last line of ``` or ~~~ does not
 * compile. */
bool program_unwrap(const char *code, size_t n, size_t *ret_offset, size_t *ret_n);

/* Some line starts like a notebook's shell escape or magic: !pip, %time, %%bash. Such lines also
 * stand in valid programs, inside of strings and brackets: ask only when it did not compile. */
bool program_has_notebook_line(const char *code, size_t n);
