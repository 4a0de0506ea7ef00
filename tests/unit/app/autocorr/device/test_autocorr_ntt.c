// SPDX-License-Identifier: Apache-2.0
// Tests correlations by number-theoretic transforms on the device against the reference, integer by integer:
// 8 and 16 bits, one image and two, lines with every number of radices, sums of more than 53 bits.
#include "autocorr_fft_support.h"

static const struct autocorr_fft_options number = {.algorithm = AUTOCORR_FFT_NUMBER};

START_TEST(all_sizes)
{
    uint64_t state = test_seed("all_sizes");

    for (size_t i = 0; i < frame_size_count(); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct test_frames frames =
                random_frames(frame_sizes[i], 3, type, (kind & 2) != 0, 0, range_of(type), &state);
            bool fits =
                frame_sizes[i][0] + frame_sizes[i][2] <= 256 && frame_sizes[i][1] + frame_sizes[i][2] <= 256;
            // One circle for most sizes, so that few programs are needed.
            struct autocorr_fft_options options = number;

            options.across = options.down = fits && i % 4 != 0 ? 256 : 0;
            ck_assert_double_eq(expect_frames(&frames, true, 2, &options, AUTOCORR_FFT_NUMBER), 0);
            free_frames(&frames);
        }
}
END_TEST

// White images: the greatest possible sums. 16 bits use this algorithm by default.
START_TEST(greatest_sums)
{
    static const size_t size[] = {1700, 1500, 1};
    uint64_t state = 0;
    struct test_frames frames;

    if (test_is_slow())
        return;
    frames = random_frames(size, 1, KN_U16, false, 65535, 1, &state);
    expect_frames(&frames, true, 1, NULL, AUTOCORR_FFT_NUMBER);
    free_frames(&frames);
}
END_TEST

START_TEST(refused)
{
    struct autocorr_fft *fft = NULL;
    const struct autocorr_fft_options odd = {.algorithm = AUTOCORR_FFT_NUMBER, .across = 24};

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a power of two",
                   ki_autocorr_fft_create_with(queue, 10, 9, 3, KN_U8, false, true, 1, &odd, &fft, &err));
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "more than 61 bits",
        ki_autocorr_fft_create_with(queue, 40000, 40000, 3, KN_U8, false, true, 1, &number, &fft, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_sizes, greatest_sums, refused};

    return test_run("autocorr ntt", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
