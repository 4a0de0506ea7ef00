// SPDX-License-Identifier: Apache-2.0
// Tests transforms against their definition, summed in long double, and against general properties of
// transforms.
#include <koine/experimental.h>

#include "fft_support.h"

// ---- tests ----

// Tests a random direction: the other one differs only in what it swaps, and every program takes time to
// compile.
static void expect_one_direction(const kn_fft_shape *shape)
{
    bool forward = shape->kind != KN_FFT_COMPLEX_TO_REAL && (shape->kind || test_random(&state) % 2);

    expect_directions(shape, &own, forward, !forward);
}

static void expect_length(size_t n, kn_type type)
{
    const kn_fft_shape shape =
        KN_INIT(kn_fft_shape, .rank = 1, .dims = {n}, .batch = 1 + test_random(&state) % 3, .type = type);

    expect_one_direction(&shape);
}

// All lengths up to 20, beyond that about every third, different ones in each run, because kernels take long
// to build.
START_TEST(short_lengths)
{
    for (size_t n = 1; n <= (test_is_slow() ? 8 : 64); n += n < 20 ? 1 : 1 + test_random(&state) % 5)
        expect_length(n, KN_F32);
}
END_TEST

// The index after `i` in a list of which a random half is tested.
static size_t next_taken(size_t i)
{
    return i + (test_is_slow() ? 1 : 1 + test_random(&state) % 3);
}

START_TEST(longer_lengths)
{
    static const size_t lengths[] = {96,  97,  105, 127, 128,  129,  143,  243,  255,  256,  257, 343,
                                     500, 511, 512, 513, 1000, 1023, 1024, 1750, 2048, 2310, 4096};

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof lengths / sizeof *lengths); i = next_taken(i))
        expect_length(lengths[i], KN_F32);
}
END_TEST

START_TEST(lengths_in_double)
{
    static const size_t lengths[] = {1, 2, 3, 5, 7, 8, 11, 13, 16, 17, 31, 32, 36, 210, 251, 1000, 2048};

    for (size_t i = 0; i < (test_is_slow() ? 6 : sizeof lengths / sizeof *lengths) && test_takes(KN_F64);
         i = next_taken(i))
        expect_length(lengths[i], KN_F64);
}
END_TEST

// ---- axes, kinds, extents ----

START_TEST(several_axes)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {16, 9}, .batch = 3},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {1, 20}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {35, 64}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {17, 31}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {8, 12, 10}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {33, 5, 32}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {4, 1, 30}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {1, 1, 1}, .batch = 5}};

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = test_random(&state) % 2 && kn_context_get_device(context)->fp64 ? KN_F64 : KN_F32;
        shape.scale = test_uniform(&state) * 4 - 2;
        expect_one_direction(&shape);
    }
}
END_TEST

START_TEST(real_numbers)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1}, .batch = 3},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {2}, .batch = 3},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {3}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {8}, .batch = 7},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {15}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {19}, .batch = 3},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {100}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {101}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {12, 10}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {9, 17}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {10, 3, 8}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {7, 6, 5}, .batch = 2}};

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof shapes / sizeof *shapes); i++)
        for (kn_fft_kind kind = KN_FFT_REAL_TO_COMPLEX; kind <= KN_FFT_COMPLEX_TO_REAL; kind++) {
            kn_fft_shape shape = shapes[i];
            shape.kind = kind;
            shape.type = test_random(&state) % 2 && kn_context_get_device(context)->fp64 ? KN_F64 : KN_F32;
            expect_one_direction(&shape);
        }
}
END_TEST

// Integers are converted on input.
START_TEST(integers)
{
    enum { X = 15, Y = 6 };

    for (unsigned bits = 8; bits <= 16; bits += 8) {
        const kn_fft_shape shape =
            KN_INIT(kn_fft_shape, .rank = 2, .dims = {X, Y}, .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX,
                    .input_bits = bits, .in_dims = {0, Y - 1});
        struct whole whole = complete(&shape);
        uint8_t bytes[X * Y];
        uint16_t shorts[X * Y];
        number in[X * Y];
        kn_fft_plan *plan = NULL;
        for (size_t i = 0; i < whole.in_count; i++) {
            shorts[i] = (uint16_t)test_random(&state);
            bytes[i] = (uint8_t)shorts[i];
            in[i] = bits == 8 ? bytes[i] : shorts[i];
        }
        kn_buffer *from =
            test_upload_with_room(bits == 8 ? (void *)bytes : (void *)shorts, whole.in_count * bits / 8, 0);
        kn_buffer *to = poisoned(bytes_of(whole.out_count, false, KN_F32));
        EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
        ck_assert_int_eq(kn_fft_plan_get_library(plan), KN_FFT_OWN);
        EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
        number *found = download(to, whole.out_count, false, KN_F32);
        number *expected = reference(&whole, KN_FFT_FORWARD, in);
        expect_near(found, expected, &whole, kn_fft_plan_get_text(plan));
        free(found);
        free(expected);
        kn_fft_plan_free(plan);
        kn_buffer_free(from);
        kn_buffer_free(to);
    }
}
END_TEST

START_TEST(padded_and_cropped)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {24}, .batch = 2, .in_dims = {12}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {24}, .batch = 2, .out_dims = {13}},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 1,
         .dims = {37},
         .batch = 2,
         .in_dims = {30},
         .out_dims = {5}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {16, 12}, .batch = 2, .in_dims = {9, 7}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {16, 12}, .batch = 2, .out_dims = {8, 5}},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 3,
         .dims = {8, 10, 12},
         .in_dims = {4, 5, 6},
         .out_dims = {0, 9, 3}},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 2,
         .dims = {15, 12},
         .kind = KN_FFT_REAL_TO_COMPLEX,
         .in_dims = {8, 6}},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 2,
         .dims = {14, 12},
         .kind = KN_FFT_COMPLEX_TO_REAL,
         .out_dims = {7, 6}},
    };

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = KN_F32;
        expect_one_direction(&shape);
    }
}
END_TEST

// With little local memory, short lines are treated like long ones: two passes, and four with Bluestein's
// algorithm.
START_TEST(long_lines)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {256}, .batch = 3},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1000}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {4096}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {3, 2100}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {211}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {5, 300}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {256, 3, 260}},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 1,
         .dims = {420},
         .batch = 2,
         .kind = KN_FFT_REAL_TO_COMPLEX},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 1,
         .dims = {420},
         .batch = 2,
         .kind = KN_FFT_COMPLEX_TO_REAL},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 1,
         .dims = {139},
         .batch = 2,
         .kind = KN_FFT_COMPLEX_TO_REAL},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 2,
         .dims = {5, 260},
         .in_dims = {3, 100},
         .out_dims = {4, 200}},
    };
    uint64_t *local = &context->device.info.local_memory, was = *local;

    *local = 2048;
    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = KN_F32;
        expect_one_direction(&shape);
    }
    const kn_fft_shape too_long = KN_INIT(kn_fft_shape, .rank = 1, .dims = {1 << 24}, .type = KN_F32);
    kn_fft_plan *plan = NULL;
    EXPECT_REFUSED(KN_ERROR_LIMIT, "three passes", kn_fft_plan_create(queue, &too_long, &own, &plan, &err));
    ck_assert_ptr_null(plan);
    *local = was;
}
END_TEST

START_TEST(tunables)
{
    static const kn_fft_tuning tried[] = {{4, 3, 5}, {32, 1, 1}, {8, 64, 64}};
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 2, .dims = {60, 48}, .type = KN_F32);

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); i++)
        expect_right(&shape, &KN_INIT(kn_fft_options, .library = KN_FFT_OWN, .tuning = &tried[i]));
}
END_TEST

// ---- lines too long for the definition ----

// A few impulses, whose transform is a sum of a few waves.
START_TEST(impulses)
{
    enum { IMPULSES = 3 };
    static const size_t lengths[] = {1 << 17, 3 * 5 * 7 * 11 * 13 * 4, 65537};

    for (size_t l = 0; l < (test_is_slow() ? 0 : sizeof lengths / sizeof *lengths); l++) {
        const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {lengths[l]}, .type = KN_F32);
        struct whole whole = complete(&shape);
        size_t n = lengths[l], at[IMPULSES];
        number *in = calloc(n, sizeof *in), *expected = calloc(n, sizeof *expected);
        kn_fft_plan *plan = NULL;
        ck_assert(in && expected);
        for (size_t i = 0; i < IMPULSES; i++) {
            at[i] = test_random(&state) % n;
            in[at[i]] = (float)(test_uniform(&state) + 1) + (float)test_uniform(&state) * I;
        }
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < IMPULSES; i++) {
                bool again = false; // an impulse is already there
                for (size_t j = 0; j < i; j++)
                    again = again || at[j] == at[i];
                long double angle = 2 * 3.14159265358979323846264338327950288L *
                                    (long double)(k * at[i] % n) / (long double)n;
                expected[k] += again ? 0 : in[at[i]] * (cosl(angle) - sinl(angle) * I);
            }
        EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &plan, &err));
        number *found = run(plan, &whole, KN_FFT_FORWARD, in, false);
        expect_near(found, expected, &whole, kn_fft_plan_get_text(plan));
        free(found);
        kn_fft_plan_free(plan);
        free(in);
        free(expected);
    }
}
END_TEST

// A transform and its inverse; the norm must be kept in between.
START_TEST(round_trip)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 3, .dims = {64, 48, 40}, .type = KN_F32,
                                       .scale = 1 / sqrt(64 * 48 * 40));
    struct whole whole = complete(&shape);
    kn_fft_plan *plan = NULL;

    if (test_is_slow())
        return;
    number *in = random_numbers(whole.points);
    free(pack(in, whole.points, false, KN_F32));
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &plan, &err));
    number *spectrum = run(plan, &whole, KN_FFT_FORWARD, in, true);
    // Rounding is as likely to increase as to decrease the norm, so the error is far below its bound.
    ck_assert_double_eq_tol((double)(norm(spectrum, whole.points) / norm(in, whole.points)), 1, 1e-6);
    number *back = run(plan, &whole, KN_FFT_INVERSE, spectrum, true);
    ck_assert_double_le((double)(difference(back, in, whole.points) / norm(in, whole.points)),
                        2 * 0.5 * 0x1p-24 * 19);
    free(back);
    free(spectrum);
    free(in);
    kn_fft_plan_free(plan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {several_axes,   real_numbers,      integers,     padded_and_cropped,
                                  long_lines,     tunables,          impulses,     round_trip,
                                  longer_lengths, lengths_in_double, short_lengths};

    return test_run("fft", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
