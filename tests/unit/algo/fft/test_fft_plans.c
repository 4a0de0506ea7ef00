// SPDX-License-Identifier: Apache-2.0
// Tests which kernels and libraries can transform, which of them a plan chooses, and what is refused.
#include "fft_support.h"

#include <koine/experimental.h>

#include "base/os/clock.h"

// ---- what ran ----

START_TEST(passes_that_run)
{
    static const struct {
        kn_fft_shape shape;
        size_t passes;
    } cases[] = {{{.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {16, 16, 16}, .type = KN_F32}, 3},
                 {{.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {16}, .type = KN_F32}, 1},
                 {{.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {17}, .type = KN_F32}, 2},
                 {{.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {16, 1, 16}, .type = KN_F32}, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole whole = complete(&cases[i].shape);
        kn_fft_plan *plan = NULL;
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        number *in = random_numbers(whole.points);
        EXPECT_OK(kn_fft_plan_create(queue, &cases[i].shape, &own, &plan, &err));
        ck_assert_int_eq(kn_fft_plan_get_library(plan), KN_FFT_OWN);
        ck_assert_msg(strstr(kn_fft_plan_get_text(plan), "16 = 16") || cases[i].passes == 2, "%s",
                      kn_fft_plan_get_text(plan));
        EXPECT_OK(kn_profile_start(queue, &err));
        free(run(plan, &whole, KN_FFT_FORWARD, in, false));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count, cases[i].passes);
        for (size_t k = 0; k < count; k++)
            ck_assert_str_eq(entries[k].kernel, "fft_pass");
        kn_free(entries);
        kn_fft_plan_free(plan);
        free(in);
    }
}
END_TEST

// ---- refusals ----

static void expect_shape_refused(const kn_fft_shape *shape, const kn_fft_options *options, kn_status status,
                                 const char *words)
{
    kn_fft_plan *plan = NULL;

    EXPECT_REFUSED(status, words, kn_fft_plan_create(queue, shape, options, &plan, &err));
    ck_assert_ptr_null(plan);
}

START_TEST(refused_shapes)
{
    const kn_fft_shape right = KN_INIT(kn_fft_shape, .rank = 2, .dims = {8, 6}, .type = KN_F32);
    kn_fft_shape wrong = right;

    expect_shape_refused(NULL, &own, KN_ERROR_ARGUMENT, "NULL");
    wrong.rank = 4;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "from 1 to 3");
    wrong = right;
    wrong.dims[1] = 0;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "dims[1] is 0");
    wrong = right;
    wrong.type = KN_U32;
    expect_shape_refused(&wrong, &own, KN_ERROR_UNSUPPORTED, "not on uint");
    wrong = right;
    wrong.in_dims[0] = 9;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "in_dims[0] is 9");
    wrong = right;
    wrong.kind = KN_FFT_REAL_TO_COMPLEX;
    wrong.out_dims[0] = 4;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "half spectrum");
    wrong = right;
    wrong.input_bits = 8;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "input_bits 8");
    wrong = right;
    wrong.scale = INFINITY;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "not finite");
    wrong = right;
    wrong.batch = SIZE_MAX / 8;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "more bytes");
    wrong.batch = (size_t)1 << 33;
    expect_shape_refused(&wrong, &own, KN_ERROR_LIMIT, "smaller batch");
    expect_shape_refused(&right, &KN_INIT(kn_fft_options, .tuning = &(kn_fft_tuning){.held = 3}),
                         KN_ERROR_ARGUMENT, "held 3");
    expect_shape_refused(&right, &KN_INIT(kn_fft_options, .tuning = &(kn_fft_tuning){.columns = 65}),
                         KN_ERROR_ARGUMENT, "columns 65");
    context->device.info.fp64 = 0;
    wrong = right;
    wrong.type = KN_F64;
    expect_shape_refused(&wrong, &own, KN_ERROR_UNSUPPORTED, "double precision");
}
END_TEST

START_TEST(refused_executions)
{
    kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {8}, .type = KN_F32, .in_dims = {4});
    kn_fft_plan *padded = NULL, *real = NULL;
    kn_buffer *small = poisoned(0), *large = poisoned(0), *other = poisoned(0);

    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &padded, &err));
    shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {8}, .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX);
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &real, &err));
    kn_buffer_free(small);
    small = test_upload_with_room("", 0, 63);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_fft_execute(queue, NULL, KN_FFT_FORWARD, large, other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "out holds 63 bytes",
                   kn_fft_execute(queue, padded, KN_FFT_FORWARD, large, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in place",
                   kn_fft_execute(queue, padded, KN_FFT_FORWARD, large, large, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "forward only",
                   kn_fft_execute(queue, real, KN_FFT_INVERSE, large, other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no direction 2",
                   kn_fft_execute(queue, real, (kn_fft_direction)2, large, other, &err));
    test_expect_poison(large, 0);
    test_expect_poison(other, 0);
    kn_fft_plan_free(padded);
    kn_fft_plan_free(real);
    kn_buffer_free(small);
    kn_buffer_free(large);
    kn_buffer_free(other);
}
END_TEST

// Compares the vendor's library on the same numbers; and checks that the plan names the faster one.
START_TEST(other_libraries)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {12, 10}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {8, 1, 6}, .kind = KN_FFT_REAL_TO_COMPLEX},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 2,
         .dims = {8, 6},
         .batch = 2,
         .kind = KN_FFT_COMPLEX_TO_REAL}};
    bool cuda = strcmp(kn_context_get_device(context)->backend, "cuda") == 0;
    const kn_fft_options vendor = KN_INIT(kn_fft_options, .library = cuda ? KN_FFT_CUFFT : KN_FFT_CLFFT);

    if (test_is_slow()) { // libraries' kernels, whose reads Oclgrind would attribute to us
        fprintf(stderr, "skipped: other libraries, under %s\n", kn_context_get_device(context)->platform);
        return;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        kn_fft_shape shape = shapes[i];
        kn_fft_plan *plan = NULL;
        shape.type = KN_F32;
        err = (kn_error)KN_ERROR_INIT;
        kn_status status = kn_fft_plan_create(queue, &shape, &vendor, &plan, &err);
        if (status) {
            ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
            fprintf(stderr, "skipped: %s\n", err.text);
            return;
        }
        ck_assert_int_eq(kn_fft_plan_get_library(plan), vendor.library);
        ck_assert_msg(strstr(kn_fft_plan_get_text(plan), cuda ? "cuFFT " : "clFFT "), "%s",
                      kn_fft_plan_get_text(plan));
        kn_fft_plan_free(plan);
        expect_right(&shape, &vendor);
        for (int again = 0; again < 2; again++) { // measured first, then remembered
            EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
            bool own_runs = kn_fft_plan_get_library(plan) == KN_FFT_OWN;
            bool measured = strstr(kn_fft_plan_get_text(plan), "(measured: own ") != NULL;
            ck_assert(own_runs || kn_fft_plan_get_library(plan) == vendor.library);
            ck_assert_int_eq(measured, shape.kind != KN_FFT_COMPLEX_TO_REAL);
            ck_assert_int_eq(own_runs, strncmp(kn_fft_plan_get_text(plan), cuda ? "cuFFT" : "clFFT", 5) != 0);
            kn_fft_plan_free(plan);
        }
        expect_right(&shape, NULL);
        shape.scale = 0.5;
        expect_shape_refused(&shape, &vendor, KN_ERROR_UNSUPPORTED, "does not scale");
        EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
        ck_assert_int_eq(kn_fft_plan_get_library(plan), KN_FFT_OWN);
        kn_fft_plan_free(plan);
        shape.scale = 0;
        shape.in_dims[1] = shape.rank == 2 ? 3 : 0;
        if (shape.in_dims[1])
            expect_shape_refused(&shape, &vendor, KN_ERROR_UNSUPPORTED, "neither pads nor crops");
    }
}
END_TEST

// The vendor's work is a row of the profile, between the rows of the work before and after it in the queue.
START_TEST(vendor_measured)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 2, .dims = {12, 10}, .type = KN_F32);
    bool cuda = strcmp(kn_context_get_device(context)->backend, "cuda") == 0;
    const kn_fft_options vendor = KN_INIT(kn_fft_options, .library = cuda ? KN_FFT_CUFFT : KN_FFT_CLFFT);
    const char *const name = cuda ? "cuFFT" : "clFFT";
    const char *const names[] = {"fft_pass", "fft_pass", name, name, "fft_pass", "fft_pass"};
    const uint64_t resolution = cuda ? 2000 : 0; // of CUDA's events, nanoseconds
    kn_fft_plan *theirs = NULL, *ours = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    if (test_is_slow() || kn_fft_plan_create(queue, &shape, &vendor, &theirs, &err)) {
        ck_assert_msg(test_is_slow() || err.code == KN_ERROR_UNSUPPORTED, "%s", err.text);
        fprintf(stderr, "skipped: %s\n", err.text);
        return;
    }
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &ours, &err));
    kn_buffer *from = poisoned(12 * 10 * 8), *to = poisoned(12 * 10 * 8);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_fft_execute(queue, ours, KN_FFT_FORWARD, from, to, &err));
    EXPECT_OK(kn_fft_execute(queue, theirs, KN_FFT_FORWARD, from, to, &err));
    EXPECT_OK(kn_fft_execute(queue, theirs, KN_FFT_INVERSE, to, from, &err));
    EXPECT_OK(kn_fft_execute(queue, ours, KN_FFT_INVERSE, from, to, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(entries[i].kernel, names[i]);
        ck_assert_uint_le(entries[i].start, entries[i].end);
        if (entries[0].end - entries[0].start < 100) // rusticl's clock does not work: every kernel takes 1 ns
            continue;
        ck_assert(names[i] != name || entries[i].start < entries[i].end);
        ck_assert(i == 0 || entries[i - 1].end <= entries[i].start + resolution);
    }
    kn_free(entries);
    kn_fft_plan_free(theirs);
    kn_fft_plan_free(ours);
    kn_buffer_free(from);
    kn_buffer_free(to);
}
END_TEST

// A transform of several kernels is one row, from the start of the first kernel to the end of the last: on
// PoCL, where starting them costs little, about the time that the caller waits. Other load on the machine may
// disturb the times, so one good measurement is enough.
START_TEST(vendor_measured_whole)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {1 << 18}, .type = KN_F32);
    const kn_fft_options clfft = KN_INIT(kn_fft_options, .library = KN_FFT_CLFFT);
    const unsigned char zero = 0;
    kn_fft_plan *plan = NULL;
    double best = 0;

    if (test_is_slow() || !strstr(kn_context_get_device(context)->platform, "Portable Computing Language") ||
        kn_fft_plan_create(queue, &shape, &clfft, &plan, &err))
        return;
    kn_buffer *from = poisoned(8 << 18), *to = poisoned(8 << 18);
    EXPECT_OK(kn_buffer_fill(queue, from, &zero, 1, 0, 8 << 18, NULL, &err));
    for (int i = 0; i < 20 && best < 0.7; i++) {
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        EXPECT_OK(kn_profile_start(queue, &err));
        double begin = ki_clock_seconds();
        EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
        EXPECT_OK(kn_queue_finish(queue, &err));
        double waited = ki_clock_seconds() - begin;
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count, 1);
        ck_assert_double_le(kn_profile_span(entries, count), waited);
        if (i > 0) // the first run may compile
            best = fmax(best, kn_profile_span(entries, count) / waited);
        kn_free(entries);
    }
    ck_assert_double_ge(best, 0.7);
    kn_fft_plan_free(plan);
    kn_buffer_free(from);
    kn_buffer_free(to);
}
END_TEST

// A library that is named is either used or refused.
START_TEST(refused_libraries)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {8}, .type = KN_F32);
    const kn_fft_options cufft = KN_INIT(kn_fft_options, .library = KN_FFT_CUFFT),
                         none = KN_INIT(kn_fft_options, .library = (kn_fft_library)9);

    if (strcmp(kn_context_get_device(context)->backend, "cuda") != 0)
        expect_shape_refused(&shape, &cufft, KN_ERROR_UNSUPPORTED,
                             "cuFFT works on devices reached through CUDA");
    expect_shape_refused(&shape, &none, KN_ERROR_ARGUMENT, "no library 9");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {passes_that_run,  refused_shapes,        other_libraries,
                                  vendor_measured,  vendor_measured_whole, refused_executions,
                                  refused_libraries};

    return test_run("fft_plans", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
