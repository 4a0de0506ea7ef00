// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "base/array.h"
#include "operator/ncp.h"
#include "cgnr_internal.h"

// The most groups that add up periodograms.
enum { MOST_GROUPS = 64 };
#define GREATEST_SCALE 1e30 // a float

static const char *const names[WHITE_KERNELS] = {"white_power", "white_judge", "white_keep"};

static kn_status get_kernels(struct cgnr *s, size_t segment, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status = KN_OK;

    ki_engine_define(&defines, "GROUP", (unsigned)s->group);
    ki_engine_define(&defines, "FREQUENCIES", (unsigned)segment / 2);
    ki_engine_define(&defines, "PATIENCE", NCP_PATIENCE);
    ki_engine_define(&defines, "ACC_SOFT", !kn_context_get_device(s->context)->fp64);
    for (unsigned i = 0; i < WHITE_KERNELS && !status; i++)
        status = ki_engine_builtin_kernel(s->context, "operator/cgnr_white.cl", defines.items, defines.count,
                                          KN_POLICY_DEFAULT, names[i], &s->white.kernels[i], err);
    return status;
}

kn_status ki_cgnr_white_create(kn_queue *queue, struct cgnr *s, kn_error *err)
{
    static const kn_fft_options own = {.struct_size = sizeof(kn_fft_options), .library = KN_FFT_OWN};
    struct cgnr_white *white = &s->white;
    size_t segment = ki_ncp_segment(s->rows), numbers = segment / 2;
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {segment}, .batch = s->rows / segment,
                                       .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX);
    kn_status status;

    if (segment < NCP_SHORTEST)
        return KN_OK;
    white->segments = (uint32_t)shape.batch;
    white->groups = white->segments < MOST_GROUPS ? white->segments : MOST_GROUPS;
    white->margin = (float)(NCP_MARGIN * ki_ncp_of_noise(s->rows));
    white->limit = (float)(NCP_WHITE * ki_ncp_of_noise(s->rows));
    const struct {
        kn_buffer **buffer;
        size_t count;
    } buffers[] = {{&white->spectra, 2 * (numbers + 1) * shape.batch},
                   {&white->power, numbers * white->groups},
                   {&white->record, WHITE_NUMBERS * (s->options.iterations + 1)},
                   {&white->scale, 1},
                   {&white->x, s->columns}};

    status = get_kernels(s, segment, err);
    for (size_t i = 0; i < KI_COUNT(buffers) && !status; i++)
        status = kn_buffer_create(s->context, buffers[i].count * sizeof(float), buffers[i].buffer, err);
    return status ? status : kn_fft_plan_create(queue, &shape, &own, &white->plan, err);
}

void ki_cgnr_white_free(struct cgnr_white *white)
{
    kn_fft_plan_free(white->plan);
    kn_buffer_free(white->spectra);
    kn_buffer_free(white->power);
    kn_buffer_free(white->scale);
    kn_buffer_free(white->record);
    kn_buffer_free(white->x);
}

kn_status ki_cgnr_white_begin(kn_queue *queue, const struct cgnr *s, double goal, kn_error *err)
{
    const float scale = goal > 0 ? (float)fmin(1 / sqrt(goal), GREATEST_SCALE) : 1;

    return s->white.plan ? kn_buffer_write(queue, s->white.scale, 0, &scale, sizeof scale, err) : KN_OK;
}

unsigned ki_cgnr_white_launches(const struct cgnr *s)
{
    return s->white.plan ? 1 + WHITE_KERNELS : 0; // each segment is transformed in one pass
}

static kn_status launch(kn_queue *queue, const struct cgnr *s, unsigned kernel, size_t groups,
                        const kn_arg *args, size_t count, kn_error *err)
{
    const kn_range range = {1, {groups * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->white.kernels[kernel], &range, args, count, NO_EVENT, err);
}

kn_status ki_cgnr_white_launch(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    const struct cgnr_white *white = &s->white;
    kn_buffer *state = s->buffers[CGNR_STATE], *x = s->buffers[CGNR_X];
    const kn_arg power[] = {KN_BUFFER(white->spectra), KN_BUFFER(white->power), KN_VALUE(white->segments),
                            KN_BUFFER(white->scale),   KN_BUFFER(state),        KN_VALUE(s->parts),
                            KN_VALUE(s->most)};
    const kn_arg judge[] = {KN_BUFFER(white->power), KN_VALUE(white->groups),  KN_VALUE(white->margin),
                            KN_VALUE(white->limit),  KN_BUFFER(white->record), KN_BUFFER(state),
                            KN_VALUE(s->parts),      KN_VALUE(s->most)};
    const kn_arg keep[] = {
        KN_BUFFER(x),     KN_BUFFER(white->x), KN_VALUE(s->columns), KN_BUFFER(white->record),
        KN_BUFFER(state), KN_VALUE(s->parts),  KN_VALUE(s->most)};
    kn_status status;

    if (!white->plan)
        return KN_OK;
    status = kn_fft_execute(queue, white->plan, KN_FFT_FORWARD, s->buffers[CGNR_R], white->spectra, err);
    if (!status)
        status = launch(queue, s, WHITE_POWER, white->groups, power, KI_COUNT(power), err);
    if (!status)
        status = launch(queue, s, WHITE_JUDGE, 1, judge, KI_COUNT(judge), err);
    return status ? status : launch(queue, s, WHITE_KEEP, s->parts, keep, KI_COUNT(keep), err);
}

kn_status ki_cgnr_white_take_end(kn_queue *queue, const struct cgnr *s, struct cgnr_result *result,
                                 kn_error *err)
{
    float last = 0;
    kn_status status = kn_buffer_read(queue, s->white.record,
                                      (WHITE_NUMBERS * result->iterations + WHITE_LAST) * sizeof last, &last,
                                      sizeof last, err);

    if (!status) {
        result->iterations = (size_t)last;
        result->normal_residual = result->history[result->iterations];
    }
    return status;
}
