// SPDX-License-Identifier: Apache-2.0
// What the stages of a reconstruction share in either place: their times, rates and progress, and a coil's
// sum.
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

void ki_recon_stop(const struct recon *recon, const struct recon_clock *clock, struct mri_stage *stage)
{
    double seconds = ki_clock_seconds() - clock->began - (built(recon) - clock->built);

    stage->seconds = (stage->seconds < 0 ? 0 : stage->seconds) + seconds;
}

void ki_recon_add_rate(struct mri_stage *stage, const struct mri_sum_rate *rate)
{
    stage->rate.seconds += rate->seconds;
    stage->rate.pairs += rate->pairs;
    stage->rate.flops += rate->flops;
    stage->rate.loads += rate->loads;
}

void ki_recon_set_normal(struct recon *recon, const struct mri_sum_rate *rate)
{
    // Of the kernels alone nothing is known.
    recon->result->normal = (struct mri_stage){
        rate->seconds, {.seconds = NAN, .pairs = rate->pairs, .flops = rate->flops, .loads = NAN}};
    recon->result->bound = NAN;
}

void ki_recon_step(struct recon *recon, double done)
{
    if (recon->options->progress)
        recon->options->progress(recon->options->context, done);
}

struct mri_sum ki_recon_sum(const struct recon *recon, size_t coil)
{
    const struct mri_scan *scan = recon->scan;

    return (struct mri_sum){.matrix = scan->matrix,
                            .positions = scan->positions,
                            .k = scan->k,
                            .samples = scan->samples,
                            .data = scan->data ? scan->data + coil * scan->samples : NULL,
                            .weights = recon->weights,
                            .basis = recon->options->basis};
}
