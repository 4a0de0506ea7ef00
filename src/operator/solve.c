// SPDX-License-Identifier: Apache-2.0
// koine/solve.h: systems with any linear operator, solved on the host and on devices.
#include <koine/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "engine/engine.h"
#include "operator/bounded/bounded.h"
#include "operator/bounded/host_bounded.h"
#include "operator/bounded/host_tv.h"
#include "operator/bounded/host_wavelet.h"
#include "operator/bounded/limits.h"
#include "operator/cgnr/cgnr.h"
#include "operator/cgnr/host_cgnr.h"
#include "operator/proximal/wavelet.h"

enum { MOST_ITERATIONS = 1 << 20 };

struct kn_solve_plan {
    kn_operator *a;  // held
    kn_queue *queue; // borrowed; NULL: the host
    kn_solve_options options;
    size_t rows, columns;    // lengths of the vectors
    struct cgnr *cgnr;       // on a device
    struct bounded *bounded; // on a device, for the methods with bounds
    kn_buffer *b, *x;        // copies of arrays on a device; NULL until a solution needs them
    struct host_cgnr_operator host;
    struct solve_terms terms;
    struct ki_kept kept; // memory on the host for methods with bounds, kept from one solution to the next
    double squared_norm; // of the operator, for methods with bounds; below 0 until it is computed
    void *solution;      // on the host: x, until the solution has succeeded
    // iterations + 1 numbers each, in one allocation. On a device, `gradients` is the history of cgnr;
    // `objectives` are for total variation, which stores them in the place of steps.
    double *gradients, *steps, *objectives;
    size_t gradient_count;
};

// Whether x is a picture or volume of `shape`, and there is an objective.
static bool is_of_picture(kn_solve_method method)
{
    return method == KN_SOLVE_TV || method == KN_SOLVE_WAVELET;
}

const char *kn_solve_method_name(kn_solve_method method)
{
    static const char *const names[] = {"cgnr", "cg", "fista", "bb", "sirt", "tv", "wavelet"};

    return (unsigned)method <= KN_SOLVE_WAVELET ? names[method] : NULL;
}

const char *kn_solve_stopped_name(kn_solve_stopped stopped)
{
    static const char *const names[] = {"iterations", "tolerance", "noise", "whiteness", "floor"};

    return (unsigned)stopped <= KN_SOLVE_STOPPED_FLOOR ? names[stopped] : NULL;
}

const double *kn_solve_plan_get_gradients(const kn_solve_plan *plan, size_t *count)
{
    if (count)
        *count = plan ? plan->gradient_count : 0;
    return plan && plan->gradient_count ? plan->gradients : NULL;
}

const double *kn_solve_plan_get_objectives(const kn_solve_plan *plan, size_t *count)
{
    bool has_them = plan && plan->gradient_count && is_of_picture(plan->options.method);

    if (count)
        *count = has_them ? plan->gradient_count : 0;
    return has_them ? plan->objectives : NULL;
}

// Whether the method keeps x within bounds.
static bool holds_bounds(const kn_solve_options *options)
{
    return options->method >= KN_SOLVE_FISTA;
}

// ---- plans ----

static kn_status check_numbers(const kn_solve_options *options, kn_error *err)
{
    if ((unsigned)options->method > KN_SOLVE_WAVELET)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see kn_solve_method",
                       (int)options->method);
    if (options->iterations > MOST_ITERATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu iterations; at most %d can be had", options->iterations,
                       MOST_ITERATIONS);
    if (!(options->tolerance >= 0 && options->tolerance < 1))
        return ki_fail(err, KN_ERROR_ARGUMENT, "a tolerance of %g; it is a part of |b|, from 0 to below 1",
                       options->tolerance);
    if (!(options->noise >= 0) || !isfinite(options->noise))
        return ki_fail(err, KN_ERROR_ARGUMENT, "noise of %g; expected a number from 0 on", options->noise);
    if (!(options->lambda >= 0) || !isfinite(options->lambda))
        return ki_fail(err, KN_ERROR_ARGUMENT, "lambda is %g; expected a number from 0 on", options->lambda);
    if (!(options->smooth >= 0) || !isfinite(options->smooth))
        return ki_fail(err, KN_ERROR_ARGUMENT, "smooth is %g; expected a number from 0 on", options->smooth);
    if (options->smooth > 0 && options->order != 1 && options->order != 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of order %u; there are 1 and 2", options->order);
    if (!options->bounded && (options->low != 0 || options->high != 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g, but `bounded` is false", options->low,
                       options->high);
    return KN_OK;
}

// Refuses options that the method does not support.
static kn_status check_method(const kn_operator *a, const kn_solve_options *options, kn_error *err)
{
    bool equation = options->method == KN_SOLVE_CG, sirt = options->method == KN_SOLVE_SIRT;
    bool tv = options->method == KN_SOLVE_TV, wavelet = options->method == KN_SOLVE_WAVELET;
    bool bounds = holds_bounds(options) && !tv && !wavelet,
         terms = options->lambda > 0 || options->smooth > 0;
    const struct {
        bool asked;
        const char *reason;
    } refused[] = {
        {equation && (options->noise > 0 || options->whiteness || options->smooth > 0),
         "the method cg has neither noise, whiteness nor smooth"},
        {a->functions.is_complex && (options->whiteness || options->smooth > 0),
         "whiteness and smooth are for operators of real numbers"},
        {!bounds && !tv && options->bounded, "bounds are held by the methods fista, bb, sirt and tv"},
        {bounds && a->functions.is_complex,
         "the methods fista, bb and sirt are for operators of real numbers"},
        {bounds && options->whiteness, "the methods fista, bb and sirt have no whiteness"},
        {bounds && options->threads > 1,
         "the methods fista, bb and sirt have one thread; leave `threads` at 0"},
        {sirt && terms, "the method sirt has neither lambda nor smooth"},
        {tv && options->smooth > 0, "the method tv has no smooth; its lambda weighs the total variation"},
        {tv && options->whiteness, "the method tv has no whiteness"},
        {tv && options->bounded && a->functions.is_complex,
         "the method tv has bounds for operators of real numbers"},
        {tv && options->threads > 1, "the method tv has one thread; leave `threads` at 0"},
        {wavelet && options->smooth > 0, "the method wavelet has no smooth; its lambda weighs the details"},
        {wavelet && options->whiteness, "the method wavelet has no whiteness"},
        {wavelet && options->threads > 1, "the method wavelet has one thread; leave `threads` at 0"},
    };

    for (size_t i = 0; i < KI_COUNT(refused); i++)
        if (refused[i].asked)
            return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s", refused[i].reason);
    return KN_OK;
}

// The elements of x along each axis, at least 1.
static kn_status settle_shape(const kn_operator *a, kn_solve_options *options, kn_error *err)
{
    size_t *shape = options->shape, pixels = 1;
    bool fits = true;

    if (!is_of_picture(options->method))
        return KN_OK;
    for (size_t i = 0; i < KI_COUNT(options->shape); i++) {
        shape[i] = shape[i] ? shape[i] : 1;
        fits = fits && pixels <= a->functions.columns / shape[i];
        pixels *= fits ? shape[i] : 1;
    }
    if (!fits || pixels != a->functions.columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a shape of %zu x %zu x %zu, and the operator has %zu columns",
                       shape[0], shape[1], shape[2], a->functions.columns);
    return options->method == KN_SOLVE_WAVELET ? ki_wavelet_check(shape, err) : KN_OK;
}

static kn_status check_support(const kn_queue *queue, const kn_operator *a, const kn_solve_options *options,
                               kn_error *err)
{
    bool equation = options->method == KN_SOLVE_CG;

    if (!queue != !a->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "an operator of %s, and %s queue",
                       a->context ? "a context" : "the host's memory", queue ? "a" : "no");
    if (queue && queue->context != a->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the queue is of another context than the operator");
    if (equation && a->functions.rows != a->functions.columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the method cg with an operator of %zu rows and %zu columns",
                       a->functions.rows, a->functions.columns);
    if (queue && holds_bounds(options) && a->functions.type != KN_F32)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "on devices the method %s takes operators of KN_F32",
                       kn_solve_method_name(options->method));
    if (queue && options->threads)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%u threads and a queue: threads are for the host",
                       options->threads);
    return check_method(a, options, err);
}

// The fraction of the first projected gradient that is only rounding.
static double floor_of(const kn_solve_plan *plan)
{
    return plan->a->functions.type == KN_F32 ? 1e-7 : 1e-12;
}

static kn_status prepare_bounded(kn_solve_plan *plan, kn_error *err)
{
    const kn_solve_options *given = &plan->options;
    const struct bounded_options options = {.method = given->method,
                                            .iterations = given->iterations,
                                            .low = given->low,
                                            .high = given->high,
                                            .tolerance = given->tolerance,
                                            .noise = given->noise,
                                            .floor = floor_of(plan),
                                            .lambda = given->lambda,
                                            .smooth = given->smooth,
                                            .order = given->order,
                                            .shape = given->shape,
                                            .gradients = plan->gradients,
                                            .objectives = plan->objectives,
                                            .progress = given->progress,
                                            .progress_data = given->progress_data};

    return ki_bounded_create(plan->queue, plan->a, &options, &plan->bounded, err);
}

// Creates the solver on a device.
static kn_status prepare_device(kn_solve_plan *plan, kn_error *err)
{
    const kn_solve_options *given = &plan->options;
    bool equation = given->method == KN_SOLVE_CG;
    const struct cgnr_options options = {.iterations = given->iterations,
                                         .gradient = !equation              ? 0
                                                     : given->tolerance > 0 ? given->tolerance
                                                                            : -1,
                                         .residual = equation ? 0 : given->tolerance,
                                         .noise = given->noise,
                                         .white = given->whiteness,
                                         .lambda = given->lambda,
                                         .smooth = given->smooth,
                                         .order = given->order,
                                         .self_adjoint = equation,
                                         .history = plan->gradients,
                                         .progress = given->progress,
                                         .progress_data = given->progress_data};

    return holds_bounds(given) ? prepare_bounded(plan, err)
                               : ki_cgnr_create(plan->queue, plan->a, NULL, &options, &plan->cgnr, err);
}

static kn_status prepare_host(kn_solve_plan *plan, kn_error *err)
{
    kn_host_options threads = KN_INIT(kn_host_options, .threads = plan->options.threads);
    size_t bytes = (plan->columns + 1) * kn_type_size(plan->a->functions.type);
    kn_status status;

    plan->terms = (struct solve_terms){
        .lambda = plan->options.lambda, .smooth = plan->options.smooth, .order = plan->options.order};
    if (holds_bounds(&plan->options))
        return KN_OK;
    status = ki_host_cgnr_operator_begin(plan->a, &threads, &plan->host, err);
    if (status)
        return status;
    plan->solution = malloc(bytes);
    return plan->solution ? KN_OK : ki_fail_memory(err, bytes, "the solution");
}

static kn_status create(const char *function, kn_queue *queue, kn_operator *a, const kn_solve_options *given,
                        kn_solve_plan **plan, kn_error *err)
{
    kn_solve_options options;
    kn_solve_plan *made;
    kn_status status;

    if (!a || !given || !plan)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL",
                       !a      ? "the operator"
                       : given ? "plan"
                               : "options");
    status = KI_SIZED_READ(function, kn_solve_options, given, &options, err);
    if (!status)
        status = check_numbers(&options, err);
    if (!status)
        status = check_support(queue, a, &options, err);
    if (!status)
        status = settle_shape(a, &options, err);
    if (!options.bounded) {
        options.low = -INFINITY;
        options.high = INFINITY;
    }
    if (!status)
        status = ki_bounded_limits(a->functions.type, &options.low, &options.high, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a plan");
    ki_kept_init(&made->kept);
    made->a = ki_operator_hold(a);
    made->queue = queue;
    made->options = options;
    made->squared_norm = -1;
    made->rows = operator_row_numbers(a);
    made->columns = operator_column_numbers(a);
    made->gradients = calloc(options.iterations + 1, 2 * sizeof *made->gradients);
    if (made->gradients)
        made->steps = made->objectives = made->gradients + options.iterations + 1;
    else
        status = ki_fail_memory(err, options.iterations * 2 * sizeof *made->gradients, "a plan");
    if (!status)
        status = queue ? prepare_device(made, err) : prepare_host(made, err);
    if (status)
        kn_solve_plan_free(made);
    else
        *plan = made;
    return status;
}

kn_status kn_solve_plan_create(kn_queue *queue, kn_operator *a, const kn_solve_options *options,
                               kn_solve_plan **plan, kn_error *err)
{
    return ki_error_name(__func__, create(__func__, queue, a, options, plan, err), err);
}

void kn_solve_plan_free(kn_solve_plan *plan)
{
    if (!plan)
        return;
    ki_cgnr_free(plan->cgnr);
    ki_bounded_free(plan->bounded);
    kn_buffer_free(plan->b);
    kn_buffer_free(plan->x);
    ki_host_cgnr_operator_end(&plan->host);
    free(plan->solution);
    free(plan->gradients);
    ki_kept_free(&plan->kept);
    ki_operator_release(plan->a);
    free(plan);
}

// ---- on the host ----

static kn_status check_finite(const kn_solve_plan *plan, const void *array, size_t count, const char *name,
                              kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        double number = plan->a->functions.type == KN_F32 ? (double)((const float *)array)[i]
                                                          : ((const double *)array)[i];

        if (!isfinite(number))
            return ki_fail(err, KN_ERROR_ARGUMENT, "number %zu of %s is %g", i, name, number);
    }
    return KN_OK;
}

static kn_solve_stopped stopped_on_host(enum host_cgnr_stop stop)
{
    static const kn_solve_stopped reasons[] = {[HOST_CGNR_ITERATIONS] = KN_SOLVE_STOPPED_ITERATIONS,
                                               [HOST_CGNR_RESIDUAL] = KN_SOLVE_STOPPED_TOLERANCE,
                                               [HOST_CGNR_DISCREPANCY] = KN_SOLVE_STOPPED_NOISE,
                                               [HOST_CGNR_NCP] = KN_SOLVE_STOPPED_WHITENESS,
                                               [HOST_CGNR_FLOOR] = KN_SOLVE_STOPPED_FLOOR};

    return reasons[stop];
}

static kn_status solve_cgnr(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                            kn_error *err)
{
    const kn_solve_options *options = &plan->options;
    struct solve_correction correction = ki_solve_terms_correction(&plan->terms);
    const struct host_cgnr_options how = {.iterations = options->iterations,
                                          .tolerance = options->tolerance,
                                          .noise = options->noise,
                                          .ncp = options->whiteness,
                                          .correction =
                                              options->lambda > 0 || options->smooth > 0 ? &correction : NULL,
                                          .progress = options->progress,
                                          .progress_data = options->progress_data};
    struct host_cgnr_result found = {.gradients = plan->gradients, .steps = plan->steps};
    size_t bytes = plan->columns * kn_type_size(plan->a->functions.type);
    kn_status status;

    memcpy(plan->solution, x, bytes);
    status = (options->method == KN_SOLVE_CG ? ki_host_cg : ki_host_cgnr)(&plan->host, b, &how,
                                                                          plan->solution, &found, err);
    if (status)
        return status;
    memcpy(x, plan->solution, bytes);
    plan->gradient_count = found.iterations + 1;
    *result = (kn_solve_result){.iterations = found.iterations,
                                .stopped = stopped_on_host(found.stopped_by),
                                .residual = found.residual,
                                .right = sqrt(ki_host_vectors_dot(plan->host.vectors, b, b, plan->rows)),
                                .gradient = plan->gradients[found.iterations]};
    return KN_OK;
}

static kn_status solve_bounded(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                               kn_error *err)
{
    const kn_solve_options *options = &plan->options;
    struct solve_correction correction = ki_solve_terms_correction(&plan->terms);
    const struct host_bounded_options how = {
        .method = options->method,
        .iterations = options->iterations,
        .low = options->low,
        .high = options->high,
        .tolerance = options->tolerance,
        .noise = options->noise,
        .floor = floor_of(plan),
        .correction = options->lambda > 0 || options->smooth > 0 ? &correction : NULL,
        .shape = options->shape,
        .lambda = options->lambda,
        .squared_norm = &plan->squared_norm,
        .kept = &plan->kept,
        .progress = options->progress,
        .progress_data = options->progress_data};
    struct host_bounded_result found = {.gradients = plan->gradients, .objectives = plan->objectives};
    kn_status status =
        (options->method == KN_SOLVE_TV        ? ki_host_tv
         : options->method == KN_SOLVE_WAVELET ? ki_host_wavelet
                                               : ki_host_bounded)(plan->a, b, &how, x, &found, err);

    if (status)
        return status;
    plan->gradient_count = found.iterations + 1;
    *result = (kn_solve_result){.iterations = found.iterations,
                                .stopped = found.stopped,
                                .residual = found.residual,
                                .right = found.right,
                                .gradient = found.gradient};
    return KN_OK;
}

static kn_status solve_on_host(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                               kn_error *err)
{
    kn_status status = check_finite(plan, b, plan->rows, "the right-hand side", err);

    if (!status)
        status = check_finite(plan, x, plan->columns, "the start", err);
    if (status)
        return status;
    return (holds_bounds(&plan->options) ? solve_bounded : solve_cgnr)(plan, b, x, result, err);
}

// ---- on a device ----

static kn_solve_stopped stopped_on_device(const kn_solve_plan *plan, const struct cgnr_result *found)
{
    switch (found->stopped) {
    case CGNR_STOPPED_ITERATIONS:
        return KN_SOLVE_STOPPED_ITERATIONS;
    case CGNR_STOPPED_RESIDUAL:
        return KN_SOLVE_STOPPED_TOLERANCE;
    case CGNR_STOPPED_NOISE:
        return KN_SOLVE_STOPPED_NOISE;
    case CGNR_STOPPED_WHITENESS:
        return KN_SOLVE_STOPPED_WHITENESS;
    case CGNR_STOPPED_GRADIENT:
        return plan->options.method == KN_SOLVE_CG ? KN_SOLVE_STOPPED_TOLERANCE : KN_SOLVE_STOPPED_FLOOR;
    case CGNR_STOPPED_CURVATURE:
        break;
    }
    return KN_SOLVE_STOPPED_FLOOR;
}

static kn_status bounded_on_device(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                   kn_solve_result *result, kn_error *err)
{
    kn_status status = ki_bounded_solve(plan->queue, plan->bounded, b, x, result, err);

    if (!status)
        plan->gradient_count = result->iterations + 1;
    return status;
}

static kn_status cgnr_on_device(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                kn_solve_result *result, kn_error *err)
{
    struct cgnr_result found = {.history = NULL};
    kn_status status = ki_cgnr_solve(plan->queue, plan->cgnr, b, x, x, &found, err);

    if (status)
        return status;
    for (size_t i = 0; i <= found.iterations; i++)
        plan->gradients[i] *= found.gradient; // which is found.history
    plan->gradient_count = found.iterations + 1;
    *result = (kn_solve_result){.iterations = found.iterations,
                                .stopped = stopped_on_device(plan, &found),
                                .residual = found.absolute,
                                .right = found.right,
                                .gradient = plan->gradients[found.iterations]};
    return KN_OK;
}

static kn_status solve_on_device(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                 kn_solve_result *result, kn_error *err)
{
    return (plan->bounded ? bounded_on_device : cgnr_on_device)(plan, b, x, result, err);
}

// Whether the host takes part in each solution.
static bool asks_host(const kn_solve_plan *plan)
{
    return plan->bounded ? ki_bounded_asks_host(plan->bounded) : ki_cgnr_asks_host(plan->cgnr);
}

// Launches a solution without a result, and does not wait.
static kn_status enqueue_on_device(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x, kn_error *err)
{
    plan->gradient_count = 0;
    return plan->bounded ? ki_bounded_enqueue(plan->queue, plan->bounded, b, x, err)
                         : ki_cgnr_enqueue(plan->queue, plan->cgnr, b, x, err);
}

static kn_status execute_on_device(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                                   kn_error *err)
{
    size_t size = kn_type_size(plan->a->functions.type), rows = plan->rows * size,
           columns = plan->columns * size;
    kn_status status = KN_OK;

    if (!plan->b)
        status = kn_buffer_create(plan->a->context, rows, &plan->b, err);
    if (!status && !plan->x)
        status = kn_buffer_create(plan->a->context, columns, &plan->x, err);
    if (!status)
        status = kn_buffer_write(plan->queue, plan->b, 0, b, rows, err);
    if (!status)
        status = kn_buffer_write(plan->queue, plan->x, 0, x, columns, err);
    if (!status)
        status = solve_on_device(plan, plan->b, plan->x, result, err);
    return status ? status : kn_buffer_read(plan->queue, plan->x, 0, x, columns, err);
}

// ---- execution ----

kn_status kn_solve_execute(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                           kn_error *err)
{
    kn_solve_result found;
    kn_status status;

    if (!plan || !b || !x || !result)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_solve_execute: %s is NULL",
                       !plan ? "plan"
                       : !b  ? "b"
                       : x   ? "result"
                             : "x");
    if (b == x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_solve_execute: b and x are the same array");
    status =
        plan->queue ? execute_on_device(plan, b, x, &found, err) : solve_on_host(plan, b, x, &found, err);
    if (!status)
        *result = found;
    return ki_error_name(__func__, status, err);
}

kn_status kn_solve_execute_buffers(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                   kn_solve_result *result, kn_error *err)
{
    kn_solve_result found;
    kn_status status;

    if (!plan || !b || !x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_solve_execute_buffers: %s is NULL",
                       !plan ? "plan"
                       : b   ? "x"
                             : "b");
    if (!plan->queue)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_solve_execute_buffers: this plan is of the host; use kn_solve_execute");
    if (!result && !asks_host(plan))
        return ki_error_name(__func__, enqueue_on_device(plan, b, x, err), err);
    status = solve_on_device(plan, b, x, &found, err);
    if (!status && result)
        *result = found;
    return ki_error_name(__func__, status, err);
}
