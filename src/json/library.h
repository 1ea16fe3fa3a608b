/* The JSON library, for the files of this folder alone. It has names that json/json.h gives to
 * other things: a type json_type, and the functions that are declared under other names there. */
#pragma once

#undef json_true
#undef json_equal
#define json_type library_json_type
#include <jansson.h>
#undef json_type
