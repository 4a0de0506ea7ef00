// SPDX-License-Identifier: Apache-2.0
// Correlations by number-theoretic transforms (Pollard 1971): autocorr_ntt_rows.cl, autocorr_ntt_columns.cl
// and autocorr_ntt_back.cl, once for each of two primes below 2^31. A sum is below their product, 2^61.8, up
// to 9.9e8 pixels of 16 bits: no rounding, and nothing to check.
#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>

#include "shared/autocorr.h"
#include "base/array.h"
#include "base/error.h"
#include "device_fft_internal.h"

enum { PRIMES = 2 };

// A generator's powers run through all numbers but 0.
static const struct {
    uint32_t modulus, generator;
    unsigned log2_most; // of the longest line
} primes[PRIMES] = {{NTT_PRIME_0, 31, 27}, {NTT_PRIME_1, 5, 25}};

#define MOST_PIXELS UINT64_C(990000000)

struct number {
    struct fft_lines lines[FFT_KERNELS];
    kn_kernel *kernels[PRIMES][FFT_KERNELS];
    kn_buffer *roots[PRIMES], *spectra[2], *correlation;
};

// ---- roots of unity ----

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;

    for (; exponent; exponent /= 2) {
        if (exponent % 2)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

// As kernels multiply by them: times 2^32 (Montgomery 1985).
static uint32_t montgomery(uint64_t value, uint64_t modulus)
{
    return (uint32_t)((value << 32) % modulus);
}

// ki_fft_roots_of_cut, of whole numbers: stage after stage, [r - 1][k] of w^(r k), w of order span * radix.
// Returns how many; `roots` NULL: counts.
static size_t roots_of_cut(unsigned prime, const struct fft_cut *cut, uint32_t *roots)
{
    uint64_t modulus = primes[prime].modulus;
    unsigned span = cut->radices[0];
    size_t count = 0;

    for (unsigned s = 1; s < cut->stages; s++) {
        uint64_t w =
            power(primes[prime].generator, (modulus - 1) / ((uint64_t)span * cut->radices[s]), modulus);

        for (unsigned r = 1; r < cut->radices[s]; r++) {
            uint64_t step = power(w, r, modulus), root = 1;

            for (unsigned k = 0; k < span; k++, count++, root = root * step % modulus)
                if (roots)
                    roots[count] = montgomery(root, modulus);
        }
        span *= cut->radices[s];
    }
    return count;
}

static kn_status make_roots(kn_queue *queue, struct autocorr_fft *fft, unsigned prime, kn_error *err)
{
    struct number *number = fft->plan;
    size_t across = roots_of_cut(prime, &number->lines[FFT_ROWS].cut, NULL),
           down = roots_of_cut(prime, &number->lines[FFT_COLUMNS].cut, NULL);
    uint32_t *roots = calloc(across + down + 1, sizeof *roots);
    kn_status status;

    if (!roots)
        return ki_fail_memory(err, (across + down) * sizeof *roots, "computing roots of unity");
    roots_of_cut(prime, &number->lines[FFT_ROWS].cut, roots);
    roots_of_cut(prime, &number->lines[FFT_COLUMNS].cut, roots + across);
    number->lines[FFT_COLUMNS].at = (uint32_t)across;
    status = kn_buffer_create(fft->context, (across + down + 1) * sizeof *roots, &number->roots[prime], err);
    if (!status)
        status =
            kn_buffer_write(queue, number->roots[prime], 0, roots, (across + down + 1) * sizeof *roots, err);
    free(roots);
    return status;
}

// ---- plans ----

static kn_status get_kernel(struct autocorr_fft *fft, unsigned prime, unsigned kernel, kn_error *err)
{
    static const char *const names[FFT_KERNELS] = {"autocorr_ntt_rows", "autocorr_ntt_columns",
                                                   "autocorr_ntt_back"};
    struct number *number = fft->plan;
    struct engine_defines defines = {.count = 0};
    char file[64];

    ki_engine_define(&defines, "PRIME", prime);
    ki_autocorr_fft_define_lines(&defines, &number->lines[kernel]);
    if (kernel == FFT_ROWS)
        ki_engine_define(&defines, "PIXEL_BITS", fft->type == KN_U8 ? 8 : 16);
    snprintf(file, sizeof file, "app/autocorr/%s.cl", names[kernel]);
    return ki_engine_builtin_kernel(fft->context, file, defines.items, defines.count, KN_POLICY_DEFAULT,
                                    names[kernel], &number->kernels[prime][kernel], err);
}

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

static kn_status check(const struct autocorr_fft *fft, kn_error *err)
{
    if ((uint64_t)fft->width * fft->height > MOST_PIXELS)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%zu x %zu pixels may have sums of more than 61 bits, which two primes do not hold; "
                       "use a region, "
                       "or another method",
                       fft->width, fft->height);
    return KN_OK;
}

static kn_status number_create(kn_queue *queue, struct autocorr_fft *fft, kn_error *err)
{
    const kn_fft_tuning tuning = {.held = fft->options.held};
    struct fft_bounds bounds = ki_fft_bounds_of(kn_context_get_device(fft->context), KN_F32, &tuning);
    struct number *number = calloc(1, sizeof *number);
    kn_status status;

    fft->plan = number;
    if (!number)
        return ki_fail_memory(err, sizeof *number, "preparing a correlation");
    bounds.number = sizeof(uint32_t);
    bounds.points = (size_t)1 << primes[1].log2_most;
    status = check(fft, err);
    if (!status)
        status =
            ki_autocorr_fft_cut_lines(fft, &bounds, true, "number-theoretic, two primes", number->lines, err);
    for (unsigned prime = 0; prime < PRIMES && !status; prime++) {
        for (unsigned kernel = 0; kernel < FFT_KERNELS && !status; kernel++)
            status = get_kernel(fft, prime, kernel, err);
        if (!status)
            status = make_roots(queue, fft, prime, err);
    }
    return status ? status : make_memory(fft, number, err);
}

static void number_free(void *plan)
{
    struct number *number = plan;

    for (unsigned i = 0; i < 2; i++) {
        kn_buffer_free(number->roots[i]);
        kn_buffer_free(number->spectra[i]);
    }
    kn_buffer_free(number->correlation);
    free(number);
}

// ---- launches ----

static kn_status rows(kn_queue *queue, const struct autocorr_fft *fft, unsigned prime,
                      const kn_buffer *images, kn_buffer *spectra, size_t first, size_t count, kn_error *err)
{
    const struct number *number = fft->plan;
    const struct fft_lines *lines = &number->lines[FFT_ROWS];
    const uint32_t values[] = {(uint32_t)fft->width, (uint32_t)fft->height, (uint32_t)first};
    const kn_range range = ki_autocorr_fft_range(lines, fft->height, count);
    const kn_arg args[] = {KN_BUFFER(images),   KN_BUFFER(spectra),          KN_VALUE(values[0]),
                           KN_VALUE(values[1]), KN_VALUE(values[2]),         KN_BUFFER(number->roots[prime]),
                           KN_VALUE(lines->at), KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, number->kernels[prime][FFT_ROWS], &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status columns(kn_queue *queue, const struct autocorr_fft *fft, unsigned prime, size_t count,
                         kn_error *err)
{
    const struct number *number = fft->plan;
    const struct fft_lines *lines = &number->lines[FFT_COLUMNS];
    const uint32_t values[] = {(uint32_t)fft->points[0], (uint32_t)fft->height, (uint32_t)fft->wanted};
    const kn_range range = ki_autocorr_fft_range(lines, fft->points[0], count);
    const kn_arg args[] = {KN_BUFFER(number->spectra[0]),
                           KN_BUFFER(number->spectra[fft->cross]),
                           KN_BUFFER(number->correlation),
                           KN_VALUE(values[0]),
                           KN_VALUE(values[1]),
                           KN_VALUE(values[2]),
                           KN_BUFFER(number->roots[prime]),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, number->kernels[prime][FFT_COLUMNS], &range, args, KI_COUNT(args), NO_EVENT, err);
}

// What undoes the circle's points, and the 2^32 that the product of two spectra was divided by.
static uint32_t scale_of(const struct autocorr_fft *fft, unsigned prime)
{
    uint64_t modulus = primes[prime].modulus, points = fft->points[0] * fft->points[1] % modulus;

    return montgomery(montgomery(power(points, modulus - 2, modulus), modulus), modulus);
}

static kn_status back(kn_queue *queue, const struct autocorr_fft *fft, unsigned prime, size_t first,
                      size_t count, kn_buffer *sums, kn_error *err)
{
    const struct number *number = fft->plan;
    const struct fft_lines *lines = &number->lines[FFT_BACK];
    const uint32_t values[] = {(uint32_t)(fft->max_offset + 1), (uint32_t)fft->across, (uint32_t)fft->wanted,
                               (uint32_t)first, scale_of(fft, prime)};
    const kn_range range = ki_autocorr_fft_range(lines, fft->wanted, count);
    const kn_arg args[] = {KN_BUFFER(number->correlation),
                           KN_BUFFER(sums),
                           KN_VALUE(values[0]),
                           KN_VALUE(values[1]),
                           KN_VALUE(values[2]),
                           KN_VALUE(values[3]),
                           KN_VALUE(values[4]),
                           KN_BUFFER(number->roots[prime]),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, number->kernels[prime][FFT_BACK], &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status number_run(kn_queue *queue, const struct autocorr_fft *fft,
                            const struct autocorr_frames *frames, size_t first, size_t count, kn_buffer *sums,
                            kn_error *err)
{
    const struct number *number = fft->plan;
    kn_status status = KN_OK;

    for (unsigned prime = 0; prime < PRIMES && !status; prime++) {
        status = rows(queue, fft, prime, frames->first, number->spectra[0], first, count, err);
        if (!status && fft->cross)
            status = rows(queue, fft, prime, frames->second, number->spectra[1], first, count, err);
        if (!status)
            status = columns(queue, fft, prime, count, err);
        if (!status)
            status = back(queue, fft, prime, first, count, sums, err);
    }
    return status;
}

const struct fft_algorithm ki_autocorr_fft_number = {number_create, number_run, number_free};
