// SPDX-License-Identifier: Apache-2.0
// The adjoint as a product of matrices on the host (sum.h): threads take blocks of columns, each with runs of
// samples in the order of the samples. The same numbers with any number of threads.
#include "separable_host.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

// Voxels times samples that a thread adds up between two calls of `ask`: one or two tenths of a second in
// double precision.
enum { PIECE = 1 << 28 };
enum { BLOCKS = 4 }; // the most blocks that a thread has at a time

static separable_add *const in_double[] = {[KN_HOST_SCALAR] = ki_separable_double_scalar,
                                           HOST_SET_VECTORS(separable_double)};
static separable_add *const in_single[] = {[KN_HOST_SCALAR] = ki_separable_single_scalar,
                                           HOST_SET_VECTORS(separable_single)};

// A block of columns with samples [begin, end) of all.
struct product {
    const struct mri_sum *sum;
    const struct sum_samples *samples;
    bool is_double;
    separable_add *add;
    size_t pairs;       // of voxels along x; on an axis of odd length the first one is only the middle voxel
    size_t first, last; // the columns that contain the sum's voxels
    size_t width;       // columns of a block
    size_t block, begin, end;
    char *memory; // of the threads
    double complex *image;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t number_size(bool is_double)
{
    return is_double ? sizeof(double) : sizeof(float);
}

// ---- a thread's memory ----

enum { SUMS_BYTES = SEPARABLE_PAIRS * SEPARABLE_SUMS * SEPARABLE_COLUMNS * sizeof(double) };

// A run's k along x and half a step of it; positions of a block's columns.
struct run {
    union {
        double turns[2][SEPARABLE_RUN];
        int32_t fractions[2][SEPARABLE_RUN];
    };
    union {
        double in_double[2][SEPARABLE_COLUMNS];
        int32_t steps[2][SEPARABLE_COLUMNS];
    };
};

static size_t thread_bytes(size_t size)
{
    return SUMS_BYTES + separable_factors(size) + separable_panel(size);
}

struct mri_bytes ki_separable_host_memory(size_t size)
{
    return (struct mri_bytes){.host = ki_threads(0) * thread_bytes(size)};
}

// ---- a block ----

// Positions in steps from the middle of the matrix, 0 past the last column.
static void place_columns(const struct product *p, size_t first, size_t count, struct separable_block *block,
                          struct run *run)
{
    const size_t *size = p->sum->matrix.size;

    for (size_t i = 0; i < SEPARABLE_COLUMNS; i++) {
        int32_t y = i < count ? (int32_t)((first + i) % size[1]) - (int32_t)(size[1] / 2) : 0,
                z = i < count ? (int32_t)((first + i) / size[1]) - (int32_t)(size[2] / 2) : 0;

        if (p->is_double) {
            run->in_double[0][i] = y;
            run->in_double[1][i] = z;
        } else {
            run->steps[0][i] = y;
            run->steps[1][i] = z;
        }
    }
    block->columns = count;
    block->y = run->in_double[0];
    block->z = run->in_double[1];
    if (!p->is_double) {
        block->y = run->steps[0];
        block->z = run->steps[1];
    }
}

// Takes samples from `first` on, with a copy of k along x, and 0 past the last one. Half of a fraction loses
// its last bit, but the offset of pairs and the correction in G use the same number.
static void take_samples(const struct product *p, size_t first, struct separable_block *block,
                         struct run *run)
{
    const struct sum_samples *all = p->samples;
    size_t size = number_size(p->is_double), count = least(SEPARABLE_RUN, p->end - first);
    bool off = p->sum->matrix.size[0] % 2 == 0;

    if (p->is_double) {
        const double *x = (const double *)all->k[0] + first;

        for (size_t m = 0; m < SEPARABLE_RUN; m++) {
            run->turns[0][m] = m < count ? x[m] : 0;
            run->turns[1][m] = m < count && off ? x[m] / 2 : 0;
        }
        block->k[0] = run->turns[0];
        block->half = run->turns[1];
    } else {
        const int32_t *x = (const int32_t *)all->k[0] + first;

        for (size_t m = 0; m < SEPARABLE_RUN; m++) {
            run->fractions[0][m] = m < count ? x[m] : 0;
            run->fractions[1][m] = m < count && off ? x[m] / 2 : 0;
        }
        block->k[0] = run->fractions[0];
        block->half = run->fractions[1];
    }
    block->samples = count;
    block->real = (const char *)all->real + first * size;
    block->imaginary = all->imaginary ? (const char *)all->imaginary + first * size : NULL;
    for (size_t axis = 1; axis < MRI_AXES; axis++)
        block->k[axis] = (const char *)all->k[axis] + first * size;
}

static void give(const struct product *p, size_t column, size_t x, double real, double imaginary)
{
    size_t n = column * p->sum->matrix.size[0] + x;

    if (n < p->sum->first || n - p->sum->first >= p->sum->count)
        return;
    n -= p->sum->first;
    p->image[n] = mri_complex((p->begin > 0 ? creal(p->image[n]) : 0) + real,
                              (p->begin > 0 ? cimag(p->image[n]) : 0) + imaginary);
}

// Stores U + iV and U - iV; the middle of an axis of odd length is U.
static void give_all(const struct product *p, const struct separable_block *block, size_t first)
{
    size_t size = p->sum->matrix.size[0], middle = size / 2, odd = size % 2;

    for (size_t column = 0; column < block->columns; column++)
        for (size_t i = 0; i < block->pairs; i++) {
            const double *sums = block->sums + i * SEPARABLE_SUMS * SEPARABLE_COLUMNS + column;
            double u_re = sums[0], u_im = sums[SEPARABLE_COLUMNS], v_re = sums[2 * SEPARABLE_COLUMNS],
                   v_im = sums[3 * SEPARABLE_COLUMNS];
            size_t pair = block->first_pair + i;

            give(p, first + column, middle + pair, u_re - v_im, u_im + v_re);
            if (!odd || pair > 0)
                give(p, first + column, middle + odd - 1 - pair, u_re + v_im, u_im - v_re);
        }
}

static void add_block(void *context, size_t number)
{
    const struct product *p = context;
    size_t size = number_size(p->is_double), first = p->first + (p->block + number) * p->width;
    size_t parts = (p->pairs + SEPARABLE_PAIRS - 1) / SEPARABLE_PAIRS, step = (p->pairs + parts - 1) / parts;
    char *memory = p->memory + ki_thread() * thread_bytes(size);
    struct separable_block block = {.sums = (double *)memory,
                                    .factors = memory + SUMS_BYTES,
                                    .panel = memory + SUMS_BYTES + separable_factors(size)};
    struct run run;

    place_columns(p, first, least(p->width, p->last + 1 - first), &block, &run);
    for (; block.first_pair < p->pairs; block.first_pair += step) {
        block.pairs = least(step, p->pairs - block.first_pair);
        memset(block.sums, 0, SUMS_BYTES);
        for (size_t m = p->begin; m < p->end; m += SEPARABLE_RUN) {
            take_samples(p, m, &block, &run);
            p->add(&block);
        }
        give_all(p, &block, first);
    }
}

// ---- the whole sum ----

// Blocks are narrow if there are few columns, so that each thread has some.
static size_t choose_width(const struct product *p, unsigned threads)
{
    size_t share = (p->last - p->first) / ((size_t)BLOCKS * threads) + 1,
           whole = (share + SEPARABLE_LANES - 1) / SEPARABLE_LANES * SEPARABLE_LANES;

    return least(whole, SEPARABLE_COLUMNS);
}

static kn_status add_all(struct product *p, unsigned threads, kn_error *err)
{
    size_t blocks = (p->last - p->first) / p->width + 1, samples = p->sum->samples;
    size_t voxels = SEPARABLE_COLUMNS * p->sum->matrix.size[0];
    size_t run = (PIECE / voxels + 1) * SEPARABLE_RUN / BLOCKS;
    kn_status status = KN_OK;

    for (; p->block < blocks && !status; p->block += BLOCKS * threads) {
        size_t count = least(BLOCKS * threads, blocks - p->block);

        p->end = 0;
        do {
            p->begin = p->end;
            p->end = least(p->begin + run, samples);
            ki_ask_at(p->sum->ask,
                      ((double)p->block + (double)count * (double)p->begin / (double)(samples + 1)) /
                          (double)blocks);
            status = ki_ask(p->sum->ask, err);
            if (!status)
                ki_parallel(threads, count, KI_DYNAMIC, add_block, p);
        } while (p->end < samples && !status);
    }
    return status;
}

kn_status ki_separable_host(const struct mri_sum *sum, const struct sum_samples *samples,
                            const struct host_plan *plan, bool is_double, double complex *image,
                            kn_error *err)
{
    size_t along = sum->matrix.size[0], bytes = plan->threads * thread_bytes(number_size(is_double));
    struct product p = {.sum = sum,
                        .samples = samples,
                        .is_double = is_double,
                        .add = is_double ? in_double[plan->level] : in_single[plan->level],
                        .pairs = (along + 1) / 2,
                        .first = sum->first / along,
                        .last = (sum->first + sum->count - 1) / along,
                        .image = image};
    kn_status status;

    p.memory = ki_kept_take(sum->kept, bytes);
    if (!p.memory)
        return ki_fail_memory(err, bytes, "a product of matrices");
    p.width = choose_width(&p, plan->threads);
    status = add_all(&p, plan->threads, err);
    ki_kept_give(sum->kept, p.memory);
    return status;
}
