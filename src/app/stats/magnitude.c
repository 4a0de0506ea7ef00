// SPDX-License-Identifier: Apache-2.0
// Lengths of vectors, and how far they exceed one g: kn_stats_magnitude and kn_stats_enmo.
#include <koine/stats.h>

#include <math.h>

#include "algo/elements.h"
#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "host/host.h"

enum { AXES = 3 };

static kn_status check(const char *function, bool complete, kn_type type, double g, kn_error *err)
{
    if (!complete)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: an axis, or the output, is NULL", function);
    if (kn_type_size(type) == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no type %d; see kn_type", function, (int)type);
    if (type != KN_F64 && type != KN_F32)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s works on KN_F64 and KN_F32, not on %s", function,
                       kn_type_name(type));
    if (!(g >= 0) || isinf(g))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: g is %g; expected a number, 0 or more", function, g);
    return KN_OK;
}

// ---- on the host ----

struct vectors {
    const void *const *axes;
    double g;
    void *out;
};

static void doubles_share(void *context, size_t first, size_t end)
{
    const struct vectors *v = context;
    const double *x = v->axes[0], *y = v->axes[1], *z = v->axes[2], g = v->g;
    double *out = v->out;

    for (size_t i = first; i < end; i++) {
        const double over = sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]) - g;

        out[i] = over < 0 ? 0 : over;
    }
}

static void floats_share(void *context, size_t first, size_t end)
{
    const struct vectors *v = context;
    const float *x = v->axes[0], *y = v->axes[1], *z = v->axes[2], g = (float)v->g;
    float *out = v->out;

    for (size_t i = first; i < end; i++) {
        const float over = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]) - g;

        out[i] = over < 0 ? 0 : over;
    }
}

static kn_status on_host(const char *function, const void *const axes[AXES], kn_type type, size_t n, double g,
                         void *out, kn_error *err)
{
    struct vectors vectors = {axes, g, out};
    struct host_plan plan;
    kn_status status =
        check(function, axes && (n == 0 || (axes[0] && axes[1] && axes[2] && out)), type, g, err);

    if (!status)
        status = ki_host_plan(function, type, n, NULL, &plan, err);
    if (!status)
        ki_host_share_out(ki_host_threads(&plan, n * kn_type_size(type)), n,
                          type == KN_F64 ? doubles_share : floats_share, &vectors);
    return status;
}

kn_status kn_stats_magnitude(const void *const axes[3], kn_type type, size_t n, void *out, kn_error *err)
{
    return on_host("kn_stats_magnitude", axes, type, n, 0, out, err);
}

kn_status kn_stats_enmo(const void *const axes[3], kn_type type, size_t n, double g, void *out, kn_error *err)
{
    return on_host("kn_stats_enmo", axes, type, n, g, out, err);
}

// ---- on a device ----

// Elements from `done` on that are in one part of each buffer, at most `left`; returns how many.
static size_t launch_some(kn_queue *queue, kn_kernel *kernel, const kn_buffer *const buffers[AXES + 1],
                          kn_type type, kn_arg g, size_t done, size_t left, kn_status *status, kn_error *err)
{
    enum { LAUNCH = 1 << 30 };
    struct element_piece pieces[AXES + 1];
    uint64_t count = left < LAUNCH ? left : LAUNCH;

    for (size_t i = 0; i <= AXES; i++) {
        pieces[i] = ki_element_piece_at(buffers[i], type, done);
        count = pieces[i].count < count ? pieces[i].count : count;
    }
    {
        const kn_arg args[] = {KN_BUFFER(pieces[0].buffer),
                               KN_VALUE(pieces[0].skip),
                               KN_BUFFER(pieces[1].buffer),
                               KN_VALUE(pieces[1].skip),
                               KN_BUFFER(pieces[2].buffer),
                               KN_VALUE(pieces[2].skip),
                               g,
                               KN_BUFFER(pieces[3].buffer),
                               KN_VALUE(pieces[3].skip),
                               KN_VALUE(count)};
        const kn_range range = {1, {(size_t)(count + 63) / 64 * 64}, {0}, {0}};

        *status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    return (size_t)count;
}

static kn_status on_device(const char *function, kn_queue *queue, const kn_buffer *const axes[AXES],
                           kn_type type, size_t n, double g, kn_buffer *out, kn_error *err)
{
    const kn_buffer *const buffers[AXES + 1] = {axes ? axes[0] : NULL, axes ? axes[1] : NULL,
                                                axes ? axes[2] : NULL, out};
    struct engine_defines defines = {.count = 0};
    union column_scalar scalar;
    kn_kernel *kernel = NULL;
    kn_status status = check(function, true, type, g, err);

    for (size_t i = 0; i <= AXES && !status; i++)
        status = ki_column_check_any(function, queue, buffers[i], type, n, err);
    if (status || n == 0)
        return status;
    ki_engine_define_text(&defines, "REAL", kn_type_name(type));
    status = ki_engine_builtin_kernel(queue->context, "app/stats/stats_magnitude.cl", defines.items,
                                      defines.count, KN_POLICY_STRICT, "stats_magnitude", &kernel, err);
    for (size_t done = 0; done < n && !status;)
        done += launch_some(queue, kernel, buffers, type, ki_column_real(&scalar, type, g), done, n - done,
                            &status, err);
    return status;
}

kn_status kn_stats_magnitude_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type, size_t n,
                                    kn_buffer *out, kn_error *err)
{
    return on_device("kn_stats_magnitude_buffer", queue, axes, type, n, 0, out, err);
}

kn_status kn_stats_enmo_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type, size_t n,
                               double g, kn_buffer *out, kn_error *err)
{
    return on_device("kn_stats_enmo_buffer", queue, axes, type, n, g, out, err);
}
