#include "exec/program.h"

#include <string.h>
#include <strings.h>

#include "base/macro.h"

typedef struct Slice {
    const char *at;
    size_t n;
} Slice;

typedef struct Fence {
    char mark; /* ` or ~ */
    size_t length;
    Slice info; /* what follows the marks on its line, without blanks around it */
} Fence;

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static Slice trim_right(Slice s)
{
    while (s.n > 0 && is_space(s.at[s.n - 1])) {
        s.n--;
    }
    return s;
}

static Slice trim_left(Slice s)
{
    while (s.n > 0 && is_space(s.at[0])) {
        s.at++;
        s.n--;
    }
    return s;
}

/* Takes the first line off, without its newline. */
static Slice next_line(Slice *rest)
{
    const char *newline = memchr(rest->at, '\n', rest->n);
    size_t n = newline ? (size_t)(newline - rest->at) : rest->n;
    Slice line = {rest->at, n};
    size_t taken = n + (newline != NULL);
    rest->at += taken;
    rest->n -= taken;
    return line;
}

/* Three or more marks, indented by three spaces at most. */
static bool parse_fence(Slice line, Fence *ret)
{
    size_t at = 0;
    while (at < line.n && line.at[at] == ' ') {
        at++;
    }
    if (at > 3 || at == line.n || (line.at[at] != '`' && line.at[at] != '~')) {
        return false;
    }
    Fence f = {.mark = line.at[at]};
    while (at < line.n && line.at[at] == f.mark) {
        at++;
        f.length++;
    }
    f.info = trim_left(trim_right((Slice){line.at + at, line.n - at}));
    if (f.length < 3) {
        return false;
    }
    *ret = f;
    return true;
}

static bool opens_python(const Fence *f)
{
    static const char *const languages[] = {"", "python", "python3", "py", "py3", "tool_code"};
    for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
        if (f->info.n == strlen(languages[i]) &&
                strncasecmp(f->info.at, languages[i], f->info.n) == 0) {
            return true;
        }
    }
    return false;
}

static bool closes(const Fence *f, Slice line)
{
    Fence closing;
    return parse_fence(line, &closing) && closing.mark == f->mark && closing.length >= f->length &&
           closing.info.n == 0;
}

/* The code without a byte order mark and without blank lines and blanks around it; the indentation
 * of its first line stays. */
static Slice core(Slice code)
{
    if (code.n >= 3 && memcmp(code.at, "\xef\xbb\xbf", 3) == 0) {
        code.at += 3;
        code.n -= 3;
    }
    code = trim_right(code);
    while (code.n > 0) {
        Slice rest = code;
        if (trim_right(next_line(&rest)).n > 0) {
            break;
        }
        code = rest;
    }
    return code;
}

static bool find_inside(Slice code, Slice *ret)
{
    Slice rest = core(code);
    Fence fence;
    if (rest.n == 0 || !parse_fence(next_line(&rest), &fence) || !opens_python(&fence)) {
        return false;
    }
    Slice inside = rest;
    while (rest.n > 0) {
        const char *line_start = rest.at;
        if (closes(&fence, next_line(&rest))) {
            inside.n = (size_t)(line_start - inside.at);
            *ret = inside;
            return rest.n == 0; /* otherwise something stands behind the fence */
        }
    }
    return false;
}

bool program_unwrap(const char *code, size_t n, size_t *ret_offset, size_t *ret_n)
{
    Slice inside;
    if (!find_inside((Slice){code, n}, &inside)) {
        *ret_offset = 0;
        *ret_n = n;
        return false;
    }
    *ret_offset = (size_t)(inside.at - code);
    *ret_n = inside.n;
    return true;
}

bool program_has_notebook_line(const char *code, size_t n)
{
    Slice rest = {code, n};
    while (rest.n > 0) {
        Slice line = trim_left(next_line(&rest));
        size_t marks = line.n > 1 && line.at[0] == '%' && line.at[1] == '%' ? 2 : 1;
        if (line.n > marks && (line.at[0] == '!' || line.at[0] == '%') &&
                is_letter(line.at[marks])) {
            return true;
        }
    }
    return false;
}
