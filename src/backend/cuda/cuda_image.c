// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: images. An image is an array with twelve textures to read it and a surface to write it;
// an image buffer is plain memory, which kernels read and write themselves.
#include "cuda_image.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cuda.h"

// Integers are read as they are, normalised ones as numbers from -1 or 0 to 1; only the latter and real ones
// can be filtered.
static const struct format {
    kn_channel_type type;
    unsigned format;
    bool whole;
} formats[] = {
    {KN_CHANNEL_SNORM8, CU_AD_FORMAT_SIGNED_INT8, false},
    {KN_CHANNEL_SNORM16, CU_AD_FORMAT_SIGNED_INT16, false},
    {KN_CHANNEL_UNORM8, CU_AD_FORMAT_UNSIGNED_INT8, false},
    {KN_CHANNEL_UNORM16, CU_AD_FORMAT_UNSIGNED_INT16, false},
    {KN_CHANNEL_SIGNED8, CU_AD_FORMAT_SIGNED_INT8, true},
    {KN_CHANNEL_SIGNED16, CU_AD_FORMAT_SIGNED_INT16, true},
    {KN_CHANNEL_SIGNED32, CU_AD_FORMAT_SIGNED_INT32, true},
    {KN_CHANNEL_UNSIGNED8, CU_AD_FORMAT_UNSIGNED_INT8, true},
    {KN_CHANNEL_UNSIGNED16, CU_AD_FORMAT_UNSIGNED_INT16, true},
    {KN_CHANNEL_UNSIGNED32, CU_AD_FORMAT_UNSIGNED_INT32, true},
    {KN_CHANNEL_HALF, CU_AD_FORMAT_HALF, false},
    {KN_CHANNEL_FLOAT, CU_AD_FORMAT_FLOAT, false},
};

// In the order of kn_texture_index (cl/cuda/image.cuh).
static const struct {
    unsigned address, filter, flags;
} textures[CUDA_TEXTURES] = {
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0},
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_LINEAR, 0},
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES},
    {CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_LINEAR, CU_TRSF_NORMALIZED_COORDINATES},
};

static const struct format *format_of(kn_channel_type type)
{
    for (size_t i = 0; i < KI_COUNT(formats); i++)
        if (formats[i].type == type)
            return &formats[i];
    return NULL;
}

static unsigned channels_of(kn_channel_order order)
{
    switch (order) {
    case KN_ORDER_RGBA:
    case KN_ORDER_BGRA:
    case KN_ORDER_ARGB:
        return 4;
    case KN_ORDER_RG:
    case KN_ORDER_RA:
        return 2;
    default:
        return 1;
    }
}

static struct cuda_outcome create_array(struct be_image *image, const struct be_image_shape *shape,
                                        const struct format *format)
{
    bool has_layers = shape->kind == KN_IMAGE_1D_ARRAY || shape->kind == KN_IMAGE_2D_ARRAY;
    CUDA_ARRAY3D_DESCRIPTOR wanted = {
        .Width = shape->size[0],
        .Height = shape->kind >= KN_IMAGE_2D ? shape->size[1] : 0,
        .Depth = has_layers || shape->kind == KN_IMAGE_3D ? shape->size[2] : 0,
        .Format = format->format,
        .NumChannels = channels_of(shape->format.order),
        .Flags = CUDA_ARRAY3D_SURFACE_LDST | (has_layers ? CUDA_ARRAY3D_LAYERED : 0),
    };

    return CUDA_DO(&image->context->cu, cuArray3DCreate_v2, &image->array, &wanted);
}

// The textures and the surface over the array. Formats that cannot be filtered use the nearest texel instead.
// To the hardware a one-dimensional array has a height of one, and a border there too.
static struct cuda_outcome create_views(struct be_image *image, const struct be_image_shape *shape,
                                        const struct format *format)
{
    int dims = shape->kind < KN_IMAGE_2D ? 1 : 3;
    const struct cuda_driver *cu = &image->context->cu;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res = {.array = image->array}};
    struct cuda_outcome outcome = CUDA_DO(cu, cuSurfObjectCreate, &image->data.surface, &resource);

    for (size_t i = 0; i < CUDA_TEXTURES && !outcome.code; i++) {
        CUDA_TEXTURE_DESC how = {.filterMode = format->whole ? CU_TR_FILTER_MODE_POINT : textures[i].filter,
                                 .flags = textures[i].flags | (format->whole ? CU_TRSF_READ_AS_INTEGER : 0)};
        for (int d = 0; d < 3; d++)
            how.addressMode[d] = d < dims ? textures[i].address : CU_TR_ADDRESS_MODE_CLAMP;
        outcome = CUDA_DO(cu, cuTexObjectCreate, &image->data.textures[i], &resource, &how, NULL);
    }
    return outcome;
}

// With the context entered, or lost.
static void release(struct be_image *image)
{
    const struct cuda_driver *cu = &image->context->cu;

    for (size_t i = 0; i < CUDA_TEXTURES; i++)
        if (image->data.textures[i])
            (void)cu->cuTexObjectDestroy(image->data.textures[i]);
    if (image->array && image->data.surface)
        (void)cu->cuSurfObjectDestroy(image->data.surface);
    if (image->array)
        (void)cu->cuArrayDestroy(image->array);
    if (image->buffer)
        (void)cu->cuMemFree_v2(image->buffer);
    if (image->described)
        (void)cu->cuMemFree_v2(image->described);
    free(image);
}

// The driver has one code for every wrong size; the engine has checked everything else.
static kn_status refuse(struct be_context *context, const struct be_image_shape *shape,
                        struct cuda_outcome outcome, kn_error *err)
{
    char what[128];

    snprintf(what, sizeof what, "an image of %zu x %zu x %zu texels of %zu bytes", shape->size[0],
             shape->size[1], shape->size[2], shape->texel_bytes);
    if (outcome.code == CUDA_ERROR_INVALID_VALUE)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s: %s; the device takes no images of this size",
                       context->spec, what, outcome.call);
    return ki_cuda_fail(err, &context->cu, context->spec, outcome, what);
}

kn_status ki_cuda_image_create(struct be_context *context, const struct be_image_shape *shape,
                               struct be_image **image, kn_error *err)
{
    const struct format *format = format_of(shape->format.type);
    struct be_image *made = calloc(1, sizeof *made);
    struct cuda_outcome outcome;
    kn_status status;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA image");
    made->context = context;
    made->data.width = (int)shape->size[0];
    made->data.height = (int)shape->size[1];
    made->data.depth = (int)shape->size[2];
    made->data.order = (int)shape->format.order;
    made->data.type = (int)shape->format.type;
    made->data.texel_bytes = (int)shape->texel_bytes;
    status = ki_cuda_enter(context, err);
    if (status) {
        free(made);
        return status;
    }
    if (shape->kind == KN_IMAGE_1D_BUFFER) {
        outcome = CUDA_DO(&context->cu, cuMemAlloc_v2, &made->buffer, shape->size[0] * shape->texel_bytes);
        made->data.surface = made->buffer;
    } else {
        outcome = create_array(made, shape, format);
        if (!outcome.code)
            outcome = create_views(made, shape, format);
    }
    if (outcome.code) {
        status = refuse(context, shape, outcome, err);
        release(made);
    } else {
        *image = made;
    }
    ki_cuda_leave(context);
    return status;
}

void ki_cuda_image_free(struct be_image *image)
{
    struct be_context *context = image->context;
    bool entered = ki_cuda_enter_to_free(context);

    release(image);
    if (entered)
        ki_cuda_leave(context);
}

// ---- descriptions on the device ----

// In a separate stream, waiting for its end: any stream that reads it comes later.
static struct cuda_outcome describe(struct be_image *image)
{
    const struct cuda_driver *cu = &image->context->cu;
    CUdeviceptr address = 0;
    CUstream stream = NULL;
    struct cuda_outcome outcome = CUDA_DO(cu, cuMemAlloc_v2, &address, sizeof image->data);

    if (outcome.code)
        return outcome;
    outcome = CUDA_DO(cu, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuMemcpyHtoDAsync_v2, address, &image->data, sizeof image->data, stream);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuStreamSynchronize, stream);
    if (stream)
        (void)cu->cuStreamDestroy_v2(stream);
    if (outcome.code)
        (void)cu->cuMemFree_v2(address);
    else
        image->described = address;
    return outcome;
}

struct cuda_outcome ki_cuda_images_describe(struct be_context *context, const struct be_arg *args,
                                            size_t count)
{
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};

    pthread_mutex_lock(&context->lock); // other queues' threads may launch with the same images
    for (size_t i = 0; i < count && !outcome.code; i++)
        if (args[i].kind == BE_ARG_IMAGE && !args[i].image->described)
            outcome = describe(args[i].image);
    pthread_mutex_unlock(&context->lock);
    return outcome;
}

// ---- copies ----

static struct cuda_copy_side side_of(const struct be_image *image, const size_t origin[3])
{
    struct cuda_copy_side side = {
        .x_bytes = origin[0] * (size_t)image->data.texel_bytes, .y = origin[1], .z = origin[2]};

    side.memory_type = image->array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    side.array = image->array;
    side.device = image->buffer;
    side.pitch = (size_t)image->data.width * (size_t)image->data.texel_bytes; // a buffer is one row
    side.height = 1;
    return side;
}

static struct cuda_copy_side host_side(const void *data, const struct be_image_copy *copy)
{
    return (struct cuda_copy_side){.memory_type = CU_MEMORYTYPE_HOST,
                                   .host = (void *)data,
                                   .pitch = copy->row_pitch,
                                   .height = copy->region.size[1]};
}

static kn_status copy_between(struct be_queue *queue, const struct cuda_copy_side *from,
                              const struct cuda_copy_side *to, const kn_image_region *region,
                              size_t texel_bytes, bool blocking, const char *what, struct be_event **event,
                              kn_error *err)
{
    CUDA_MEMCPY3D copy = {*from, *to, region->size[0] * texel_bytes, region->size[1], region->size[2]};
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    outcome = CUDA_DO(&queue->context->cu, cuMemcpy3DAsync_v2, &copy, queue->stream);
    return ki_cuda_work_end(&work, outcome, blocking, what, event, err);
}

kn_status ki_cuda_image_write(struct be_queue *queue, struct be_image *to, const void *from,
                              const struct be_image_copy *copy, kn_error *err)
{
    struct cuda_copy_side host = host_side(from, copy), image = side_of(to, copy->region.origin);

    return copy_between(queue, &host, &image, &copy->region, (size_t)to->data.texel_bytes, true,
                        "copying to an image", NULL, err);
}

kn_status ki_cuda_image_read(struct be_queue *queue, struct be_image *from, void *to,
                             const struct be_image_copy *copy, kn_error *err)
{
    struct cuda_copy_side host = host_side(to, copy), image = side_of(from, copy->region.origin);

    return copy_between(queue, &image, &host, &copy->region, (size_t)from->data.texel_bytes, true,
                        "copying from an image", NULL, err);
}

kn_status ki_cuda_image_copy(struct be_queue *queue, struct be_image *from, struct be_image *to,
                             const kn_image_region *region, const size_t to_origin[3],
                             struct be_event **event, kn_error *err)
{
    struct cuda_copy_side source = side_of(from, region->origin), target = side_of(to, to_origin);

    return copy_between(queue, &source, &target, region, (size_t)from->data.texel_bytes, false,
                        "copying between images", event, err);
}
