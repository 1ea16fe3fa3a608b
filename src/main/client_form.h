/* The MCP clients that `config` knows: one table with what each wants to read and where its file
 * is.
 *
 * The example files in the root are held against it by tests/clients. Returned strings live as long
 * as the process, unless said otherwise. Blocks shortly (looks for files). */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"
#include "json/text.h"

enum { CLIENT_KNOWN_MAX = 128, CLIENT_KEYS_MAX = 2 };

typedef struct ClientForm {
    const char *name;
    const char *title;
    const char *keys[CLIENT_KEYS_MAX]; /* the path to the servers */
    size_t n_keys;
    JsonDialect dialect; /* of its file */
    bool has_type;       /* "type": "stdio" */
    bool is_openclaw;    /* "transport": "stdio", and its own timeouts */
    const char *where;   /* what a person is told, after the client's name */
    const char *then;    /* what makes it read its file again */
} ClientForm;

const ClientForm *client_form(const char *client);         /* NULL: unknown */
const char *client_form_known(char ret[CLIENT_KNOWN_MAX]); /* "claude-desktop, ..." */

/* The name under which the server goes in. */
const char *client_form_entry_name(bool docker);

/* What goes in under that name, as a new reference. Variables that are set now become part of it;
 * one that is no good is left out, which is said on stderr. NULL with one line in ret_error. */
Json *client_form_entry(const ClientForm *form, bool docker, char *ret_error, size_t error_size);

/* The file the client reads, absolute, whether it is there or not. 0, or -errno with one line in
 * ret_error. */
int client_form_file(
        const ClientForm *form, char ret_path[PATH_MAX], char *ret_error, size_t error_size);
