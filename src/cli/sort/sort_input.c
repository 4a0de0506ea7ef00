// SPDX-License-Identifier: Apache-2.0
// koine sort: keys, values and offsets, and what is refused of them.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd_sort.h"

static bool is_nan(const struct npy *array, size_t i)
{
    if (array->type == KN_F32)
        return isnan(((const float *)array->data)[i]);
    return array->type == KN_F64 && isnan(((const double *)array->data)[i]);
}

kn_status sort_refuse_nan(const struct sorting *sorting, size_t first, kn_error *err)
{
    for (size_t i = 0; i < sorting->keys.count && sorting->arguments->nan == SORT_NAN_ERROR; i++)
        if (is_nan(&sorting->keys, i))
            return ki_fail_at(err, KN_ERROR_INPUT, sorting->arguments->tool.common.operands.items[0], 0,
                              "element %zu (from 0) is not a number", first + i);
    return KN_OK;
}

kn_status sort_check_top(const struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;

    if (arguments->top > sorting->keys.count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--top %zu: %s has %zu elements", arguments->top,
                       arguments->tool.common.operands.items[0], sorting->keys.count);
    return KN_OK;
}

kn_status sort_check_values(const struct sorting *sorting, const struct npy *values, kn_error *err)
{
    const char *path = sorting->arguments->by_key;

    if (values->dims < 1 || values->shape[0] != sorting->keys.count)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu values for %zu keys",
                          values->dims ? values->shape[0] : 1, sorting->keys.count);
    if (values->dims != 1)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu dimensions, expected one", values->dims);
    return KN_OK;
}

// Offsets of any integer type as 64-bit numbers.
kn_status sort_read_offsets(struct sorting *sorting, kn_error *err)
{
    const char *path = sorting->arguments->segments;
    struct npy *offsets = &sorting->offsets;
    kn_status status = npy_read(path, offsets, err);

    if (status)
        return status;
    if (offsets->dims != 1 || offsets->count < 1)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "expected one dimension and at least one offset");
    if (offsets->type == KN_I64 || offsets->type == KN_U64)
        return KN_OK;
    if (offsets->type != KN_I32 && offsets->type != KN_U32)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "offsets of %s, expected integers of 32 or 64 bits",
                          npy_type_name(offsets));
    uint64_t *wide = malloc(offsets->count * sizeof *wide);
    if (!wide)
        return ki_fail_memory(err, offsets->count * sizeof *wide, "reading the offsets");
    for (size_t i = 0; i < offsets->count; i++)
        wide[i] = offsets->type == KN_U32 ? ((const uint32_t *)offsets->data)[i]
                                          : (uint64_t)(int64_t)((const int32_t *)offsets->data)[i];
    free(offsets->data);
    offsets->data = wide;
    offsets->type = KN_U64;
    return KN_OK;
}

kn_status sort_read_input(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    kn_status status =
        tool_read_column(&sorting->tool, arguments->tool.common.operands.items[0], &sorting->keys, err);

    if (!status)
        status = sort_refuse_nan(sorting, 0, err);
    if (!status)
        status = sort_check_top(sorting, err);
    if (!status && arguments->by_key)
        status = npy_read(arguments->by_key, &sorting->values, err);
    if (!status && arguments->by_key)
        status = sort_check_values(sorting, &sorting->values, err);
    if (!status && arguments->segments)
        status = sort_read_offsets(sorting, err);
    return status;
}
