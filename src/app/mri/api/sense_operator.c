// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: an operator for an image that several coils see.
#include <stdlib.h>
#include <string.h>

#include "app/mri/sense/sense.h"
#include "base/error.h"

static kn_status check(const kn_queue *queue, const kn_operator *a, bool stacked, const double *maps,
                       size_t coils, kn_operator *const *made, kn_error *err)
{
    size_t voxels = kn_operator_get_columns(a), rows = kn_operator_get_rows(a),
           larger = voxels > rows ? voxels : rows;

    if (!a || !maps || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", !a ? "the operator" : maps ? "made" : "maps");
    if (coils == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no coils");
    if (!kn_operator_get_is_complex(a) ||
        kn_operator_get_type(a) != (kn_operator_get_context(a) ? KN_F32 : KN_F64))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "an operator of coils is made of one of complex numbers, of KN_F32 on a device and KN_F64 "
            "on the host");
    if (kn_operator_get_context(a) != (queue ? kn_queue_get_context(queue) : NULL))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       queue ? "the operator is not one of the queue's context"
                             : "the queue is NULL, and the operator is one of a device");
    if (!stacked && voxels != rows)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "an operator of %zu rows and %zu columns has no sum of S^H A S; take F^H W F, or `stacked`", rows,
            voxels);
    if (larger && coils > SIZE_MAX / sizeof(double complex) / 2 / larger)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu coils of %zu numbers are more than memory has addresses for",
                       coils, larger);
    return ki_mri_maps_check((const double complex *)maps, coils, voxels, err);
}

static kn_status create(kn_queue *queue, kn_operator *a, bool stacked, const double *maps, size_t coils,
                        kn_operator **made, kn_error *err)
{
    struct mri_sense sense = {.a = a, .stacked = stacked, .owns = true, .coils = coils};
    size_t voxels = kn_operator_get_columns(a), bytes;
    kn_status status = check(queue, a, stacked, maps, coils, made, err);

    if (status)
        return status;
    bytes = coils * voxels * sizeof *sense.maps;
    if (queue) {
        status = ki_mri_maps_create(queue, (const double complex *)maps, coils, voxels, &sense.there, err);
    } else {
        sense.maps = malloc(bytes);
        if (sense.maps)
            memcpy(sense.maps, maps, bytes);
        else
            status = ki_fail_memory(err, bytes, "the maps of the coils");
    }
    if (!status)
        status = ki_mri_sense_begin(&sense, made, err);
    if (status) {
        ki_mri_maps_free(sense.there);
        free(sense.maps);
    }
    return status;
}

kn_status kn_recon_sense_create(kn_queue *queue, kn_operator *a, bool stacked, const double *maps,
                                size_t coils, kn_operator **made, kn_error *err)
{
    return ki_error_name(__func__, create(queue, a, stacked, maps, coils, made, err), err);
}
