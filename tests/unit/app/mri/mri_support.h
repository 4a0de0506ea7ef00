// SPDX-License-Identifier: Apache-2.0
// What the tests of the reconstruction's operators share: random scans with their exact normal operator, and
// copies of images between host and device.
#ifndef KN_TESTS_UNIT_APP_MRI_MRI_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_MRI_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include "cli/inputs/mri_files.h"
#include "app/mri/reference.h"
#include "app/mri/solver/solver.h"
#include "io/array/cfl.h"

// A scan: positions in the whole band, some on its edges, and weights.
struct scan {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k, *weights;
    double complex *room; // `samples`
};

// Made of numbers that a float can represent.
static inline double complex *test_image(size_t voxels, uint64_t *state)
{
    double complex *image = test_allocate(voxels * sizeof *image);

    for (size_t n = 0; n < voxels; n++) {
        double re = (double)(test_random(state) >> 40) * 0x1p-23 - 1;

        image[n] = mri_complex(re, (double)(test_random(state) >> 40) * 0x1p-23 - 1);
    }
    return image;
}

static inline struct scan scan_make(const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    struct scan scan = {.matrix = *matrix, .samples = samples};

    ck_assert_int_eq(ki_mri_matrix_count(matrix, &scan.voxels, NULL), KN_OK);
    scan.k = test_allocate(3 * samples * sizeof *scan.k);
    scan.weights = test_allocate(samples * sizeof *scan.weights);
    scan.room = test_allocate(samples * sizeof *scan.room);
    for (size_t m = 0; m < samples; m++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double edge = (double)matrix->size[axis] / 2;
            scan.k[3 * m + axis] = test_random(state) % 8   ? edge * (2 * test_uniform(state) - 1)
                                   : test_random(state) % 2 ? edge
                                                            : -edge;
        }
        scan.weights[m] = test_uniform(state);
    }
    return scan;
}

static inline void scan_free(struct scan *scan)
{
    free(scan->k);
    free(scan->weights);
    free(scan->room);
}

// F^H W F x in double precision, by both sums.
static inline void scan_normal(const struct scan *scan, bool weighted, const double complex *x,
                               double complex *y)
{
    ck_assert_int_eq(ki_mri_reference_forward(&scan->matrix, scan->k, scan->samples, x, KN_RECON_SCALE_NONE,
                                              scan->room, NULL),
                     KN_OK);
    ck_assert_int_eq(ki_mri_reference_adjoint(&scan->matrix, scan->k, scan->samples, scan->room,
                                              weighted ? scan->weights : NULL, KN_RECON_SCALE_NONE, y, NULL),
                     KN_OK);
}

// If `image` is NULL, the buffer is filled with not-a-number.
static inline kn_buffer *test_upload_image(const double complex *image, size_t voxels, size_t room)
{
    float *singles = test_allocate(voxels * 2 * sizeof *singles);
    kn_buffer *buffer;

    memset(singles, 0xff, voxels * 2 * sizeof *singles);
    for (size_t n = 0; n < voxels && image; n++) {
        singles[2 * n] = (float)creal(image[n]);
        singles[2 * n + 1] = (float)cimag(image[n]);
    }
    buffer = test_upload_with_room(singles, voxels * 2 * sizeof *singles, room);
    free(singles);
    return buffer;
}

static inline double complex *test_download_image(kn_buffer *buffer, size_t voxels)
{
    double complex *image = test_allocate(voxels * sizeof *image);
    float *singles = test_allocate(voxels * 2 * sizeof *singles);

    EXPECT_OK(kn_buffer_read(queue, buffer, 0, singles, voxels * 2 * sizeof *singles, &err));
    for (size_t n = 0; n < voxels; n++)
        image[n] = mri_complex((double)singles[2 * n], (double)singles[2 * n + 1]);
    free(singles);
    return image;
}

// Applies the operator to x, which must not change; nothing after the result may be written.
static inline double complex *test_apply_normal(const struct mri_normal *normal, const double complex *x,
                                                size_t voxels)
{
    kn_buffer *from = test_upload_image(x, voxels, 0), *to = test_upload_image(NULL, voxels, 64);
    double complex *y, *kept;

    EXPECT_OK(kn_operator_apply(queue, normal->a, false, from, to, &err));
    y = test_download_image(to, voxels);
    kept = test_download_image(from, voxels);
    ck_assert_int_eq(memcmp(kept, x, voxels * sizeof *x), 0);
    test_expect_poison(to, voxels * 2 * sizeof(float));
    free(kept);
    kn_buffer_free(from);
    kn_buffer_free(to);
    return y;
}

static inline double test_distance(const double complex *x, const double complex *y, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += cabs(x[i] - y[i]) * cabs(x[i] - y[i]);
    return sqrt(sum);
}

// <x, y>, with y conjugated.
static inline double complex test_product(const double complex *x, const double complex *y, size_t count)
{
    double complex sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += x[i] * conj(y[i]);
    return sum;
}

// y = D x, three numbers for each voxel, one for each axis; 0 if there is no preceding neighbour.
static inline void test_differences(const kn_recon_matrix *matrix, kn_recon_boundary boundary,
                                    const double complex *x, double complex *y)
{
    size_t stride = 1, n = matrix->size[0] * matrix->size[1] * matrix->size[2];

    for (size_t axis = 0; axis < 3; axis++) {
        size_t size = matrix->size[axis];

        for (size_t i = 0; i < n; i++) {
            size_t j = i / stride % size;

            y[3 * i + axis] = j > 0                                    ? x[i] - x[i - stride]
                              : boundary == KN_RECON_BOUNDARY_PERIODIC ? x[i] - x[i + (size - 1) * stride]
                                                                       : 0;
        }
        stride *= size;
    }
}

// A BART array of the real scan of 64 x 64 voxels in double precision; prints a line and returns NULL if the
// file is missing.
static inline double complex *test_real_array(const char *name, size_t count)
{
    char path[4200], file[256];
    struct npy array;
    double complex *values = test_allocate(count * sizeof *values);

    snprintf(file, sizeof file, "mri/impatient-64x64x1/%s.cfl", name);
    if (!test_data_path(file, path, sizeof path)) {
        free(values);
        return NULL;
    }
    EXPECT_OK(cfl_read(path, &array, &err));
    ck_assert_uint_eq(array.count, count);
    for (size_t i = 0; i < count; i++)
        values[i] = ((float complex *)array.data)[i];
    npy_free(&array);
    return values;
}

// Its trajectory.
static inline double *test_real_trajectory(size_t *samples)
{
    struct mri_trajectory trajectory;
    char path[4200];

    if (!test_data_path("mri/impatient-64x64x1/traj.cfl", path, sizeof path))
        return NULL;
    EXPECT_OK(mri_trajectory_read(path, &trajectory, &err));
    ck_assert_uint_eq(trajectory.samples, 3770);
    *samples = trajectory.samples;
    return trajectory.k;
}

#endif
