/* For test_last_python.py: reads programs, each after its length on a line, and says of each 'n'
 * (no value) or 'p' (perhaps). */
#include <stdio.h>
#include <stdlib.h>

#include "template/last.h"

int main(void)
{
    size_t n;
    char line[32];

    while (fgets(line, sizeof(line), stdin)) {
        char *code;

        n = strtoul(line, NULL, 10);
        code = malloc(n + 1); /* exactly: valgrind and the sanitizers see a step too far */
        if (!code || fread(code, 1, n, stdin) != n) {
            free(code);
            return 1;
        }
        (void)putchar(last_has_no_value(code, n) ? 'n' : 'p');
        free(code);
    }
    return 0;
}
