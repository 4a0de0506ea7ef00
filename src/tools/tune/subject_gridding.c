// SPDX-License-Identifier: Apache-2.0
// The adjoint by gridding (src/app/mri/gridding/gridding.h): of planes along a spiral, of volumes along a
// kooshball.
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/gridding/gridding.h"
#include "app/mri/trajectory.h"
#include "subjects.h"

struct own {
    struct mri_matrix matrix;
    size_t samples;
    double *k;
    double complex *data;
    struct mri_gridding *gridding;
};

// Voxels along an edge.
static const size_t sizes[2][2][2] = {{{512, 256}, {128, 64}},
                                      {{128, 64}, {48, 24}}}; // volume, serial, quick

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[2][ENGINE_TUNABLES] = {
        {{5, {32, 64, 128, 256, 512}},
         {5, {128, 256, 512, 1024, 2048}},
         {3, {8, 16, 32}},
         {3, {8, 16, 32}},
         {2, {8, 16}}},
        {{.count = 0}, {3, {256, 512, 2048}}, {3, {16, 32, 64}}, {3, {8, 16, 32}}, {2, {8, 16}}}};

    return all[subject_is_serial(queue)];
}

static void usual(const struct tune_work *work, unsigned *values)
{
    const struct own *own = work->own;

    ki_mri_gridding_values(own->gridding, values);
}

static kn_status open_along(struct tune_work *work, bool volume, kn_error *err)
{
    struct own *own = work->own;
    kn_recon_trajectory plan = {.kind = volume ? KN_RECON_TRAJECTORY_KOOSHBALL : KN_RECON_TRAJECTORY_SPIRAL,
                                .extent = sizes[volume][subject_is_serial(work->queue)][work->quick]};
    size_t voxels;
    uint64_t state = 1;
    kn_status status = ki_trajectory_plan(&plan, err);

    if (status)
        return status;
    own->matrix = ki_trajectory_matrix(&plan);
    own->samples = ki_trajectory_points(&plan);
    own->k = malloc(MRI_AXES * own->samples * sizeof *own->k);
    own->data = malloc(own->samples * sizeof *own->data);
    if (!own->k || !own->data)
        return ki_fail_memory(err, own->samples * (MRI_AXES * sizeof *own->k + sizeof *own->data), "samples");
    ki_trajectory_fill(&plan, own->k);
    for (size_t m = 0; m < own->samples; m++) {
        double re = subject_uniform(&state);

        own->data[m] = mri_complex(re, subject_uniform(&state));
    }
    status = ki_mri_matrix_count(&own->matrix, &voxels, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), voxels * 2 * sizeof(float),
                                     &work->result, err);
}

static kn_status open_plane(struct tune_work *work, kn_error *err)
{
    return open_along(work, false, err);
}

static kn_status open_volume(struct tune_work *work, kn_error *err)
{
    return open_along(work, true, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    ki_mri_gridding_free(own->gridding);
    free(own->k);
    free(own->data);
}

static kn_status prepare(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;

    ki_mri_gridding_free(own->gridding);
    own->gridding = NULL;
    return ki_mri_gridding_create(work->queue, &own->matrix, own->k, own->samples, NULL, &own->gridding, err);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;

    return ki_mri_gridding_adjoint(work->queue, own->gridding, own->data, NULL, work->result, err);
}

// The same window, other orders of the same float additions, some hundreds a cell: their roundings alone
// differ.
#define GRIDDING(number, text, opener)                                                                       \
    {                                                                                                        \
        .tunables = &ki_mri_gridding_tunables[number], .what = text, .bound = 1e-5,                          \
        .own_bytes = sizeof(struct own), .axes = axes, .usual = usual, .open = opener, .close = close_work,  \
        .prepare = prepare, .run = run                                                                       \
    }

const struct tune_subject tune_gridding_2d = GRIDDING(0, "the adjoint of a plane, a spiral", open_plane);
const struct tune_subject tune_gridding_3d = GRIDDING(1, "the adjoint of a volume, a kooshball", open_volume);
