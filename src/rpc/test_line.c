#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rpc/line.h"

/* What came out, as text: each line in <>, each overlong one as !id. */
static void note_event(RpcLine *l, Buf *out, RpcLineEvent event, const char *line, size_t n)
{
    if (event == RPC_LINE_READY) {
        assert_int_equal(buf_append(out, "<", 1), 0);
        assert_int_equal(buf_append(out, line, n), 0);
        assert_int_equal(buf_append(out, ">", 1), 0);
    } else if (event == RPC_LINE_OVERLONG) {
        Json *id = rpc_line_overlong_id(l);

        assert_int_equal(buf_append(out, "!", 1), 0);
        if (id) {
            assert_int_equal(json_dump(id, out), 0);
        }
        json_unref(id);
    }
}

static void feed(RpcLine *l, Buf *out, const char *data, size_t n)
{
    RpcLineEvent event;

    do {
        const char *line = NULL;
        size_t length = 0;

        event = rpc_line_next(l, &data, &n, &line, &length);
        note_event(l, out, event, line, length);
        assert_true(l->stored.len <= l->max_bytes + 1);
    } while (event != RPC_LINE_NONE);
    assert_int_equal(n, 0);
}

static void finish(RpcLine *l, Buf *out)
{
    const char *line = NULL;
    size_t length = 0;
    RpcLineEvent event = rpc_line_end(l, &line, &length);

    note_event(l, out, event, line, length);
    assert_int_equal(rpc_line_end(l, &line, &length), RPC_LINE_NONE);
}

/* In pieces of every size up to the whole. */
static void split(const char *text, size_t n, size_t max, const char *expected)
{
    for (size_t piece = 1; piece <= MAX(n, 1); piece++) {
        RpcLine l;
        Buf out;

        rpc_line_init(&l, max);
        buf_init(&out, 10000);
        for (size_t i = 0; i < n; i += piece) {
            feed(&l, &out, text + i, MIN(piece, n - i));
        }
        finish(&l, &out);
        if (out.len != strlen(expected) || (out.len && memcmp(out.data, expected, out.len) != 0)) {
            fail_msg("\"%s\" in pieces of %zu, max %zu: \"%.*s\", not \"%s\"", text, piece, max,
                    (int)out.len, out.data, expected);
        }
        buf_deinit(&out);
        rpc_line_deinit(&l);
    }
}

#define SPLIT(text, max, expected) split(text, sizeof(text) - 1, max, expected)

static void lines(void **state)
{
    (void)state;
    SPLIT("", 10, "");
    SPLIT("a\n", 10, "<a>");
    SPLIT("a\nbc\nd\n", 10, "<a><bc><d>");
    SPLIT("a\r\nb\r\n", 10, "<a><b>");
    SPLIT("a\rb\n", 10, "<a\rb>");
    SPLIT("a\r\r\n", 10, "<a\r>");
    SPLIT("\n\r\n  \n\t\r\na\n\n", 10, "<a>");
    SPLIT("a\nb", 10, "<a><b>");
    SPLIT("a\nb\r", 10, "<a><b>");
    SPLIT("a\n ", 10, "<a>");
    SPLIT("{\"id\":1}\n", 10, "<{\"id\":1}>");
}

static void bytes_are_kept(void **state)
{
    static const char text[] = "a\0\xff\xfe\n\0\n";
    RpcLine l;
    Buf out;

    (void)state;
    rpc_line_init(&l, 10);
    buf_init(&out, 100);
    feed(&l, &out, text, sizeof(text) - 1);
    assert_int_equal(out.len, 9);
    assert_memory_equal(out.data, "<a\0\xff\xfe><\0>", 9);
    buf_deinit(&out);
    rpc_line_deinit(&l);
}

static void limits(void **state)
{
    (void)state;
    SPLIT("123\n", 3, "<123>");
    SPLIT("123\r\n", 3, "<123>");
    SPLIT("123", 3, "<123>");
    SPLIT("123\r", 3, "<123>");
    SPLIT("1234\n", 3, "!");
    SPLIT("1234\r\n", 3, "!");
    SPLIT("1234", 3, "!");
    SPLIT("123\r4\n", 3, "!");
    SPLIT("123\r\r\n", 3, "!");
    SPLIT("1234\n12\n1234\n1\n", 3, "!<12>!<1>");
    SPLIT("1234\n1234\n1234\n", 3, "!!!");
    SPLIT("     \n1\n", 3, "!<1>"); /* too long to be looked at */
    SPLIT("{\"id\":1}\n", 7, "!1");
    SPLIT("{\"id\":1}\n{\"id\":2}\nab\n", 7, "!1!2<ab>");
    SPLIT("{\"params\":{\"id\":1,\"code\":\"\\\"}\"},\"id\":\"x\"}\n1\n", 4, "!\"x\"<1>");
    SPLIT("{\"id\":null,\"a\":1}\n", 4, "!");
    SPLIT("{\"id\":17", 4, "!"); /* 17 might go on */
}

static void early_report(void **state)
{
    RpcLine l;
    Buf out;
    Json *id;

    (void)state;
    rpc_line_init(&l, 4);
    buf_init(&out, 100);
    feed(&l, &out, "{\"m", 3);
    assert_false(rpc_line_is_skipping(&l));
    assert_null(rpc_line_report_early(&l));
    feed(&l, &out, "\":1,", 4);
    assert_true(rpc_line_is_skipping(&l));
    assert_null(rpc_line_report_early(&l));
    feed(&l, &out, "\"id\":5,", 7);
    id = rpc_line_report_early(&l);
    assert_true(json_int(id) == 5);
    json_unref(id);
    /* Once a line. */
    assert_null(rpc_line_report_early(&l));
    assert_false(rpc_line_is_skipping(&l));
    feed(&l, &out, "\"id\":6}\n{\"id\":7}\n12\n", 20);
    assert_int_equal(out.len, 6);
    assert_memory_equal(out.data, "!7<12>", 6);
    buf_deinit(&out);
    rpc_line_deinit(&l);
}

static void memory_of_a_long_line_is_given_back(void **state)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG);
    RpcLine l;
    const char *line;
    size_t n;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', LONG);
    for (int overlong = 0; overlong < 2; overlong++) {
        const char *data = text;
        size_t left = LONG - 1;

        rpc_line_init(&l, overlong ? LONG - 2 : LONG);
        assert_int_equal(rpc_line_next(&l, &data, &left, &line, &n), RPC_LINE_NONE);
        assert_true(overlong ? l.stored.data == NULL : l.stored.cap >= LONG - 1);
        data = "\n1\n";
        left = 3;
        assert_int_equal(rpc_line_next(&l, &data, &left, &line, &n),
                overlong ? RPC_LINE_OVERLONG : RPC_LINE_READY);
        assert_int_equal(rpc_line_next(&l, &data, &left, &line, &n), RPC_LINE_READY);
        assert_int_equal(n, 1);
        assert_null(l.stored.data);
        rpc_line_deinit(&l);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(lines),
            cmocka_unit_test(bytes_are_kept),
            cmocka_unit_test(limits),
            cmocka_unit_test(early_report),
            cmocka_unit_test(memory_of_a_long_line_is_given_back),
    };

    return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
