// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "frames.h"

// A slice: grey levels, but floats as they are, since they are scaled together.
static kn_status read_slice(struct frames *frames, size_t i, struct image *slice, kn_error *err)
{
    kn_autocorr_grey grey;
    kn_status status = frames_read_image(frames, i, slice, err);
    kn_autocorr_picture picture;

    if (status || (slice->channels == 1 && slice->type == KN_F32))
        return status;
    picture =
        (kn_autocorr_picture){slice->width, slice->height, slice->channels, slice->type, slice->samples};
    status = kn_autocorr_make_grey(frames->names[i], &picture, &grey, err);
    slice->samples = status ? NULL : grey.pixels;
    slice->type = grey.type;
    slice->channels = 1;
    return status;
}

static kn_status check_like(const struct frames *frames, size_t i, const struct image *slice,
                            const struct frames_volume *volume, kn_error *err)
{
    if (slice->width == volume->width && slice->height == volume->height && slice->type == volume->type)
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, frames->names[i], 0,
                      "page %zu is %zu x %zu %s, but the volume begins with %zu x %zu %s; all slices must "
                      "have one size and type",
                      frames->sources[i].page + 1, slice->width, slice->height, kn_type_name(slice->type),
                      volume->width, volume->height, kn_type_name(volume->type));
}

// The first slice says what the others are.
static kn_status begin(const struct image *slice, size_t count, struct frames_volume *volume, kn_error *err)
{
    size_t bytes = slice->width * slice->height * kn_type_size(slice->type);

    *volume = (struct frames_volume){slice->width, slice->height, count, slice->type, NULL};
    if (bytes <= SIZE_MAX / count)
        volume->voxels = malloc(bytes * count);
    return volume->voxels ? KN_OK : ki_fail_memory(err, bytes, "a volume");
}

kn_status frames_read_volume(struct frames *frames, struct frames_volume *volume, kn_error *err)
{
    kn_status status = KN_OK;

    *volume = (struct frames_volume){.voxels = NULL};
    for (size_t i = 0; i < frames->count && !status; i++) {
        struct image slice = {.samples = NULL};

        status = read_slice(frames, i, &slice, err);
        if (!status)
            status =
                i ? check_like(frames, i, &slice, volume, err) : begin(&slice, frames->count, volume, err);
        if (!status) {
            size_t bytes = slice.width * slice.height * kn_type_size(slice.type);

            memcpy((unsigned char *)volume->voxels + i * bytes, slice.samples, bytes);
        }
        free(slice.samples);
    }
    if (status) {
        free(volume->voxels);
        volume->voxels = NULL;
    }
    return status;
}
