// SPDX-License-Identifier: Apache-2.0
// What all algorithms share: checks, batches, the bound.
//
// The bound, with e the unit roundoff, N the circle's points, E the root of sum (I - m)^2 sum (I' - m')^2.
// The images' spectra are off by e (log2 N + 2) / 2 of their 2-norm (koine/fft.h), and e more for taking two
// rows apart; so by Cauchy the product's errors add up to twice that, and 3 e of its own, times N E, for the
// sum of |F G| is N E at most. In the inverse transform a number goes through at most log2 n additions a line
// of n points, and through as many roots and constants: each of those adds 3.3 e of the term (a product of
// two complex numbers: sqrt(5) e, the root itself: e), and an odd radix n has n / 2 + 5 roundings of terms
// that add up to sqrt(2) of what they are made of. That is less than 10 e a doubling, of the sum of all
// terms' magnitudes, N E, which is then divided by N. Along rows it counts twice, since two rows are one
// transform. Scaling is 2 e.
#include "device_fft_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const ki_autocorr_fft_algorithm_names[AUTOCORR_FFT_ALGORITHMS + 1] = {
    [AUTOCORR_FFT_AUTO] = "auto",
    [AUTOCORR_FFT_FUSED] = "fused",
    [AUTOCORR_FFT_NUMBER] = "number-theoretic",
};

static const struct fft_algorithm *const algorithms[AUTOCORR_FFT_ALGORITHMS] = {
    [AUTOCORR_FFT_FUSED] = &ki_autocorr_fft_fused,
    [AUTOCORR_FFT_NUMBER] = &ki_autocorr_fft_number,
};

// ---- the bound ----

static double relative_bound(const struct autocorr_fft *fft, kn_type real)
{
    double across = log2((double)fft->points[0]), down = log2((double)fft->points[1]);
    double e = real == KN_F64 ? 0x1p-53 : 0x1p-24;

    return e * (across + down + 2 + 2 + 3 + 2 + 10 * down + 20 * across);
}

double ki_autocorr_fft_bound(const struct autocorr_fft *fft, double energy)
{
    return fft->exact ? 0 : relative_bound(fft, fft->real) * energy + 0.5;
}

// Of any image: its variance is at most a quarter of its range's square, and m less than 1 off its mean. The
// circle is at most twice as long as it has to be, either way.
static bool double_is_exact(const struct autocorr_fft *fft)
{
    struct autocorr_fft longest = *fft;
    double half = fft->type == KN_U8 ? 127.5 : 32767.5;
    double pixels = (double)fft->width * (double)fft->height;

    longest.points[0] = 2 * (fft->width + fft->across);
    longest.points[1] = 2 * (fft->height + fft->wanted);
    return relative_bound(&longest, KN_F64) * pixels * (half * half + 1) < 0.25;
}

// ---- plans ----

enum autocorr_fft_algorithm ki_autocorr_fft_algorithm_for(const kn_device_info *device,
                                                          const struct autocorr_image *image,
                                                          size_t max_offset, bool exact)
{
    const struct autocorr_fft fft = {.width = image->width,
                                     .height = image->height,
                                     .across = autocorr_fft_reach(max_offset, image->width),
                                     .wanted = autocorr_fft_reach(max_offset, image->height),
                                     .type = image->type};

    return exact && !(device->fp64 && double_is_exact(&fft)) ? AUTOCORR_FFT_NUMBER : AUTOCORR_FFT_FUSED;
}

static kn_status choose_algorithm(struct autocorr_fft *fft, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(fft->context);
    const struct autocorr_image image = {.width = fft->width, .height = fft->height, .type = fft->type};
    const enum autocorr_fft_algorithm best =
        ki_autocorr_fft_algorithm_for(info, &image, fft->max_offset, fft->exact);
    enum autocorr_fft_algorithm *algorithm = &fft->options.algorithm;

    if ((unsigned)*algorithm >= AUTOCORR_FFT_ALGORITHMS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no algorithm %d; see autocorr_fft_algorithm",
                       (int)*algorithm);
    if (*algorithm == AUTOCORR_FFT_AUTO)
        *algorithm = best;
    fft->real = fft->exact ? KN_F64 : KN_F32;
    if (*algorithm != AUTOCORR_FFT_NUMBER && best == AUTOCORR_FFT_NUMBER)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "sums are not exact by transforms in double precision %s; use number-theoretic ones",
                       info->fp64 ? "for images of this size and type" : "on a device that has none");
    if (*algorithm == AUTOCORR_FFT_NUMBER && !fft->exact)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "number-theoretic transforms are exact; ask for exact sums, or for another algorithm");
    return KN_OK;
}

// The sizes and R are those of a set of frames, but for the pixels.
static kn_status check(const struct autocorr_fft *fft, kn_error *err)
{
    const struct autocorr_task task = {.first = {fft->width, fft->height, fft->width, fft->type, fft},
                                       .max_offset = fft->max_offset};
    kn_status status = ki_autocorr_check(&task, err);

    if (!status && (fft->width > INT32_MAX / 4 || fft->height > INT32_MAX / 4))
        status =
            ki_fail(err, KN_ERROR_LIMIT, "%zu x %zu pixels are too many a line for a transform; use a region",
                    fft->width, fft->height);
    return status;
}

kn_status ki_autocorr_fft_create_with(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                      kn_type type, bool cross, bool exact, size_t batch,
                                      const struct autocorr_fft_options *options, struct autocorr_fft **fft,
                                      kn_error *err)
{
    struct autocorr_fft *made = calloc(1, sizeof *made);
    kn_status status;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing a correlation");
    *made = (struct autocorr_fft){.context = kn_queue_get_context(queue),
                                  .width = width,
                                  .height = height,
                                  .max_offset = max_offset,
                                  .batch = batch ? batch : 1,
                                  .across = autocorr_fft_reach(max_offset, width),
                                  .wanted = autocorr_fft_reach(max_offset, height),
                                  .type = type,
                                  .cross = cross,
                                  .exact = exact};
    if (options)
        made->options = *options;
    status = check(made, err);
    if (!status)
        status = choose_algorithm(made, err);
    if (!status)
        status = algorithms[made->options.algorithm]->create(queue, made, err);
    if (!status)
        status = ki_autocorr_tables_create(made->context, max_offset, made->batch, &made->tables, err);
    if (status)
        ki_autocorr_fft_free(made);
    else
        *fft = made;
    return status;
}

kn_status ki_autocorr_fft_create(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                 kn_type type, bool cross, bool exact, size_t batch,
                                 struct autocorr_fft **fft, kn_error *err)
{
    return ki_autocorr_fft_create_with(queue, width, height, max_offset, type, cross, exact, batch, NULL, fft,
                                       err);
}

void ki_autocorr_fft_free(struct autocorr_fft *fft)
{
    if (!fft)
        return;
    if (fft->plan)
        algorithms[fft->options.algorithm]->free(fft->plan);
    ki_autocorr_tables_free(&fft->tables);
    ki_text_free(&fft->text);
    free(fft);
}

const struct autocorr_tables *ki_autocorr_fft_tables(const struct autocorr_fft *fft)
{
    return &fft->tables;
}

size_t ki_autocorr_fft_batch(const struct autocorr_fft *fft)
{
    return fft->batch;
}

const char *ki_autocorr_fft_text(const struct autocorr_fft *fft)
{
    return ki_text_string(&fft->text);
}

enum autocorr_fft_algorithm ki_autocorr_fft_algorithm_of(const struct autocorr_fft *fft)
{
    return fft->options.algorithm;
}

// ---- execution ----

static kn_status check_sums(const struct autocorr_fft *fft, const struct autocorr_frames *frames,
                            const kn_buffer *sums, kn_error *err)
{
    size_t bytes = autocorr_offsets(fft->max_offset) * sizeof(uint64_t);
    kn_status status = ki_autocorr_check_images(frames, err);

    if (!status &&
        (frames->width != fft->width || frames->height != fft->height || frames->type != fft->type ||
         frames->max_offset != fft->max_offset || (frames->second != NULL) != fft->cross))
        status = ki_fail(
            err, KN_ERROR_ARGUMENT,
            "frames of %zu x %zu pixels of %zu bytes with R = %zu%s; the plan is for %zu x %zu, %zu bytes "
            "and R = %zu%s",
            frames->width, frames->height, kn_type_size(frames->type), frames->max_offset,
            frames->second ? " and second images" : "", fft->width, fft->height, kn_type_size(fft->type),
            fft->max_offset, fft->cross ? " and second images" : "");
    if (!status && (kn_buffer_get_size(sums) / bytes < frames->count || kn_buffer_get_part_count(sums) > 1))
        status = ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the sums of %zu frames take %zu bytes each in one allocation, but the buffer holds %zu bytes",
            frames->count, bytes, kn_buffer_get_size(sums));
    return status;
}

kn_status ki_autocorr_fft_sums(kn_queue *queue, struct autocorr_fft *fft,
                               const struct autocorr_frames *frames, kn_buffer *sums, kn_error *err)
{
    size_t bytes = autocorr_offsets(fft->max_offset) * sizeof(uint64_t) * frames->count;
    const uint64_t nothing = 0;
    kn_status status = check_sums(fft, frames, sums, err);

    // Offsets without an overlap are not computed.
    if (!status && bytes && (fft->across <= fft->max_offset || fft->wanted <= fft->max_offset))
        status = kn_buffer_fill(queue, sums, &nothing, sizeof nothing, 0, bytes, NULL, err);
    for (size_t first = 0; first < frames->count && !status; first += fft->batch) {
        size_t count = frames->count - first < fft->batch ? frames->count - first : fft->batch;

        status = ki_autocorr_windows_device(queue, frames, first, count, &fft->tables, err);
        if (!status)
            status = algorithms[fft->options.algorithm]->run(queue, fft, frames, first, count, sums, err);
    }
    return status;
}
