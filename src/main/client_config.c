#include "main/client_config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/macro.h"
#include "main/client_form.h"
#include "main/replace_file.h"
#include "json/edit.h"

enum { ERROR_MAX = 2 * PATH_MAX, EDITS_MAX = 8 };

typedef struct Job {
    const Cli *cli;
    const ClientForm *form;
    const char *name; /* of the entry */
    Json *entry;
    char error[ERROR_MAX];
} Job;

static int fail(const Job *j, int status)
{
    (void)fprintf(stderr, "python-runner-mcp: %s\n", j->error);
    return status;
}

/* The whole block, as it would be in an empty file. */
static int block_text(Job *j, Buf *out)
{
    const char *path[CLIENT_KEYS_MAX + 1];
    memcpy(path, j->form->keys, sizeof j->form->keys);
    path[j->form->n_keys] = j->name;
    JsonEdit e = {
            .dialect = JSON_STRICT, .path = path, .n_path = j->form->n_keys + 1, .value = j->entry};
    return json_edit(&e, "{}\n", 3, out, j->error, sizeof j->error);
}

static int print_block(Job *j)
{
    Buf out;
    buf_init(&out, 1 << 20);
    int r = block_text(j, &out);
    if (r == 0) {
        r = fd_write_all(STDOUT_FILENO, out.data, out.len);
    }
    buf_deinit(&out);
    if (r != 0) {
        (void)snprintf(j->error, sizeof j->error, "config %s: can't write the configuration: %s",
                j->form->name, strerror(r < 0 ? -r : ENOMEM));
        return fail(j, EXIT_RUNNER);
    }
    return 0;
}

/* The new text of the file ----------------------------------------------------------------------
 */

static int edit(
        Job *j, const char *const *path, size_t n_path, const Json *value, bool keep, Buf *text)
{
    JsonEdit e = {.dialect = j->form->dialect,
            .path = path,
            .n_path = n_path,
            .value = value,
            .keep = keep};
    Buf out;
    buf_init(&out, text->max);
    int r = buf_append(text, "", 1); /* json_edit() wants a NUL behind the text */
    if (r == 0) {
        text->len--;
        r = json_edit(&e, text->data, text->len, &out, j->error, sizeof j->error);
    }
    if (r == 0) {
        Buf old = *text;
        *text = out;
        out = old;
    }
    buf_deinit(&out);
    return r;
}

/* A person may have changed the entry: what says which program it is becomes ours, a time that is
 * too short is made longer, variables that are set now are set, and all else stays. */
static int edit_member(
        Job *j, const char **path, size_t n, const char *key, const Json *value, Buf *text)
{
    static const char *const ours[] = {"command", "args", "type", "transport"};
    bool keep = true;
    path[n] = key;
    for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
        keep = keep && strcmp(key, ours[i]) != 0;
    }
    if (strcmp(key, "requestTimeoutMs") == 0) {
        Json *old = json_edit_get(j->form->dialect, text->data, text->len, path, n + 1);
        keep = old && json_is(old, JSON_T_INTEGER) && json_int(old) >= json_int(value);
        (void)json_unref(old);
    }
    if (strcmp(key, "env") != 0) {
        return edit(j, path, n + 1, value, keep, text);
    }
    int r = 0;
    for (void *it = json_iter(value); it && r == 0; it = json_iter_next(value, it)) {
        path[n + 1] = json_iter_key(it);
        r = edit(j, path, n + 2, json_iter_value(it), false, text);
    }
    return r;
}

static int edit_file(Job *j, const ReplaceFile *f, Buf *text)
{
    const char *path[CLIENT_KEYS_MAX + 3];
    size_t n = j->form->n_keys;
    bool is_blank = strspn(f->text, " \t\r\n") == f->n;
    memcpy(path, j->form->keys, sizeof j->form->keys);
    path[n++] = j->name;

    int r = is_blank ? buf_append_str(text, "{}\n") : buf_append(text, f->text, f->n);
    if (r == 0) {
        r = edit(j, path, n, j->entry, true, text);
    }
    for (void *it = json_iter(j->entry); it && r == 0; it = json_iter_next(j->entry, it)) {
        r = edit_member(j, path, n, json_iter_key(it), json_iter_value(it), text);
    }
    if (r == JSON_EDIT_E_TEXT) {
        char why[256];
        (void)snprintf(why, sizeof why, "%.250s", j->error);
        (void)snprintf(j->error, sizeof j->error, "%s is not as %s wants it: %s", f->path,
                j->form->title, why);
    } else if (r != 0) {
        (void)snprintf(j->error, sizeof j->error, "%s can't be edited: %s", f->path,
                strerror(r < 0 ? -r : EFBIG));
    }
    return r;
}

/* Asking and writing ----------------------------------------------------------------------------
 */

/* True when the person says yes. */
static bool ask(Job *j, const ReplaceFile *f)
{
    char answer[16];
    Buf block;
    buf_init(&block, 1 << 20);
    if (block_text(j, &block) == 0) {
        (void)fprintf(stderr, "%.*s\n", (int)block.len, block.data);
    }
    buf_deinit(&block);
    if (f->exists) {
        (void)fprintf(stderr,
                "This goes into %s. All else in it stays, and a copy of it as it is now is kept "
                "beside it.\nGo on? [y/N] ",
                f->path);
    } else {
        (void)fprintf(
                stderr, "This goes into %s, which is not there yet.\nMake it? [y/N] ", f->path);
    }
    if (!fgets(answer, sizeof answer, stdin)) {
        (void)fputc('\n', stderr);
        return false;
    }
    answer[strcspn(answer, "\r\n")] = '\0';
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

/* Ctrl-C does not leave half of it behind. */
static int write_undisturbed(ReplaceFile *f, const Buf *text)
{
    sigset_t some, before;
    (void)sigemptyset(&some);
    (void)sigaddset(&some, SIGINT);
    (void)sigaddset(&some, SIGTERM);
    (void)sigaddset(&some, SIGHUP);
    (void)sigaddset(&some, SIGQUIT);
    (void)sigprocmask(SIG_BLOCK, &some, &before);
    int r = replace_file_write(f, text->data, text->len);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return r;
}

static void say_done(const Job *j, const ReplaceFile *f)
{
    (void)fprintf(stderr, "%s: %s is in %s now.\n", j->form->title, j->name, f->path);
    if (f->backup[0] != '\0') {
        (void)fprintf(stderr, "As it was before, it is kept in %s.\n", f->backup);
    }
    (void)fprintf(stderr, "%s\n", j->form->then);
}

/* 0: it is in the file. Negative: j->error says why not. -ECANCELED: the person said no. */
static int write_once(Job *j, const char *path)
{
    ReplaceFile f;
    Buf text;
    buf_init(&text, REPLACE_FILE_MAX + (1 << 20));
    int r = replace_file_read(&f, path);
    if (r == 0) {
        r = edit_file(j, &f, &text);
    } else {
        (void)snprintf(j->error, sizeof j->error, "%s", f.error);
    }
    if (r == 0 && f.exists && text.len == f.n && memcmp(text.data, f.text, f.n) == 0) {
        (void)fprintf(stderr, "%s: %s is in %s already; nothing to do.\n", j->form->title, j->name,
                f.path);
    } else if (r == 0 && !j->cli->yes && !ask(j, &f)) {
        (void)snprintf(j->error, sizeof j->error, "%s is as it was", f.path);
        r = -ECANCELED;
    } else if (r == 0) {
        r = write_undisturbed(&f, &text);
        if (r == 0) {
            say_done(j, &f);
        } else {
            (void)snprintf(j->error, sizeof j->error, "%s", f.error);
        }
    }
    buf_deinit(&text);
    replace_file_deinit(&f);
    return r;
}

static int write_block(Job *j)
{
    enum { TRIES = 10 };
    if (!j->cli->yes && !isatty(STDIN_FILENO)) {
        (void)snprintf(j->error, sizeof j->error,
                "config %s --write asks before it changes a file, and standard input is no "
                "terminal: add --yes",
                j->form->name);
        return fail(j, EXIT_USAGE);
    }
    char path[PATH_MAX];
    if (client_form_file(j->form, path, j->error, sizeof j->error) < 0) {
        return fail(j, EXIT_USAGE);
    }
    /* Without a person in between another program's change is simply taken in. */
    int r = -ESTALE;
    for (int i = 0; r == -ESTALE && i < (j->cli->yes ? TRIES : 1); i++) {
        r = write_once(j, path);
    }
    if (r == 0) {
        return 0;
    }
    (void)fail(j, EXIT_NOT_WRITTEN);
    if (r != -ECANCELED) {
        (void)fprintf(stderr, "Nothing was changed. This is what to paste into it%s:\n",
                r == -ESTALE ? ", or try again" : "");
        (void)print_block(j);
    }
    return EXIT_NOT_WRITTEN;
}

int client_config_main(const Cli *cli)
{
    Job *j = calloc(1, sizeof *j);
    if (!j) {
        return EXIT_RUNNER;
    }
    j->cli = cli;
    j->form = client_form(cli->operand);
    j->name = client_form_entry_name(cli->docker);
    j->entry = client_form_entry(j->form, cli->docker, j->error, sizeof j->error);
    int status;
    if (!j->entry) {
        status = fail(j, cli->docker ? EXIT_USAGE : EXIT_RUNNER);
    } else if (cli->write) {
        status = write_block(j);
    } else {
        status = print_block(j);
        if (status == 0) {
            (void)fprintf(stderr, "%s: %sWith --write this is done for you.\n", j->form->title,
                    j->form->where);
        }
    }
    (void)json_unref(j->entry);
    free(j);
    return status;
}
