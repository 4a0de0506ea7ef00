// SPDX-License-Identifier: Apache-2.0
#include "device_ntt.h"

#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>

#include "shared/autocorr.h"
#include "base/array.h"
#include "base/error.h"

// A generator's powers run through all numbers but 0.
static const struct {
    uint32_t modulus, generator;
    unsigned log2_most; // of the longest line
} primes[NTT_PRIMES] = {{NTT_PRIME_0, 31, 27}, {NTT_PRIME_1, 5, 25}};

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

static kn_status make_roots(kn_queue *queue, const struct autocorr_fft *fft, unsigned prime, struct ntt *ntt,
                            kn_error *err)
{
    size_t across = roots_of_cut(prime, &ntt->lines[FFT_ROWS].cut, NULL),
           down = roots_of_cut(prime, &ntt->lines[FFT_COLUMNS].cut, NULL),
           bytes = (across + down + 1) * sizeof(uint32_t);
    uint32_t *roots = calloc(across + down + 1, sizeof *roots);
    kn_status status;

    if (!roots)
        return ki_fail_memory(err, bytes, "computing roots of unity");
    roots_of_cut(prime, &ntt->lines[FFT_ROWS].cut, roots);
    roots_of_cut(prime, &ntt->lines[FFT_COLUMNS].cut, roots + across);
    ntt->lines[FFT_COLUMNS].at = (uint32_t)across;
    status = kn_buffer_create(fft->context, bytes, &ntt->roots[prime], err);
    if (!status)
        status = kn_buffer_write(queue, ntt->roots[prime], 0, roots, bytes, err);
    free(roots);
    return status;
}

// ---- plans ----

kn_status ki_autocorr_ntt_kernel(const struct autocorr_fft *fft, const struct ntt *ntt, unsigned prime,
                                 unsigned lines, const char *file, const char *kernel, kn_type type,
                                 kn_kernel **made, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    char path[64];

    ki_engine_define(&defines, "PRIME", prime);
    ki_autocorr_fft_define_lines(&defines, &ntt->lines[lines]);
    if (lines == FFT_ROWS)
        ki_engine_define(&defines, "PIXEL_BITS", type == KN_U8 ? 8 : 16);
    snprintf(path, sizeof path, "app/autocorr/%s.cl", file);
    return ki_engine_builtin_kernel(fft->context, path, defines.items, defines.count, KN_POLICY_DEFAULT,
                                    kernel, made, err);
}

struct fft_bounds ki_autocorr_ntt_bounds(const kn_device_info *info, unsigned held)
{
    const kn_fft_tuning tuning = {.held = held};
    struct fft_bounds bounds = ki_fft_bounds_of(info, KN_F32, &tuning);

    bounds.number = sizeof(uint32_t);
    bounds.points = (size_t)1 << primes[1].log2_most;
    return bounds;
}

static kn_status check(const struct autocorr_fft *fft, kn_error *err)
{
    if ((uint64_t)fft->width * fft->height > NTT_MOST_PIXELS)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%zu x %zu pixels may have sums of more than 61 bits, which two primes do not hold; "
                       "use a region, or another method",
                       fft->width, fft->height);
    return KN_OK;
}

kn_status ki_autocorr_ntt_create(kn_queue *queue, struct autocorr_fft *fft, const char *name,
                                 const char *columns, struct ntt *ntt, kn_error *err)
{
    const char *const kernels[FFT_KERNELS] = {"autocorr_ntt_rows", columns, "autocorr_ntt_back"};
    const struct fft_bounds bounds =
        ki_autocorr_ntt_bounds(kn_context_get_device(fft->context), fft->options.held);
    kn_status status = check(fft, err);

    if (!status)
        status = ki_autocorr_fft_cut_lines(fft, &bounds, true, name, ntt->lines, err);
    for (unsigned prime = 0; prime < NTT_PRIMES && !status; prime++) {
        for (unsigned k = 0; k < FFT_KERNELS && !status; k++)
            status = ki_autocorr_ntt_kernel(fft, ntt, prime, k, kernels[k], kernels[k], fft->type,
                                            &ntt->kernels[prime][k], err);
        if (!status)
            status = make_roots(queue, fft, prime, ntt, err);
    }
    return status;
}

void ki_autocorr_ntt_free(struct ntt *ntt)
{
    for (unsigned prime = 0; prime < NTT_PRIMES; prime++)
        kn_buffer_free(ntt->roots[prime]);
}

// ---- launches ----

kn_status ki_autocorr_ntt_rows(kn_queue *queue, const struct autocorr_fft *fft, const struct ntt *ntt,
                               unsigned prime, kn_kernel *kernel, const struct ntt_images *images,
                               kn_buffer *spectra, kn_error *err)
{
    const struct fft_lines *lines = &ntt->lines[FFT_ROWS];
    const uint32_t values[] = {(uint32_t)fft->width, (uint32_t)fft->height, (uint32_t)images->first,
                               images->power};
    const kn_range range = ki_autocorr_fft_range(lines, fft->height, images->count);
    const kn_arg args[] = {KN_BUFFER(images->pixels),    KN_BUFFER(spectra),  KN_VALUE(values[0]),
                           KN_VALUE(values[1]),          KN_VALUE(values[2]), KN_VALUE(values[3]),
                           KN_BUFFER(ntt->roots[prime]), KN_VALUE(lines->at), KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// What undoes the circle's points, and the 2^32 that the product of two spectra was divided by.
static uint32_t scale_of(const struct autocorr_fft *fft, unsigned prime)
{
    uint64_t modulus = primes[prime].modulus, points = fft->points[0] * fft->points[1] % modulus;

    return montgomery(montgomery(power(points, modulus - 2, modulus), modulus), modulus);
}

kn_status ki_autocorr_ntt_back(kn_queue *queue, const struct autocorr_fft *fft, const struct ntt *ntt,
                               unsigned prime, const kn_buffer *spectra, size_t rows, size_t count,
                               const struct ntt_sums *to, kn_error *err)
{
    const struct fft_lines *lines = &ntt->lines[FFT_BACK];
    const uint32_t values[] = {(uint32_t)(fft->max_offset + 1),
                               (uint32_t)fft->across,
                               (uint32_t)rows,
                               (uint32_t)to->first,
                               (uint32_t)to->rows,
                               (uint32_t)to->above,
                               (uint32_t)to->step,
                               (uint32_t)to->part,
                               scale_of(fft, prime)};
    const kn_range range = ki_autocorr_fft_range(lines, rows, count);
    const kn_arg args[] = {KN_BUFFER(spectra),  KN_BUFFER(to->sums),         KN_VALUE(values[0]),
                           KN_VALUE(values[1]), KN_VALUE(values[2]),         KN_VALUE(values[3]),
                           KN_VALUE(values[4]), KN_VALUE(values[5]),         KN_VALUE(values[6]),
                           KN_VALUE(values[7]), KN_VALUE(values[8]),         KN_BUFFER(ntt->roots[prime]),
                           KN_VALUE(lines->at), KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, ntt->kernels[prime][FFT_BACK], &range, args, KI_COUNT(args), NO_EVENT, err);
}
