#include "json/edit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How the text is laid out where something is put in. */
typedef struct Layout {
    bool one_line;
    const char *newline;
    const char *indent; /* in front of the new member; not terminated */
    size_t indent_n;
    const char *unit; /* one level more; not terminated */
    size_t unit_n;
} Layout;

/* The place of a path in a text. */
typedef struct Place {
    JsonShape root;
    JsonShape object; /* the innermost object that is there */
    size_t n_found;   /* keys of the path that are there; all of them: `object` holds the value */
} Place;

static bool has_newline(const char *text, size_t from, size_t to)
{
    return to > from && memchr(text + from, '\n', to - from) != NULL;
}

/* The blanks at the beginning of the line that holds `at`. */
static size_t line_indent(const char *text, size_t at, const char **ret)
{
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    if (at == 0 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        at = 3;
    }
    *ret = text + at;
    return strspn(*ret, " \t");
}

/* Finding ---------------------------------------------------------------------------------------
 */

static const char *kind_of(char first)
{
    switch (first) {
    case '[':
        return "an array";
    case '"':
    case '\'':
        return "a string";
    case 'n':
        return "null";
    case 't':
    case 'f':
        return "true or false";
    default:
        return "a number";
    }
}

static int find(const JsonEdit *e, const char *text, size_t n, Place *ret, char *ret_error,
        size_t error_size)
{
    JsonText t = {.text = text, .n = n, .dialect = e->dialect};
    Json *all = json_new_stringn(text, n);
    if (!all) {
        (void)snprintf(ret_error, error_size, "it is not UTF-8");
        return JSON_EDIT_E_TEXT;
    }
    (void)json_unref(all);
    if (!json_text_check(&t)) {
        json_text_explain(&t, ret_error, error_size);
        return JSON_EDIT_E_TEXT;
    }
    t.at = 0;
    (void)json_text_skip_blank(&t);
    for (ret->n_found = 0; ret->n_found < e->n_path; ret->n_found++) {
        if (text[t.at] != '{') {
            const char *name = ret->n_found > 0 ? e->path[ret->n_found - 1] : NULL;
            (void)snprintf(ret_error, error_size, "%s%s%s is %s, and should be an object",
                    name ? "\"" : "", name ? name : "its value", name ? "\" in it" : "",
                    kind_of(text[t.at]));
            return JSON_EDIT_E_TEXT;
        }
        (void)json_text_object(&t, e->path[ret->n_found], &ret->object);
        if (ret->n_found == 0) {
            ret->root = ret->object;
        }
        if (!ret->object.found) {
            return 0;
        }
        t.at = ret->object.value_at;
    }
    return 0;
}

static Layout layout_of(const char *text, const Place *p)
{
    const JsonShape *root = &p->root;
    const JsonShape *o = &p->object;
    const char *end = memchr(text, '\n', root->close);
    Layout l = {.newline = end && end > text && end[-1] == '\r' ? "\r\n" : "\n",
            .unit = "  ",
            .unit_n = 2};
    bool root_is_tall = has_newline(text, root->open, root->first_key);
    const char *outer;
    size_t outer_n = line_indent(text, root->open, &outer);
    if (root->n_members > 0 && root_is_tall) {
        const char *inner;
        size_t inner_n = line_indent(text, root->first_key, &inner);
        if (inner_n > outer_n) {
            l.unit = inner + outer_n;
            l.unit_n = inner_n - outer_n;
        }
    }
    if (o->n_members > 0) {
        l.one_line = !has_newline(text, o->open, o->first_key);
        l.indent_n = line_indent(text, o->first_key, &l.indent);
    } else {
        l.one_line = root->n_members > 0 && !root_is_tall;
        l.indent_n = line_indent(text, o->open, &l.indent);
    }
    return l;
}

/* Writing ---------------------------------------------------------------------------------------
 */

static int append_line(Buf *out, const Layout *l, size_t levels)
{
    int r = buf_append_str(out, l->newline);
    r = r != 0 ? r : buf_append(out, l->indent, l->indent_n);
    for (; levels > 0 && r == 0; levels--) {
        r = buf_append(out, l->unit, l->unit_n);
    }
    return r;
}

/* The value in the text's own layout, its first line where we are, the others `deeper` levels below
 * l->indent. json_dump_pretty() indents by two, and writes no line end inside a string. */
static int append_value(Buf *out, const Json *value, const Layout *l, size_t deeper)
{
    Buf pretty;
    buf_init(&pretty, out->max);
    int r = l->one_line ? json_dump(value, out) : json_dump_pretty(value, &pretty);
    for (size_t i = 0; i < pretty.len && r == 0;) {
        const char *end = memchr(pretty.data + i, '\n', pretty.len - i);
        size_t n = end ? (size_t)(end - (pretty.data + i)) : pretty.len - i;
        r = buf_append(out, pretty.data + i, n);
        i += n;
        if (end && r == 0) {
            size_t blanks = 0;
            i++;
            while (i + blanks < pretty.len && pretty.data[i + blanks] == ' ') {
                blanks++;
            }
            r = append_line(out, l, deeper + blanks / 2);
            i += blanks;
        }
    }
    buf_deinit(&pretty);
    return r;
}

/* {keys[0]: {keys[1]: ... value}}, n of them; the value itself for 0. A new reference. */
static Json *nest(const char *const *keys, size_t n, const Json *value)
{
    Json *inner = json_ref((Json *)value);
    while (n-- > 0 && inner) {
        Json *outer = json_new_object();
        if (!outer || json_set(outer, keys[n], inner) != 0) {
            (void)json_unref(outer ? NULL : inner);
            return json_unref(outer);
        }
        inner = outer;
    }
    return inner;
}

static int append_member(
        Buf *out, const JsonEdit *e, size_t n_found, const Layout *l, size_t deeper)
{
    const char *key = e->path[n_found];
    Json *value = nest(e->path + n_found + 1, e->n_path - n_found - 1, e->value);
    int r = value ? buf_appendf(out, "\"%s\":%s", key, l->one_line ? "" : " ") : -ENOMEM;
    r = r != 0 ? r : append_value(out, value, l, deeper);
    (void)json_unref(value);
    return r;
}

static int insert(const JsonEdit *e, const char *text, size_t n, const Place *p, Buf *out)
{
    const JsonShape *o = &p->object;
    Layout l = layout_of(text, p);
    bool is_first = o->n_members == 0;
    bool on_own_line = !l.one_line || o->tail_is_line_comment;
    size_t at = is_first || o->has_trailing_comma ? o->tail : o->last_end;
    size_t deeper = is_first ? 1 : 0;

    int r = buf_append(out, text, at);
    if (!is_first && !o->has_trailing_comma) {
        r = r != 0 ? r : buf_append_str(out, ",");
        r = r != 0 ? r : buf_append(out, text + at, o->tail - at);
    }
    if (on_own_line) {
        r = r != 0 ? r : append_line(out, &l, deeper);
    } else if (!is_first && memchr(text + o->open, ' ', o->tail - o->open)) {
        r = r != 0 ? r : buf_append_str(out, " ");
    }
    r = r != 0 ? r : append_member(out, e, p->n_found, &l, deeper);
    if (o->has_trailing_comma) {
        r = r != 0 ? r : buf_append_str(out, ",");
    }
    if (is_first && on_own_line && !has_newline(text, o->tail, o->close)) {
        r = r != 0 ? r : append_line(out, &l, 0);
    }
    return r != 0 ? r : buf_append(out, text + o->tail, n - o->tail);
}

static int replace(const JsonEdit *e, const char *text, size_t n, const Place *p, Buf *out)
{
    const JsonShape *o = &p->object;
    Json *old = json_parse(text + o->value_at, o->value_end - o->value_at, NULL, 0);
    bool same = old && json_equal(old, e->value);
    (void)json_unref(old);
    if (e->keep || same) {
        return buf_append(out, text, n);
    }
    Layout l = layout_of(text, p);
    int r = buf_append(out, text, o->value_at);
    r = r != 0 ? r : append_value(out, e->value, &l, 0);
    return r != 0 ? r : buf_append(out, text + o->value_end, n - o->value_end);
}

int json_edit(const JsonEdit *edit, const char *text, size_t n, Buf *out, char *ret_error,
        size_t error_size)
{
    Place p = {0};
    int r = find(edit, text, n, &p, ret_error, error_size);
    if (r != 0) {
        return r;
    }
    r = p.n_found == edit->n_path ? replace(edit, text, n, &p, out)
                                  : insert(edit, text, n, &p, out);
    return r == BUF_E_FULL ? -EFBIG : r;
}

Json *json_edit_get(
        JsonDialect dialect, const char *text, size_t n, const char *const *path, size_t n_path)
{
    JsonEdit e = {.dialect = dialect, .path = path, .n_path = n_path};
    Place p = {0};
    char error[256];
    if (find(&e, text, n, &p, error, sizeof error) != 0 || p.n_found < n_path) {
        return NULL;
    }
    return json_parse(text + p.object.value_at, p.object.value_end - p.object.value_at, NULL, 0);
}
