// SPDX-License-Identifier: Apache-2.0
// The adjoint on the host: threads take blocks of voxels, each with chunks of samples in the order of the
// samples. The same numbers with any number of threads.
#include <math.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "sum_host.h"
#include "sum_internal.h"

// ---- plain C ----

static void add_scalar(double turns, double real, double imaginary, double *re, double *im)
{
    double angle = 2 * M_PI * (turns - rint(turns)), s = sin(angle), c = cos(angle);

    *re += real * c - imaginary * s;
    *im += real * s + imaginary * c;
}

void ki_sum_double_scalar(const struct sum_samples *samples, const double *const positions[3], double *re,
                          double *im)
{
    const double *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    const double *real = samples->real, *imaginary = samples->imaginary;

    for (size_t n = 0; n < SUM_HOST_BLOCK; n++)
        for (size_t m = 0; m < samples->count; m++)
            add_scalar(x[m] * positions[0][n] + y[m] * positions[1][n] + z[m] * positions[2][n], real[m],
                       imaginary ? imaginary[m] : 0, &re[n], &im[n]);
}

// Adds mu times the cosine and sine of a reduced phase to a sum of floats.
static void add_single(float turns, float real, float imaginary, float *re, float *im)
{
    float angle = 2 * (float)M_PI * turns, s = sinf(angle), c = cosf(angle);

    *re += real * c - imaginary * s;
    *im += real * s + imaginary * c;
}

void ki_sum_single_scalar(const struct sum_samples *samples, const float *const positions[3], double *re,
                          double *im)
{
    const float *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    const float *real = samples->real, *imaginary = samples->imaginary;

    for (size_t n = 0; n < SUM_HOST_BLOCK; n++) {
        float sum_re = 0, sum_im = 0;

        for (size_t m = 0; m < samples->count; m++) {
            float turns = x[m] * positions[0][n] + y[m] * positions[1][n] + z[m] * positions[2][n];

            add_single(turns - rintf(turns), real[m], imaginary ? imaginary[m] : 0, &sum_re, &sum_im);
        }
        re[n] += (double)sum_re;
        im[n] += (double)sum_im;
    }
}

void ki_sum_fractions_scalar(const struct sum_samples *samples, const int32_t *const positions[3], double *re,
                             double *im)
{
    const uint32_t *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    const float *real = samples->real, *imaginary = samples->imaginary;

    for (size_t n = 0; n < SUM_HOST_BLOCK; n++) {
        float sum_re = 0, sum_im = 0;

        for (size_t m = 0; m < samples->count; m++) {
            uint32_t turns = x[m] * (uint32_t)positions[0][n] + y[m] * (uint32_t)positions[1][n] +
                             z[m] * (uint32_t)positions[2][n];

            add_single((float)(int32_t)turns * 0x1p-32f, real[m], imaginary ? imaginary[m] : 0, &sum_re,
                       &sum_im);
        }
        re[n] += (double)sum_re;
        im[n] += (double)sum_im;
    }
}

// ---- the sum ----

// Voxels times samples that a thread adds up between two calls of `ask`: one or two tenths of a second in
// double precision. A multiple of SUM_HOST_BLOCK times SUM_HOST_CHUNK.
enum { PIECE = 1 << 24 };

enum { NUMBERS = MRI_AXES + 2 }; // numbers per sample: k and mu

static sum_block_double *const in_double[] = {[KN_HOST_SCALAR] = ki_sum_double_scalar,
                                              HOST_SET_VECTORS(sum_double)};
static sum_block_fractions *const in_fractions[] = {[KN_HOST_SCALAR] = ki_sum_fractions_scalar,
                                                    HOST_SET_VECTORS(sum_fractions)};
static sum_block_single *const in_single[] = {[KN_HOST_SCALAR] = ki_sum_single_scalar,
                                              HOST_SET_VECTORS(sum_single)};

// How numbers are stored.
enum kind { IN_DOUBLE, IN_TURNS, IN_SINGLE, IN_FRACTIONS }; // of k; turns per voxel are doubles, too

struct host_sum {
    const struct mri_sum *sum;
    kn_host_level level;
    enum kind kind;
    void *k[MRI_AXES], *real, *imaginary; // doubles, floats or fractions
};

static size_t number_size(enum kind kind)
{
    return kind == IN_DOUBLE || kind == IN_TURNS ? sizeof(double) : sizeof(float);
}

static void store(void *to, size_t i, enum kind kind, double value)
{
    if (number_size(kind) == sizeof(double))
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static void prepare(struct host_sum *h)
{
    const struct mri_sum *sum = h->sum;

    for (size_t m = 0; m < sum->samples; m++) {
        double complex mu = sum->data ? sum->data[m] : 1;

        mu *= sum->weights ? sum->weights[m] : 1;
        if (sum->basis)
            mu *= conj(sum->basis[m]);
        store(h->real, m, h->kind, creal(mu));
        if (h->imaginary)
            store(h->imaginary, m, h->kind, cimag(mu));
        for (size_t axis = 0; axis < MRI_AXES; axis++)
            if (h->kind == IN_FRACTIONS)
                ((uint32_t *)h->k[axis])[m] =
                    ki_mri_fraction(sum->k[MRI_AXES * m + axis], sum->matrix.size[axis]);
            else
                store(h->k[axis], m, h->kind,
                      sum->k[MRI_AXES * m + axis] /
                          (h->kind == IN_TURNS ? (double)sum->matrix.size[axis] : 1));
    }
}

// The positions of a block, 0 past the last voxel.
union positions {
    double in_double[MRI_AXES][SUM_HOST_BLOCK];
    float single[MRI_AXES][SUM_HOST_BLOCK];
    int32_t steps[MRI_AXES][SUM_HOST_BLOCK];
};

static void find_positions(const struct host_sum *h, size_t first, size_t count, union positions *positions)
{
    const struct mri_sum *sum = h->sum;

    memset(positions, 0, sizeof *positions);
    for (size_t n = 0; n < count; n++) {
        double r[MRI_AXES];

        ki_sum_position(sum, first + n, r);
        for (size_t axis = 0, rest = sum->first + first + n; axis < MRI_AXES;
             rest /= sum->matrix.size[axis], axis++)
            if (h->kind == IN_FRACTIONS)
                positions->steps[axis][n] =
                    (int32_t)(rest % sum->matrix.size[axis]) - (int32_t)(sum->matrix.size[axis] / 2);
            else if (h->kind == IN_DOUBLE)
                positions->in_double[axis][n] = r[axis];
            else
                positions->single[axis][n] = (float)r[axis];
    }
}

// The `count` samples from `first` on.
static struct sum_samples samples_at(const struct host_sum *h, size_t first, size_t count)
{
    size_t size = number_size(h->kind);
    struct sum_samples samples = {.real = (char *)h->real + first * size,
                                  .imaginary = h->imaginary ? (char *)h->imaginary + first * size : NULL,
                                  .count = count};

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        samples.k[axis] = (char *)h->k[axis] + first * size;
    return samples;
}

static void add_chunk(const struct host_sum *h, size_t first, const union positions *positions, double *re,
                      double *im)
{
    size_t rest = h->sum->samples - first;
    const struct sum_samples samples = samples_at(h, first, rest < SUM_HOST_CHUNK ? rest : SUM_HOST_CHUNK);

    if (h->kind == IN_DOUBLE)
        in_double[h->level](&samples,
                            (const double *const[]){positions->in_double[0], positions->in_double[1],
                                                    positions->in_double[2]},
                            re, im);
    else if (h->kind == IN_SINGLE)
        in_single[h->level](
            &samples,
            (const float *const[]){positions->single[0], positions->single[1], positions->single[2]}, re, im);
    else
        in_fractions[h->level](
            &samples, (const int32_t *const[]){positions->steps[0], positions->steps[1], positions->steps[2]},
            re, im);
}

// A piece of the sum: blocks from `block` on, samples [begin, end).
struct piece {
    const struct host_sum *h;
    double complex *image;
    size_t block, begin, end;
};

static void sum_block(void *context, size_t block)
{
    const struct piece *piece = context;
    const struct host_sum *h = piece->h;
    size_t first = (piece->block + block) * SUM_HOST_BLOCK, rest = h->sum->count - first;
    size_t count = rest < SUM_HOST_BLOCK ? rest : SUM_HOST_BLOCK;
    double re[SUM_HOST_BLOCK] = {0}, im[SUM_HOST_BLOCK] = {0};
    union positions positions;

    for (size_t n = 0; n < count && piece->begin > 0; n++) {
        re[n] = creal(piece->image[first + n]);
        im[n] = cimag(piece->image[first + n]);
    }
    find_positions(h, first, count, &positions);
    for (size_t m = piece->begin; m < piece->end; m += SUM_HOST_CHUNK)
        add_chunk(h, m, &positions, re, im);
    for (size_t n = 0; n < count; n++)
        piece->image[first + n] = mri_complex(re[n], im[n]);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static kn_status sum_all(const struct host_sum *h, unsigned threads, double complex *image, kn_error *err)
{
    size_t blocks = (h->sum->count + SUM_HOST_BLOCK - 1) / SUM_HOST_BLOCK, samples = h->sum->samples;
    size_t run = least(samples, PIECE / SUM_HOST_BLOCK),
           step = threads * (PIECE / SUM_HOST_BLOCK / (run ? run : 1));
    struct piece piece = {.h = h, .image = image};
    kn_status status = KN_OK;

    for (; piece.block < blocks && !status; piece.block += step) {
        size_t count = least(step, blocks - piece.block);

        piece.end = 0;
        do {
            piece.begin = piece.end;
            piece.end = least(piece.begin + run, samples);
            ki_ask_at(h->sum->ask,
                      ((double)piece.block + (double)count * (double)piece.begin / (double)(samples + 1)) /
                          (double)blocks);
            status = ki_ask(h->sum->ask, err);
            if (!status)
                ki_parallel(threads, count, KI_DYNAMIC, sum_block, &piece);
        } while (piece.end < samples && !status);
    }
    return status;
}

struct mri_bytes ki_mri_sum_host_memory(const kn_recon_matrix *matrix, size_t samples, enum mri_kernel kernel)
{
    size_t size = number_size(mri_kernel_is_double(kernel) ? IN_DOUBLE : IN_SINGLE);
    const struct mri_bytes numbers = {.host = saturate_times(samples, NUMBERS * size)};

    if (mri_kernel_is_transform(kernel))
        return ki_nufft_host_memory(matrix, samples, kernel);
    return mri_kernel_is_separable(kernel) ? mri_bytes_both(numbers, ki_separable_host_memory(size))
                                           : numbers;
}

static enum kind kind_of(const struct mri_sum *sum, enum mri_kernel kernel)
{
    if (mri_kernel_is_separable(kernel))
        return mri_kernel_is_double(kernel) ? IN_TURNS : IN_FRACTIONS;
    return mri_kernel_is_double(kernel) ? IN_DOUBLE : sum->positions ? IN_SINGLE : IN_FRACTIONS;
}

static kn_status check_host(const struct mri_sum *sum, enum mri_kernel kernel, const double complex *image,
                            kn_error *err)
{
    if (!image || !mri_kernel_is_host(kernel) || sum->device_data)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "mri_sum_host: the image is NULL, or the data are a device's, or kernel %d is not one of "
            "the host",
            (int)kernel);
    return ki_sum_check_positions("mri_sum_host", sum, kernel, err);
}

kn_status ki_mri_sum_host(const struct mri_sum *given, enum mri_kernel kernel, const kn_host_options *options,
                          double complex *image, kn_recon_rate *rate, kn_error *err)
{
    struct mri_sum sum = *given;
    struct host_plan plan;
    struct host_sum h = {.sum = &sum};
    double start = ki_clock_seconds();
    kn_status status = ki_host_plan("mri_sum_host", KN_F64, 0, options, &plan, err);
    char *numbers;
    size_t size;

    if (!status)
        status = ki_sum_check("mri_sum_host", &sum, err);
    if (!status)
        status = check_host(&sum, kernel, image, err);
    if (status)
        return status;
    if (mri_kernel_is_transform(kernel))
        return ki_nufft_host(&sum, kernel, options, image, rate, err);
    h.level = plan.level;
    h.kind = kind_of(&sum, kernel);
    size = number_size(h.kind) * sum.samples;
    numbers = ki_kept_take(sum.kept, NUMBERS * size);
    if (!numbers)
        return ki_fail_memory(err, NUMBERS * size, "the samples of a sum");
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        h.k[axis] = numbers + axis * size;
    h.real = numbers + 3 * size;
    h.imaginary = sum_is_real(&sum) ? NULL : numbers + 4 * size;
    prepare(&h);
    if (mri_kernel_is_separable(kernel)) {
        const struct sum_samples samples = samples_at(&h, 0, sum.samples);

        status = ki_separable_host(&sum, &samples, &plan, h.kind == IN_TURNS, image, err);
    } else {
        status = sum_all(&h, plan.threads, image, err);
    }
    ki_kept_give(sum.kept, numbers);
    if (rate && !status) {
        double pairs = (double)sum.samples * (double)sum.count, loads = sum_is_real(&sum) ? 4 : 5;

        // Every block reads all samples.
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - start,
                                .pairs = pairs,
                                .flops = pairs * ki_sum_flops(&sum),
                                .loads = pairs * loads / SUM_HOST_BLOCK + 3 * (double)sum.count};
    }
    return status;
}
