// SPDX-License-Identifier: Apache-2.0
// Images of the CUDA backend, as kernels take them: cl/cuda/image.cuh has the same struct.
#ifndef KN_BACKEND_CUDA_CUDA_IMAGE_H
#define KN_BACKEND_CUDA_CUDA_IMAGE_H

#include "cuda.h"
#include "cuda_api.h"

#define CUDA_TEXTURES 12

// A texture has its coordinates, addressing and filter built in: there is one for each combination of a
// sampler.
struct cuda_image_data {
    unsigned long long surface; // of an image buffer, its address
    unsigned long long textures[CUDA_TEXTURES];
    int width, height, depth;
    int order, type;
    int texel_bytes;
};
_Static_assert(sizeof(struct cuda_image_data) == 128, "kn_image_data has 128 bytes on the device");

struct be_image {
    struct be_context *context;
    struct cuda_image_data data; // what a kernel gets; or,
    CUdeviceptr described;       // where this is on the device: 0 until a kernel needs it
    CUarray array;               // or, of an image buffer,
    CUdeviceptr buffer;
};

// Copies the data of these arguments' images to the device, for a kernel that takes their addresses; an image
// keeps its place. The context is current.
struct cuda_outcome ki_cuda_images_describe(struct be_context *context, const struct be_arg *args,
                                            size_t count);

#endif
