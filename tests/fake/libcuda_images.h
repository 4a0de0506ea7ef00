// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the fake driver; libcuda.c includes this file. An array is host memory, a
// texture or surface a number that must be released.

struct CUarray_st {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    size_t texel_bytes;
    unsigned char *texels;
};

static size_t or_one(size_t size)
{
    return size ? size : 1;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    size_t bytes = shape->Format == CU_AD_FORMAT_FLOAT || shape->Format == CU_AD_FORMAT_SIGNED_INT32 ||
                           shape->Format == CU_AD_FORMAT_UNSIGNED_INT32
                       ? 4
                   : shape->Format == CU_AD_FORMAT_SIGNED_INT8 || shape->Format == CU_AD_FORMAT_UNSIGNED_INT8
                       ? 1
                       : 2;

    NEEDS_CONTEXT(cuArray3DCreate_v2);
    if (!shape->Width || shape->Width > 131072 ||
        !(shape->NumChannels == 1 || shape->NumChannels == 2 || shape->NumChannels == 4) ||
        !(shape->Flags & CUDA_ARRAY3D_SURFACE_LDST) || (shape->Flags & CUDA_ARRAY3D_LAYERED && !shape->Depth))
        return INVALID_VALUE;
    *array = calloc(1, sizeof **array);
    (*array)->shape = *shape;
    (*array)->texel_bytes = bytes * shape->NumChannels;
    (*array)->texels =
        calloc(shape->Width * or_one(shape->Height) * or_one(shape->Depth), (*array)->texel_bytes);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array)
{
    free(array->texels);
    return ended("cuArrayDestroy", array);
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *how, const void *view)
{
    bool filters = how->filterMode == CU_TR_FILTER_MODE_LINEAR;
    bool wraps =
        how->addressMode[0] == CU_TR_ADDRESS_MODE_WRAP || how->addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR;

    NEEDS_CONTEXT(cuTexObjectCreate);
    // Seen on an H200: the border of a one-dimensional array is also blended in along its missing dimension.
    if (resource->res.array && !resource->res.array->shape.Height &&
        how->addressMode[1] == CU_TR_ADDRESS_MODE_BORDER)
        return INVALID_VALUE;
    if (view || resource->resType != CU_RESOURCE_TYPE_ARRAY || !resource->res.array ||
        (filters && how->flags & CU_TRSF_READ_AS_INTEGER) ||
        (wraps && !(how->flags & CU_TRSF_NORMALIZED_COORDINATES)))
        return INVALID_VALUE;
    *texture = 1 + how->addressMode[0] + 4 * how->filterMode + 8 * how->flags;
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
    (void)texture;
    return ended("cuTexObjectDestroy", NULL);
}

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
    NEEDS_CONTEXT(cuSurfObjectCreate);
    *surface = (CUsurfObject)(size_t)resource->res.array;
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    (void)surface;
    return ended("cuSurfObjectDestroy", NULL);
}

// The start of a row of a copy.
static unsigned char *row_of(const struct cuda_copy_side *side, size_t y, size_t z)
{
    unsigned char *from = side->memory_type == CU_MEMORYTYPE_HOST ? side->host : (void *)(size_t)side->device;
    size_t pitch = side->pitch, height = side->height;

    if (side->memory_type == CU_MEMORYTYPE_ARRAY) {
        from = side->array->texels;
        pitch = side->array->shape.Width * side->array->texel_bytes;
        height = or_one(side->array->shape.Height);
    }
    return from + ((side->z + z) * height + side->y + y) * pitch + side->x_bytes;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    NEEDS_CONTEXT(cuMemcpy3DAsync_v2);
    (void)stream;
    if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
        return INVALID_VALUE;
    for (size_t z = 0; z < copy->Depth; z++)
        for (size_t y = 0; y < copy->Height; y++)
            memmove(row_of(&copy->to, y, z), row_of(&copy->from, y, z), copy->WidthInBytes);
    return CUDA_SUCCESS;
}
