// SPDX-License-Identifier: Apache-2.0
// The forward sum as a product of matrices on the host (sum.h): threads take runs of samples, each with all
// columns in their order. The same numbers with any number of threads.
#include <string.h>

#include "base/error.h"
#include "separable_host.h"
#include "sum_internal.h"

// Voxels times samples that a thread reads between two calls of `ask`, as in the adjoint.
static const double piece = 0x1p28;

static separable_read *const in_double[] = {[KN_HOST_SCALAR] = ki_separable_read_double_scalar,
                                            HOST_SET_VECTORS(separable_read_double)};
static separable_read *const in_single[] = {[KN_HOST_SCALAR] = ki_separable_read_single_scalar,
                                            HOST_SET_VECTORS(separable_read_single)};

struct forward {
    const struct mri_sum *sum; // its matrix, k and samples
    bool is_double;
    size_t size; // size of a number
    separable_read *read;
    size_t columns, pairs;   // of the image
    size_t run;              // the first one of the current step
    char *numbers, *factors; // of the image; of each thread
    const double complex *image;
    double complex *data;
};

static size_t number_size(bool is_double)
{
    return is_double ? sizeof(double) : sizeof(float);
}

// ---- the image ----

static void store(const struct forward *f, size_t at, double value)
{
    if (f->is_double)
        ((double *)f->numbers)[at] = value;
    else
        ((float *)f->numbers)[at] = (float)value;
}

// The sums and differences of a column; on an axis of odd length the first pair is only the middle voxel.
static void fold_column(void *context, size_t column)
{
    const struct forward *f = context;
    size_t size = f->sum->matrix.size[0], middle = size / 2, odd = size % 2;
    const double complex *line = f->image + column * size;

    for (size_t pair = 0; pair < f->pairs; pair++) {
        bool alone = odd && pair == 0;
        double complex above = line[middle + pair], below = alone ? 0 : line[middle + odd - 1 - pair];
        double complex sum = above + below, difference = alone ? 0 : above - below;
        size_t at = 4 * (column * f->pairs + pair);

        store(f, at, creal(sum));
        store(f, at + 1, cimag(sum));
        store(f, at + 2, creal(difference));
        store(f, at + 3, cimag(difference));
    }
}

// ---- samples ----

// k per voxel step, half of that along x, and its opposite; 0 past the last sample.
enum { HALF = MRI_AXES, OPPOSITE, NUMBERS };
struct run {
    union {
        double turns[NUMBERS][SEPARABLE_RUN];
        int32_t fractions[NUMBERS][SEPARABLE_RUN];
    };
};

static void take_run(const struct forward *f, size_t first, size_t count, struct run *run)
{
    const kn_recon_matrix *matrix = &f->sum->matrix;
    bool off = matrix->size[0] % 2 == 0;

    memset(run, 0, sizeof *run);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        for (size_t m = 0; m < count; m++) {
            double k = f->sum->k[MRI_AXES * (first + m) + axis];

            if (f->is_double)
                run->turns[axis][m] = k / (double)matrix->size[axis];
            else
                run->fractions[axis][m] = (int32_t)ki_mri_fraction(k, matrix->size[axis]);
        }
    for (size_t m = 0; m < count && off; m++)
        if (f->is_double) {
            run->turns[HALF][m] = run->turns[0][m] / 2;
            run->turns[OPPOSITE][m] = -run->turns[HALF][m];
        } else {
            run->fractions[HALF][m] = run->fractions[0][m] / 2;
            run->fractions[OPPOSITE][m] = -run->fractions[HALF][m];
        }
}

static const void *numbers_of(const struct forward *f, const struct run *run, size_t which)
{
    return f->is_double ? (const void *)run->turns[which] : run->fractions[which];
}

static void read_run(void *context, size_t number)
{
    const struct forward *f = context;
    size_t first = (f->run + number) * SEPARABLE_RUN, left = f->sum->samples - first;
    size_t parts = (f->pairs + SEPARABLE_PAIRS - 1) / SEPARABLE_PAIRS, step = (f->pairs + parts - 1) / parts;
    double sums[2][SEPARABLE_RUN] = {{0}};
    struct separable_image image = {.numbers = f->numbers,
                                    .columns = f->columns,
                                    .pairs = f->pairs,
                                    .size_y = f->sum->matrix.size[1],
                                    .size_z = f->sum->matrix.size[2]};
    struct separable_block *block = &image.block;
    struct run run;

    block->samples = left < SEPARABLE_RUN ? left : SEPARABLE_RUN;
    block->factors = f->factors + ki_thread() * separable_factors(f->size);
    block->sums = sums[0];
    take_run(f, first, block->samples, &run);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        block->k[axis] = numbers_of(f, &run, axis);
    block->half = numbers_of(f, &run, HALF);
    image.opposite = numbers_of(f, &run, OPPOSITE);
    for (; block->first_pair < f->pairs; block->first_pair += step) {
        size_t rest = f->pairs - block->first_pair;

        block->pairs = rest < step ? rest : step;
        f->read(&image);
    }
    for (size_t m = 0; m < block->samples; m++)
        f->data[first + m] = mri_complex(sums[0][m], sums[1][m]);
}

// ---- the whole sum ----

static kn_status read_all(struct forward *f, unsigned threads, struct ki_ask *ask, kn_error *err)
{
    size_t runs = (f->sum->samples + SEPARABLE_RUN - 1) / SEPARABLE_RUN;
    double each = piece / ((double)f->sum->count * SEPARABLE_RUN);
    size_t step = threads * (each > 1 ? (size_t)each : 1);
    kn_status status = KN_OK;

    ki_parallel(threads, f->columns, KI_STATIC, fold_column, f);
    for (; f->run < runs && !status; f->run += step) {
        ki_ask_at(ask, (double)f->run / (double)runs);
        status = ki_ask(ask, err);
        if (!status)
            ki_parallel(threads, runs - f->run < step ? runs - f->run : step, KI_DYNAMIC, read_run, f);
    }
    return status;
}

// An image with one voxel along x has one pair per voxel.
struct mri_bytes ki_mri_forward_host_memory(size_t voxels, enum mri_kernel kernel)
{
    size_t size = number_size(mri_kernel_is_double(kernel));

    return (struct mri_bytes){
        .host = saturate_plus(saturate_times(voxels, 4 * size), ki_threads(0) * separable_factors(size))};
}

kn_status ki_mri_forward_host(const kn_recon_matrix *matrix, const double *k, size_t samples,
                              const double complex *image, enum mri_kernel kernel,
                              const kn_host_options *options, struct ki_kept *kept, struct ki_ask *ask,
                              double complex *data, kn_error *err)
{
    struct mri_sum sum = {.matrix = *matrix, .k = k, .samples = samples};
    struct forward f = {.sum = &sum, .is_double = mri_kernel_is_double(kernel), .image = image, .data = data};
    struct host_plan plan;
    size_t bytes, factors;
    kn_status status = ki_host_plan("mri_forward_host", KN_F64, 0, options, &plan, err);

    if (!status)
        status = ki_sum_check("mri_forward_host", &sum, err);
    if (status)
        return status;
    if (!image || !data || !mri_kernel_is_host(kernel) || !mri_kernel_is_separable(kernel))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "mri_forward_host: image or data is NULL, or kernel %d is not a product of matrices of the "
            "host",
            (int)kernel);
    f.size = number_size(f.is_double);
    f.read = f.is_double ? in_double[plan.level] : in_single[plan.level];
    f.columns = matrix->size[1] * matrix->size[2];
    f.pairs = (matrix->size[0] + 1) / 2;
    bytes = 4 * f.columns * f.pairs * f.size;
    factors = plan.threads * separable_factors(f.size);
    f.factors = ki_kept_take(kept, saturate_plus(bytes, factors));
    if (!f.factors)
        return ki_fail_memory(err, saturate_plus(bytes, factors), "a forward sum");
    f.numbers = f.factors + factors;
    status = read_all(&f, plan.threads, ask, err);
    ki_kept_give(kept, f.factors);
    return status;
}
