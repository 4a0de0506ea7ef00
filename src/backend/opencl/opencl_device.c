// SPDX-License-Identifier: Apache-2.0
// Finding OpenCL devices and describing them.
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "opencl_drivers.h"

// Queries of extensions, by number: some versions of cl_ext.h lack them.
#define DEVICE_UUID_KHR         0x106A
#define DEVICE_PCI_BUS_INFO_KHR 0x410F
#define DEVICE_PCI_BUS_ID_NV    0x4008
#define DEVICE_PCI_SLOT_ID_NV   0x4009
#define PLATFORM_NOT_FOUND_KHR  (-1001)

static void copy_string(char *to, size_t size, const char *from)
{
    while (*from == ' ') // NVIDIA and Intel pad names
        from++;
    snprintf(to, size, "%s", from);
    for (size_t n = strlen(to); n > 0 && to[n - 1] == ' '; n--)
        to[n - 1] = '\0';
}

// A device's string of any length; the caller frees it. NULL if it is not available.
static char *device_string(cl_device_id device, cl_device_info what)
{
    size_t size = 0;
    char *string;

    if (cl->GetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || size == 0)
        return NULL;
    string = malloc(size + 1);
    if (!string)
        return NULL;
    if (cl->GetDeviceInfo(device, what, size, string, NULL) != CL_SUCCESS) {
        free(string);
        return NULL;
    }
    string[size] = '\0';
    return string;
}

static void device_text(cl_device_id device, cl_device_info what, char *to, size_t size)
{
    char *string = device_string(device, what);

    copy_string(to, size, string ? string : "");
    free(string);
}

static void platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t size)
{
    char string[512] = "";

    if (cl->GetPlatformInfo(platform, what, sizeof string - 1, string, NULL) != CL_SUCCESS)
        string[0] = '\0';
    copy_string(to, size, string);
}

static uint64_t device_number(cl_device_id device, cl_device_info what, size_t size)
{
    uint64_t number = 0; // little-endian hosts only: a shorter answer fills the low bytes

    if (cl->GetDeviceInfo(device, what, size, &number, NULL) != CL_SUCCESS)
        return 0;
    return number;
}

// What identifies the same hardware through another path.
static void identify(cl_device_id device, const char *extensions, kn_device_info *info)
{
    unsigned char uuid[16];
    cl_uint pci[4];

    if (ki_words_have(extensions, "cl_khr_device_uuid") &&
        cl->GetDeviceInfo(device, DEVICE_UUID_KHR, sizeof uuid, uuid, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < sizeof uuid; i++)
            snprintf(info->uuid + 2 * i, 3, "%02x", uuid[i]);
    if (ki_words_have(extensions, "cl_khr_pci_bus_info") &&
        cl->GetDeviceInfo(device, DEVICE_PCI_BUS_INFO_KHR, sizeof pci, pci, NULL) == CL_SUCCESS) {
        snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", pci[0] & 0xffffu, pci[1] & 0xffu,
                 pci[2] & 0xffu, pci[3] & 0xfu);
    } else if (ki_words_have(extensions, "cl_nv_device_attribute_query") &&
               cl->GetDeviceInfo(device, DEVICE_PCI_BUS_ID_NV, sizeof pci[0], &pci[0], NULL) == CL_SUCCESS &&
               cl->GetDeviceInfo(device, DEVICE_PCI_SLOT_ID_NV, sizeof pci[1], &pci[1], NULL) == CL_SUCCESS) {
        snprintf(info->pci, sizeof info->pci, "0000:%02x:%02x.%x", pci[0] & 0xffu, (pci[1] >> 3) & 0x1fu,
                 pci[1] & 7u);
    }
}

static bool has_subgroups(const char *extensions)
{
    return ki_words_have(extensions, "cl_khr_subgroups") || ki_words_have(extensions, "cl_intel_subgroups");
}

kn_status ki_opencl_device_describe(cl_device_id native, struct be_device *device, kn_error *err)
{
    kn_device_info *info = &device->info;
    cl_platform_id platform = NULL;
    cl_device_type type = 0;
    size_t sizes[3] = {0, 0, 0};

    memset(device, 0, sizeof *device);
    device->device = native;
    if (cl->GetDeviceInfo(native, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS) {
        device->platform = platform;
        platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    }
    device->extensions = device_string(native, CL_DEVICE_EXTENSIONS);
    if (!device->extensions && !(device->extensions = calloc(1, 1)))
        return ki_fail_memory(err, 0, "listing OpenCL devices");

    snprintf(info->backend, sizeof info->backend, "opencl");
    device_text(native, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(native, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(native, CL_DEVICE_VERSION, info->version, sizeof info->version);
    device_text(native, CL_DEVICE_OPENCL_C_VERSION, info->language, sizeof info->language);
    device_text(native, CL_DRIVER_VERSION, info->driver, sizeof info->driver);

    (void)cl->GetDeviceInfo(native, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    info->type = type & CL_DEVICE_TYPE_GPU && !(type & CL_DEVICE_TYPE_CPU) ? KN_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_CPU                               ? KN_DEVICE_CPU
                                                                           : KN_DEVICE_ACCELERATOR;
    info->compute_units = (uint32_t)device_number(native, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info->global_memory = device_number(native, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->local_memory = device_number(native, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_alloc = device_number(native, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info->constant_memory = device_number(native, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof(cl_ulong));
    info->max_work_group = device_number(native, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    info->max_argument_bytes = device_number(native, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t));
    if (cl->GetDeviceInfo(native, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL) == CL_SUCCESS)
        for (int i = 0; i < 3; i++)
            info->max_work_item_sizes[i] = sizes[i];
    info->fp64 = device_number(native, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0;
    info->images = device_number(native, CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool)) != 0;
    info->subgroup = has_subgroups(device->extensions);
    identify(native, device->extensions, info);

    if (!device_number(native, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        snprintf(info->why_not, sizeof info->why_not, "the driver says it is not available");
    else if (!device_number(native, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        snprintf(info->why_not, sizeof info->why_not, "its driver has no OpenCL C compiler");
    return KN_OK;
}

static kn_status add_platform(cl_platform_id platform, unsigned number, struct be_device **list,
                              size_t *count, kn_error *err)
{
    cl_uint found = 0;
    cl_device_id *natives;
    struct be_device *grown;
    kn_status status = KN_OK;

    // A platform without devices (CL_DEVICE_NOT_FOUND) is normal: rusticl and Clover may have none.
    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found) != CL_SUCCESS || found == 0)
        return KN_OK;
    natives = calloc(found, sizeof *natives);
    grown = realloc(*list, (*count + found) * sizeof **list);
    if (grown)
        *list = grown;
    if (!natives || !grown) {
        free(natives);
        return ki_fail_memory(err, 0, "listing OpenCL devices");
    }
    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, natives, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < found && !status; i++) {
            struct be_device *device = &(*list)[*count];
            status = ki_opencl_device_describe(natives[i], device, err);
            device->platform = platform;
            snprintf(device->info.spec, sizeof device->info.spec, "opencl:%u.%u", number, (unsigned)i);
            if (!status)
                ++*count;
        }
    free(natives);
    return status;
}

kn_status ki_opencl_devices(struct be_device **list, size_t *count, char why[256], kn_error *err)
{
    cl_uint platforms = 0;
    cl_platform_id *ids;
    cl_int code;
    kn_status status = KN_OK;

    *list = NULL;
    *count = 0;
    why[0] = '\0';
    if (!ki_opencl_load(why))
        return KN_OK;
    code = cl->GetPlatformIDs(0, NULL, &platforms);
    ki_opencl_drivers_opened();
    if (code == PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && platforms == 0)) {
        snprintf(
            why, 256,
            "no OpenCL driver is installed (a package such as pocl-opencl-icd provides one for the CPU)");
        return KN_OK;
    }
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, "opencl", "looking for OpenCL drivers");
    ids = calloc(platforms, sizeof *ids);
    if (!ids)
        return ki_fail_memory(err, 0, "listing OpenCL platforms");
    code = cl->GetPlatformIDs(platforms, ids, NULL);
    if (code != CL_SUCCESS)
        status = ki_opencl_fail(err, code, "opencl", "listing OpenCL platforms");
    for (cl_uint i = 0; i < platforms && !status; i++)
        status = add_platform(ids[i], i, list, count, err);
    free(ids);
    if (status) {
        ki_be_devices_free(*list, *count);
        *list = NULL;
        *count = 0;
    } else if (*count == 0) {
        snprintf(why, 256, "%u OpenCL driver%s installed, but none offers a device", (unsigned)platforms,
                 platforms == 1 ? " is" : "s are");
    }
    return status;
}
