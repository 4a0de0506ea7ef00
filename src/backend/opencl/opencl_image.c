// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend: images and samplers. An image buffer is a buffer with an image over it, and is copied
// as a buffer.
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST_FORMATS 512 // for which a driver is asked

static cl_image_desc describe(const struct be_image_shape *shape, cl_mem buffer)
{
    static const cl_mem_object_type types[] = {
        [KN_IMAGE_1D] = CL_MEM_OBJECT_IMAGE1D,
        [KN_IMAGE_1D_BUFFER] = CL_MEM_OBJECT_IMAGE1D_BUFFER,
        [KN_IMAGE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
        [KN_IMAGE_2D] = CL_MEM_OBJECT_IMAGE2D,
        [KN_IMAGE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        [KN_IMAGE_3D] = CL_MEM_OBJECT_IMAGE3D,
    };
    bool is_array = shape->kind == KN_IMAGE_1D_ARRAY || shape->kind == KN_IMAGE_2D_ARRAY;
    cl_image_desc desc = {.image_type = types[shape->kind], .image_width = shape->size[0]};

    if (shape->kind >= KN_IMAGE_2D)
        desc.image_height = shape->size[1];
    if (shape->kind == KN_IMAGE_3D)
        desc.image_depth = shape->size[2];
    if (is_array)
        desc.image_array_size = shape->size[2];
    desc.buffer = buffer;
    return desc;
}

// Asked first, because drivers refuse an unsupported format with various codes. If the query fails, the
// format is tried.
static bool takes_format(struct be_context *context, const cl_image_format *format, cl_mem_object_type type)
{
    cl_image_format formats[MOST_FORMATS];
    cl_uint count = 0;

    if (cl->GetSupportedImageFormats(context->context, CL_MEM_READ_WRITE, type, MOST_FORMATS, formats,
                                     &count) != CL_SUCCESS)
        return true;
    for (cl_uint i = 0; i < count && i < MOST_FORMATS; i++)
        if (memcmp(&formats[i], format, sizeof *format) == 0)
            return true;
    return count > MOST_FORMATS;
}

kn_status ki_opencl_image_create(struct be_context *context, const struct be_image_shape *shape,
                                 struct be_image **image, kn_error *err)
{
    cl_image_format format = {(cl_channel_order)shape->format.order, (cl_channel_type)shape->format.type};
    struct be_image *made = calloc(1, sizeof *made);
    cl_int code = CL_SUCCESS;
    cl_image_desc desc;
    char what[96];

    if (!made)
        return ki_fail_memory(err, sizeof *made, "an OpenCL image");
    if (!takes_format(context, &format, describe(shape, NULL).image_type)) {
        free(made);
        return ki_opencl_fail(err, CL_IMAGE_FORMAT_NOT_SUPPORTED, context->spec, "an image");
    }
    made->texel_bytes = shape->texel_bytes;
    made->kind = shape->kind;
    if (shape->kind == KN_IMAGE_1D_BUFFER)
        made->buffer = cl->CreateBuffer(context->context, CL_MEM_READ_WRITE,
                                        shape->size[0] * shape->texel_bytes, NULL, &code);
    if (code == CL_SUCCESS) {
        desc = describe(shape, made->buffer);
        made->image = cl->CreateImage(context->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    }
    if (!made->image) {
        if (made->buffer)
            cl->ReleaseMemObject(made->buffer);
        free(made);
        snprintf(what, sizeof what, "an image of %zu x %zu x %zu texels", shape->size[0], shape->size[1],
                 shape->size[2]);
        return ki_opencl_fail(err, code, context->spec, what);
    }
    *image = made;
    return KN_OK;
}

void ki_opencl_image_free(struct be_image *image)
{
    cl->ReleaseMemObject(image->image);
    if (image->buffer)
        cl->ReleaseMemObject(image->buffer);
    free(image);
}

// ---- copies ----

// A region in OpenCL's terms, which count the layers of a 1D array in the second size.
struct box {
    size_t origin[3], size[3];
};

static struct box box_of(const struct be_image *image, const size_t origin[3], const size_t size[3])
{
    struct box box;

    memcpy(box.origin, origin, sizeof box.origin);
    memcpy(box.size, size, sizeof box.size);
    if (image->kind == KN_IMAGE_1D_ARRAY) {
        box.origin[1] = origin[2];
        box.size[1] = size[2];
        box.origin[2] = 0;
        box.size[2] = 1;
    }
    return box;
}

// Bytes between slices or layers in host memory; 0 if there are none.
static size_t slice_pitch(const struct be_image *image, const struct be_image_copy *copy)
{
    bool has_slices = image->kind == KN_IMAGE_1D_ARRAY || image->kind >= KN_IMAGE_2D_ARRAY;

    return has_slices ? copy->row_pitch * copy->region.size[1] : 0;
}

kn_status ki_opencl_image_write(struct be_queue *queue, struct be_image *to, const void *from,
                                const struct be_image_copy *copy, kn_error *err)
{
    struct box at = box_of(to, copy->region.origin, copy->region.size);
    cl_int code;

    if (to->buffer)
        code = cl->EnqueueWriteBuffer(queue->queue, to->buffer, CL_TRUE, at.origin[0] * to->texel_bytes,
                                      at.size[0] * to->texel_bytes, from, 0, NULL, NULL);
    else
        code = cl->EnqueueWriteImage(queue->queue, to->image, CL_TRUE, at.origin, at.size, copy->row_pitch,
                                     slice_pitch(to, copy), from, 0, NULL, NULL);
    return code == CL_SUCCESS ? KN_OK
                              : ki_opencl_fail(err, code, queue->context->spec, "copying to an image");
}

kn_status ki_opencl_image_read(struct be_queue *queue, struct be_image *from, void *to,
                               const struct be_image_copy *copy, kn_error *err)
{
    struct box at = box_of(from, copy->region.origin, copy->region.size);
    cl_int code;

    if (from->buffer)
        code = cl->EnqueueReadBuffer(queue->queue, from->buffer, CL_TRUE, at.origin[0] * from->texel_bytes,
                                     at.size[0] * from->texel_bytes, to, 0, NULL, NULL);
    else
        code = cl->EnqueueReadImage(queue->queue, from->image, CL_TRUE, at.origin, at.size, copy->row_pitch,
                                    slice_pitch(from, copy), to, 0, NULL, NULL);
    return code == CL_SUCCESS ? KN_OK
                              : ki_opencl_fail(err, code, queue->context->spec, "copying from an image");
}

kn_status ki_opencl_image_copy(struct be_queue *queue, struct be_image *from, struct be_image *to,
                               const kn_image_region *region, const size_t to_origin[3],
                               struct be_event **event, kn_error *err)
{
    struct box source = box_of(from, region->origin, region->size),
               target = box_of(to, to_origin, region->size);
    size_t texel = from->texel_bytes;
    cl_event native = NULL, *wanted = event ? &native : NULL;
    cl_int code;

    if (from->buffer)
        code = cl->EnqueueCopyBuffer(queue->queue, from->buffer, to->buffer, source.origin[0] * texel,
                                     target.origin[0] * texel, source.size[0] * texel, 0, NULL, wanted);
    else
        code = cl->EnqueueCopyImage(queue->queue, from->image, to->image, source.origin, target.origin,
                                    source.size, 0, NULL, wanted);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "copying between images");
    return ki_opencl_event_give(queue->context, native, event, err);
}

cl_int ki_opencl_sampler(struct be_context *context, unsigned bits, cl_sampler *sampler)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                               CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
    cl_int code = CL_SUCCESS;

    pthread_mutex_lock(&context->lock);
    if (!context->samplers[bits])
        context->samplers[bits] =
            cl->CreateSampler(context->context, bits & KN_SAMPLER_NORMALIZED, modes[bits >> 1 & 7],
                              bits & KN_SAMPLER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
    *sampler = context->samplers[bits];
    pthread_mutex_unlock(&context->lock);
    return code;
}
