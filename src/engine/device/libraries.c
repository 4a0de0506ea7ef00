// SPDX-License-Identifier: Apache-2.0
// Which vendors' libraries a path to devices has, and why one is missing.
#include <koine/device.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/library.h"

static void describe(const struct be_library *found, kn_device_library *library)
{
    kn_error err = KN_ERROR_INIT;
    size_t length = strlen(found->name);

    memset(library, 0, sizeof *library);
    snprintf(library->name, sizeof library->name, "%s", found->name);
    if (!found->find(&err))
        return;
    if (strncmp(err.text, found->name, length) == 0 && strncmp(err.text + length, ": ", 2) == 0)
        length += 2; // the reason does not repeat the name
    else
        length = 0;
    snprintf(library->why_not, sizeof library->why_not, "%.255s", err.text + length);
}

kn_status kn_device_get_libraries(const kn_device_info *device, kn_device_library *gemm,
                                  kn_device_library *fft, kn_error *err)
{
    bool cuda = device && strcmp(device->backend, ki_backend_cuda.name) == 0;
    const struct ki_backend *path = cuda ? &ki_backend_cuda : &ki_backend_opencl;

    if (!device || !gemm || !fft)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_device_get_libraries: device, gemm or fft is NULL");
    describe(ki_engine_library_of(path, BE_PRODUCTS), gemm);
    describe(ki_engine_library_of(path, BE_TRANSFORMS), fft);
    return KN_OK;
}
