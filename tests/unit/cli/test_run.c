// SPDX-License-Identifier: Apache-2.0
// Tests the arguments and the comparisons of koine run: types, numbers, contents of buffers, differences
// between two devices.
#include "support/run.h"
#include "support/support.h"

#include <math.h>

#include "cli/run/cmd_run.h"

static struct run_type type_of(const char *word)
{
    struct run_type type;

    ck_assert_msg(run_type_read(word, strlen(word), &type), "%s is not a type", word);
    return type;
}

START_TEST(type_words)
{
    static const char *const wrong[] = {"",      "float5",  "float03", "float1", "float32", "size_t",
                                        "Float", "float 4", "4",       "bool",   "float-4", "int44"};
    struct run_type type = type_of("float3");
    char name[RUN_TYPE_NAME];

    ck_assert_uint_eq(type.width, 3);
    ck_assert_uint_eq(run_type_bytes(&type), 16);
    run_type_name(&type, name);
    ck_assert_str_eq(name, "float3");
    type = type_of("ulong16");
    ck_assert_uint_eq(run_type_bytes(&type), 128);
    type = type_of("unsigned int");
    ck_assert_str_eq(type.base, "uint");
    ck_assert_uint_eq(run_type_bytes(&(struct run_type){.size = 2, .width = 1}), 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!run_type_read(wrong[i], strlen(wrong[i]), &type), "%s is taken for a type", wrong[i]);
}
END_TEST

// Whether `text` is a number of that type; if so it reads back as `back`.
static void expect_number(const char *word, const char *text, const char *back)
{
    struct run_type type = type_of(word);
    unsigned char bytes[8];
    char printed[RUN_NUMBER_TEXT];
    bool read = run_number_read(&type, text, strlen(text), bytes);

    ck_assert_msg(read == (back != NULL), "%s of type %s", text, word);
    if (read) {
        run_number_print(&type, bytes, printed);
        ck_assert_str_eq(printed, back);
    }
}

START_TEST(numbers)
{
    expect_number("char", "-128", "-128");
    expect_number("char", "127", "127");
    expect_number("char", "128", NULL);
    expect_number("char", "-129", NULL);
    expect_number("uchar", "255", "255");
    expect_number("uchar", "-1", NULL);
    expect_number("uchar", "-0", "0");
    expect_number("ushort", "0xffff", "65535");
    expect_number("int", "+7", "7");
    expect_number("int", "1.0", NULL);
    expect_number("int", "", NULL);
    expect_number("int", " 1", NULL);
    expect_number("int", "--1", NULL);
    expect_number("long", "-9223372036854775808", "-9223372036854775808");
    expect_number("long", "9223372036854775808", NULL);
    expect_number("ulong", "18446744073709551615", "18446744073709551615");
    expect_number("ulong", "18446744073709551616", NULL);
    expect_number("float", "0.1", "0.100000001");
    expect_number("float", "-inf", "-inf");
    expect_number("float", "1e", NULL);
    expect_number("float", "x", NULL);
    expect_number("double", "0.1", "0.10000000000000001");
    expect_number("half", "65504", "65504");
    expect_number("half", "65520", "inf");
    expect_number("half", "5.9604644775390625e-08", "5.9605e-08"); // the least one
    expect_number("half", "0.1", "0.099976");
    expect_number("half", "-2049", "-2048"); // a tie goes to the even one
    expect_number("half", "2051", "2052");
}
END_TEST

// All halves survive conversion to double and back.
START_TEST(halves)
{
    struct run_type type = type_of("half");

    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t half = (uint16_t)bits, back;
        double value = run_number_get(&type, &half);

        run_number_set(&type, &back, value);
        if (!isnan(value))
            ck_assert_uint_eq(back, half);
        else
            ck_assert(isnan(run_number_get(&type, &back)));
    }
}
END_TEST

static uint64_t ulps(float a, float b)
{
    struct run_type type = type_of("float");

    return run_number_ulps(&type, &a, &b);
}

START_TEST(units_in_the_last_place)
{
    ck_assert_uint_eq(ulps(1, 1), 0);
    ck_assert_uint_eq(ulps(0, -0.0f), 0);
    ck_assert_uint_eq(ulps(1, nextafterf(1, 2)), 1);
    ck_assert_uint_eq(ulps(nextafterf(0, -1), nextafterf(0, 1)), 2);
    ck_assert_uint_eq(ulps(NAN, NAN), 0);
    ck_assert_uint_eq(ulps(NAN, 1), UINT64_MAX);
    ck_assert_uint_eq(ulps(INFINITY, HUGE_VALF), 0);
    ck_assert_uint_eq(ulps(3.4028234e38f, INFINITY), 1);
}
END_TEST

static struct run_arg buffer_of(const char *type, size_t count)
{
    struct run_arg arg = {
        .spec = "buf", .kind = RUN_BUFFER, .has_type = true, .type = type_of(type), .count = count};

    arg.bytes = count * run_type_bytes(&arg.type);
    return arg;
}

START_TEST(contents)
{
    struct run_arg arg = buffer_of("float3", 2), again = buffer_of("float3", 2);
    const float iota[] = {0, 1, 2, 0, 3, 4, 5, 0};
    float least = 1, most = 0;
    kn_error err = KN_ERROR_INIT;

    ck_assert_int_eq(run_fill(&arg, "iota", 1, &err), KN_OK);
    ck_assert_mem_eq(arg.data, iota, sizeof iota);
    free(arg.data);

    arg = buffer_of("float", 10000);
    again = buffer_of("float", 10000);
    ck_assert_int_eq(run_fill(&arg, "random:7", 1, &err), KN_OK);
    ck_assert_int_eq(run_fill(&again, "random", 7, &err), KN_OK);
    ck_assert_mem_eq(arg.data, again.data, arg.bytes);
    for (size_t i = 0; i < arg.count; i++) {
        float value = ((float *)(void *)arg.data)[i];

        least = fminf(least, value);
        most = fmaxf(most, value);
    }
    ck_assert(least >= 0 && least < 0.01f && most < 1 && most > 0.99f);
    free(again.data);
    again = buffer_of("float", 10000);
    ck_assert_int_eq(run_fill(&again, "random:8", 1, &err), KN_OK);
    ck_assert_mem_ne(arg.data, again.data, arg.bytes);
    free(arg.data);
    free(again.data);

    arg = buffer_of("short2", 3);
    ck_assert_int_eq(run_fill(&arg, "value=-3", 1, &err), KN_OK);
    for (size_t i = 0; i < 6; i++)
        ck_assert_int_eq(((int16_t *)(void *)arg.data)[i], -3);
    free(arg.data);

    for (const char *const *wrong = (const char *const[]){"ones", "zero:1", "random:x", "value", "value=x",
                                                          "value=99999", "file=", "iota=1", NULL};
         *wrong; wrong++) {
        arg = buffer_of("short", 3);
        ck_assert_msg(run_fill(&arg, *wrong, 1, &err) == KN_ERROR_ARGUMENT, "%s", *wrong);
        free(arg.data);
    }
}
END_TEST

START_TEST(differences)
{
    struct run_arg floats = buffer_of("float", 4), ints = buffer_of("int", 2), wide = buffer_of("float3", 1);
    const float a[] = {1, 100, NAN, INFINITY}, b[] = {1, 101, NAN, INFINITY}, c[] = {1, 100, 0, 5};
    const int32_t i[] = {5, -5}, j[] = {5, -6};
    const float v[] = {1, 2, 3, 4}, w[] = {1, 2, 3, 5};
    struct run_difference found;

    run_compare(&floats, (const void *)a, (const void *)a, &(struct run_bound){0, 0}, &found);
    ck_assert_uint_eq(found.compared, 4);
    ck_assert_uint_eq(found.beyond, 0);
    run_compare(&floats, (const void *)a, (const void *)b, &(struct run_bound){0, 0}, &found);
    ck_assert_uint_eq(found.beyond, 1);
    ck_assert_uint_eq(found.first, 1);
    ck_assert_str_eq(found.value, "100");
    ck_assert_str_eq(found.other, "101");
    ck_assert_uint_eq(found.worst_ulp, 1 << 17);
    ck_assert_double_eq(found.worst, 1);
    run_compare(&floats, (const void *)a, (const void *)b, &(struct run_bound){1 << 17, 0}, &found);
    ck_assert_uint_eq(found.beyond, 0);
    run_compare(&floats, (const void *)a, (const void *)b, &(struct run_bound){(1 << 17) - 1, 0}, &found);
    ck_assert_uint_eq(found.beyond, 1);
    run_compare(&floats, (const void *)a, (const void *)b, &(struct run_bound){0, 0.01}, &found);
    ck_assert_uint_eq(found.beyond, 0);
    run_compare(&floats, (const void *)a, (const void *)b, &(struct run_bound){0, 0.009}, &found);
    ck_assert_uint_eq(found.beyond, 1);
    // Neither not-a-number nor infinity is close to a number, with any tolerance.
    run_compare(&floats, (const void *)a, (const void *)c, &(struct run_bound){INT64_MAX, 1e300}, &found);
    ck_assert_uint_eq(found.first, 2);
    run_compare(&floats, (const void *)a, (const void *)c, &(struct run_bound){0, 1e300}, &found);
    ck_assert_uint_eq(found.beyond, 2);
    // Integers are compared exactly, with any tolerance.
    run_compare(&ints, (const void *)i, (const void *)j, &(struct run_bound){100, 100}, &found);
    ck_assert_uint_eq(found.beyond, 1);
    ck_assert_str_eq(found.other, "-6");
    // The fourth number of a vector of three is ignored.
    run_compare(&wide, (const void *)v, (const void *)w, &(struct run_bound){0, 0}, &found);
    ck_assert_uint_eq(found.compared, 3);
    ck_assert_uint_eq(found.beyond, 0);
}
END_TEST

START_TEST(summaries)
{
    struct run_arg arg = buffer_of("float", 4);
    float data[] = {1, NAN, -3, 0};
    struct run_summary summary;

    memset(&data[3], run_poison(&arg.type), sizeof data[3]);
    run_summarize(&arg, (const void *)data, &summary);
    ck_assert_uint_eq(summary.nan, 2); // the poison of floats is one
    ck_assert_uint_eq(summary.unwritten, 1);
    ck_assert_double_eq(summary.min, -3);
    ck_assert_double_eq(summary.max, 1);
    ck_assert_double_eq(summary.sum, -2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {type_words, numbers,     halves,   units_in_the_last_place,
                                  contents,   differences, summaries};

    return TEST_RUN("run", CK_FORK_GETENV, tests);
}
