// SPDX-License-Identifier: Apache-2.0
// The direct sum F^H d (koine/recon.h) with its tuned kernel: random samples in the band of a cube.
#include <stdlib.h>

#include <koine/recon.h>

#include "base/error.h"
#include "subjects.h"

struct own {
    double *k;
    kn_buffer *data;
    kn_recon_plan *plan;
};

// Voxels along an edge, and samples: on CPUs about a thousandth of a GPU's work.
static const struct {
    size_t size, samples;
} problems[2][2] = {{{128, 4096}, {64, 4096}}, {{32, 2048}, {16, 1024}}}; // indices: serial, quick

enum { MEMORY_CONSTANT, MEMORY_GLOBAL, MEMORY_LOCAL }; // in the order of the tunable's values
static const char *const memory_names[] = {"constant", "global", "local", NULL};

enum { AXES = 3, CHUNK = 256 };

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[2][KN_TUNABLES] = {{{5, {32, 64, 128, 256, 512}},
                                                          {4, {1, 2, 4, 8}},
                                                          {.count = 0},
                                                          {3, {MEMORY_CONSTANT, MEMORY_GLOBAL, MEMORY_LOCAL}},
                                                          {3, {128, 256, 512}},
                                                          {4, {1, 2, 4, 8}}},
                                                         {{.count = 0},
                                                          {4, {1, 2, 4, 8}},
                                                          {2, {8, 16}},
                                                          {3, {MEMORY_CONSTANT, MEMORY_GLOBAL, MEMORY_LOCAL}},
                                                          {.count = 0},
                                                          {.count = 0}}};

    return all[subject_is_serial(queue)];
}

static kn_status usual(const struct tune_work *work, unsigned *values, kn_error *err)
{
    return kn_recon_get_usual(work->queue, values, err);
}

// Samples are taken in chunks only from local memory.
static void settle(unsigned *values)
{
    if (values[3] != MEMORY_LOCAL)
        values[4] = 0;
    else if (values[4] == 0)
        values[4] = CHUNK;
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    static const kn_recon_options options = {.struct_size = sizeof(kn_recon_options),
                                             .kernel = KN_RECON_KERNEL_TUNED};
    struct own *own = work->own;
    bool serial = subject_is_serial(work->queue);
    size_t size = problems[serial][work->quick].size, samples = problems[serial][work->quick].samples;
    const kn_recon_matrix matrix = {AXES, {size, size, size}};
    uint64_t state = 1;
    kn_status status;

    own->k = malloc(AXES * samples * sizeof *own->k);
    if (!own->k)
        return ki_fail_memory(err, AXES * samples * sizeof *own->k, "samples");
    for (size_t i = 0; i < AXES * samples; i++)
        own->k[i] = (double)size / 2 * subject_uniform(&state);
    status = subject_floats(work->queue, 2 * samples, &state, &own->data, err);
    if (!status)
        status = kn_recon_plan_create(work->queue, &matrix, own->k, samples, &options, &own->plan, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue),
                                     size * size * size * 2 * sizeof(float), &work->result, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    kn_recon_plan_free(own->plan);
    kn_buffer_free(own->data);
    free(own->k);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;

    return kn_recon_adjoint_buffers(own->plan, own->data, work->result, err);
}

const struct tune_subject tune_recon = {
    .tunables = kn_recon_get_tunables,
    .what = "F^H d by direct sums: koine recon --kernel tuned",
    // Twice the error that koine/recon.h states for each kernel.
    .bound = 6e-6,
    .value_names = {[3] = memory_names},
    .own_bytes = sizeof(struct own),
    .axes = axes,
    .usual = usual,
    .settle = settle,
    .open = open_work,
    .close = close_work,
    .run = run,
};
