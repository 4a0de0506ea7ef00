// SPDX-License-Identifier: Apache-2.0
// Correlations by Fourier transforms against the reference: what the tests of all algorithms share.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_FFT_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_FFT_SUPPORT_H

#include "autocorr_frames_support.h"

#include <math.h>

#include "app/autocorr/device/device_fft.h"

// The square root of sum (I - m)^2 sum (I' - m')^2.
static inline double energy_of(const struct autocorr_task *task)
{
    return sqrt(reference_energy(&task->first)) * sqrt(reference_energy(autocorr_second(task)));
}

// The greatest error relative to the bound; 0 if all sums equal the reference's.
static inline double expect_sums(const struct test_frames *frames, const struct autocorr_fft *fft,
                                 kn_buffer *sums)
{
    size_t offsets = autocorr_offsets(frames->device.max_offset);
    uint64_t *wanted = malloc(offsets * sizeof *wanted), *found = malloc(offsets * sizeof *found);
    double worst = 0;

    ck_assert(wanted && found);
    for (size_t f = 0; f < frames->device.count; f++) {
        const struct autocorr_task task = frame_task(frames, f);
        double bound = ki_autocorr_fft_bound(fft, energy_of(&task));

        EXPECT_OK(ki_autocorr_reference(&task, wanted, &err));
        EXPECT_OK(
            kn_buffer_read(queue, sums, f * offsets * sizeof *found, found, offsets * sizeof *found, &err));
        for (size_t i = 0; i < offsets; i++) {
            double error = fabs((double)(int64_t)(found[i] - wanted[i]));

            ck_assert_msg(error <= bound,
                          "%zu x %zu, R %zu, frame %zu, offset %zu: %lld instead of %lld (bound %g), %s",
                          frames->device.width, frames->device.height, task.max_offset, f, i,
                          (long long)found[i], (long long)wanted[i], bound, ki_autocorr_fft_text(fft));
            if (error > 0)
                worst = fmax(worst, error / bound);
        }
    }
    test_expect_poison(sums, frames->device.count * offsets * sizeof *found);
    free(wanted);
    free(found);
    return worst;
}

// Compares the sums of these frames, computed at most `batch` at once, and checks which algorithm ran.
// Returns the greatest error relative to its bound.
static inline double expect_frames(const struct test_frames *frames, bool exact, size_t batch,
                                   const struct autocorr_fft_options *options,
                                   enum autocorr_fft_algorithm algorithm)
{
    const struct autocorr_frames *device = &frames->device;
    size_t offsets = autocorr_offsets(device->max_offset);
    kn_buffer *sums = test_upload_with_room("", 0, offsets * sizeof(uint64_t) * device->count + 64);
    struct autocorr_fft *fft = NULL;
    double worst;

    EXPECT_OK(ki_autocorr_fft_create_with(queue, device->width, device->height, device->max_offset,
                                          device->type, device->second != NULL, exact, batch, options, &fft,
                                          &err));
    ck_assert_int_eq(ki_autocorr_fft_algorithm_of(fft), algorithm);
    ck_assert(strstr(ki_autocorr_fft_text(fft), ki_autocorr_fft_algorithm_names[algorithm]) ==
              ki_autocorr_fft_text(fft));
    EXPECT_OK(ki_autocorr_fft_sums(queue, fft, device, sums, &err));
    worst = expect_sums(frames, fft, sums);
    ki_autocorr_fft_free(fft);
    kn_buffer_free(sums);
    return worst;
}

static inline uint64_t range_of(kn_type type)
{
    return type == KN_U8 ? 256 : 65536;
}

#endif
