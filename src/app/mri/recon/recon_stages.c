// SPDX-License-Identifier: Apache-2.0
// What the stages of a reconstruction share on the host and on devices: times, rates and progress, and the
// sum of a coil.
#include <koine/experimental.h>

#include <math.h>

#include "base/os/clock.h"
#include "recon_internal.h"

static double built(const struct recon *recon)
{
    return recon->queue ? kn_context_get_build_seconds(kn_queue_get_context(recon->queue)) : 0;
}

struct recon_clock ki_recon_start(const struct recon *recon)
{
    return (struct recon_clock){ki_clock_seconds(), built(recon)};
}

void ki_recon_stop(const struct recon *recon, const struct recon_clock *clock, kn_recon_stage *stage)
{
    double seconds = ki_clock_seconds() - clock->began - (built(recon) - clock->built);

    // Other queues of the context may compile at the same time.
    stage->seconds = fmax(stage->seconds, 0) + fmax(seconds, 0);
}

void ki_recon_add_rate(kn_recon_stage *stage, const kn_recon_rate *rate)
{
    stage->rate.seconds += rate->seconds;
    stage->rate.pairs += rate->pairs;
    stage->rate.flops += rate->flops;
    stage->rate.loads += rate->loads;
}

void ki_recon_set_normal(struct recon *recon, const kn_recon_rate *rate)
{
    // The time of the kernels alone is not known.
    recon->result->details.normal = (kn_recon_stage){
        rate->seconds, {.seconds = NAN, .pairs = rate->pairs, .flops = rate->flops, .loads = NAN}};
    recon->result->details.bound = NAN;
}

kn_status ki_recon_step(struct recon *recon, double done, double then, kn_error *err)
{
    recon->ask.from = done;
    recon->ask.to = then;
    ki_ask_at(&recon->ask, 0);
    return ki_ask(&recon->ask, err);
}

const double complex *ki_recon_data(const struct recon *recon, size_t coil)
{
    const double complex *data = (const double complex *)recon->scan.data;

    return data ? data + coil * recon->scan.samples : NULL;
}

const double complex *ki_recon_start_of(const struct recon *recon, size_t coil)
{
    const double complex *start = (const double complex *)recon->options.start;

    return start ? start + coil * recon->voxels : NULL;
}

const double complex *ki_recon_maps(const struct recon *recon)
{
    return recon->made_maps ? recon->made_maps : (const double complex *)recon->options.maps;
}

struct mri_sum ki_recon_sum(struct recon *recon, size_t coil)
{
    const kn_recon_scan *scan = &recon->scan;

    return (struct mri_sum){.matrix = scan->matrix,
                            .positions = recon->extras.positions,
                            .k = scan->k,
                            .samples = scan->samples,
                            .data = ki_recon_data(recon, coil),
                            .weights = recon->weights,
                            .basis = (const double complex *)scan->basis,
                            .tolerance = recon->nufft_tolerance,
                            .ask = &recon->ask};
}
