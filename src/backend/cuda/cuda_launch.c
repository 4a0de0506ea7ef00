// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: launches. The engine has checked every argument.
#include "cuda_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "source/source.h"
#include "cuda.h"
#include "cuda_image.h"

#define MAX_ARGS    256
#define ARENA_ALIGN ((size_t)16)

_Static_assert(sizeof(struct cuda_item) == 64, "kn_item has 64 bytes on the device");

static size_t align_up(size_t bytes)
{
    return (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

// ---- geometry ----

// How many groups of dimension d the grid takes, from its first one on.
static unsigned grid_size(const struct cuda_item *item, int d)
{
    unsigned left = item->groups[d] - item->first[d - 1];

    return left < CUDA_MAX_GRID_YZ ? left : CUDA_MAX_GRID_YZ;
}

kn_status ki_cuda_geometry_make(const struct be_range *range, const size_t local[3], const char *spec,
                                struct cuda_geometry *geometry, kn_error *err)
{
    struct cuda_item *item = &geometry->item;
    size_t groups[3];

    memset(geometry, 0, sizeof *geometry);
    for (int d = 0; d < 3; d++) {
        groups[d] = range->global[d] / local[d];
        item->groups[d] = (unsigned)groups[d];
        geometry->block[d] = item->local[d] = (unsigned)local[d];
        item->offset[d] = range->offset[d];
    }
    if (groups[0] > CUDA_MAX_GRID_X || groups[1] > UINT32_MAX || groups[2] > UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: %zu x %zu x %zu work-groups; it takes at most %u x %u x %u: use larger groups or "
                       "several launches",
                       spec, groups[0], groups[1], groups[2], CUDA_MAX_GRID_X, UINT32_MAX, UINT32_MAX);
    geometry->grid[0] = item->groups[0];
    for (int d = 1; d < 3; d++)
        geometry->grid[d] = grid_size(item, d);
    if (local[2] > CUDA_MAX_BLOCK_Z) {
        item->fold = (0x10000 + item->local[1] - 1) / item->local[1];
        geometry->block[1] = (unsigned)(local[1] * local[2]);
        geometry->block[2] = 1;
    }
    item->dims = range->dims;
    return KN_OK;
}

bool ki_cuda_geometry_next(struct cuda_geometry *geometry)
{
    struct cuda_item *item = &geometry->item;

    for (int d = 1; d < 3; d++) {
        item->first[d - 1] += geometry->grid[d];
        if (item->first[d - 1] < item->groups[d]) {
            geometry->grid[d] = grid_size(item, d);
            return true;
        }
        item->first[d - 1] = 0;
        geometry->grid[d] = grid_size(item, d);
    }
    return false;
}

void ki_cuda_local_pick(const struct be_range *range, size_t limit, size_t local[3])
{
    for (int d = 0; d < 3; d++) {
        size_t size = limit < range->global[d] ? limit : range->global[d];
        while (size > 1 && range->global[d] % size)
            size--;
        local[d] = size ? size : 1;
        limit /= local[d];
    }
}

// The work-group for a range that names none: the one that keeps the device busiest, with at most this many
// work-items. Larger ones are busy less evenly: a stencil on 510^3 points took 0.52 ms on an H200 in groups
// of 255, and 0.65 ms in groups of 510 x 2.
enum { LARGEST_PICK = 256 };

static struct cuda_outcome pick_local(struct be_kernel *kernel, const struct be_range *range, size_t shared,
                                      size_t local[3])
{
    int grid = 0, block = 0;
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};

    if (kernel->picked_shared != shared ||
        memcmp(kernel->picked_for.global, range->global, sizeof range->global) != 0) {
        outcome = CUDA_DO(&kernel->context->cu, cuOccupancyMaxPotentialBlockSize, &grid, &block,
                          kernel->function, NULL, shared, LARGEST_PICK);
        if (outcome.code)
            return outcome;
        ki_cuda_local_pick(range, (size_t)block, kernel->picked);
        kernel->picked_for = *range;
        kernel->picked_shared = shared;
    }
    memcpy(local, kernel->picked, sizeof kernel->picked);
    return outcome;
}

// ---- arguments ----

struct packed {
    void *params[MAX_ARGS + 1];
    // Offsets of local arguments in the arena, of constant ones in the bank; samplers' bits. They have 32
    // bits; a 64-bit read finds zeros after them (NVIDIA's hosts are little-endian).
    uint64_t offsets[MAX_ARGS];
    size_t shared; // size of the arena: the kernel's own variables, then the local arguments
    size_t bank;   // size of the bank
};

static bool is_in_bank(const struct be_kernel *kernel, size_t i)
{
    return kernel->bank_bytes > 0 && kernel->source->params[i].kind == KN_PARAM_CONSTANT;
}

static kn_status pack(const struct be_kernel *kernel, const struct be_arg *args, size_t count,
                      struct cuda_item *item, struct packed *packed, kn_error *err)
{
    const char *spec = kernel->context->spec;

    packed->shared = align_up(kernel->arena_bytes);
    packed->bank = 0;
    if (count > MAX_ARGS)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %zu arguments; CUDA kernels take at most %d", spec, count,
                       MAX_ARGS);
    for (size_t i = 0; i < count; i++) {
        const struct be_arg *arg = &args[i];
        packed->params[i] = &packed->offsets[i];
        if (arg->kind == BE_ARG_VALUE) {
            packed->params[i] = (void *)arg->value;
        } else if (arg->kind == BE_ARG_LOCAL) {
            packed->offsets[i] = (unsigned)packed->shared;
            packed->shared += align_up(arg->size);
        } else if (arg->kind == BE_ARG_IMAGE) {
            packed->params[i] = kernel->source->cuda.image_addresses ? (void *)&arg->image->described
                                                                     : (void *)&arg->image->data;
        } else if (arg->kind == BE_ARG_SAMPLER) {
            packed->offsets[i] = arg->sampler;
        } else if (is_in_bank(kernel, i)) {
            packed->offsets[i] = (unsigned)packed->bank;
            packed->bank += align_up(arg->memory->bytes);
            if (packed->bank > kernel->bank_bytes)
                return ki_fail(err, KN_ERROR_LIMIT,
                               "%s: argument %zu (%s): the __constant arguments take %zu bytes; the bank "
                               "this program was "
                               "built with has %zu",
                               spec, i, kernel->source->params[i].name, packed->bank, kernel->bank_bytes);
        } else {
            packed->params[i] = &arg->memory->pointer;
        }
    }
    packed->params[count] = item;
    return KN_OK;
}

// Copies the constant arguments that changed since this kernel's last launch to the bank, in queue order.
static struct cuda_outcome fill_bank(struct be_queue *queue, struct be_kernel *kernel,
                                     const struct be_arg *args, size_t count, const struct packed *packed)
{
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};

    for (size_t i = 0; i < count && !outcome.code; i++) {
        struct cuda_bank_slot *slot;
        struct be_memory *memory = args[i].memory;
        unsigned long long write;
        if (!is_in_bank(kernel, i))
            continue;
        slot = &kernel->slots[i];
        write = atomic_load(&memory->last_write);
        if (slot->write == write && slot->offset == packed->offsets[i] && slot->bytes == memory->bytes &&
            !atomic_load(&memory->foreign))
            continue;
        slot->write = 0;
        outcome = CUDA_DO(&queue->context->cu, cuMemcpyDtoDAsync_v2, kernel->bank + packed->offsets[i],
                          memory->pointer, memory->bytes, queue->stream);
        if (!outcome.code)
            *slot = (struct cuda_bank_slot){write, packed->offsets[i], memory->bytes};
    }
    return outcome;
}

bool ki_cuda_launch_writes(const struct be_kernel *kernel, const struct be_arg *args, size_t i)
{
    const kn_param *param = &kernel->source->params[i];

    return args[i].kind == BE_ARG_MEMORY && param->kind == KN_PARAM_GLOBAL && !param->is_const;
}

static void note_writes(const struct be_kernel *kernel, const struct be_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ki_cuda_launch_writes(kernel, args, i))
            ki_cuda_memory_written(args[i].memory);
}

// More dynamic shared memory than every card gives has to be requested: all there is, because kernel objects
// of one function share the last request.
static struct cuda_outcome ask_for_shared(struct be_kernel *kernel, size_t shared)
{
    const struct cuda_driver *cu = &kernel->context->cu;
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};
    int most = 0;

    if (shared <= kernel->dynamic_asked)
        return outcome;
    outcome = CUDA_DO(cu, cuDeviceGetAttribute, &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                      kernel->context->device);
    most -= (int)kernel->static_shared;
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuFuncSetAttribute, kernel->function,
                          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most);
    if (!outcome.code)
        kernel->dynamic_asked = (size_t)most;
    return outcome;
}

// `packed` points at the item of the geometry.
static struct cuda_outcome launch_grids(const struct be_queue *queue, const struct be_kernel *kernel,
                                        struct cuda_geometry *at, struct packed *packed)
{
    const struct cuda_driver *cu = &queue->context->cu;
    struct cuda_outcome outcome;

    do
        outcome = CUDA_DO(cu, cuLaunchKernel, kernel->function, at->grid[0], at->grid[1], at->grid[2],
                          at->block[0], at->block[1], at->block[2], (unsigned)packed->shared, queue->stream,
                          packed->params, NULL);
    while (!outcome.code && ki_cuda_geometry_next(at));
    return outcome;
}

// PTX from OpenCL knows no offset, and takes the grid to be all groups there are.
static kn_status check_opencl(const struct be_kernel *kernel, const struct be_range *range,
                              const struct cuda_geometry *at, kn_error *err)
{
    bool is_whole = !at->item.fold;

    for (int d = 0; d < 3; d++)
        is_whole = is_whole && at->grid[d] == at->item.groups[d] && !range->offset[d];
    return is_whole ? KN_OK
                    : ki_fail(err, KN_ERROR_UNSUPPORTED,
                              "%s: OpenCL's PTX runs through CUDA without an offset, in groups of at most %u "
                              "work-items in dimension 2, and in one grid (%u groups in dimensions 1 and 2)",
                              kernel->context->spec, CUDA_MAX_BLOCK_Z, CUDA_MAX_GRID_YZ);
}

kn_status ki_cuda_launch(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                         const struct be_arg *args, size_t arg_count, struct be_event **event, kn_error *err)
{
    struct cuda_geometry at = {{0}, {0}, {{0}, {0}, {0}, {0}, 0, 0}};
    struct packed packed;
    struct cuda_work work;
    struct cuda_outcome outcome;
    size_t local[3] = {1, 1, 1};
    kn_status status = pack(kernel, args, arg_count, &at.item, &packed, err);

    if (!status)
        status = ki_cuda_work_begin(&work, queue, event != NULL, err);
    if (status)
        return status;
    outcome = ask_for_shared(kernel, packed.shared);
    if (!outcome.code && kernel->source->cuda.image_addresses)
        outcome = ki_cuda_images_describe(queue->context, args, arg_count);
    if (!outcome.code && range->local[0] == 0)
        outcome = pick_local(kernel, range, packed.shared, local);
    else
        for (unsigned d = 0; d < range->dims; d++)
            local[d] = range->local[d];
    if (!outcome.code)
        status = ki_cuda_geometry_make(range, local, queue->context->spec, &at, err);
    if (!outcome.code && !status && kernel->is_opencl)
        status = check_opencl(kernel, range, &at, err);
    if (!outcome.code && !status)
        outcome = fill_bank(queue, kernel, args, arg_count, &packed);
    if (!outcome.code && !status)
        outcome = launch_grids(queue, kernel, &at, &packed);
    if (status) {
        ki_cuda_work_abandon(&work);
        return status;
    }
    if (!outcome.code)
        note_writes(kernel, args, arg_count);
    return ki_cuda_work_end(&work, outcome, false, "launching", event, err);
}
