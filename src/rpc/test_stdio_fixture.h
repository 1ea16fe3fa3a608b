/* What the tests of the stdio transport share: a server on a loop of its own, and both ends of real
 * descriptors of each kind. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "rpc/stdio.h"

enum {
    MAX_LINE = 1000,
    HANG_S = 60, /* a test that waits for what never comes is ended by SIGALRM */
};

typedef enum FreeIn {
    FREE_NOWHERE,
    FREE_IN_LINE,
    FREE_IN_OVERLONG,
    FREE_IN_EOF,
    FREE_IN_DRAINED,
} FreeIn;

/* The server's side of one connection, and what its handlers were told. */
typedef struct Server {
    uv_loop_t loop;
    RpcStdio *t;
    Buf lines; /* each with a newline */
    int n_lines, n_overlong, n_eof, n_drained;
    int64_t overlong_id; /* -1: none */
    size_t reply_bytes;  /* sent for each line, when not 0 */
    FreeIn free_in;
} Server;

extern const RpcStdioHandlers stdio_handlers;

void server_open(Server *s, int in, int out);
void server_close(Server *s);
#define RUN_UNTIL(s, condition)                                                                    \
    do {                                                                                           \
        while (!(condition)) {                                                                     \
            (void)uv_run(&(s)->loop, UV_RUN_ONCE);                                                 \
        }                                                                                          \
    } while (0)

/* Turns of the loop that wait for nothing. */
void run_turns(Server *s, int n);
void assert_lines(const Server *s, const char *expected);

typedef struct Ends {
    int in, out;  /* the server's */
    int to, from; /* the client's */
} Ends;
void ends_close(Ends *e);
Ends make_pipes(void);
Ends make_sockets(void);    /* as Node gives them to its children */
Ends make_one_socket(void); /* both directions */
Ends make_terminal(void);   /* the client has the master */
enum { STDIO_MAKERS = 4 };
extern Ends (*const stdio_makers[STDIO_MAKERS])(void); /* these, in this order */
void assert_blocking(const Ends *e);

void put(int fd, const char *text);
/* In one piece: a socket has room for few small ones. */
void put_short_lines(int fd, size_t n);
/* `start`, and more than MAX_LINE bytes of a member "x"; the line stays open. */
void put_overlong_start(int fd, const char *start);
void assert_readable_text(int fd, const char *expected);
/* Ends a test that waits for what never comes. */
int setup_watchdog(void **state);
