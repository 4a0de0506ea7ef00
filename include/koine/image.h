// SPDX-License-Identifier: Apache-2.0
// Images: texels that kernels read through samplers and write one by one (OpenCL C 1.2, 6.12.14). OpenCL
// images on OpenCL; arrays with texture and surface objects on CUDA.
#ifndef KOINE_IMAGE_H
#define KOINE_IMAGE_H

#include <stddef.h>

#include <koine/context.h>
#include <koine/event.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_image kn_image;

// As a kernel's parameter: image1d_t, image1d_buffer_t, image1d_array_t, image2d_t, image2d_array_t,
// image3d_t.
typedef enum kn_image_kind {
    KN_IMAGE_1D = 0,
    KN_IMAGE_1D_BUFFER = 1,
    KN_IMAGE_1D_ARRAY = 2,
    KN_IMAGE_2D = 3,
    KN_IMAGE_2D_ARRAY = 4,
    KN_IMAGE_3D = 5
} kn_image_kind;

// The channels of a texel, in memory order; the values are OpenCL's. BGRA and ARGB have 8-bit channels,
// INTENSITY and LUMINANCE normalised or floating-point ones; the others can have any type.
typedef enum kn_channel_order {
    KN_ORDER_R = 0x10B0,
    KN_ORDER_A = 0x10B1,
    KN_ORDER_RG = 0x10B2,
    KN_ORDER_RA = 0x10B3,
    KN_ORDER_RGBA = 0x10B5,
    KN_ORDER_BGRA = 0x10B6,
    KN_ORDER_ARGB = 0x10B7,
    KN_ORDER_INTENSITY = 0x10B8,
    KN_ORDER_LUMINANCE = 0x10B9
} kn_channel_order;

// The type of a channel; the values are OpenCL's. SNORM and UNORM are read as float from -1 or 0 to 1
// (read_imagef), HALF and FLOAT as float, SIGNED through read_imagei, UNSIGNED through read_imageui.
typedef enum kn_channel_type {
    KN_CHANNEL_SNORM8 = 0x10D0,
    KN_CHANNEL_SNORM16 = 0x10D1,
    KN_CHANNEL_UNORM8 = 0x10D2,
    KN_CHANNEL_UNORM16 = 0x10D3,
    KN_CHANNEL_SIGNED8 = 0x10D7,
    KN_CHANNEL_SIGNED16 = 0x10D8,
    KN_CHANNEL_SIGNED32 = 0x10D9,
    KN_CHANNEL_UNSIGNED8 = 0x10DA,
    KN_CHANNEL_UNSIGNED16 = 0x10DB,
    KN_CHANNEL_UNSIGNED32 = 0x10DC,
    KN_CHANNEL_HALF = 0x10DD,
    KN_CHANNEL_FLOAT = 0x10DE
} kn_channel_type;

typedef struct kn_image_format {
    kn_channel_order order;
    kn_channel_type type;
} kn_image_format;

// Bytes of a texel: 1 to 16; 0 if OpenCL 1.2 has no such format.
KN_API size_t kn_image_format_size(kn_image_format format);

// A sampler is a sum of these: a filter, an addressing mode, and whether coordinates are normalised; the bits
// are OpenCL C's CLK_ values. REPEAT and MIRROR need normalised coordinates. A sampler is not an object:
// KN_SAMPLER(bits) passes it to a kernel.
typedef enum kn_sampler_bits {
    KN_SAMPLER_NORMALIZED = 1,
    KN_SAMPLER_NONE = 0,  // addressing: a coordinate outside is undefined
    KN_SAMPLER_EDGE = 2,  // the nearest texel (CLK_ADDRESS_CLAMP_TO_EDGE)
    KN_SAMPLER_CLAMP = 4, // the border colour: zeros, alpha 1 for R, RG and LUMINANCE
    KN_SAMPLER_REPEAT = 6,
    KN_SAMPLER_MIRROR = 8,
    KN_SAMPLER_NEAREST = 0x10,
    KN_SAMPLER_LINEAR = 0x20
} kn_sampler_bits;

// Makes an image of width x height x depth texels, whose contents are undefined. `height` is 1 if the kind
// has none; `depth` is the depth of a 3D image, the number of layers of an array, and 1 for all others.
// Kernels may read and write it, but not both in one launch. Errors: KN_ERROR_ARGUMENT for a size of 0 or a
// format that OpenCL 1.2 does not have; KN_ERROR_UNSUPPORTED for a device without images or without this
// format; KN_ERROR_LIMIT for sizes beyond the device's limits; KN_ERROR_MEMORY.
KN_API kn_status kn_image_create(kn_context *context, kn_image_kind kind, kn_image_format format,
                                 size_t width, size_t height, size_t depth, kn_image **image, kn_error *err);
// NULL is fine. Launches in flight are finished by the driver.
KN_API void kn_image_free(kn_image *image);

KN_API kn_image_kind kn_image_get_kind(const kn_image *image);
KN_API kn_image_format kn_image_get_format(const kn_image *image);
// Width, height and depth as given to kn_image_create.
KN_API void kn_image_get_size(const kn_image *image, size_t size[3]);

// A part of an image, in texels; the third number counts slices or layers, also those of a 1D array.
typedef struct kn_image_region {
    size_t origin[3], size[3];
} kn_image_region;

// Copies that return when they are done. `region` NULL is the whole image. Host rows are `row_pitch` bytes
// apart (0: no gap between them); slices and layers follow after as many rows as the region has. Cost: one
// copy over the bus. Errors: KN_ERROR_ARGUMENT for a region outside the image or a pitch shorter than its
// rows; KN_ERROR_DEVICE.
KN_API kn_status kn_image_write(kn_queue *queue, kn_image *image, const kn_image_region *region,
                                const void *data, size_t row_pitch, kn_error *err);
KN_API kn_status kn_image_read(kn_queue *queue, const kn_image *image, const kn_image_region *region,
                               void *data, size_t row_pitch, kn_error *err);
// Copies on the device, asynchronously, between images of the same kind and format. `event` may be NULL;
// otherwise the caller frees it. Within one image the regions must not overlap.
KN_API kn_status kn_image_copy(kn_queue *queue, const kn_image *from, const kn_image_region *region,
                               kn_image *to, const size_t to_origin[3], kn_event **event, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
