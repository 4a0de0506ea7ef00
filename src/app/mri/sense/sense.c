// SPDX-License-Identifier: Apache-2.0
// Operators for an image that several coils see, made from an operator for a single coil.
#include "sense.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/engine.h"
#include "operator/operator.h"

// The data of the operator's functions: `seen` and `part` in host memory, or the buffers on a device.
struct sense {
    struct mri_sense of;
    size_t voxels, rows;         // rows: those of A
    double complex *seen, *part; // S_c x, `voxels` numbers; A S_c x, `rows` numbers
    kn_buffer *seen_there, *part_there;
};

// ---- on the host ----

// part = A S_c x.
static kn_status look_host(const struct sense *s, size_t coil, const double complex *x, double complex *part,
                           kn_error *err)
{
    ki_mri_map_multiply(s->of.maps + coil * s->voxels, x, s->voxels, s->seen);
    return kn_operator_apply_host(s->of.a, false, s->seen, part, err);
}

static kn_status stack_host(const struct sense *s, bool adjoint, const double complex *from,
                            double complex *to, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t n = 0; n < s->voxels && adjoint; n++)
        to[n] = 0;
    for (size_t coil = 0; coil < s->of.coils && !status; coil++) {
        if (!adjoint) {
            status = look_host(s, coil, from, to + coil * s->rows, err);
            continue;
        }
        status = kn_operator_apply_host(s->of.a, true, from + coil * s->rows, s->seen, err);
        if (!status)
            ki_mri_map_add(s->of.maps + coil * s->voxels, s->seen, s->voxels, to);
    }
    return status;
}

static kn_status sum_host(const struct sense *s, const double complex *from, double complex *to,
                          kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t n = 0; n < s->voxels; n++)
        to[n] = 0;
    for (size_t coil = 0; coil < s->of.coils && !status; coil++) {
        status = look_host(s, coil, from, s->part, err);
        if (!status)
            ki_mri_map_add(s->of.maps + coil * s->voxels, s->part, s->voxels, to);
    }
    return status;
}

static kn_status apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    const struct sense *s = data;

    return s->of.stacked ? stack_host(s, adjoint, from, to, err) : sum_host(s, from, to, err);
}

// ---- on a device ----

static kn_status look(const struct sense *s, kn_queue *queue, size_t coil, const kn_buffer *x, kn_error *err)
{
    kn_status status = ki_mri_maps_multiply(queue, s->of.there, coil, x, s->seen_there, err);

    return status ? status : kn_operator_apply(queue, s->of.a, false, s->seen_there, s->part_there, err);
}

static kn_status stack(const struct sense *s, kn_queue *queue, bool adjoint, const kn_buffer *from,
                       kn_buffer *to, kn_error *err)
{
    size_t bytes = s->rows * 2 * sizeof(float);
    kn_status status = KN_OK;

    for (size_t coil = 0; coil < s->of.coils && !status; coil++) {
        if (!adjoint) {
            status = look(s, queue, coil, from, err);
            if (!status)
                status = kn_buffer_copy(queue, s->part_there, 0, to, coil * bytes, bytes, NO_EVENT, err);
            continue;
        }
        status = kn_buffer_copy(queue, from, coil * bytes, s->part_there, 0, bytes, NO_EVENT, err);
        if (!status)
            status = kn_operator_apply(queue, s->of.a, true, s->part_there, s->seen_there, err);
        if (!status)
            status = ki_mri_maps_add(queue, s->of.there, coil, s->seen_there, coil == 0, to, err);
    }
    return status;
}

static kn_status sum(const struct sense *s, kn_queue *queue, const kn_buffer *from, kn_buffer *to,
                     kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t coil = 0; coil < s->of.coils && !status; coil++) {
        status = look(s, queue, coil, from, err);
        if (!status)
            status = ki_mri_maps_add(queue, s->of.there, coil, s->part_there, coil == 0, to, err);
    }
    return status;
}

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *err)
{
    const struct sense *s = data;

    return s->of.stacked ? stack(s, queue, adjoint, from, to, err) : sum(s, queue, from, to, err);
}

// ---- creation ----

static void release(void *data)
{
    struct sense *s = data;

    if (!s)
        return;
    ki_operator_release(s->of.a);
    if (s->of.owns) {
        free(s->of.maps);
        ki_mri_maps_free(s->of.there);
    }
    kn_buffer_free(s->seen_there);
    kn_buffer_free(s->part_there);
    free(s->seen);
    free(s->part);
    free(s);
}

static kn_status make_room(struct sense *s, kn_error *err)
{
    kn_context *context = kn_operator_get_context(s->of.a);
    kn_status status;

    if (context) {
        status = kn_buffer_create(context, s->voxels * 2 * sizeof(float), &s->seen_there, err);
        return status ? status : kn_buffer_create(context, s->rows * 2 * sizeof(float), &s->part_there, err);
    }
    s->seen = malloc(s->voxels * sizeof *s->seen);
    s->part = malloc(s->rows * sizeof *s->part);
    return s->seen && s->part
               ? KN_OK
               : ki_fail_memory(err, (s->voxels + s->rows) * sizeof *s->seen, "an operator of several coils");
}

kn_status ki_mri_sense_begin(const struct mri_sense *sense, kn_operator **made, kn_error *err)
{
    kn_context *context = kn_operator_get_context(sense->a);
    struct sense *s = calloc(1, sizeof *s);
    kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .columns = kn_operator_get_columns(sense->a),
                .type = kn_operator_get_type(sense->a), .is_complex = true, .release = release, .data = s);
    kn_status status;

    if (!s)
        return ki_fail_memory(err, sizeof *s, "an operator of several coils");
    s->of = *sense;
    s->of.owns = false; // until the operator has been created
    s->voxels = kn_operator_get_columns(sense->a);
    s->rows = kn_operator_get_rows(sense->a);
    ki_operator_hold(sense->a);
    functions.rows = sense->stacked ? sense->coils * s->rows : s->voxels;
    if (context)
        functions.apply = apply;
    else
        functions.apply_host = apply_host;
    status = make_room(s, err);
    if (!status)
        status = kn_operator_create(context, &functions, made, err);
    s->of.owns = !status && sense->owns;
    if (status)
        release(s);
    return status;
}
