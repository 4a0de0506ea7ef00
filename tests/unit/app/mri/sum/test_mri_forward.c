// SPDX-License-Identifier: Apache-2.0
// Tests the forward sum on a device, directly and as a product of matrices: against the reference in double
// precision, and against its adjoint: <F x, y> = <x, F^H y>.
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "app/mri/reference.h"
#include "app/mri/sum/sum.h"
#include "base/array.h"
#include "base/number.h"

#define UNIT (FLT_EPSILON / 2)

// Unequal, odd, prime, single, rows longer than a run and a share of them.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},  {2, {31, 1, 1}},   {3, {4, 4, 4}},
    {3, {3, 5, 2}}, {3, {1, 1, 7}}, {2, {1, 13, 1}}, {2, {129, 33, 1}}, {3, {65, 9, 7}},
};

struct problem {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k;
    double complex *basis, *image, *data;
};

static double complex random_number(uint64_t *state)
{
    // Representable as floats.
    double re = ki_as_float(2 * test_uniform(state) - 1);

    return mri_complex(re, ki_as_float(2 * test_uniform(state) - 1));
}

static struct problem make(const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    struct problem p = {.matrix = *matrix, .samples = samples};

    ck_assert_int_eq(ki_mri_matrix_count(matrix, &p.voxels, NULL), KN_OK);
    p.k = test_zeros(3 * samples, sizeof *p.k);
    p.basis = test_zeros(samples, sizeof *p.basis);
    p.data = test_zeros(samples, sizeof *p.data);
    p.image = test_zeros(p.voxels, sizeof *p.image);
    for (size_t i = 0; i < 3 * samples; i++) {
        double edge = (double)matrix->size[i % 3] / 2;

        p.k[i] = test_random(state) % 8   ? edge * (2 * test_uniform(state) - 1)
                 : test_random(state) % 2 ? edge
                                          : -edge;
    }
    for (size_t m = 0; m < samples; m++) {
        p.basis[m] = random_number(state);
        p.data[m] = random_number(state);
    }
    for (size_t n = 0; n < p.voxels; n++)
        p.image[n] = random_number(state);
    return p;
}

static void free_problem(struct problem *p)
{
    free(p->k);
    free(p->basis);
    free(p->data);
    free(p->image);
}

static kn_buffer *upload(const double complex *numbers, size_t count, size_t room)
{
    float *pairs = test_zeros(2 * count, sizeof *pairs);
    kn_buffer *buffer;

    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = numbers ? (float)creal(numbers[i]) : NAN;
        pairs[2 * i + 1] = numbers ? (float)cimag(numbers[i]) : NAN;
    }
    buffer = test_upload_with_room(pairs, count * 2 * sizeof *pairs, room);
    free(pairs);
    return buffer;
}

static double complex *download(kn_buffer *buffer, size_t count)
{
    float *pairs = test_zeros(2 * count, sizeof *pairs);
    double complex *numbers = test_zeros(count, sizeof *numbers);

    EXPECT_OK(kn_buffer_read(queue, buffer, 0, pairs, count * 2 * sizeof *pairs, &err));
    for (size_t i = 0; i < count; i++)
        numbers[i] = mri_complex((double)pairs[2 * i], (double)pairs[2 * i + 1]);
    free(pairs);
    return numbers;
}

static const enum mri_kernel kernels[] = {MRI_TUNED, MRI_SEPARABLE};

static double complex *forward(const struct problem *p, bool with_basis, enum mri_kernel kernel,
                               struct mri_there *there)
{
    enum { ROOM = 64 };
    kn_buffer *image = upload(p->image, p->voxels, 0), *data = upload(NULL, p->samples, ROOM);
    double complex *found;

    EXPECT_OK(ki_mri_forward_device(queue, &p->matrix, p->k, p->samples, with_basis ? p->basis : NULL, kernel,
                                    image, data, there, &err));
    test_expect_poison(data, p->samples * 2 * sizeof(float));
    found = download(data, p->samples);
    kn_buffer_free(image);
    kn_buffer_free(data);
    return found;
}

// Of a sum: each term's phase has the roundings of a fraction to 2^-24 of a turn, of k to 2^-33 for a step
// along each axis, and of a product with 2 pi; sine and cosine 2^-21 at most (test_mri_sum.c); and a sum
// rounds once for each voxel of a run, run of a share, and factor.
static double bound(const struct problem *p)
{
    double magnitude = 0, steps = (double)(p->matrix.size[0] + p->matrix.size[1] + p->matrix.size[2]) / 2;

    for (size_t n = 0; n < p->voxels; n++)
        magnitude += cabs(p->image[n]);
    return magnitude * (2 * M_PI * (2 * UNIT + 0x1p-33 * steps) + 0x1p-21 + (64 + 64 + 20) * UNIT) * M_SQRT2;
}

static void check(const kn_recon_matrix *matrix, size_t samples, bool with_basis, enum mri_kernel kernel,
                  uint64_t *state)
{
    struct problem p = make(matrix, samples, state);
    double complex *wanted = test_zeros(samples, sizeof *wanted);
    double complex *found = forward(&p, with_basis, kernel, NULL);

    EXPECT_OK(ki_mri_reference_forward(&p.matrix, p.k, samples, p.image, KN_RECON_SCALE_NONE, wanted, &err));
    for (size_t m = 0; m < samples; m++) {
        double complex right = wanted[m] * (with_basis ? p.basis[m] : 1);

        ck_assert_msg(cabs(found[m] - right) <= bound(&p),
                      "%s, %zu x %zu x %zu, sample %zu of %zu: off by %g, bound %g",
                      ki_mri_kernel_names[kernel], matrix->size[0], matrix->size[1], matrix->size[2], m,
                      samples, cabs(found[m] - right), bound(&p));
    }
    free(wanted);
    free(found);
    free_problem(&p);
}

START_TEST(reference)
{
    static const size_t samples[] = {0, 1, 2, 3, 31, 32, 33, 127, 129, 300};
    uint64_t state = test_seed("reference");

    for (size_t i = 0; i < KI_COUNT(matrices); i++)
        for (size_t pick = i % 2; pick < KI_COUNT(samples); pick += test_is_slow() ? 5 : 2)
            for (size_t k = 0; k < KI_COUNT(kernels); k++)
                check(&matrices[i], samples[pick], pick % 3 == 0, kernels[k], &state);
}
END_TEST

// <F x, y> = <x, F^H y> within the bounds of both sums, with F^H y from the same kernel with the same basis.
static void check_adjoint(const kn_recon_matrix *matrix, size_t samples, enum mri_kernel kernel,
                          uint64_t *state)
{
    struct problem p = make(matrix, samples, state);
    const struct mri_sum sum = {
        .matrix = p.matrix, .k = p.k, .samples = p.samples, .data = p.data, .basis = p.basis};
    double complex *data = forward(&p, true, kernel, NULL), *back, left = 0, right = 0;
    kn_buffer *image = upload(NULL, p.voxels, 0);
    double magnitude = 0;

    EXPECT_OK(ki_mri_sum_device(queue, &sum, kernel, image, NULL, &err));
    back = download(image, p.voxels);
    for (size_t m = 0; m < p.samples; m++) {
        left += data[m] * conj(p.data[m]);
        magnitude += cabs(p.data[m]) * cabs(p.basis[m]);
    }
    for (size_t n = 0; n < p.voxels; n++)
        right += p.image[n] * conj(back[n]);
    ck_assert_double_gt(cabs(left), 0);
    ck_assert_double_le(cabs(left - right), 2 * magnitude * bound(&p));
    free(data);
    free(back);
    kn_buffer_free(image);
    free_problem(&p);
}

START_TEST(adjoint)
{
    uint64_t state = test_seed("adjoint");

    for (size_t i = 0; i < KI_COUNT(matrices); i += test_is_slow() ? 3 : 1)
        for (size_t k = 0; k < KI_COUNT(kernels); k++)
            check_adjoint(&matrices[i], 50 + i, kernels[k], &state);
}
END_TEST

// Data that stay on the device are not sent again: the bits are those of a single sum, also for another
// image.
START_TEST(there)
{
    const enum mri_kernel kernel = MRI_TUNED;
    uint64_t state = test_seed("there");
    struct problem p = make(&matrices[5], 77, &state);
    struct mri_there kept = {.buffers = {NULL}};
    double complex *alone = NULL, *found;

    for (size_t turn = 0; turn < 3; turn++) {
        p.image[turn % p.voxels] *= 3;
        free(alone);
        alone = forward(&p, turn > 0, kernel, NULL);
        found = forward(&p, turn > 0, kernel, &kept);
        ck_assert_mem_eq(found, alone, p.samples * sizeof *found);
        free(found);
    }
    p.k[0] += 0.25; // not read
    p.basis[1] = 7;
    found = forward(&p, true, kernel, &kept);
    ck_assert_mem_eq(found, alone, p.samples * sizeof *found);
    free(found);
    free(alone);
    ki_mri_there_free(&kept);
    free_problem(&p);
}
END_TEST

START_TEST(in_parts)
{
    const kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 4096);
    uint64_t state = test_seed("in_parts");

    test_close();
    test_open_with(&options);
    for (size_t k = 0; k < (test_is_slow() ? 1 : KI_COUNT(kernels)); k++)
        check(&matrices[8], 600, true, kernels[k], &state);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct problem p = make(&matrices[2], 5, &state);
    kn_buffer *image = upload(p.image, p.voxels, 0), *data = upload(p.data, 4, 0);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "5 samples",
                   ki_mri_forward_device(queue, &p.matrix, p.k, 5, NULL, MRI_TUNED, image, data, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   ki_mri_forward_device(queue, &p.matrix, p.k, 4, NULL, MRI_TUNED, NULL, data, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "not one of a device",
        ki_mri_forward_device(queue, &p.matrix, p.k, 4, NULL, MRI_HOST_SINGLE, image, data, NULL, &err));
    p.k[4] = INFINITY;
    EXPECT_REFUSED(KN_ERROR_INPUT, "sample 1 ",
                   ki_mri_forward_device(queue, &p.matrix, p.k, 4, NULL, MRI_TUNED, image, data, NULL, &err));
    p.matrix.size[1] = 0;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "7 x 0 x 1",
                   ki_mri_forward_device(queue, &p.matrix, p.k, 4, NULL, MRI_TUNED, image, data, NULL, &err));
    kn_buffer_free(image);
    kn_buffer_free(data);
    free_problem(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reference, adjoint, there, in_parts, refused};

    return test_run("mri forward", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
