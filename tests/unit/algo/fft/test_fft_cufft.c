// SPDX-License-Identifier: Apache-2.0
// Tests transforms through cuFFT, on a fake device with a fake library (tests/fake): how it is called, that
// its work is measured, what happens without it, and its failures. On a machine with the real library,
// test_fft_plans uses that.
#include "fft_support.h"

#include <koine/event.h>

#include <dlfcn.h>

#include "fake/fake.h"

static char *folder; // with links to the fake libraries

static void open_with(const char *const *names)
{
    const char *built = getenv("builddir");

    folder = test_folder();
    for (; *names; names++) {
        char from[4096], to[4400];
        ck_assert_ptr_nonnull(realpath(built ? built : ".", from));
        snprintf(to, sizeof to, "%s/%s", folder, *names);
        snprintf(from + strlen(from), sizeof from - strlen(from), "/tests/fake/%s", *names);
        ck_assert_int_eq(symlink(from, to), 0);
    }
    setenv("KOINE_CUDA_LIBRARIES", folder, 1);
    setenv("KOINE_DEVICE", "cuda:0", 1);
    set_up();
}

static void with_cufft(void)
{
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.13", "libcufft.so.12", NULL};

    open_with(names);
}

static void without_cufft(void)
{
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.13", NULL};

    open_with(names);
}

static void end(void)
{
    tear_down();
    test_remove(folder);
}

static const kn_fft_options cufft = {.struct_size = sizeof(kn_fft_options), .library = KN_FFT_CUFFT};

START_TEST(right_transforms)
{
    static const kn_fft_shape shapes[] = {
        {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {12}},
        {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {6, 5}, .batch = 2},
        {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {4, 1, 6}, .kind = KN_FFT_REAL_TO_COMPLEX},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 1,
         .dims = {9},
         .batch = 3,
         .kind = KN_FFT_COMPLEX_TO_REAL},
        {.struct_size = sizeof(kn_fft_shape),
         .rank = 3,
         .dims = {5, 3, 2},
         .kind = KN_FFT_COMPLEX_TO_REAL}}; // the input must not be overwritten

    with_cufft();
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        kn_fft_shape shape = shapes[i / 2];
        shape.type = i % 2 ? KN_F64 : KN_F32;
        expect_right(&shape, &cufft);
    }
    end();
}
END_TEST

static unsigned long objects(void)
{
    struct fake_cuda *(*driver_state)(void) = NULL;

    *(void **)&driver_state = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "fake_cuda_state");
    ck_assert_ptr_nonnull(*(void **)&driver_state);
    return (unsigned long)driver_state()->objects;
}

// With a profile, each transform is a row with its times, one after the other; without one, it records no
// events.
START_TEST(measured)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 2, .dims = {8, 4}, .type = KN_F32);
    kn_fft_plan *plan = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    unsigned long before;

    with_cufft();
    kn_buffer *from = poisoned(256), *to = poisoned(256);
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &cufft, &plan, &err));
    ck_assert_str_eq(kn_fft_plan_get_text(plan), "cuFFT 12.1.4");
    before = objects();
    EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
    ck_assert_uint_eq(objects(), before);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
    EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_INVERSE, to, from, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 2);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(entries[i].kernel, "cuFFT");
        ck_assert_uint_lt(entries[i].start, entries[i].end);
    }
    ck_assert_uint_lt(entries[0].end, entries[1].start + 1);
    kn_free(entries);
    kn_fft_plan_free(plan);
    kn_buffer_free(from);
    kn_buffer_free(to);
    end();
}
END_TEST

static void expect_refused(const kn_fft_shape *shape, const kn_fft_options *options, kn_status status,
                           const char *words)
{
    kn_fft_plan *plan = NULL;

    EXPECT_REFUSED(status, words, kn_fft_plan_create(queue, shape, options, &plan, &err));
    ck_assert_ptr_null(plan);
}

START_TEST(absent)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {16}, .type = KN_F32);
    const kn_fft_options clfft = KN_INIT(kn_fft_options, .library = KN_FFT_CLFFT);
    kn_fft_plan *plan = NULL;

    without_cufft();
    expect_refused(
        &shape, &cufft, KN_ERROR_UNSUPPORTED,
        "cuFFT: libcufft.so.12, libcufft.so.11, libcufft.so.10 not found (looked in KOINE_CUDA_LIBRARIES)");
    expect_refused(&shape, &clfft, KN_ERROR_UNSUPPORTED, "clFFT works on devices reached through OpenCL");
    EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
    ck_assert_int_eq(kn_fft_plan_get_library(plan), KN_FFT_OWN);
    kn_fft_plan_free(plan);
    end();
}
END_TEST

// A driver of CUDA 12 does not get the cuFFT of toolkit 13.
START_TEST(too_new)
{
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.12", "libcufft.so.12", NULL};
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {16}, .type = KN_F32);

    setenv("FAKE_CUDA_DRIVER", "12040", 1);
    open_with(names);
    expect_refused(&shape, &cufft, KN_ERROR_UNSUPPORTED, "cuFFT: libcufft.so.11, libcufft.so.10 not found");
    end();
}
END_TEST

// A failure is reported, leaves nothing in the profile, and the next call succeeds.
START_TEST(failures)
{
    static const struct {
        const char *order, *words;
        kn_status status;
    } creations[] = {{"cufftCreate:2:1", "cufftCreate: CUFFT_ALLOC_FAILED", KN_ERROR_MEMORY},
                     {"cufftSetStream:5:1", "cufftSetStream: CUFFT_INTERNAL_ERROR", KN_ERROR_DEVICE},
                     {"cufftMakePlanMany64:8:1", "cufftMakePlanMany64: CUFFT_INVALID_SIZE", KN_ERROR_DEVICE}};
    static const char *const executions[][2] = {{"cufftSetStream:1:1", "CUFFT_INVALID_PLAN"},
                                                {"cufftExecC2C:6:1", "CUFFT_EXEC_FAILED"},
                                                {"cuEventRecord:2:1", "CUDA_ERROR"},
                                                {"cuEventRecord:2:2", "CUDA_ERROR"}};
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {16}, .type = KN_F32);
    kn_fft_plan *plan = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    with_cufft();
    for (size_t i = 0; i < sizeof creations / sizeof *creations; i++) {
        setenv("FAKE_CUDA_FAIL", creations[i].order, 1);
        expect_refused(&shape, &cufft, creations[i].status, creations[i].words);
        unsetenv("FAKE_CUDA_FAIL");
    }
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &cufft, &plan, &err));
    kn_buffer *from = poisoned(128), *to = poisoned(128);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
    unsigned long before = objects();
    for (size_t i = 0; i < sizeof executions / sizeof *executions; i++) {
        setenv("FAKE_CUDA_FAIL", executions[i][0], 1);
        EXPECT_REFUSED(i < 2 ? KN_ERROR_DEVICE : KN_ERROR_MEMORY, executions[i][1],
                       kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
        unsetenv("FAKE_CUDA_FAIL");
        ck_assert_uint_eq(objects(), before);
    }
    EXPECT_OK(kn_fft_execute(queue, plan, KN_FFT_FORWARD, from, to, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 2);
    kn_free(entries);
    kn_fft_plan_free(plan);
    kn_buffer_free(from);
    kn_buffer_free(to);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {right_transforms, measured, absent, too_new, failures};

    return TEST_RUN("algo/fft_cufft", CK_FORK_GETENV, tests);
}
