// SPDX-License-Identifier: Apache-2.0
#include "bounded_internal.h"

#include <stdlib.h>

#include "algo/columns.h"
#include "base/error.h"
#include "operator/cgnr/cgnr.h"

static const char *name_of(const struct bounded *s, unsigned kernel)
{
    static const char *const names[BOUNDED_KERNELS] = {[BOUNDED_RESIDUAL] = "bounded_residual",
                                                       [BOUNDED_GRADIENT] = "bounded_gradient",
                                                       [BOUNDED_PROJECT] = "bounded_project",
                                                       [BOUNDED_WEIGH] = "bounded_weigh",
                                                       [BOUNDED_NORMAL] = "bounded_normal",
                                                       [BOUNDED_SCALE] = "bounded_scale",
                                                       [BOUNDED_TV_ROWS] = "tv_rows",
                                                       [BOUNDED_TV_DIFFERENCES] = "tv_differences",
                                                       [BOUNDED_WAVELET_POINT] = "wavelet_point",
                                                       [BOUNDED_WAVELET_SPLIT] = "wavelet_split",
                                                       [BOUNDED_WAVELET_JOIN] = "wavelet_join",
                                                       [BOUNDED_WAVELET_COMPARE] = "wavelet_compare"};

    if (kernel == BOUNDED_TV_ROWS && s->options.normal)
        return "tv_normal";
    if (kernel != BOUNDED_STEP)
        return names[kernel];
    return s->options.method == KN_SOLVE_FISTA     ? "bounded_fista"
           : s->options.method == KN_SOLVE_BB      ? "bounded_bb"
           : s->options.method == KN_SOLVE_TV      ? "tv_step"
           : s->options.method == KN_SOLVE_WAVELET ? "wavelet_move"
                                                   : "bounded_sirt";
}

// Whether the kernel is one of those for total variation or wavelets, of the method that there is.
static bool is_of_picture(const struct bounded *s, unsigned kernel)
{
    return kernel >= BOUNDED_TV_ROWS || (kernel == BOUNDED_STEP && s->options.method >= KN_SOLVE_TV);
}

static bool wants_kernel(const struct bounded *s, unsigned kernel)
{
    const kn_solve_method method = s->options.method;

    switch (kernel) {
    case BOUNDED_WEIGH:
        return method == KN_SOLVE_BB || method == KN_SOLVE_SIRT;
    case BOUNDED_NORMAL:
        return method != KN_SOLVE_SIRT;
    case BOUNDED_SCALE:
        return method == KN_SOLVE_FISTA || method >= KN_SOLVE_TV;
    case BOUNDED_GRADIENT:
        return method < KN_SOLVE_TV;
    case BOUNDED_TV_ROWS:
    case BOUNDED_TV_DIFFERENCES:
        return method == KN_SOLVE_TV;
    case BOUNDED_WAVELET_POINT:
    case BOUNDED_WAVELET_SPLIT:
    case BOUNDED_WAVELET_JOIN:
    case BOUNDED_WAVELET_COMPARE:
        return method == KN_SOLVE_WAVELET;
    default:
        return true;
    }
}

static kn_status get_kernels(struct bounded *s, kn_error *err)
{
    const struct cgnr_options none = {.iterations = 0};
    struct engine_defines defines[2] = {{.count = 0}, {.count = 0}}; // the second is for pictures and volumes
    const char *of_pictures = s->options.method == KN_SOLVE_TV ? "operator/tv.cl" : "operator/wavelet.cl";
    kn_status status = KN_OK;

    for (unsigned i = 0; i < 2 && !status; i++) {
        ki_engine_define(&defines[i], "GROUP", (unsigned)s->group);
        status = ki_cgnr_define(&defines[i], s->context, &none, KN_F32, err);
    }
    ki_engine_define(&defines[1], "AXES", s->grid.axes);
    ki_engine_define(&defines[1], "COMPONENTS", s->grid.components);
    for (unsigned i = 0; i < BOUNDED_KERNELS && !status; i++) {
        bool own = is_of_picture(s, i);

        if (wants_kernel(s, i))
            status = ki_engine_builtin_kernel(s->context, own ? of_pictures : "operator/bounded.cl",
                                              defines[own].items, defines[own].count, KN_POLICY_DEFAULT,
                                              name_of(s, i), &s->kernels[i], err);
    }
    return status;
}

// Size in bytes; 0 if the method does not use the buffer.
static size_t bytes_of(const struct bounded *s, unsigned buffer)
{
    size_t columns = (s->columns ? s->columns : 1) * sizeof(float);
    size_t rows = (s->rows ? s->rows : 1) * sizeof(float);
    bool sirt = s->options.method == KN_SOLVE_SIRT, tv = s->options.method == KN_SOLVE_TV,
         wavelet = s->options.method == KN_SOLVE_WAVELET;

    switch (buffer) {
    case BOUNDED_X_BEFORE:
        return sirt ? 0 : columns;
    case BOUNDED_G:
        return tv ? 0 : columns;
    case BOUNDED_G_BEFORE:
        return sirt || tv ? 0 : columns;
    case BOUNDED_DUAL:
        return tv ? s->grid.axes * columns : wavelet ? columns : 0;
    case BOUNDED_P:
        return tv ? rows : 0;
    case BOUNDED_OF_COLUMNS:
        return sirt ? columns : 0;
    case BOUNDED_OF_ROWS:
        return sirt ? rows : 0;
    case BOUNDED_STATE:
        return ki_bounded_partial(s, wavelet ? 9 : 8);
    default:
        return buffer < BOUNDED_RIGHT ? columns : rows;
    }
}

static kn_status create_buffers(struct bounded *s, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < BOUNDED_BUFFERS && !status; i++)
        if (bytes_of(s, i))
            status = kn_buffer_create(s->context, bytes_of(s, i), &s->buffers[i], err);
    return status;
}

static kn_status record(kn_queue *queue, struct bounded *s, kn_error *err)
{
    const struct operator_loop loop = ki_bounded_loop(s);

    if (loop.progress || loop.count < LOOP_BLOCK || !s->a->can_record)
        return KN_OK;
    return ki_loop_record(queue, &loop, KN_RECORDING_AUTO, &s->recording, err);
}

kn_status ki_bounded_create(kn_queue *queue, kn_operator *a, const struct bounded_options *options,
                            struct bounded **made, kn_error *err)
{
    const struct cgnr_options usual = {.iterations = 0};
    size_t rows = operator_row_numbers(a), columns = operator_column_numbers(a);
    struct bounded *s;
    kn_status status;

    if (rows >= UINT32_MAX || columns >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "vectors of %zu and %zu numbers; at most %u can be had on a device", rows, columns,
                       UINT32_MAX - 1);
    s = calloc(1, sizeof *s);
    if (!s)
        return ki_fail_memory(err, sizeof *s, "a solver within bounds");
    s->context = a->context;
    s->a = ki_operator_hold(a);
    s->options = *options;
    s->rows = (uint32_t)rows;
    s->columns = (uint32_t)columns;
    s->most = (uint32_t)options->iterations;
    s->group = ki_cgnr_group(s->context, &usual);
    s->parts = ki_cgnr_parts(s->context, s->group, rows > columns ? rows : columns);
    s->squared_norm = -1;
    if (options->method >= KN_SOLVE_TV) { // both have the same axes and components
        s->grid = ki_tv_grid(options->shape, a->functions.is_complex ? 2 : 1);
        s->wavelet = ki_wavelet(options->shape, s->grid.components);
    }
    status = get_kernels(s, err);
    if (!status)
        status = create_buffers(s, err);
    if (!status)
        status = record(queue, s, err);
    if (status)
        ki_bounded_free(s);
    else
        *made = s;
    return status;
}

void ki_bounded_free(struct bounded *s)
{
    if (!s)
        return;
    kn_recording_free(s->recording);
    for (unsigned i = 0; i < BOUNDED_BUFFERS; i++)
        kn_buffer_free(s->buffers[i]);
    ki_operator_release(s->a);
    free(s);
}

void ki_bounded_set_noise(struct bounded *bounded, double noise)
{
    bounded->options.noise = noise;
}

// Launches residual, gradient and step; for TV, rows, differences and step; for WAVELET, residual, point, the
// levels there and back, compare and move. SIRT adds the weighted residual and its A^T, which takes half the
// launches of A and A^T.
unsigned ki_bounded_launches(const struct bounded *bounded)
{
    unsigned products = bounded->a->launches;

    if (!products)
        return 0;
    if (bounded->options.normal)
        products /= 2;
    if (bounded->options.method == KN_SOLVE_WAVELET)
        return 4 + 2 * bounded->wavelet.levels + products;
    return bounded->options.method == KN_SOLVE_SIRT ? 4 + products + products / 2 : 3 + products;
}

const kn_recording *ki_bounded_recording(const struct bounded *bounded)
{
    return bounded->recording;
}
