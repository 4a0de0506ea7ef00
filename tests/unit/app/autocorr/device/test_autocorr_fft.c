// SPDX-License-Identifier: Apache-2.0
// Tests correlations by Fourier transforms on the device against the reference: exact ones integer by
// integer, those in single precision within the bound that they state.
#include "autocorr_fft_support.h"

// One circle for all sizes that fit it, so that few programs are needed; the library's choice for the others,
// and for some of these.
static const struct autocorr_fft_options *circle_of(const size_t size[3])
{
    static const struct autocorr_fft_options circle = {.across = 176, .down = 144};
    bool fits = size[0] + size[2] <= circle.across && size[1] + size[2] <= circle.down;

    return fits && size[1] != 33 ? &circle : NULL;
}

START_TEST(single)
{
    uint64_t state = test_seed("single");
    double worst = 0;

    for (size_t i = 0; i < frame_size_count(); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct test_frames frames =
                random_frames(frame_sizes[i], 3, type, (kind & 2) != 0, 0, range_of(type), &state);

            worst =
                fmax(worst, expect_frames(&frames, false, 2, circle_of(frame_sizes[i]), AUTOCORR_FFT_FUSED));
            free_frames(&frames);
        }
    fprintf(stderr, "at most %.3f of the bound\n", worst);
    ck_assert_double_gt(worst, 0); // 24 bits are not enough for all of these
}
END_TEST

START_TEST(exact_by_doubles)
{
    uint64_t state = test_seed("exact_by_doubles");

    if (!test_takes(KN_F64))
        return;
    for (size_t i = 0; i < frame_size_count(); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            // White noise, and noise with the two highest levels.
            struct test_frames frames = random_frames(frame_sizes[i], 2, KN_U8, (kind & 2) != 0,
                                                      kind & 1 ? 254 : 0, kind & 1 ? 2 : 256, &state);

            expect_frames(&frames, true, 2, circle_of(frame_sizes[i]), AUTOCORR_FFT_FUSED);
            free_frames(&frames);
        }
}
END_TEST

// A few bright pixels on black, where most sums are 0: single precision has errors of both signs, but no sum
// may be negative, which as an unsigned integer would be very large.
START_TEST(black)
{
    static const size_t size[] = {40, 30, 12};
    const size_t offsets = autocorr_offsets(size[2]), bytes = offsets * sizeof(uint64_t);
    uint64_t state = test_seed("black"), *found = malloc(bytes), *wanted = malloc(bytes);
    struct test_frames frames = random_frames(size, 1, KN_U16, false, 0, 1, &state);
    const struct autocorr_task task = frame_task(&frames, 0);
    struct autocorr_fft *fft = NULL;
    kn_buffer *sums = test_upload_with_room("", 0, bytes);
    size_t zeros = 0, off = 0;

    ck_assert(found && wanted);
    for (size_t i = 0; i < 5; i++)
        ((uint16_t *)frames.first)[test_random(&state) % (40 * 30)] =
            (uint16_t)(60000 + test_random(&state) % 5536);
    EXPECT_OK(kn_buffer_write(queue, (kn_buffer *)frames.device.first, 0, frames.first, 40 * 30 * 2, &err));
    EXPECT_OK(ki_autocorr_reference(&task, wanted, &err));
    EXPECT_OK(ki_autocorr_fft_create(queue, 40, 30, 12, KN_U16, false, false, 1, &fft, &err));
    EXPECT_OK(ki_autocorr_fft_sums(queue, fft, &frames.device, sums, &err));
    EXPECT_OK(kn_buffer_read(queue, sums, 0, found, bytes, &err));
    for (size_t i = 0; i < offsets; i++) {
        ck_assert_msg(found[i] <= UINT64_C(1) << 40, "offset %zu: %llu instead of %llu", i,
                      (unsigned long long)found[i], (unsigned long long)wanted[i]);
        zeros += wanted[i] == 0;
        off += wanted[i] == 0 && found[i] > 0;
    }
    ck_assert(zeros > offsets / 2 && off > 0); // rounding errors are visible
    ki_autocorr_fft_free(fft);
    kn_buffer_free(sums);
    free_frames(&frames);
    free(found);
    free(wanted);
}
END_TEST

START_TEST(refused)
{
    struct autocorr_fft *fft = NULL;
    const struct autocorr_fft_options none = {.algorithm = AUTOCORR_FFT_ALGORITHMS},
                                      number = {.algorithm = AUTOCORR_FFT_NUMBER},
                                      fused = {.algorithm = AUTOCORR_FFT_FUSED}, small = {.across = 12};
    uint64_t state = 0;
    struct test_frames frames = random_frames(frame_sizes[3], 2, KN_U8, false, 0, 256, &state);
    kn_buffer *sums = test_upload_with_room("", 0, 100);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 9",
                   ki_autocorr_fft_create(queue, 10, 9, 10, KN_U8, false, false, 1, &fft, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no algorithm",
                   ki_autocorr_fft_create_with(queue, 10, 9, 3, KN_U8, false, false, 1, &none, &fft, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "ask for exact sums",
                   ki_autocorr_fft_create_with(queue, 10, 9, 3, KN_U8, false, false, 1, &number, &fft, &err));
    EXPECT_REFUSED(
        KN_ERROR_UNSUPPORTED, "use number-theoretic",
        ki_autocorr_fft_create_with(queue, 1000, 900, 3, KN_U16, false, true, 1, &fused, &fft, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected 13",
                   ki_autocorr_fft_create_with(queue, 10, 9, 3, KN_U8, false, false, 1, &small, &fft, &err));
    EXPECT_OK(ki_autocorr_fft_create(queue, 2, 3, 2, KN_U8, false, false, 1, &fft, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the buffer holds 100 bytes",
                   ki_autocorr_fft_sums(queue, fft, &frames.device, sums, &err));
    frames.device.max_offset = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the plan is for 2 x 3",
                   ki_autocorr_fft_sums(queue, fft, &frames.device, sums, &err));
    test_expect_poison(sums, 0);
    ki_autocorr_fft_free(fft);
    kn_buffer_free(sums);
    free_frames(&frames);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {single, exact_by_doubles, black, refused};

    return test_run("autocorr fft", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
