// SPDX-License-Identifier: Apache-2.0
// The OpenCL drivers that the loader (libOpenCL.so.1) would open, and opening only some of them.
#ifndef KN_BACKEND_OPENCL_OPENCL_DRIVERS_H
#define KN_BACKEND_OPENCL_OPENCL_DRIVERS_H

#include "backend/backend.h"

// The loader's list: the .icd files in the folder of OCL_ICD_VENDORS or OPENCL_VENDOR_PATH, else in
// /etc/OpenCL/vendors, sorted by name; or the one file or library that OCL_ICD_VENDORS names. Empty if this
// process has opened them already, or if there is no loader.
kn_status ki_opencl_drivers(struct be_driver **list, size_t *count, kn_error *err);

// The environment in which a program opens only that driver: `variable` receives "OCL_ICD_VENDORS=..." and
// `folder` what the caller removes with ki_process_folder_remove ("" if nothing).
kn_status ki_opencl_driver_alone(const struct be_driver *driver, char variable[PATH_MAX],
                                 char folder[PATH_MAX], kn_error *err);

// Opens these drivers and no others, in this process, for good.
kn_status ki_opencl_drivers_open(const struct be_driver *list, size_t count, kn_error *err);

// To be called when the loader has opened its drivers.
void ki_opencl_drivers_opened(void);

#endif
