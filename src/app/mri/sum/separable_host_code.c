// SPDX-License-Identifier: Apache-2.0
// separable_host.h with vectors. Factors along x are computed for vectors of samples, G for vectors of
// columns; the product keeps the sums of PAIRS pairs and a vector of columns in registers, and for each
// sample reads PAIRS cosines and sines and two vectors of G for 4 PAIRS products. In the forward sum the
// roles are exchanged: sums over columns, and vectors of samples. Compiled for every instruction set and
// every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "separable_host.h"
#include "sum_vector.h"

enum { PAIRS = REGISTERS == 32 ? 6 : 3 };
_Static_assert(SEPARABLE_PAIRS % PAIRS == 0 && SEPARABLE_COLUMNS % LANES == 0 && SEPARABLE_RUN % LANES == 0 &&
                   (int)LANES <= (int)SEPARABLE_LANES,
               "blocks are whole vectors and whole strips of pairs");

// ---- phases ----

#if KEY_BITS == 64
typedef double step;
typedef reals phase;

VECTOR_OPERATION phase load_steps(const step *from)
{
    return load_reals(from);
}

VECTOR_OPERATION phase set_step(step value)
{
    return set_reals(value);
}

VECTOR_OPERATION phase steps(phase p, phase count, phase size)
{
    return plus_product(p, count, size);
}

VECTOR_OPERATION reals turns_of(phase p)
{
    return p - rounded(p);
}
#else
typedef int32_t step;
typedef vector phase;

VECTOR_OPERATION phase load_steps(const step *from)
{
    return load(from);
}

VECTOR_OPERATION phase set_step(step value)
{
    return broadcast(value);
}

VECTOR_OPERATION phase steps(phase p, phase count, phase size)
{
    return sum_of_keys(p, product_of_keys(count, size));
}

VECTOR_OPERATION reals turns_of(phase p)
{
    return reals_of_keys(p) * set_reals(0x1p-32f);
}
#endif

// ---- factors ----

VECTOR_OPERATION void make_factors(const struct separable_block *block)
{
    const step *k = block->k[0], *half = block->half;
    real *to = block->factors;

    // For whole strips: the numbers beyond the last pair are not used.
    for (size_t pair = 0; pair < (block->pairs + PAIRS - 1) / PAIRS * PAIRS;
         pair++, to += 2 * SEPARABLE_RUN) {
        const phase at = set_step((step)(block->first_pair + pair));

        for (size_t m = 0; m < block->samples; m += LANES) {
            reals s, c;

            sine_and_cosine(turns_of(steps(load_steps(half + m), load_steps(k + m), at)), &s, &c);
            store_reals(to + m, c);
            store_reals(to + SEPARABLE_RUN + m, s);
        }
    }
}

// G for the columns from `first` on.
VECTOR_OPERATION void make_panel(const struct separable_block *block, size_t first)
{
    const step *half = block->half, *ky = block->k[1], *kz = block->k[2];
    const phase y = load_steps((const step *)block->y + first),
                z = load_steps((const step *)block->z + first);
    const real *real_mu = block->real, *imaginary_mu = block->imaginary;
    real *to = block->panel;

    for (size_t m = 0; m < block->samples; m++, to += 2 * LANES) {
        phase p = steps(set_step(-half[m]), set_step(ky[m]), y);
        reals s, c, mu = set_reals(real_mu[m]);

        if (kz[m] != 0)
            p = steps(p, set_step(kz[m]), z);
        sine_and_cosine(turns_of(p), &s, &c);
        reals re = mu * c, im = mu * s;
        if (imaginary_mu) {
            mu = set_reals(imaginary_mu[m]);
            re = less_product(re, mu, s);
            im = plus_product(im, mu, c);
        }
        store_reals(to, re);
        store_reals(to + LANES, im);
    }
}

// ---- the product ----

// For PAIRS pairs and the panel.
VECTOR_OPERATION void add_products(const real *factors, const real *panel, size_t samples, double *sums)
{
    reals sum[PAIRS][SEPARABLE_SUMS];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < PAIRS; i++)
        _Pragma("GCC unroll 4") for (size_t j = 0; j < SEPARABLE_SUMS; j++) sum[i][j] = set_reals(0);
    for (size_t m = 0; m < samples; m++) {
        const reals re = load_reals(panel + m * 2 * LANES), im = load_reals(panel + m * 2 * LANES + LANES);

        _Pragma("GCC unroll 8") for (size_t i = 0; i < PAIRS; i++)
        {
            const reals c = set_reals(factors[2 * i * SEPARABLE_RUN + m]);
            const reals s = set_reals(factors[(2 * i + 1) * SEPARABLE_RUN + m]);

            sum[i][0] = plus_product(sum[i][0], c, re);
            sum[i][1] = plus_product(sum[i][1], c, im);
            sum[i][2] = plus_product(sum[i][2], s, re);
            sum[i][3] = plus_product(sum[i][3], s, im);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < PAIRS; i++)
        _Pragma("GCC unroll 4") for (size_t j = 0; j < SEPARABLE_SUMS; j++)
            add_to_doubles(sums + (i * SEPARABLE_SUMS + j) * SEPARABLE_COLUMNS, sum[i][j]);
}

VECTOR_OPERATION void add_block(const struct separable_block *block)
{
    make_factors(block);
    for (size_t first = 0; first < block->columns; first += LANES) {
        make_panel(block, first);
        for (size_t pair = 0; pair < block->pairs; pair += PAIRS)
            add_products((const real *)block->factors + pair * 2 * SEPARABLE_RUN, block->panel,
                         block->samples, block->sums + pair * SEPARABLE_SUMS * SEPARABLE_COLUMNS + first);
    }
}

// ---- the forward sum, with the roles exchanged ----

enum { AHEAD = 2, BESIDE = PAIRS }; // vectors of samples at a time; columns at a time

// Adds conj(u) t of a column, where u is its phase factor in G, to AHEAD vectors of samples from m on.
VECTOR_OPERATION void turn_column(const struct separable_image *image, size_t column, size_t m,
                                  const reals *re, const reals *im, reals *data_re, reals *data_im)
{
    const step *ky = image->block.k[1], *kz = image->block.k[2], *opposite = image->opposite;
    const phase y = set_step((step)(column % image->size_y) - (step)(image->size_y / 2)),
                z = set_step((step)(column / image->size_y) - (step)(image->size_z / 2));

    _Pragma("GCC unroll 2") for (size_t v = 0; v < AHEAD; v++, m += LANES)
    {
        phase p = steps(steps(load_steps(opposite + m), load_steps(ky + m), y), load_steps(kz + m), z);
        reals s, c;

        sine_and_cosine(turns_of(p), &s, &c);
        data_re[v] = plus_product(plus_product(data_re[v], c, re[v]), s, im[v]);
        data_im[v] = less_product(plus_product(data_im[v], c, im[v]), s, re[v]);
    }
}

// BESIDE columns from `first` on, of which `count` exist, with AHEAD vectors of samples from m on.
VECTOR_OPERATION void read_columns(const struct separable_image *image, size_t first, size_t count, size_t m)
{
    const struct separable_block *block = &image->block;
    const real *factors = (const real *)block->factors + m, *numbers[BESIDE];
    reals re[BESIDE][AHEAD], im[BESIDE][AHEAD], data_re[AHEAD], data_im[AHEAD];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < BESIDE; i++)
    {
        size_t column = first + (i < count ? i : count - 1);

        numbers[i] = (const real *)image->numbers + 4 * (column * image->pairs + block->first_pair);
        _Pragma("GCC unroll 2") for (size_t v = 0; v < AHEAD; v++) re[i][v] = im[i][v] = set_reals(0);
    }
    for (size_t pair = 0; pair < block->pairs; pair++, factors += 2 * SEPARABLE_RUN) {
        const reals c[AHEAD] = {load_reals(factors), load_reals(factors + LANES)},
                    s[AHEAD] = {load_reals(factors + SEPARABLE_RUN),
                                load_reals(factors + SEPARABLE_RUN + LANES)};

        _Pragma("GCC unroll 8") for (size_t i = 0; i < BESIDE; i++)
            _Pragma("GCC unroll 2") for (size_t v = 0; v < AHEAD; v++)
        {
            re[i][v] = plus_product(re[i][v], c[v], set_reals(numbers[i][4 * pair]));
            im[i][v] = plus_product(im[i][v], c[v], set_reals(numbers[i][4 * pair + 1]));
            im[i][v] = less_product(im[i][v], s[v], set_reals(numbers[i][4 * pair + 2]));
            re[i][v] = plus_product(re[i][v], s[v], set_reals(numbers[i][4 * pair + 3]));
        }
    }
    _Pragma("GCC unroll 2") for (size_t v = 0; v < AHEAD; v++) data_re[v] = data_im[v] = set_reals(0);
    _Pragma("GCC unroll 8") for (size_t i = 0; i < BESIDE; i++) if (i < count)
        turn_column(image, first + i, m, re[i], im[i], data_re, data_im);
    _Pragma("GCC unroll 2") for (size_t v = 0; v < AHEAD; v++)
    {
        add_to_doubles(block->sums + m + v * LANES, data_re[v]);
        add_to_doubles(block->sums + SEPARABLE_RUN + m + v * LANES, data_im[v]);
    }
}

// Processes columns in blocks that stay in a cache for all samples of the run.
VECTOR_OPERATION void read_image(const struct separable_image *image)
{
    make_factors(&image->block);
    for (size_t block = 0; block < image->columns; block += SEPARABLE_COLUMNS) {
        size_t left = image->columns - block,
               end = block + (left < SEPARABLE_COLUMNS ? left : SEPARABLE_COLUMNS);

        for (size_t m = 0; m < image->block.samples; m += AHEAD * LANES)
            for (size_t first = block; first < end; first += BESIDE)
                read_columns(image, first, end - first < BESIDE ? end - first : BESIDE, m);
    }
}

#if KEY_BITS == 64
VECTOR_CODE void SIMD_SET_NAME(separable_read_double)(const struct separable_image *image)
{
    read_image(image);
}

VECTOR_CODE void SIMD_SET_NAME(separable_double)(const struct separable_block *block)
{
    add_block(block);
}
#else
VECTOR_CODE void SIMD_SET_NAME(separable_read_single)(const struct separable_image *image)
{
    read_image(image);
}

VECTOR_CODE void SIMD_SET_NAME(separable_single)(const struct separable_block *block)
{
    add_block(block);
}
#endif
