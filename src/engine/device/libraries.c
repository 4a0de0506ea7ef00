// SPDX-License-Identifier: Apache-2.0
// Which vendors' libraries a path to devices has, and why one is not there.
#include <koine/device.h>

#include <stdio.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/fft.h"
#include "base/error.h"

static void describe(const char *name, kn_status (*find)(kn_error *err), kn_device_library *library)
{
    kn_error err = KN_ERROR_INIT;
    size_t length = strlen(name);

    memset(library, 0, sizeof *library);
    snprintf(library->name, sizeof library->name, "%s", name);
    if (!find(&err))
        return;
    if (strncmp(err.text, name, length) == 0 && strncmp(err.text + length, ": ", 2) == 0)
        length += 2; // the name stands beside the reason already
    else
        length = 0;
    snprintf(library->why_not, sizeof library->why_not, "%.255s", err.text + length);
}

kn_status kn_device_libraries(const kn_device_info *device, kn_device_library *gemm, kn_device_library *fft,
                              kn_error *err)
{
    bool cuda = device && strcmp(device->backend, kn_backend_cuda.name) == 0;
    const struct be_blas_library *blas = cuda ? &kn_be_cublas : &kn_be_clblast;
    const struct be_fft *transforms = cuda ? &kn_be_cufft : &kn_be_clfft;

    if (!device || !gemm || !fft)
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_device_libraries: device, gemm or fft is NULL");
    describe(blas->name, blas->find, gemm);
    describe(transforms->name, transforms->find, fft);
    return KN_OK;
}
