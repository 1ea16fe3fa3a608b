#include "json/json.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json/library.h"

/* Reading -------------------------------------------------------------------------------------- */

/* The library's own words, without the bytes that no answer may carry. */
static void clean_words(char *dst, size_t size, const char *src)
{
    char clean[UTF8_CLEAN_MAX(JSON_ERROR_TEXT_LENGTH)];
    Utf8 state = {0};
    size_t n = utf8_clean(&state, src, strnlen(src, JSON_ERROR_TEXT_LENGTH), clean, NULL);

    /* An unfinished character at the end is dropped: the text was cut there. */
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)clean[i] < 0x20 || clean[i] == 0x7f) {
            clean[i] = '?';
        }
    }
    if (n > size - 1) {
        n = size - 1;
        while (n > 0 && ((unsigned char)clean[n] & 0xC0) == 0x80) {
            n--;
        }
    }
    memcpy(dst, clean, n);
    dst[n] = '\0';
}

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static void explain(const json_error_t *error, char *ret_text, size_t size)
{
    char words[JSON_ERROR_TEXT_LENGTH];
    const char *hint = "";

    clean_words(words, sizeof(words), error->text);
    switch (json_error_code(error)) {
    case json_error_invalid_utf8:
        hint = ": the text is not UTF-8; encode it as UTF-8";
        break;
    case json_error_premature_end_of_input:
        hint = ": the text ends in the middle of a value; send the whole value on one line";
        break;
    case json_error_end_of_input_expected:
        hint = ": more text follows the value; send one value a line";
        break;
    case json_error_stack_overflow:
        hint = ": arrays and objects may nest 2048 deep";
        break;
    case json_error_numeric_overflow:
        hint = ": integers have 64 bits, other numbers at most 1.8e308; send a larger one as a "
               "string";
        break;
    case json_error_out_of_memory:
        hint = ": out of memory; send less at once";
        break;
    default:
        if (starts_with(words, "invalid Unicode")) {
            hint = ": half of a surrogate pair is no character; send both halves or neither";
        } else if (starts_with(words, "control character") ||
                   starts_with(words, "unexpected newline")) {
            hint = ": inside a string it is written as an escape such as \\n or \\u0000";
        }
        break;
    }
    (void)snprintf(ret_text, size, "line %d, column %d: %s%s", MAX(error->line, 1),
            MAX(error->column, 0), words, hint);
}

Json *json_parse(const char *text, size_t n, char *ret_error, size_t error_size)
{
    json_error_t error;
    Json *v;

    /* An object would be refused for its first token, in words that show nothing. */
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        if (ret_error) {
            (void)snprintf(ret_error, error_size,
                    "line 1, column 1: the text starts with a byte order mark; leave it out");
        }
        return NULL;
    }
    v = json_loadb(n > 0 ? text : "", n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!v && ret_error) {
        if (n == 0) {
            (void)snprintf(ret_error, error_size, "line 1, column 1: the text is empty");
        } else {
            explain(&error, ret_error, error_size);
        }
    }
    return v;
}

/* Values --------------------------------------------------------------------------------------- */

Json *json_ref(Json *v)
{
    return json_incref(v);
}

Json *json_unref(Json *v)
{
    json_decref(v);
    return NULL;
}

JsonType json_type(const Json *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return JSON_T_OBJECT;
    case JSON_ARRAY:
        return JSON_T_ARRAY;
    case JSON_STRING:
        return JSON_T_STRING;
    case JSON_INTEGER:
        return JSON_T_INTEGER;
    case JSON_REAL:
        return JSON_T_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return JSON_T_BOOL;
    case JSON_NULL:
    default:
        return JSON_T_NULL;
    }
}

const char *json_type_name(const Json *v)
{
    static const char *const names[] = {
            [JSON_T_OBJECT] = "object",
            [JSON_T_ARRAY] = "array",
            [JSON_T_STRING] = "string",
            [JSON_T_INTEGER] = "integer",
            [JSON_T_REAL] = "number",
            [JSON_T_BOOL] = "boolean",
            [JSON_T_NULL] = "null",
    };

    return names[json_type(v)];
}

bool json_is(const Json *v, JsonType type)
{
    return v && json_type(v) == type;
}

Json *json_get(const Json *object, const char *key)
{
    return json_object_get(object, key);
}

const char *json_string_bytes(const Json *v, size_t *ret_n)
{
    const char *s = json_string_value(v);

    if (s && ret_n) {
        *ret_n = json_string_length(v);
    }
    return s;
}

int64_t json_int(const Json *v)
{
    return json_integer_value(v);
}

double json_number(const Json *v)
{
    return json_number_value(v);
}

bool json_holds_true(const Json *v)
{
    return v && json_typeof(v) == JSON_TRUE;
}

size_t json_size(const Json *v)
{
    return json_is_object(v) ? json_object_size(v) : json_array_size(v);
}

Json *json_at(const Json *array, size_t i)
{
    return json_array_get(array, i);
}

bool json_same(const Json *a, const Json *b)
{
    return json_equal(a, b) == 1;
}

void *json_iter(const Json *object)
{
    return json_object_iter((json_t *)object);
}

void *json_iter_next(const Json *object, void *it)
{
    return json_object_iter_next((json_t *)object, it);
}

const char *json_iter_key(void *it)
{
    return json_object_iter_key(it);
}

Json *json_iter_value(void *it)
{
    return json_object_iter_value(it);
}

Json *json_new_object(void)
{
    return json_object();
}

Json *json_new_array(void)
{
    return json_array();
}

Json *json_new_string(const char *s)
{
    return json_string(s);
}

Json *json_new_stringn(const char *s, size_t n)
{
    return json_stringn(n > 0 ? s : "", n);
}

Json *json_new_int(int64_t v)
{
    return json_integer(v);
}

Json *json_new_real(double v)
{
    return json_real(v);
}

Json *json_new_bool(bool v)
{
    return json_boolean(v);
}

Json *json_new_null(void)
{
    return json_null();
}

/* What a container holds after a failed json_set() or json_add(), so that json_dump() fails and a
 * reply never lacks a member in silence. Of no type the library knows, and immortal: the library
 * leaves references alone when the count is -1. */
static json_t s_failed = {.type = (library_json_type)0x7f, .refcount = (size_t)-1};

int json_set(Json *object, const char *key, Json *value)
{
    if (json_object_set_new(object, key, value) == 0) {
        return 0;
    }
    (void)json_object_set_new_nocheck(object, "", &s_failed);
    return -ENOMEM;
}

int json_add(Json *array, Json *value)
{
    if (json_array_append_new(array, value) == 0) {
        return 0;
    }
    (void)json_array_append_new(array, &s_failed);
    return -ENOMEM;
}
