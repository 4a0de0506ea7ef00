// SPDX-License-Identifier: Apache-2.0
// koine-probe: opens the OpenCL drivers that its environment names and lists their devices, as any program
// that uses OpenCL does. The library runs it once for each driver, so that a driver that terminates its
// process terminates only this one. It prints a line for each device, and PROBE_FINE last; it has no options.
#include <stdio.h>

#include "backend/opencl/opencl_load.h"
#include "backend/opencl/probe.h"

static void list_devices(cl_platform_id platform)
{
    cl_device_id devices[16];
    cl_uint count = 0;
    char name[256];

    if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_int code = cl->GetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name - 1, name, NULL);

        name[sizeof name - 1] = '\0';
        printf("%s\n", code == CL_SUCCESS ? name : "a device without a name");
    }
}

int main(void)
{
    cl_platform_id platforms[16];
    char why[OPENCL_WHY_BYTES];
    cl_uint count = 0;

    if (!ki_opencl_load(why)) {
        fprintf(stderr, "koine-probe: %s\n", why);
        return 1;
    }
    if (cl->GetPlatformIDs(16, platforms, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < 16; i++)
            list_devices(platforms[i]);
    printf("%s\n", PROBE_FINE);
    return fflush(stdout) != 0;
}
