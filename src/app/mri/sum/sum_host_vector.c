// SPDX-License-Identifier: Apache-2.0
// The sums of sum_host.h with vectors, AT_A_TIME of them side by side. Compiled for every instruction set
// that has vectors and every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "sum_host.h"
#include "sum_vector.h"

enum { AT_A_TIME = REGISTERS / 8 };

// Adds a sample's term in each lane, mu (c + i s).
VECTOR_OPERATION void add_term(const real *mu_re, const real *mu_im, size_t m, reals t, reals *re, reals *im)
{
    reals s, c, mu = set_reals(mu_re[m]);

    sine_and_cosine(t, &s, &c);
    *re = plus_product(*re, c, mu);
    *im = plus_product(*im, s, mu);
    if (mu_im) {
        *re = less_product(*re, s, set_reals(mu_im[m]));
        *im = plus_product(*im, c, set_reals(mu_im[m]));
    }
}

VECTOR_OPERATION void add_vectors(const struct sum_samples *samples, const real *const positions[3],
                                  size_t first, const real *imaginary, double *sums_re, double *sums_im)
{
    const real *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    reals re[AT_A_TIME], im[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) re[i] = im[i] = set_reals(0);
    for (size_t m = 0; m < samples->count; m++) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
        {
            size_t at = first + i * LANES;
            reals t = set_reals(x[m]) * load_reals(positions[0] + at);

            t = plus_product(t, set_reals(y[m]), load_reals(positions[1] + at));
            t = plus_product(t, set_reals(z[m]), load_reals(positions[2] + at));
            add_term(samples->real, imaginary, m, t - rounded(t), &re[i], &im[i]);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        add_to_doubles(sums_re + first + i * LANES, re[i]);
        add_to_doubles(sums_im + first + i * LANES, im[i]);
    }
}

VECTOR_CODE static void add_block(const struct sum_samples *samples, const real *const positions[3],
                                  double *re, double *im)
{
    for (size_t first = 0; first < SUM_HOST_BLOCK; first += AT_A_TIME * LANES)
        if (samples->imaginary)
            add_vectors(samples, positions, first, samples->imaginary, re, im);
        else
            add_vectors(samples, positions, first, NULL, re, im);
}

#if KEY_BITS == 64
VECTOR_CODE void SIMD_SET_NAME(sum_double)(const struct sum_samples *samples, const real *const positions[3],
                                           double *re, double *im)
{
    add_block(samples, positions, re, im);
}
#else
VECTOR_CODE void SIMD_SET_NAME(sum_single)(const struct sum_samples *samples, const real *const positions[3],
                                           double *re, double *im)
{
    add_block(samples, positions, re, im);
}

// The same for fractions of a turn, whose whole turns vanish by overflow.
VECTOR_OPERATION void add_fractions(const struct sum_samples *samples, const int32_t *const positions[3],
                                    size_t first, const real *imaginary, double *sums_re, double *sums_im)
{
    const int32_t *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    reals re[AT_A_TIME], im[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) re[i] = im[i] = set_reals(0);
    for (size_t m = 0; m < samples->count; m++) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
        {
            size_t at = first + i * LANES;
            vector t = product_of_keys(broadcast(x[m]), load(positions[0] + at));

            t = sum_of_keys(t, product_of_keys(broadcast(y[m]), load(positions[1] + at)));
            if (z[m] != 0)
                t = sum_of_keys(t, product_of_keys(broadcast(z[m]), load(positions[2] + at)));
            add_term(samples->real, imaginary, m, reals_of_keys(t) * set_reals(0x1p-32f), &re[i], &im[i]);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        add_to_doubles(sums_re + first + i * LANES, re[i]);
        add_to_doubles(sums_im + first + i * LANES, im[i]);
    }
}

VECTOR_CODE void SIMD_SET_NAME(sum_fractions)(const struct sum_samples *samples,
                                              const int32_t *const positions[3], double *re, double *im)
{
    for (size_t first = 0; first < SUM_HOST_BLOCK; first += AT_A_TIME * LANES)
        if (samples->imaginary)
            add_fractions(samples, positions, first, samples->imaginary, re, im);
        else
            add_fractions(samples, positions, first, NULL, re, im);
}
#endif
