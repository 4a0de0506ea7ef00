// SPDX-License-Identifier: Apache-2.0
// For tests of several coils: known sensitivities, and the samples that coils with them measure of the
// phantom, in plain loops in double precision.
#ifndef KN_TESTS_UNIT_APP_MRI_SENSE_SENSE_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_SENSE_SENSE_SUPPORT_H

#include "app/mri/mri.h"
#include "unit/app/mri/recon_api_support.h"

// Coils around the field of view: each is most sensitive near itself, and has its own phase.
static inline double *make_maps(const kn_recon_matrix *matrix, size_t coils, size_t voxels)
{
    double *maps = test_allocate(2 * coils * voxels * sizeof *maps);

    for (size_t coil = 0; coil < coils; coil++)
        for (size_t n = 0; n < voxels; n++) {
            double angle = 2 * acos(-1) * (double)coil / (double)coils;
            double x = ((double)(n % matrix->size[0]) + 0.5) / (double)matrix->size[0] - 0.5,
                   y = ((double)(n / matrix->size[0] % matrix->size[1]) + 0.5) / (double)matrix->size[1] -
                       0.5;
            double far = hypot(x - 0.6 * cos(angle), y - 0.6 * sin(angle)), size = exp(-2 * far * far),
                   phase = angle + 2 * x * cos(angle) - y;

            maps[2 * (coil * voxels + n)] = size * cos(phase);
            maps[2 * (coil * voxels + n) + 1] = size * sin(phase);
        }
    return maps;
}

// to = S from, or with `back` to += S^H from.
static inline void see(const double *map, bool back, const double *from, double *to, size_t voxels)
{
    for (size_t n = 0; n < voxels; n++) {
        double re = map[2 * n], im = back ? -map[2 * n + 1] : map[2 * n + 1];
        double real = re * from[2 * n] - im * from[2 * n + 1],
               imaginary = re * from[2 * n + 1] + im * from[2 * n];

        to[2 * n] = real + (back ? to[2 * n] : 0);
        to[2 * n + 1] = imaginary + (back ? to[2 * n + 1] : 0);
    }
}

// The samples of all coils, or with `back` the sum over coils of S^H F^H W data.
static inline void encode(const struct problem *p, const double *maps, size_t coils, bool back, bool weighted,
                          const double *from, double *to)
{
    double *image = test_allocate(2 * p->voxels * sizeof *image);

    for (size_t i = 0; i < 2 * p->voxels && back; i++)
        to[i] = 0;
    for (size_t coil = 0; coil < coils; coil++) {
        const double *map = maps + 2 * coil * p->voxels;

        if (back) {
            api_sum(p, true, weighted, from + 2 * coil * p->samples, image);
            see(map, true, image, to, p->voxels);
        } else {
            see(map, false, from, image, p->voxels);
            api_sum(p, false, false, image, to + 2 * coil * p->samples);
        }
    }
    free(image);
}

// The samples of a coil for a plane: as in api_sum, but with separate sines and cosines for each axis.
static inline void measure_plane(const struct problem *p, const double complex *image, double complex *data)
{
    const size_t *size = p->matrix.size;
    double complex *along = test_allocate((size[0] + size[1]) * sizeof *along);

    for (size_t m = 0; m < p->samples; m++) {
        double complex sum = 0;

        for (size_t i = 0; i < size[0] + size[1]; i++) {
            size_t axis = i >= size[0], j = axis ? i - size[0] : i;
            double r = ((double)j - (double)(size[axis] / 2)) / (double)size[axis],
                   phase = -2 * acos(-1) * p->k[3 * m + axis] * r;

            along[i] = mri_complex(cos(phase), sin(phase));
        }
        for (size_t y = 0; y < size[1]; y++) {
            double complex row = 0;

            for (size_t x = 0; x < size[0]; x++)
                row += image[y * size[0] + x] * along[x];
            sum += row * along[size[0] + y];
        }
        data[m] = sum;
    }
    free(along);
}

// The phantom, band-limited to its voxels, as measured by `coils` coils along few spokes.
struct measured {
    struct problem p; // with its k and matrix; its `image` is the phantom
    size_t coils;
    double *maps, *data;
    kn_recon_scan scan;
};

static inline struct measured measure(size_t coils, size_t side, size_t spokes)
{
    const kn_recon_trajectory radial = KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_RADIAL,
                                               .samples = side, .spokes = spokes, .extent = side);
    struct measured m = {.coils = coils};
    struct problem *p = &m.p;
    double *phantom;
    double complex *seen;

    *p = (struct problem){.matrix = {2, {side, side, 1}}, .voxels = side * side, .samples = side * spokes};
    p->k = test_allocate(3 * p->samples * sizeof *p->k);
    EXPECT_OK(kn_recon_trajectory_fill(&radial, p->samples, p->k, &err));
    phantom = test_allocate(p->voxels * sizeof *phantom);
    EXPECT_OK(kn_recon_phantom_image(&p->matrix, 1, phantom, &err));
    p->image = test_zeros(2 * p->voxels, sizeof *p->image);
    for (size_t n = 0; n < p->voxels; n++)
        p->image[2 * n] = phantom[n];
    free(phantom);
    m.maps = make_maps(&p->matrix, coils, p->voxels);
    m.data = test_allocate(2 * coils * p->samples * sizeof *m.data);
    seen = test_allocate(p->voxels * sizeof *seen);
    for (size_t c = 0; c < coils; c++) {
        see(m.maps + 2 * c * p->voxels, false, p->image, (double *)seen, p->voxels);
        measure_plane(p, seen, (double complex *)m.data + c * p->samples);
    }
    free(seen);
    m.scan = KN_INIT(kn_recon_scan, .matrix = p->matrix, .samples = p->samples, .coils = coils, .k = p->k,
                     .data = m.data);
    return m;
}

static inline void free_measured(struct measured *m)
{
    free_problem(&m->p);
    free(m->maps);
    free(m->data);
}

#endif
