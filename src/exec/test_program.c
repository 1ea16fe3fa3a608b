#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "exec/program.h"

/* The inside, or NULL for unchanged. */
static void assert_unwrapped(const char *code, const char *inside)
{
    size_t n = strlen(code), offset = 4711, inside_n = 4711;
    char *exact = n > 0 ? malloc(n) : calloc(1, 1); /* for the address sanitizer: without a NUL */
    assert_non_null(exact);
    for (size_t i = 0; i < n; i++) {
        exact[i] = code[i];
    }
    bool unwrapped = program_unwrap(exact, n, &offset, &inside_n);
    if (unwrapped != (inside != NULL)) {
        fail_msg("%s: %s", unwrapped ? "unwrapped" : "not unwrapped", code);
    }
    const char *expected = inside ? inside : code;
    assert_int_equal(inside_n, strlen(expected));
    assert_memory_equal(exact + offset, expected, inside_n);
    free(exact);
}

static void test_fences(void **state)
{
    (void)state;
    assert_unwrapped("```python\nprint(1)\n```", "print(1)\n");
    assert_unwrapped("```python\nprint(1)\n```\n", "print(1)\n");
    assert_unwrapped("```\nprint(1)\n```\n", "print(1)\n");
    assert_unwrapped("~~~py\nprint(1)\n~~~\n", "print(1)\n");
    assert_unwrapped("```Python\nx\n```", "x\n");
    assert_unwrapped("``` python3 \nx\n```  \n", "x\n");
    assert_unwrapped("```tool_code\nx\n```", "x\n");
    assert_unwrapped("\n \t\n```py\nx\n```\n\n  \n", "x\n");
    assert_unwrapped("\xef\xbb\xbf```py\nx\n```", "x\n");
    assert_unwrapped("\xef\xbb\xbf\n```py\nx\n```", "x\n");
    assert_unwrapped("```py\r\nx\r\ny\r\n```\r\n", "x\r\ny\r\n");
    assert_unwrapped("```py\n\n\nx\n\n```", "\n\nx\n\n"); /* line numbers of the inside stay */
    assert_unwrapped("```py\n```", "");
    assert_unwrapped("```py\n\xff\n```", "\xff\n");
    assert_unwrapped("   ```py\n   x\n   ```", "   x\n");
}

static void test_fence_lengths(void **state)
{
    (void)state;
    assert_unwrapped("````py\ns = '''\n```\n'''\n````", "s = '''\n```\n'''\n");
    assert_unwrapped("```py\nx\n`````", "x\n"); /* a longer one closes */
    assert_unwrapped("````py\nx\n```", NULL);   /* a shorter one does not */
    assert_unwrapped("```py\nx\n~~~", NULL);    /* nor the other kind */
    assert_unwrapped("~~~py\ns = '''\n```\n'''\n~~~", "s = '''\n```\n'''\n");
    assert_unwrapped("``py\nx\n``", NULL);
    assert_unwrapped("```py\ns = '''\n```js\n'''\n```", "s = '''\n```js\n'''\n");
}

static void test_not_one_fence(void **state)
{
    (void)state;
    assert_unwrapped("", NULL);
    assert_unwrapped("   \n", NULL);
    assert_unwrapped("print(1)\n", NULL);
    assert_unwrapped("\xef\xbb\xbfprint(1)\n", NULL);
    assert_unwrapped("```", NULL);
    assert_unwrapped("```py", NULL);
    assert_unwrapped("```py\n", NULL);
    assert_unwrapped("```py\nprint(1)\n", NULL);                  /* never closed */
    assert_unwrapped("```py\nprint(1)```", NULL);                 /* not on its own line */
    assert_unwrapped("print(1)\n```\n", NULL);                    /* never opened */
    assert_unwrapped("Here it is:\n```py\nx\n```", NULL);         /* text before */
    assert_unwrapped("```py\nx\n```\nDone.", NULL);               /* text behind */
    assert_unwrapped("```py\nx\n```\ntext\n```py\ny\n```", NULL); /* two */
    assert_unwrapped("```py\ns = '''\n```\n'''\n```", NULL);      /* closed inside */
    assert_unwrapped("```js\nx\n```", NULL);                      /* another language */
    assert_unwrapped("```python title=\"a.py\"\nx\n```", NULL);
    assert_unwrapped("```py```\nx\n```", NULL);
    assert_unwrapped("```print(1)```", NULL);
    assert_unwrapped("    ```py\n    x\n    ```", NULL);         /* that is a code block */
    assert_unwrapped("s = '''\n```python\nx\n```\n'''\n", NULL); /* in a string */
    assert_unwrapped("'''\n```\n'''\n", NULL);
    assert_unwrapped("~~~1\n", NULL); /* valid Python: -2 */
    assert_unwrapped("~~~py\n+1\n", NULL);
}

static bool notebook(const char *code)
{
    return program_has_notebook_line(code, strlen(code));
}

static void test_notebook_lines(void **state)
{
    (void)state;
    assert_true(notebook("!pip install x"));
    assert_true(notebook("import os\n  %time f()\n"));
    assert_true(notebook("%%bash\nls\n"));
    assert_true(notebook("x = 1\r\n!ls\r\n"));
    assert_true(notebook("\n\n\t!Ls"));
    assert_false(notebook(""));
    assert_false(notebook("!"));
    assert_false(notebook("%"));
    assert_false(notebook("%%"));
    assert_false(notebook("% 3\n"));
    assert_false(notebook("!= 3\n"));
    assert_false(notebook("%%%a\n"));
    assert_false(notebook("x = a %b\n"));
    assert_false(notebook("print('!ls')\n# %time\n"));
    assert_false(program_has_notebook_line("!ls", 1));
    assert_false(program_has_notebook_line("%%ls", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_fences),
            cmocka_unit_test(test_fence_lengths),
            cmocka_unit_test(test_not_one_fence),
            cmocka_unit_test(test_notebook_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
