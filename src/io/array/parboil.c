// SPDX-License-Identifier: Apache-2.0
#include "parboil.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/input.h"

// Reads the counts at the file's beginning, and after them the floats that they announce: `each[i]` floats
// for count i. The caller frees `*numbers`.
static kn_status read_file(const char *path, const char *kind, size_t counts, const size_t each[],
                           int32_t found[], void **numbers, kn_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t head, bytes = 0, have = 0;
    kn_status status = KN_OK;

    *numbers = NULL;
    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    head = fread(found, sizeof *found, counts, file);
    if (ferror(file))
        status = ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    else if (head < counts)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "ends within the first %zu bytes, which hold the counts of %s",
                            counts * sizeof *found, kind);
    for (size_t i = 0; i < counts && !status; i++) {
        if (found[i] < 1)
            status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                                "offset %zu: a count of %d, expected at least 1; is it %s?",
                                i * sizeof *found, (int)found[i], kind);
        bytes += sizeof(float) * each[i] * (size_t)found[i];
    }
    if (!status)
        status = ki_input_read(file, path, bytes, numbers, &have, err);
    if (!status && (have < bytes || fgetc(file) != EOF))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "has %s than %zu bytes, which its counts ask for; is it %s, and complete?",
                            have < bytes ? "less" : "more", bytes + counts * sizeof *found, kind);
    fclose(file);
    return status;
}

kn_status parboil_read(const char *path, enum parboil_order order, struct parboil *data, kn_error *err)
{
    static const size_t each[] = {5, 3};
    int32_t counts[2];
    const float *at, *phi, *r;
    kn_status status;

    memset(data, 0, sizeof *data);
    status = read_file(path, "mri-q's input", 2, each, counts, &data->numbers, err);
    if (status) {
        parboil_free(data);
        return status;
    }
    data->samples = (size_t)counts[0];
    data->voxels = (size_t)counts[1];
    at = data->numbers;
    phi = at + 3 * data->samples + (order == PARBOIL_PUBLISHED ? 3 * data->voxels : 0);
    r = at + 3 * data->samples + (order == PARBOIL_TRUE ? 2 * data->samples : 0);
    for (size_t axis = 0; axis < 3; axis++) {
        data->k[axis] = at + axis * data->samples;
        data->r[axis] = r + axis * data->voxels;
    }
    for (size_t part = 0; part < 2; part++)
        data->phi[part] = phi + part * data->samples;
    return KN_OK;
}

void parboil_free(struct parboil *data)
{
    free(data->numbers);
    memset(data, 0, sizeof *data);
}

kn_status parboil_read_result(const char *path, struct npy *q, kn_error *err)
{
    static const size_t each[] = {2};
    int32_t count;
    void *numbers;
    float *pairs;
    kn_status status = read_file(path, "mri-q's result", 1, each, &count, &numbers, err);

    *q = (struct npy){.type = KN_F32, .is_complex = true, .dims = 1};
    if (status) {
        free(numbers);
        return status;
    }
    q->count = q->shape[0] = (size_t)count;
    q->data = pairs = malloc(2 * sizeof *pairs * q->count);
    for (size_t i = 0; pairs && i < q->count; i++) {
        pairs[2 * i] = ((float *)numbers)[i];
        pairs[2 * i + 1] = ((float *)numbers)[q->count + i];
    }
    free(numbers);
    if (pairs)
        return KN_OK;
    status = ki_fail_memory(err, 2 * sizeof *pairs * q->count, path);
    npy_free(q);
    return status;
}
