// SPDX-License-Identifier: Apache-2.0
// Finding CUDA devices and describing them. Failures here are not errors of the caller, but the reason why a
// device, or all of CUDA, is not used.
#include "cuda.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// What the CUDA path supports, in OpenCL's terms. (half is a storage type there, so there is no cl_khr_fp16.)
const char ki_cuda_extensions[] = "cl_khr_fp64 cl_khr_byte_addressable_store "
                                  "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
                                  "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
                                  "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
                                  "cl_khr_3d_image_writes";

#define ITEM_BYTES 64 // reserved in a kernel's arguments for kn_item and its alignment

static void refuse(const struct cuda_driver *cu, struct cuda_outcome outcome, char why[256])
{
    snprintf(why, 256, "the driver does not describe it: %s: %s (%d)", outcome.call,
             ki_cuda_error_name(cu, outcome.code), outcome.code);
}

static struct cuda_outcome read_attributes(const struct cuda_driver *cu, CUdevice native, int *arch,
                                           int *mode, kn_device_info *info)
{
    int shared = 0, opt_in = 0, major = 0, minor = 0, units = 0, threads = 0;
    const struct {
        int attribute;
        int *value;
    } wanted[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &shared},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &opt_in},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &units},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, mode},
    };
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};

    for (size_t i = 0; i < KI_COUNT(wanted) && !outcome.code; i++)
        outcome = CUDA_DO(cu, cuDeviceGetAttribute, wanted[i].value, wanted[i].attribute, native);
    *arch = major * 10 + minor;
    info->compute_units = (uint32_t)units;
    info->local_memory = (uint64_t)(opt_in > shared ? opt_in : shared);
    info->max_work_group = (uint64_t)threads;
    for (int d = 0; d < 3; d++)
        info->max_work_item_sizes[d] = (uint64_t)threads; // cuda_launch.c linearises what exceeds a block's z
    return outcome;
}

static struct cuda_outcome identify(const struct cuda_driver *cu, CUdevice native, kn_device_info *info)
{
    CUuuid uuid;
    char pci[32] = "";
    struct cuda_outcome outcome = CUDA_DO(cu, cuDeviceGetUuid_v2, &uuid, native);

    if (outcome.code)
        return outcome;
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
        snprintf(info->uuid + 2 * i, 3, "%02x", uuid.bytes[i]);
    outcome = CUDA_DO(cu, cuDeviceGetPCIBusId, pci, sizeof pci - 1, native);
    if (outcome.code)
        return outcome;
    for (char *c = pci; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    snprintf(info->pci, sizeof info->pci, "%.15s", pci);
    return outcome;
}

static struct cuda_outcome find_spec(const struct cuda_driver *cu, CUdevice native, kn_device_info *info)
{
    int count = 0;
    struct cuda_outcome outcome = CUDA_DO(cu, cuDeviceGetCount, &count);

    for (int i = 0; i < count && !outcome.code; i++) {
        CUdevice candidate;
        outcome = CUDA_DO(cu, cuDeviceGet, &candidate, i);
        if (!outcome.code && candidate == native)
            snprintf(info->spec, sizeof info->spec, "cuda:%d", i);
    }
    return outcome;
}

static struct cuda_outcome describe(const struct cuda_driver *cu, CUdevice native, int *arch, int *mode,
                                    kn_device_info *info)
{
    int version = 0;
    size_t memory = 0;
    struct cuda_outcome outcome = CUDA_DO(cu, cuDeviceGetName, info->name, sizeof info->name - 1, native);

    if (!outcome.code)
        outcome = find_spec(cu, native, info);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuDriverGetVersion, &version);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuDeviceTotalMem_v2, &memory, native);
    if (!outcome.code)
        outcome = read_attributes(cu, native, arch, mode, info);
    if (!outcome.code)
        outcome = identify(cu, native, info);
    snprintf(info->version, sizeof info->version, "CUDA %d.%d, compute capability %d.%d", version / 1000,
             version % 1000 / 10, *arch / 10, *arch % 10);
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    info->global_memory = memory;
    info->max_alloc = memory;
    // Constant arguments are read through the read-only data cache, and may have any size. A program built
    // with a constant bank has its own limit, which the launch checks.
    info->constant_memory = memory;
    info->max_argument_bytes = CUDA_MAX_KERNEL_PARAM - ITEM_BYTES;
    return outcome;
}

// Which compiler serves the device, or why none does.
static void choose_compiler(const struct cuda_driver *cu, int arch, kn_device_info *info)
{
    struct cuda_nvrtc nvrtc;
    int version = 0;
    struct cuda_outcome outcome = CUDA_DO(cu, cuDriverGetVersion, &version);

    if (outcome.code) {
        refuse(cu, outcome, info->why_not);
        return;
    }
    if (!ki_cuda_nvrtc_load(&nvrtc, version / 1000, info->why_not))
        return;
    if (!ki_cuda_nvrtc_arch(&nvrtc, arch))
        snprintf(info->why_not, sizeof info->why_not, "NVRTC %d.%d knows no sm_%d; NVIDIA's OpenCL serves it",
                 nvrtc.major, nvrtc.minor, arch);
    snprintf(info->language, sizeof info->language, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
    ki_cuda_nvrtc_unload(&nvrtc);
}

kn_status ki_cuda_device_describe(const struct cuda_driver *cu, CUdevice native, struct be_device *device,
                                  kn_error *err)
{
    kn_device_info *info = &device->info;
    struct cuda_outcome outcome;
    int arch = 0, mode = 0;

    memset(device, 0, sizeof *device);
    device->device = (void *)(intptr_t)native;
    device->extensions = strdup(ki_cuda_extensions);
    if (!device->extensions)
        return ki_fail_memory(err, 0, "listing CUDA devices");
    snprintf(info->backend, sizeof info->backend, "cuda");
    snprintf(info->platform, sizeof info->platform, "CUDA");
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA Corporation");
    info->type = KN_DEVICE_GPU;
    info->fp64 = 1;
    info->subgroup = 1;
    info->images = 1;
    outcome = describe(cu, native, &arch, &mode, info);
    if (outcome.code)
        refuse(cu, outcome, info->why_not);
    else if (mode == CU_COMPUTEMODE_PROHIBITED)
        snprintf(info->why_not, sizeof info->why_not,
                 "its administrator forbids computing on it (nvidia-smi -c 0 allows it)");
    else
        choose_compiler(cu, arch, info);
    return KN_OK;
}

static kn_status add_devices(const struct cuda_driver *cu, int found, struct be_device **list, size_t *count,
                             char why[256], kn_error *err)
{
    struct be_device *devices = calloc((size_t)found, sizeof *devices);
    size_t filled = 0;

    if (!devices)
        return ki_fail_memory(err, 0, "listing CUDA devices");
    for (int i = 0; i < found; i++) {
        CUdevice native = 0;
        struct cuda_outcome outcome = CUDA_DO(cu, cuDeviceGet, &native, i);
        if (outcome.code) {
            snprintf(why, 256, "%s: %s (%d)", outcome.call, ki_cuda_error_name(cu, outcome.code),
                     outcome.code);
            continue;
        }
        if (ki_cuda_device_describe(cu, native, &devices[filled], err)) {
            ki_be_devices_free(devices, filled);
            return KN_ERROR_MEMORY;
        }
        snprintf(devices[filled].info.spec, sizeof devices[filled].info.spec, "cuda:%d", i);
        filled++;
    }
    *list = devices;
    *count = filled;
    return KN_OK;
}

kn_status ki_cuda_devices(struct be_device **list, size_t *count, char why[256], kn_error *err)
{
    struct cuda_driver cu;
    struct cuda_outcome outcome;
    kn_status status = KN_OK;
    int found = 0;

    *list = NULL;
    *count = 0;
    why[0] = '\0';
    if (!ki_cuda_driver_load(&cu, why))
        return KN_OK;
    outcome = CUDA_DO(&cu, cuDeviceGetCount, &found);
    if (outcome.code)
        snprintf(why, 256, "%s: %s (%d)", outcome.call, ki_cuda_error_name(&cu, outcome.code), outcome.code);
    else if (found <= 0)
        snprintf(why, 256, "NVIDIA's driver is installed, but finds no GPU");
    else
        status = add_devices(&cu, found, list, count, why, err);
    ki_cuda_driver_unload(&cu);
    return status;
}
