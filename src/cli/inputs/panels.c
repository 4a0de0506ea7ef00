// SPDX-License-Identifier: Apache-2.0
#include "panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/error.h"
#include "base/text/text.h"

static kn_status check_shape(const char *path, const size_t shape[3], const struct npy *array, kn_error *err)
{
    struct ki_text found = KI_TEXT_INIT;
    kn_status status;

    if (array->is_complex)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "complex numbers; expected real ones");
    if (array->dims == 3 && memcmp(array->shape, shape, 3 * sizeof *shape) == 0)
        return KN_OK;
    for (size_t i = 0; i < array->dims; i++)
        ki_text_format(&found, "%s%zu", i ? " x " : "", array->shape[i]);
    status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                        "an array of %s; the geometry expects %zu projections of %zu x %zu",
                        array->dims ? ki_text_string(&found) : "one number", shape[0], shape[1], shape[2]);
    ki_text_free(&found);
    return status;
}

static kn_status check_number(const char *path, const size_t shape[3], size_t i, double value, kn_error *err)
{
    if (isfinite(value))
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                      "detector %zu of line %zu of projection %zu (from 0) is %g; expected finite numbers",
                      i % shape[2], i / shape[2] % shape[1], i / shape[2] / shape[1], value);
}

// Of an array that has a type already.
static kn_status check_numbers(const char *path, const size_t shape[3], const struct npy *array,
                               kn_error *err)
{
    const float *singles = array->data;
    const double *doubles = array->data;
    kn_status status = KN_OK;

    for (size_t i = 0; i < array->count && !status; i++)
        status = check_number(path, shape, i, array->type == KN_F32 ? (double)singles[i] : doubles[i], err);
    return status;
}

static kn_status convert(const char *path, const size_t shape[3], kn_type type, struct npy *array,
                         kn_error *err)
{
    const size_t size = kn_type_size(array->type), to_size = kn_type_size(type);
    unsigned char *to = malloc(array->count * to_size + 1);
    kn_status status = to ? KN_OK : ki_fail_memory(err, array->count * to_size, path);

    for (size_t i = 0; i < array->count && !status; i++) {
        uint64_t bits = 0;
        double value;
        float single;

        memcpy(&bits, (const char *)array->data + i * size, size);
        value = ki_element_value(bits, array->type);
        single = (float)value;
        status = check_number(path, shape, i, type == KN_F32 ? (double)single : value, err);
        memcpy(to + i * to_size, type == KN_F32 ? (void *)&single : &value, to_size);
    }
    free(array->data);
    array->data = to;
    array->type = type;
    return status;
}

kn_status panels_read(const char *path, const size_t shape[3], kn_type type, struct npy *array, kn_error *err)
{
    kn_status status = npy_read(path, array, err);

    if (status)
        return status;
    status = check_shape(path, shape, array, err);
    if (!status)
        status = array->type == type ? check_numbers(path, shape, array, err)
                                     : convert(path, shape, type, array, err);
    if (status)
        npy_free(array);
    return status;
}
