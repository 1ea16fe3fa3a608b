#include "main/modules.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "wire/wire.h"

static const char blanks[] = " \t";

static bool is_name_byte(char c, bool first)
{
    /* Python allows letters of every script (PEP 3131); what they are is for it to say. */
    return c == '_' || (unsigned char)c >= 0x80 || isalpha((unsigned char)c) ||
           (!first && isdigit((unsigned char)c));
}

static bool is_dotted_name(const char *name, size_t n)
{
    bool first = true;

    for (size_t i = 0; i < n; i++) {
        if (name[i] == '.' && !first) {
            first = true;
        } else if (is_name_byte(name[i], first)) {
            first = false;
        } else {
            return false;
        }
    }
    return n > 0 && n < PRELOAD_NAME_SIZE && !first;
}

static bool is_listed(const char *list, const char *name, size_t n)
{
    for (const char *p = list; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
        if (strcspn(p, ",") == n && memcmp(p, name, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The name at *p, without the blanks around it; NULL when there is none. *p moves to the comma
 * behind it, or to the end. */
static const char *take_name(const char **p, size_t *ret_n)
{
    const char *name = *p + strspn(*p, blanks);

    *ret_n = strcspn(name, ", \t");
    *p = name + *ret_n + strspn(name + *ret_n, blanks);
    return is_dotted_name(name, *ret_n) && (**p == ',' || **p == '\0') ? name : NULL;
}

int modules_parse(const char *value, const char **ret)
{
    static char list[WIRE_MODULES_SIZE];
    char found[sizeof(list)] = "";
    const char *p = value + strspn(value, blanks);
    size_t at = 0, count = 0;

    while (*p) { /* the whole of it may be empty, a name may not */
        size_t n;
        const char *name = take_name(&p, &n);

        if (!name || count == PRELOAD_MODULES_MAX || at + n + 2 > sizeof(found) ||
                (*p == ',' && p[1 + strspn(p + 1, blanks)] == '\0')) {
            return -EINVAL;
        }
        if (!is_listed(found, name, n)) {
            at += (size_t)snprintf(
                    found + at, sizeof(found) - at, "%s%.*s", at > 0 ? "," : "", (int)n, name);
            count++;
        }
        p += *p == ',';
    }
    memcpy(list, found, sizeof(list));
    *ret = list;
    return 0;
}
