// SPDX-License-Identifier: Apache-2.0
// The direct sum F^H d (src/app/mri/sum/sum.h) by its tuned kernel: samples at random in the band of a cube.
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/sum/sum.h"
#include "subjects.h"

struct own {
    double *k;
    double complex *data;
    struct mri_sum sum;
};

// Voxels along an edge and samples: on CPUs a thousandth of a GPU's.
static const struct {
    size_t size, samples;
} problems[2][2] = {{{128, 4096}, {64, 4096}}, {{32, 2048}, {16, 1024}}}; // serial, quick

static const char *const memory_names[] = {"constant", "global", "local", NULL};

enum { CHUNK = 256 };

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[2][ENGINE_TUNABLES] = {
        {{5, {32, 64, 128, 256, 512}},
         {4, {1, 2, 4, 8}},
         {.count = 0},
         {3, {MRI_MEMORY_CONSTANT, MRI_MEMORY_GLOBAL, MRI_MEMORY_LOCAL}},
         {3, {128, 256, 512}},
         {4, {1, 2, 4, 8}}},
        {{.count = 0},
         {4, {1, 2, 4, 8}},
         {2, {8, 16}},
         {3, {MRI_MEMORY_CONSTANT, MRI_MEMORY_GLOBAL, MRI_MEMORY_LOCAL}},
         {.count = 0},
         {.count = 0}}};

    return all[subject_is_serial(queue)];
}

static void usual(const struct tune_work *work, unsigned *values)
{
    const struct mri_tuning tuning = ki_mri_tuning_usual(work->queue);

    ki_mri_tuning_values(&tuning, values);
}

// Samples are taken by chunks in local memory alone.
static void settle(unsigned *values)
{
    if (values[3] != MRI_MEMORY_LOCAL)
        values[4] = 0;
    else if (values[4] == 0)
        values[4] = CHUNK;
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    bool serial = subject_is_serial(work->queue);
    size_t size = problems[serial][work->quick].size, samples = problems[serial][work->quick].samples;
    uint64_t state = 1;

    own->k = malloc(MRI_AXES * samples * sizeof *own->k);
    own->data = malloc(samples * sizeof *own->data);
    if (!own->k || !own->data)
        return ki_fail_memory(err, samples * (MRI_AXES * sizeof *own->k + sizeof *own->data), "samples");
    for (size_t m = 0; m < samples; m++) {
        double re = subject_uniform(&state);

        own->data[m] = mri_complex(re, subject_uniform(&state));
        for (size_t axis = 0; axis < MRI_AXES; axis++)
            own->k[MRI_AXES * m + axis] = (double)size / 2 * subject_uniform(&state);
    }
    own->sum = (struct mri_sum){
        .matrix = {MRI_AXES, {size, size, size}}, .k = own->k, .samples = samples, .data = own->data};
    return kn_buffer_create(kn_queue_get_context(work->queue), size * size * size * 2 * sizeof(float),
                            &work->result, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    free(own->k);
    free(own->data);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;

    return ki_mri_sum_device(work->queue, &own->sum, MRI_TUNED, work->result, NULL, err);
}

const struct tune_subject tune_recon = {
    .tunables = &ki_mri_sum_tunables,
    .what = "F^H d by direct sums: koine recon --kernel tuned",
    // What sum.h says of each kernel's own error, twice.
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
