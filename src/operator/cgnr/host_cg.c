// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the equation (A + L) x = b of a self-adjoint operator.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "host_cgnr.h"

// Vectors in the operator's order: r = b - (A + L) x, and v = (A + L) d.
struct cg {
    const struct host_cgnr_operator *a;
    const struct host_vectors *vectors;
    const struct host_cgnr_options *options;
    void *x, *d, *r, *v, *l;
    double *wide_d, *wide_l; // in the order of the caller's arrays
    double squares;          // the sum of the squares of r
    void *memory;
};

static kn_status make_room(struct cg *s, kn_error *err)
{
    size_t column = host_vectors_bytes(s->vectors, s->a->columns),
           wide = (s->a->columns + 1) * sizeof(double);
    size_t bytes = 5 * column + (s->options->correction ? 2 * wide : 0);
    void **vectors[] = {&s->x, &s->d, &s->r, &s->v, &s->l};
    char *at = ki_kept_take(s->a->kept, bytes);

    s->memory = at;
    if (!at)
        return ki_fail_memory(err, bytes, "the solver");
    memset(at, 0, bytes);
    for (size_t i = 0; i < KI_COUNT(vectors); i++, at += column)
        *vectors[i] = at;
    s->wide_d = (double *)(void *)at;
    s->wide_l = s->wide_d + s->a->columns + 1;
    return KN_OK;
}

// v = (A + L) from.
static kn_status apply(struct cg *s, const void *from, kn_error *err)
{
    const struct solve_correction *correction = s->options->correction;
    size_t n = s->a->columns;
    double unused;
    kn_status status = s->a->product(s->a->data, false, from, s->v, &unused, err);

    if (status || !correction)
        return status;
    ki_host_vectors_widen(s->vectors, s->a->column_order, from, s->wide_d, n);
    memset(s->wide_l, 0, n * sizeof *s->wide_l);
    correction->along(correction->data, s->wide_d, s->wide_d, n, s->wide_l);
    ki_host_vectors_narrow(s->vectors, s->a->column_order, s->wide_l, s->l, n);
    ki_host_vectors_add(s->vectors, s->v, s->l, 1, n);
    return KN_OK;
}

// Recomputes r and the sum of its squares.
static kn_status remain(struct cg *s, const void *b, kn_error *err)
{
    kn_status status = apply(s, s->x, err);

    ki_host_vectors_arrange(s->vectors, s->a->row_order, b, s->r, s->a->rows);
    s->squares = ki_host_vectors_add(s->vectors, s->r, s->v, -1, s->a->columns);
    return status;
}

// One iteration; sets `*goes_on` to false if no direction is left.
static kn_status iterate(struct cg *s, bool *goes_on, double *step, kn_error *err)
{
    size_t n = s->a->columns;
    double curvature, before = s->squares;
    kn_status status = apply(s, s->d, err);

    if (status)
        return status;
    curvature = ki_host_vectors_dot(s->vectors, s->d, s->v, n);
    *goes_on = curvature > 0 && isfinite(before / curvature);
    if (!*goes_on)
        return KN_OK;
    *step = before / curvature;
    ki_host_vectors_add(s->vectors, s->x, s->d, *step, n);
    s->squares = ki_host_vectors_add(s->vectors, s->r, s->v, -*step, n);
    ki_host_vectors_turn(s->vectors, s->d, s->r, s->squares / before, n);
    return KN_OK;
}

static void note(const struct cg *s, double step, struct host_cgnr_result *result)
{
    double length = sqrt(s->squares);

    if (result->history)
        result->history[result->iterations] = length;
    if (result->gradients) {
        result->gradients[result->iterations] = length;
        result->steps[result->iterations] = step;
    }
}

static kn_status loop(struct cg *s, double right, struct host_cgnr_result *result, kn_error *err)
{
    const struct host_cgnr_options *options = s->options;
    kn_status status = KN_OK;
    bool goes_on = true;
    double step = 0;

    result->stopped_by = HOST_CGNR_ITERATIONS;
    for (result->iterations = 0;; result->iterations++) {
        note(s, step, result);
        if (options->tolerance > 0 && sqrt(s->squares) <= options->tolerance * right)
            result->stopped_by = HOST_CGNR_RESIDUAL;
        if (result->stopped_by != HOST_CGNR_ITERATIONS || result->iterations == options->iterations)
            return KN_OK;
        if (options->progress && !options->progress(options->progress_data, result->iterations))
            return ki_fail(err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", result->iterations);
        status = iterate(s, &goes_on, &step, err);
        if (status)
            return status;
        if (!goes_on) {
            result->stopped_by = HOST_CGNR_FLOOR;
            return KN_OK;
        }
    }
}

kn_status ki_host_cg(const struct host_cgnr_operator *a, const void *b,
                     const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                     kn_error *err)
{
    struct cg s = {.a = a, .vectors = a->vectors, .options = options};
    kn_status status = make_room(&s, err);

    if (status)
        return status;
    ki_host_vectors_arrange(s.vectors, a->column_order, x, s.x, a->columns);
    status = remain(&s, b, err);
    memcpy(s.d, s.r, a->columns * s.vectors->plan.size);
    if (!status)
        status = loop(&s, sqrt(ki_host_vectors_dot(s.vectors, b, b, a->rows)), result, err);
    if (!status)
        status = remain(&s, b, err);
    result->residual = result->normal_residual = sqrt(s.squares);
    if (!status)
        ki_host_vectors_restore(s.vectors, a->column_order, s.x, x, a->columns);
    ki_kept_give(a->kept, s.memory);
    return status;
}
