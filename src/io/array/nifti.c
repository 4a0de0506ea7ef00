// SPDX-License-Identifier: Apache-2.0
// The format (nifti1.h of the NIfTI working group): 348 bytes of header at fixed offsets, 4 bytes that say
// that no extension follows, the numbers from offset 352 on; little-endian, as the machine.
#include "nifti.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"

// Offsets in the header.
enum {
    AT_SIZE = 0,
    AT_DIM = 40,
    AT_DATATYPE = 70,
    AT_BITPIX = 72,
    AT_PIXDIM = 76,
    AT_VOX_OFFSET = 108,
    AT_SCL_SLOPE = 112,
    AT_XYZT_UNITS = 123,
    AT_DESCRIP = 148,
    AT_SFORM_CODE = 254,
    AT_SROW = 280,
    AT_MAGIC = 344,
    HEADER_BYTES = 348,
    DATA_AT = 352
};

enum { TYPE_FLOAT32 = 16, UNITS_MM = 2, FORM_SCANNER = 1, AXES = 3 };

static void put_short(unsigned char *header, size_t at, size_t value)
{
    int16_t number = (int16_t)value;

    memcpy(header + at, &number, sizeof number);
}

static void put_float(unsigned char *header, size_t at, double value)
{
    float number = (float)value;

    memcpy(header + at, &number, sizeof number);
}

static void fill_header(const struct npy *image, const double voxel_mm[3], unsigned char header[DATA_AT])
{
    static const double direction[AXES] = {1, -1, 1};
    const int32_t size = HEADER_BYTES;

    memset(header, 0, DATA_AT);
    memcpy(header + AT_SIZE, &size, sizeof size);
    put_short(header, AT_DIM, image->dims);
    for (size_t i = 1; i <= 7; i++)
        put_short(header, AT_DIM + 2 * i, i <= image->dims ? image->shape[image->dims - i] : 1);
    put_short(header, AT_DATATYPE, TYPE_FLOAT32);
    put_short(header, AT_BITPIX, 32);
    put_float(header, AT_PIXDIM, 1);
    put_float(header, AT_VOX_OFFSET, DATA_AT);
    put_float(header, AT_SCL_SLOPE, 1);
    header[AT_XYZT_UNITS] = UNITS_MM;
    memcpy(header + AT_DESCRIP, "Koine", 5); // NOLINT(bugprone-not-null-terminated-result): all is 0 before
    put_short(header, AT_SFORM_CODE, FORM_SCANNER);
    for (size_t i = 0; i < AXES; i++) {
        size_t row = AT_SROW + 4 * sizeof(float) * i,
               length = i < image->dims ? image->shape[image->dims - 1 - i] : 1;
        double side = voxel_mm ? voxel_mm[i] : 1;

        put_float(header, AT_PIXDIM + 4 * (i + 1), side);
        put_float(header, row + 4 * i, direction[i] * side);
        put_float(header, row + 4 * AXES, -direction[i] * side * (double)(length / 2));
    }
    memcpy(header + AT_MAGIC, "n+1", 4);
}

static kn_status check_image(const struct npy *image, size_t *count, kn_error *err)
{
    *count = 1;
    if (image->is_complex || (image->type != KN_F32 && image->type != KN_F64))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a NIfTI image is written from float32 or float64, not from %s", npy_type_name(image));
    if (image->dims < 1 || image->dims > AXES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a NIfTI image is written with 1 to 3 dimensions, not %zu",
                       image->dims);
    for (size_t i = 0; i < image->dims; i++) {
        if (image->shape[i] < 1 || image->shape[i] > INT16_MAX)
            return ki_fail(err, KN_ERROR_ARGUMENT, "a NIfTI image has 1 to 32767 voxels per side, not %zu",
                           image->shape[i]);
        *count *= image->shape[i];
    }
    return KN_OK;
}

kn_status nifti_write(const char *path, const struct npy *image, const double voxel_mm[3], bool force,
                      kn_error *err)
{
    unsigned char header[DATA_AT];
    struct ki_output *out = NULL;
    float *converted = NULL;
    size_t count;
    kn_status status = check_image(image, &count, err);

    if (status)
        return status;
    if (image->type == KN_F64) {
        converted = malloc(count * sizeof *converted);
        if (!converted)
            return ki_fail_memory(err, count * sizeof *converted, path);
        for (size_t i = 0; i < count; i++)
            converted[i] = (float)((const double *)image->data)[i];
    }
    fill_header(image, voxel_mm, header);
    status = ki_output_open(path, force, &out, err);
    if (!status) {
        fwrite(header, 1, sizeof header, ki_output_stream(out));
        fwrite(converted ? converted : image->data, sizeof(float), count, ki_output_stream(out));
        status = ki_output_close(out, err);
    }
    free(converted);
    return status;
}
