// SPDX-License-Identifier: Apache-2.0
// Correlations by number-theoretic transforms: autocorr_ntt_rows.cl, autocorr_ntt_columns.cl and
// autocorr_ntt_back.cl, once for each of two primes (device_ntt.h).
#include <koine/experimental.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "device_ntt.h"

struct number {
    struct ntt ntt;
    kn_buffer *spectra[2], *correlation;
};

// Both primes use the same, one after the other.
static kn_status make_memory(struct autocorr_fft *fft, struct number *number, kn_error *err)
{
    size_t row = fft->points[0] * sizeof(uint32_t);
    kn_status status = ki_autocorr_fft_limit_batch(fft, fft->height * row, err);

    for (unsigned i = 0; i < (fft->cross ? 2 : 1) && !status; i++)
        status = kn_buffer_create(fft->context, fft->batch * fft->height * row, &number->spectra[i], err);
    if (!status)
        status = kn_buffer_create(fft->context, fft->batch * fft->wanted * row, &number->correlation, err);
    return status;
}

static kn_status number_create(kn_queue *queue, struct autocorr_fft *fft, kn_error *err)
{
    struct number *number = calloc(1, sizeof *number);
    kn_status status;

    fft->plan = number;
    if (!number)
        return ki_fail_memory(err, sizeof *number, "preparing a correlation");
    status = ki_autocorr_ntt_create(queue, fft, "number-theoretic, two primes", "autocorr_ntt_columns",
                                    &number->ntt, err);
    return status ? status : make_memory(fft, number, err);
}

static void number_free(void *plan)
{
    struct number *number = plan;

    ki_autocorr_ntt_free(&number->ntt);
    for (unsigned i = 0; i < 2; i++)
        kn_buffer_free(number->spectra[i]);
    kn_buffer_free(number->correlation);
    free(number);
}

static kn_status columns(kn_queue *queue, const struct autocorr_fft *fft, unsigned prime, size_t count,
                         kn_error *err)
{
    const struct number *number = fft->plan;
    const struct fft_lines *lines = &number->ntt.lines[FFT_COLUMNS];
    const uint32_t values[] = {(uint32_t)fft->points[0], (uint32_t)fft->height, (uint32_t)fft->wanted};
    const kn_range range = ki_autocorr_fft_range(lines, fft->points[0], count);
    const kn_arg args[] = {KN_BUFFER(number->spectra[0]),
                           KN_BUFFER(number->spectra[fft->cross]),
                           KN_BUFFER(number->correlation),
                           KN_VALUE(values[0]),
                           KN_VALUE(values[1]),
                           KN_VALUE(values[2]),
                           KN_BUFFER(number->ntt.roots[prime]),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, number->ntt.kernels[prime][FFT_COLUMNS], &range, args, KI_COUNT(args), NO_EVENT,
                     err);
}

static kn_status number_run(kn_queue *queue, const struct autocorr_fft *fft,
                            const struct autocorr_frames *frames, size_t first, size_t count, kn_buffer *sums,
                            kn_error *err)
{
    const struct number *number = fft->plan;
    const kn_buffer *images[2] = {frames->first, frames->second};
    const struct ntt_sums to = {.sums = sums, .first = first, .rows = fft->max_offset + 1, .step = 1};
    kn_status status = KN_OK;

    for (unsigned prime = 0; prime < NTT_PRIMES && !status; prime++) {
        for (unsigned i = 0; i < (fft->cross ? 2 : 1) && !status; i++)
            status = ki_autocorr_ntt_rows(
                queue, fft, &number->ntt, prime, number->ntt.kernels[prime][FFT_ROWS],
                &(struct ntt_images){images[i], first, count, 1}, number->spectra[i], err);
        if (!status)
            status = columns(queue, fft, prime, count, err);
        if (!status)
            status = ki_autocorr_ntt_back(queue, fft, &number->ntt, prime, number->correlation, fft->wanted,
                                          count, &to, err);
    }
    return status;
}

const struct fft_algorithm ki_autocorr_fft_number = {number_create, number_run, number_free};
