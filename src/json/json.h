/* JSON values; the only face of the JSON library (jansson 2.14) in this project.
 *
 * Ownership: functions that return Json * give a new reference, json_unref() drops it (NULL is
 * fine, returns NULL); "borrowed" pointers live as long as their container. json_set*() and
 * json_add() take the reference they are given, even when they fail; a NULL value makes them fail,
 * so building can be chained and checked once by json_dump(). Limits: documents nest at most 2048
 * deep; integers are 64-bit signed; a larger one or a real that overflows is a parse error. NUL
 * characters in strings are kept: use the length; they are refused in keys. Of a key that comes
 * twice the last value wins, as in JSON.parse(). A byte order mark is refused (RFC 8259, 8.1).
 * Blocks never; allocates; not for use after fork.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The library exports functions of these two names. Ours must be called something else, or the
 * dynamic linker would hand them to the library itself. */
#define json_true json_holds_true
#define json_equal json_same

typedef struct json_t Json;

typedef enum JsonType {
    JSON_T_OBJECT,
    JSON_T_ARRAY,
    JSON_T_STRING,
    JSON_T_INTEGER,
    JSON_T_REAL,
    JSON_T_BOOL,
    JSON_T_NULL,
} JsonType;

/* NULL when the text is not one whole JSON value in strict UTF-8; `ret_error` (may be NULL) then
 * says why, in words a person can use, with the position. */
Json *json_parse(const char *text, size_t n, char *ret_error, size_t error_size);

Json *json_ref(Json *v);
Json *json_unref(Json *v);
static inline void json_unref_p(Json **v)
{
    *v = json_unref(*v);
}

JsonType json_type(const Json *v); /* v not NULL */
const char *json_type_name(
        const Json *v); /* "object", "array", "string", "integer", "number", "boolean", "null" */
bool json_is(const Json *v, JsonType type); /* false for NULL */

Json *json_get(
        const Json *object, const char *key); /* borrowed; NULL when absent or object is none */
const char *json_string_bytes(
        const Json *v, size_t *ret_n);      /* borrowed, NUL-terminated; NULL when no string */
int64_t json_int(const Json *v);            /* v is an integer */
double json_number(const Json *v);          /* v is an integer or real */
bool json_true(const Json *v);              /* v is the literal true */
size_t json_size(const Json *v);            /* members or elements; 0 otherwise */
Json *json_at(const Json *array, size_t i); /* borrowed */
bool json_equal(const Json *a, const Json *b);
/* Iterates an object in its order: for (void *it = json_iter(o); it; it = json_iter_next(o, it)) */
void *json_iter(const Json *object);
void *json_iter_next(const Json *object, void *it);
const char *json_iter_key(void *it);
Json *json_iter_value(void *it); /* borrowed */

Json *json_new_object(void);
Json *json_new_array(void);
Json *json_new_string(const char *s);
Json *json_new_stringn(const char *s, size_t n); /* NULL when not well-formed UTF-8 */
Json *json_new_int(int64_t v);
Json *json_new_real(double v); /* NULL for inf and nan */
Json *json_new_bool(bool v);
Json *json_new_null(void);

int json_set(Json *object, const char *key, Json *value); /* takes value; 0 or -ENOMEM */
int json_add(Json *array, Json *value);                   /* takes value; 0 or -ENOMEM */

/* Appends the compact text of v, on one line, keys in insertion order, U+2028 and U+2029 escaped
 * (some clients split lines there). 0, -ENOMEM (also for a NULL v), or BUF_E_FULL; the buffer is
 * unchanged on failure. */
int json_dump(const Json *v, Buf *out);
/* The same, indented by two spaces, for people. */
int json_dump_pretty(const Json *v, Buf *out);
