/* The definition of the tool `run_python`, and what a client tells its model about this server.
 * Built from the settings, so that the numbers in it are those that hold. */
#pragma once

#include <stddef.h>

#include "exec/settings.h"
#include "mcp/eras.h"
#include "json/json.h"

#define TOOL_NAME "run_python"
#define SERVER_NAME "python-runner-mcp"
#define SERVER_TITLE "Python Runner"
#define SERVER_DESCRIPTION "Runs Python programs in isolated processes under hard limits"

/* Clients cut longer descriptions and instructions. */
enum { TOOL_TEXT_SIZE = 2048 };

const char *tool_description(const Settings *s, char ret[TOOL_TEXT_SIZE]);
const char *tool_instructions(const Settings *s, char ret[TOOL_TEXT_SIZE]);
/* A new document for tools/list; NULL when memory is short. */
Json *tool_definition(const Settings *s, const Era *era);
/* Whether a result carries structuredContent (and the tool an outputSchema). */
bool tool_is_structured(const Settings *s, const Era *era);
