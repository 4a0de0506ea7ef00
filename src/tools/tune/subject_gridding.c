// SPDX-License-Identifier: Apache-2.0
// The adjoint by gridding (koine/recon.h): of planes along a spiral, and of volumes along a kooshball.
#include <stdlib.h>

#include <koine/recon.h>

#include "base/error.h"
#include "subjects.h"

enum { AXES = 3 };

struct own {
    kn_recon_matrix matrix;
    size_t samples;
    double *k;
    kn_buffer *data;
    kn_recon_plan *plan;
};

// Voxels along an edge.
static const size_t sizes[2][2][2] = {{{512, 256}, {128, 64}},
                                      {{128, 64}, {48, 24}}}; // indices: volume, serial, quick

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[2][KN_TUNABLES] = {
        {{5, {32, 64, 128, 256, 512}},
         {5, {128, 256, 512, 1024, 2048}},
         {3, {8, 16, 32}},
         {3, {8, 16, 32}},
         {2, {8, 16}}},
        {{.count = 0}, {3, {256, 512, 2048}}, {3, {16, 32, 64}}, {3, {8, 16, 32}}, {2, {8, 16}}}};

    return all[subject_is_serial(queue)];
}

static const kn_tunables *plane_tunables(void)
{
    return kn_recon_get_gridding_tunables(false);
}

static const kn_tunables *volume_tunables(void)
{
    return kn_recon_get_gridding_tunables(true);
}

static kn_status usual(const struct tune_work *work, unsigned *values, kn_error *err)
{
    const struct own *own = work->own;

    return kn_recon_plan_get_gridding_values(own->plan, values, err);
}

static kn_status open_along(struct tune_work *work, bool volume, kn_error *err)
{
    struct own *own = work->own;
    kn_recon_trajectory trajectory = KN_INIT(
        kn_recon_trajectory, .kind = volume ? KN_RECON_TRAJECTORY_KOOSHBALL : KN_RECON_TRAJECTORY_SPIRAL,
        .extent = sizes[volume][subject_is_serial(work->queue)][work->quick]);
    size_t voxels = 1;
    uint64_t state = 1;
    kn_status status = kn_recon_trajectory_settle(&trajectory, &own->matrix, &own->samples, err);

    if (status)
        return status;
    own->k = malloc(AXES * own->samples * sizeof *own->k);
    if (!own->k)
        return ki_fail_memory(err, AXES * own->samples * sizeof *own->k, "samples");
    status = kn_recon_trajectory_fill(&trajectory, own->samples, own->k, err);
    if (!status)
        status = subject_floats(work->queue, 2 * own->samples, &state, &own->data, err);
    for (size_t axis = 0; axis < own->matrix.axes; axis++)
        voxels *= own->matrix.size[axis];
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

    kn_recon_plan_free(own->plan);
    kn_buffer_free(own->data);
    free(own->k);
}

// A plan reads its values at its first gridding, which is not timed.
static kn_status prepare(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;

    kn_recon_plan_free(own->plan);
    own->plan = NULL;
    return kn_recon_plan_create(work->queue, &own->matrix, own->k, own->samples, NULL, &own->plan, err);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;

    return kn_recon_gridding_adjoint_buffers(own->plan, own->data, work->result, err);
}

// The window is the same and only the order of the float additions differs, some hundreds in each cell, so
// only rounding errors differ.
#define GRIDDING(own_tunables, text, opener)                                                                 \
    {                                                                                                        \
        .tunables = own_tunables, .what = text, .bound = 1e-5, .own_bytes = sizeof(struct own),              \
        .axes = axes, .usual = usual, .open = opener, .close = close_work, .prepare = prepare, .run = run    \
    }

const struct tune_subject tune_gridding_2d =
    GRIDDING(plane_tunables, "the adjoint of a plane, a spiral", open_plane);
const struct tune_subject tune_gridding_3d =
    GRIDDING(volume_tunables, "the adjoint of a volume, a kooshball", open_volume);
