// SPDX-License-Identifier: Apache-2.0
// Images: every size, region and pitch is checked here, once for all backends.
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static const struct kind {
    const char *type;
    bool has_height, has_depth; // or layers
} kinds[] = {
    [KN_IMAGE_1D] = {"image1d_t", false, false},
    [KN_IMAGE_1D_BUFFER] = {"image1d_buffer_t", false, false},
    [KN_IMAGE_1D_ARRAY] = {"image1d_array_t", false, true},
    [KN_IMAGE_2D] = {"image2d_t", true, false},
    [KN_IMAGE_2D_ARRAY] = {"image2d_array_t", true, true},
    [KN_IMAGE_3D] = {"image3d_t", true, true},
};

// OpenCL 1.2, tables 5.6 and 5.7.
enum { BYTES_8 = 1, NORMALISED = 2, FLOATING = 4 };
static const struct {
    kn_channel_type type;
    unsigned bytes, is;
} types[] = {
    {KN_CHANNEL_SNORM8, 1, BYTES_8 | NORMALISED},
    {KN_CHANNEL_SNORM16, 2, NORMALISED},
    {KN_CHANNEL_UNORM8, 1, BYTES_8 | NORMALISED},
    {KN_CHANNEL_UNORM16, 2, NORMALISED},
    {KN_CHANNEL_SIGNED8, 1, BYTES_8},
    {KN_CHANNEL_SIGNED16, 2, 0},
    {KN_CHANNEL_SIGNED32, 4, 0},
    {KN_CHANNEL_UNSIGNED8, 1, BYTES_8},
    {KN_CHANNEL_UNSIGNED16, 2, 0},
    {KN_CHANNEL_UNSIGNED32, 4, 0},
    {KN_CHANNEL_HALF, 2, FLOATING},
    {KN_CHANNEL_FLOAT, 4, FLOATING},
};
static const struct {
    kn_channel_order order;
    unsigned channels, takes; // 0: every type
} orders[] = {
    {KN_ORDER_R, 1, 0},
    {KN_ORDER_A, 1, 0},
    {KN_ORDER_RG, 2, 0},
    {KN_ORDER_RA, 2, 0},
    {KN_ORDER_RGBA, 4, 0},
    {KN_ORDER_BGRA, 4, BYTES_8},
    {KN_ORDER_ARGB, 4, BYTES_8},
    {KN_ORDER_INTENSITY, 1, NORMALISED | FLOATING},
    {KN_ORDER_LUMINANCE, 1, NORMALISED | FLOATING},
};

const char *ki_engine_image_type(kn_image_kind kind)
{
    return kinds[kind].type;
}

size_t kn_image_format_size(kn_image_format format)
{
    for (size_t o = 0; o < KI_COUNT(orders); o++)
        for (size_t t = 0; t < KI_COUNT(types) && orders[o].order == format.order; t++)
            if (types[t].type == format.type)
                return !orders[o].takes || orders[o].takes & types[t].is
                           ? (size_t)orders[o].channels * types[t].bytes
                           : 0;
    return 0;
}

static kn_status check_shape(const kn_context *context, const struct be_image_shape *shape, kn_error *err)
{
    const struct kind *kind = &kinds[shape->kind];
    size_t bytes = shape->texel_bytes;

    if (!bytes)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_image_create: OpenCL 1.2 has no images with channels of order 0x%x and type 0x%x",
                       (unsigned)shape->format.order, (unsigned)shape->format.type);
    for (int d = 0; d < 3; d++) {
        if (!shape->size[d])
            return ki_fail(err, KN_ERROR_ARGUMENT, "kn_image_create: an image of %zu x %zu x %zu texels",
                           shape->size[0], shape->size[1], shape->size[2]);
        bytes = bytes > (size_t)-1 / shape->size[d] ? (size_t)-1 : bytes * shape->size[d];
    }
    if ((!kind->has_height && shape->size[1] != 1) || (!kind->has_depth && shape->size[2] != 1))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_image_create: an %s has no %s; %zu is given, 1 is expected", kind->type,
                       kind->has_height      ? "depth"
                       : shape->size[1] != 1 ? "height"
                                             : "depth or layers",
                       !kind->has_height && shape->size[1] != 1 ? shape->size[1] : shape->size[2]);
    if (bytes > context->device.info.max_alloc)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "kn_image_create: %zu x %zu x %zu texels of %zu bytes; %s allocates at most %llu bytes",
            shape->size[0], shape->size[1], shape->size[2], shape->texel_bytes, context->device.info.spec,
            (unsigned long long)context->device.info.max_alloc);
    return KN_OK;
}

kn_status kn_image_create(kn_context *context, kn_image_kind kind, kn_image_format format, size_t width,
                          size_t height, size_t depth, kn_image **image, kn_error *err)
{
    struct be_image_shape shape = {kind, format, {width, height, depth}, kn_image_format_size(format)};
    kn_image *made;
    kn_status status;

    if (!context || !image || (unsigned)kind >= KI_COUNT(kinds))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_image_create: context or image is NULL, or there is no such kind");
    status = check_shape(context, &shape, err);
    if (status)
        return status;
    if (!context->device.info.images)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no images", context->device.info.spec,
                       context->device.info.name);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "an image");
    made->context = ki_engine_hold(context);
    made->shape = shape;
    status = context->backend->image_create(context->native, &shape, &made->native, err);
    if (status) {
        kn_image_free(made);
        return status;
    }
    *image = made;
    return KN_OK;
}

void kn_image_free(kn_image *image)
{
    if (!image)
        return;
    if (image->native)
        image->context->backend->image_free(image->native);
    ki_engine_release(image->context);
    free(image);
}

kn_image_kind kn_image_get_kind(const kn_image *image)
{
    return image ? image->shape.kind : KN_IMAGE_1D;
}

kn_image_format kn_image_get_format(const kn_image *image)
{
    return image ? image->shape.format : (kn_image_format){0, 0};
}

void kn_image_get_size(const kn_image *image, size_t size[3])
{
    for (int d = 0; d < 3 && size; d++)
        size[d] = image ? image->shape.size[d] : 0;
}

// ---- copies ----

static kn_status check_region(const kn_image *image, const size_t origin[3], const size_t size[3],
                              const char *function, kn_error *err)
{
    const size_t *whole = image->shape.size;

    for (int d = 0; d < 3; d++)
        if (!size[d] || origin[d] > whole[d] || size[d] > whole[d] - origin[d])
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "%s: %zu x %zu x %zu texels from (%zu, %zu, %zu) on, of an image of %zu x %zu x %zu",
                function, size[0], size[1], size[2], origin[0], origin[1], origin[2], whole[0], whole[1],
                whole[2]);
    return KN_OK;
}

static kn_status check_copy(const kn_queue *queue, const kn_image *image, const kn_image_region *region,
                            const void *data, size_t row_pitch, struct be_image_copy *copy,
                            const char *function, kn_error *err)
{
    size_t row;

    if (!queue || !image || !data)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue, image or data is NULL", function);
    if (ki_engine_check_runs(queue, function, err))
        return KN_ERROR_ARGUMENT;
    if (queue->context != image->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the image belongs to another context than the queue",
                       function);
    if (region)
        copy->region = *region;
    else
        memcpy(copy->region.size, image->shape.size, sizeof copy->region.size);
    row = copy->region.size[0] * image->shape.texel_bytes;
    copy->row_pitch = row_pitch ? row_pitch : row;
    if (check_region(image, copy->region.origin, copy->region.size, function, err))
        return KN_ERROR_ARGUMENT;
    if (copy->row_pitch < row || copy->row_pitch % image->shape.texel_bytes)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: rows %zu bytes apart; they have %zu bytes, and texels of %zu have to fit between them",
            function, row_pitch, row, image->shape.texel_bytes);
    return KN_OK;
}

kn_status kn_image_write(kn_queue *queue, kn_image *image, const kn_image_region *region, const void *data,
                         size_t row_pitch, kn_error *err)
{
    struct be_image_copy copy = {{{0, 0, 0}, {0, 0, 0}}, 0};
    kn_status status = check_copy(queue, image, region, data, row_pitch, &copy, "kn_image_write", err);

    return status ? status
                  : image->context->backend->image_write(queue->native, image->native, data, &copy, err);
}

kn_status kn_image_read(kn_queue *queue, const kn_image *image, const kn_image_region *region, void *data,
                        size_t row_pitch, kn_error *err)
{
    struct be_image_copy copy = {{{0, 0, 0}, {0, 0, 0}}, 0};
    kn_status status = check_copy(queue, image, region, data, row_pitch, &copy, "kn_image_read", err);

    if (!status)
        status = image->context->backend->image_read(queue->native, image->native, data, &copy, err);
    if (!status)
        ki_flight_land_all(queue->flight);
    return status;
}

static bool overlap(const size_t a[3], const size_t b[3], const size_t size[3])
{
    for (int d = 0; d < 3; d++)
        if (a[d] >= b[d] + size[d] || b[d] >= a[d] + size[d])
            return false;
    return true;
}

kn_status kn_image_copy(kn_queue *queue, const kn_image *from, const kn_image_region *region, kn_image *to,
                        const size_t to_origin[3], kn_event **event, kn_error *err)
{
    static const size_t corner[3] = {0, 0, 0};
    struct be_event *native = NULL;
    struct be_image_copy copy = {{{0, 0, 0}, {0, 0, 0}}, 0};
    kn_status status = check_copy(queue, from, region, "", 0, &copy, "kn_image_copy (from)", err);

    if (status)
        return status;
    if (!to || to->context != from->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_image_copy: the second image is NULL or of another context");
    if (from->shape.kind != to->shape.kind)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_image_copy: an %s and an %s; both have to be of one kind",
                       kinds[from->shape.kind].type, kinds[to->shape.kind].type);
    if (memcmp(&from->shape.format, &to->shape.format, sizeof from->shape.format) != 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_image_copy: the images have two formats");
    to_origin = to_origin ? to_origin : corner;
    status = check_region(to, to_origin, copy.region.size, "kn_image_copy (to)", err);
    if (!status && from == to && overlap(copy.region.origin, to_origin, copy.region.size))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "kn_image_copy: the parts overlap");
    if (!status)
        status = from->context->backend->image_copy(queue->native, from->native, to->native, &copy.region,
                                                    to_origin, event ? &native : NULL, err);
    return status ? status : ki_engine_event_give(from->context, native, event, err);
}
