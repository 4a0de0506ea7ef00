// SPDX-License-Identifier: Apache-2.0
// What the methods of correlating on a device share: their names, and the checks of frames.
#include "device.h"

#include "base/error.h"
#include "engine/engine.h"

const char *const ki_autocorr_method_names[AUTOCORR_METHODS + 1] = {
    "auto", "direct", "fft", "naive", "simd", "texture-style", "two-line", "two-kernel", NULL};

// Side lengths that, together with an offset, fit the kernels' 32-bit numbers.
#define SIDE_MAX ((size_t)1 << 30)

static kn_status check_buffer(const char *function, const kn_queue *queue, const kn_buffer *buffer,
                              const char *what, size_t bytes, kn_error *err)
{
    if (!buffer || buffer->context != queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the buffer of %s is %s", function, what,
                       buffer ? "another context's" : "NULL");
    if (buffer->bytes < bytes)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the buffer of %s holds %zu bytes; expected at least %zu",
                       function, what, buffer->bytes, bytes);
    return KN_OK;
}

kn_status ki_autocorr_check_frames(const char *function, const kn_queue *queue,
                                   const struct autocorr_frames *frames, const kn_buffer *products,
                                   kn_error *err)
{
    const unsigned char nothing = 0; // in place of pixels, which the check does not read
    const struct autocorr_task task = {
        .first = {frames->width, frames->height, frames->width, frames->type, &nothing},
        .max_offset = frames->max_offset,
    };
    size_t frame, sums, bytes;
    kn_status status = ki_autocorr_check(&task, err);

    if (status)
        return status;
    if (frames->width > SIDE_MAX || frames->height > SIDE_MAX ||
        frames->max_offset > (UINT32_MAX - 1) / 2 / (frames->max_offset + 1))
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "%s: images of %zu x %zu pixels, offsets up to %zu; the kernels take sides up to %zu and "
            "offsets up to 46,340",
            function, frames->width, frames->height, frames->max_offset, SIDE_MAX);
    frame = frames->width * frames->height * kn_type_size(frames->type);
    sums = autocorr_offsets(frames->max_offset) * sizeof(uint64_t);
    if (frames->count > SIZE_MAX / (frame > sums ? frame : sums))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: %zu images of %zu bytes are more than the address space holds", function,
                       frames->count, frame);
    bytes = frames->count * frame;
    status = check_buffer(function, queue, frames->first, "images", bytes, err);
    if (frames->second && !status)
        status = check_buffer(function, queue, frames->second, "second images", bytes, err);
    if (products && !status)
        status = check_buffer(function, queue, products, "sums", frames->count * sums, err);
    return status;
}
