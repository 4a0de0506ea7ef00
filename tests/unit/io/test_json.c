// SPDX-License-Identifier: Apache-2.0
// JSON results: numbers that read back exactly, NaN and infinities, unusual strings, and the keys that all
// commands share.
#include "support/support.h"

#include <float.h>
#include <math.h>

#include "io/json.h"
#include "support/run.h"

// The text of one value, without the line end; consumes the value.
static char *text_of(json_t *value)
{
    char *text = ki_json_text(value);

    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
    text[strlen(text) - 1] = '\0';
    json_decref(value);
    return text;
}

static void expect_text(json_t *value, const char *expected)
{
    char *text = text_of(value);

    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(plain_numbers)
{
    expect_text(ki_json_double(0.1), "0.1");
    expect_text(ki_json_double(0.1 + 0.2), "0.30000000000000004");
    expect_text(ki_json_double(-33), "-33.0");
    expect_text(ki_json_double(1e300), "1e300");
    expect_text(ki_json_double(DBL_MAX), "1.7976931348623157e308");
    expect_text(ki_json_double(4.9406564584124654e-324), "5e-324");
    expect_text(ki_json_double(-0.0), "0.0");
    expect_text(ki_json_float(0.1F), "0.1");
    expect_text(ki_json_float(16777216.0F), "16777216.0");
    expect_text(ki_json_float(-0.0F), "0.0");
    expect_text(ki_json_float(FLT_MAX), "3.4028235e38");
    expect_text(json_integer(-9007199254740993), "-9007199254740993");
}
END_TEST

START_TEST(no_numbers)
{
    expect_text(ki_json_double(NAN), "null");
    expect_text(ki_json_double(INFINITY), "null");
    expect_text(ki_json_double(-INFINITY), "null");
    expect_text(ki_json_float(NAN), "null");
    expect_text(ki_json_float(-INFINITY), "null");
}
END_TEST

// Every finite double reads back bit for bit, and every finite float also from 9 digits.
START_TEST(numbers_round_trip)
{
    uint64_t state = test_seed("numbers_round_trip");

    for (int i = 0; i < 100000; i++) {
        uint64_t bits = test_random(&state);
        uint32_t float_bits = (uint32_t)bits;
        double value, back;
        float single;
        char *text, nine_digits[32];

        memcpy(&value, &bits, sizeof value);
        memcpy(&single, &float_bits, sizeof single);
        if (!isfinite(value) || !isfinite(single))
            continue;
        text = text_of(ki_json_double(value));
        back = strtod(text, NULL);
        ck_assert_msg(memcmp(&value, &back, sizeof value) == 0, "%.17g became %s", value, text);
        free(text);
        text = text_of(ki_json_float(single));
        ck_assert_msg((float)strtod(text, NULL) == single, "%.9g became %s", (double)single, text);
        snprintf(nine_digits, sizeof nine_digits, "%.9g", strtod(text, NULL));
        ck_assert_double_eq(strtod(nine_digits, NULL), strtod(text, NULL));
        free(text);
    }
}
END_TEST

START_TEST(other_locales)
{
    char *folder = test_folder();

    if (test_comma_locale(folder)) {
        expect_text(ki_json_double(1.5), "1.5");
        expect_text(ki_json_float(0.1F), "0.1");
    }
    setlocale(LC_ALL, "C");
    test_remove(folder);
}
END_TEST

START_TEST(strings)
{
    expect_text(ki_json_string("plain \xc3\xa4"), "\"plain \xc3\xa4\"");
    expect_text(ki_json_string("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
    expect_text(ki_json_string("x\xff\xc3y\xed\xa0\x80"),
                "\"x\xef\xbf\xbd\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_text(ki_json_string(""), "\"\"");
}
END_TEST

START_TEST(layout)
{
    expect_text(
        json_pack("{s:[i,i], s:{}, s:[], s:[{s:b},{s:n}]}", "z", 1, 2, "a", "e", "list", "ok", 1, "why"),
        "{\n  \"z\": [1, 2],\n  \"a\": {},\n  \"e\": [],\n  \"list\": [\n    {\n      \"ok\": true\n    },\n"
        "    {\n      \"why\": null\n    }\n  ]\n}");
}
END_TEST

START_TEST(shared_keys)
{
    struct ki_json_head head = {
        .version = "1.2.3",
        .command = "stats",
        .device_spec = "opencl:0.0",
        .device_name = "some device \xff",
        .device_backend = "opencl",
        .policy = "default",
        .seconds = {.total = 2, .read = 0.5, .build = -1, .upload = -1, .compute = 0, .download = -1},
    };

    expect_text(ki_json_result(&head),
                "{\n  \"koine\": \"1.2.3\",\n  \"command\": \"stats\",\n  \"device\": {\n    \"spec\": "
                "\"opencl:0.0\",\n"
                "    \"name\": \"some device \xef\xbf\xbd\",\n    \"backend\": \"opencl\",\n    \"driver\": "
                "null\n  },\n"
                "  \"precision\": null,\n  \"policy\": \"default\",\n  \"seconds\": {\n    \"total\": 2.0,\n "
                "   \"read\": 0.5,\n"
                "    \"compute\": 0.0\n  }\n}");
}
END_TEST

START_TEST(written_file)
{
    char *folder = test_folder(), path[4200];
    json_t *root = json_object(), *back;
    kn_error err = KN_ERROR_INIT;

    snprintf(path, sizeof path, "%s/result.json", folder);
    ck_assert_int_eq(json_object_set_new(root, "mean", ki_json_double(-30.056728)), 0);
    ck_assert_int_eq(json_object_set_new(root, "cv", ki_json_double(INFINITY)), 0);
    ck_assert_msg(ki_json_write(root, path, false, &err) == KN_OK, "%s", err.text);
    back = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(back);
    ck_assert_double_eq(json_real_value(json_object_get(back, "mean")), -30.056728);
    ck_assert(json_is_null(json_object_get(back, "cv")));
    ck_assert_int_eq(ki_json_write(root, path, false, &err), KN_ERROR_OUTPUT);
    ck_assert_int_eq(ki_json_write(root, path, true, &err), KN_OK);
    ck_assert_int_eq(ki_json_write(NULL, path, true, &err), KN_ERROR_MEMORY);
    json_decref(back);
    json_decref(root);
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {plain_numbers, no_numbers, numbers_round_trip, other_locales,
                                  strings,       layout,     shared_keys,        written_file};

    return TEST_RUN("json", CK_FORK_GETENV, tests);
}
