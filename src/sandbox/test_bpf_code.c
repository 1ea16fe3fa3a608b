/* The writer of BPF: every primitive, by running what it wrote. */
#include "sandbox/bpf_code.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sandbox/test_bpf_simulation.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static struct sock_filter insns[BPF_MAXINSNS];

static uint32_t run(const BpfCode *code, struct seccomp_data data)
{
    return simulation_run(code->insns, code->n, &data, NULL);
}

static void test_loads(void **state)
{
    const struct seccomp_data data = {
            .nr = 7, .arch = 0x1234, .args = {0, 0, 0, 0, 0, 0x1111111122222222}};
    BpfCode code;

    (void)state;
    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_load_nr(&code);
    bpf_ret_unless_equal(&code, 7, 1);
    bpf_load_arch(&code);
    bpf_ret_unless_equal(&code, 0x1234, 2);
    bpf_load_arg_low(&code, 5);
    bpf_ret_unless_equal(&code, 0x22222222, 3);
    bpf_load_arg_high(&code, 5);
    bpf_ret_unless_equal(&code, 0x11111111, 4);
    bpf_and(&code, 0xff);
    bpf_ret_unless_equal(&code, 0x11, 5);
    bpf_ret(&code, 6);
    assert_int_equal(bpf_link(&code), 0);
    simulation_check(insns, code.n);
    assert_int_equal(run(&code, data), 6);
}

static void test_conditions(void **state)
{
    static const struct {
        int nr;
        uint32_t expected;
    } cases[] = {{0, 99}, {1, 1}, {2, 99}, {9, 99}, {10, 2}, {11, 2}, {12, 99}, {49, 99}, {50, 3},
            {60, 3}, {0x100, 3}, {32, 4}, {34, 4}};
    BpfCode code;

    (void)state;
    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_load_nr(&code);
    bpf_ret_if_equal(&code, 1, 1);
    {
        const size_t block = bpf_if_equal(&code, 10);

        bpf_ret(&code, 2);
        bpf_end_if(&code, block);
    }
    {
        const size_t block = bpf_if_equal(&code, 11);

        bpf_ret_unless_either(&code, 10, 12, 2);
        bpf_end_if(&code, block);
    }
    bpf_ret_if_at_least(&code, 50, 3);
    bpf_ret_if_equal(&code, 49, 99);
    bpf_ret_if_any_bit(&code, 32, 4);
    bpf_ret(&code, 99);
    assert_int_equal(bpf_link(&code), 0);
    simulation_check(insns, code.n);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        assert_int_equal(run(&code, (struct seccomp_data){.nr = cases[i].nr}), cases[i].expected);
    }
}

static void test_either(void **state)
{
    BpfCode code;

    (void)state;
    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_load_nr(&code);
    bpf_ret_unless_either(&code, 2, 10, 1);
    bpf_ret(&code, 0);
    for (int nr = 0; nr < 12; nr++) {
        assert_int_equal(run(&code, (struct seccomp_data){.nr = nr}), nr != 2 && nr != 10);
    }
}

/* Switches of every size, around the reach of a conditional jump too, against a linear search. */
static void test_switch_of_any_size(void **state)
{
    static BpfRange ranges[500];

    (void)state;
    for (size_t n = 0; n <= 500; n += n < 300 ? 1 : 50) {
        BpfCode code;

        for (uint32_t i = 0; i < n; i++) {
            ranges[i] = (BpfRange){.low = 4 * i + 1, .high = 4 * i + 2, .action = 1000 + i};
        }
        bpf_init(&code, insns, BPF_MAXINSNS);
        bpf_load_nr(&code);
        bpf_switch(&code, ranges, n, 5);
        assert_int_equal(bpf_link(&code), 0);
        simulation_check(insns, code.n);
        for (uint32_t v = 0; v < 4 * n + 9; v++) {
            const uint32_t expected = v / 4 < n && (v % 4 == 1 || v % 4 == 2) ? 1000 + v / 4 : 5;

            assert_int_equal(run(&code, (struct seccomp_data){.nr = (int)v}), expected);
        }
        assert_int_equal(run(&code, (struct seccomp_data){.nr = -1}), 5);
    }
}

static void test_switch_at_the_edges(void **state)
{
    static const BpfRange ranges[] = {{0, 0, 1, 0}, {5, 9, 2, 0}, {10, 12, 2, 0},
            {0x80000000, 0xfffffffe, 3, 0}, {0xffffffff, 0xffffffff, 4, 0}};
    BpfCode code;

    (void)state;
    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_load_arg_low(&code, 0);
    bpf_switch(&code, ranges, N_ELEMENTS(ranges), 9);
    assert_int_equal(bpf_link(&code), 0);
    assert_int_equal(code.n, 1 + 6 + 5); /* 5 to 12 are one */
    for (size_t i = 0; i < N_ELEMENTS(ranges); i++) {
        assert_int_equal(
                run(&code, (struct seccomp_data){.args = {ranges[i].low}}), ranges[i].action);
        assert_int_equal(
                run(&code, (struct seccomp_data){.args = {ranges[i].high}}), ranges[i].action);
    }
    assert_int_equal(run(&code, (struct seccomp_data){.args = {1}}), 9);
    assert_int_equal(run(&code, (struct seccomp_data){.args = {13}}), 9);
    assert_int_equal(run(&code, (struct seccomp_data){.args = {0x7fffffff}}), 9);
}

static void test_labels(void **state)
{
    static const BpfRange ranges[] = {{1, 1, 0, 1}, {2, 2, 0, 2}, {3, 3, 0, 1}};
    BpfCode code;

    (void)state;
    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_load_nr(&code);
    bpf_switch(&code, ranges, N_ELEMENTS(ranges), 9);
    bpf_place_label(&code, 1);
    bpf_ret(&code, 11);
    bpf_place_label(&code, 2);
    bpf_ret(&code, 12);
    assert_int_equal(bpf_link(&code), 0);
    simulation_check(insns, code.n);
    assert_int_equal(run(&code, (struct seccomp_data){.nr = 1}), 11);
    assert_int_equal(run(&code, (struct seccomp_data){.nr = 2}), 12);
    assert_int_equal(run(&code, (struct seccomp_data){.nr = 3}), 11);
    assert_int_equal(run(&code, (struct seccomp_data){.nr = 4}), 9);

    bpf_init(&code, insns, BPF_MAXINSNS);
    bpf_switch(&code, ranges, N_ELEMENTS(ranges), 9);
    assert_int_equal(bpf_link(&code), -EINVAL); /* never placed */
}

/* Whatever the room, nothing is written past it, and the lack of it is said. */
static void test_overflow(void **state)
{
    static const BpfRange ranges[] = {{1, 1, 1, 0}, {3, 3, 3, 0}, {5, 5, 5, 0}};
    const size_t needed = 1 + 7 + 6 + 2;

    (void)state;
    for (size_t max = 0; max <= needed + 1; max++) {
        struct sock_filter *room = calloc(max + 1, sizeof(*room)); /* the sanitizer's fence */
        size_t block;
        BpfCode code;

        bpf_init(&code, room, max);
        bpf_load_nr(&code);
        block = bpf_if_equal(&code, 77);
        bpf_ret(&code, 7);
        bpf_end_if(&code, block);
        bpf_switch(&code, ranges, N_ELEMENTS(ranges), 9);
        assert_int_equal(bpf_link(&code), max >= needed ? 0 : -E2BIG);
        assert_int_equal(room[max].code, 0);
        free(room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_loads),
            cmocka_unit_test(test_conditions),
            cmocka_unit_test(test_either),
            cmocka_unit_test(test_switch_of_any_size),
            cmocka_unit_test(test_switch_at_the_edges),
            cmocka_unit_test(test_labels),
            cmocka_unit_test(test_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
