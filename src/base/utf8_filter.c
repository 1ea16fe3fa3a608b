/* The C half of test_utf8_python.py. Standard input: cases, each a number of pieces and then the
 * pieces, as length and bytes. Standard output, for each case: the length of the clean text, its
 * characters, the text. All numbers are 32-bit, in the machine's order. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

enum { PIECE_MAX = 4096, CASE_MAX = 1 << 16 };

static uint32_t get_number(int *ret_end)
{
    uint32_t number = 0;
    *ret_end = fread(&number, sizeof(number), 1, stdin) != 1;
    return number;
}

static void put_case(const char *text, size_t n, size_t chars)
{
    uint32_t numbers[2] = {(uint32_t)n, (uint32_t)chars};
    (void)fwrite(numbers, sizeof(numbers), 1, stdout);
    (void)fwrite(text, 1, n, stdout);
}

int main(void)
{
    static char in[PIECE_MAX];
    static char out[UTF8_CLEAN_MAX(CASE_MAX)];
    int end;
    for (uint32_t pieces = get_number(&end); !end; pieces = get_number(&end)) {
        Utf8 utf8 = {0};
        size_t n = 0, total_chars = 0, chars;
        for (uint32_t i = 0; i < pieces; i++) {
            uint32_t length = get_number(&end);
            if (end || length > PIECE_MAX || fread(in, 1, length, stdin) != length) {
                return EXIT_FAILURE;
            }
            n += utf8_clean(&utf8, in, length, out + n, &chars);
            total_chars += chars;
        }
        n += utf8_clean_end(&utf8, out + n, &chars);
        put_case(out, n, total_chars + chars);
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
