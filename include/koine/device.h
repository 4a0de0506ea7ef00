// SPDX-License-Identifier: Apache-2.0
// Which devices there are, by which path (CUDA or OpenCL) each is reached, and why a device is not used.
#ifndef KOINE_DEVICE_H
#define KOINE_DEVICE_H

#include <stdint.h>

#include <koine/error.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_device_type {
    KN_DEVICE_CPU = 0,
    KN_DEVICE_GPU = 1,
    KN_DEVICE_ACCELERATOR = 2
} kn_device_type;

typedef struct kn_device_info {
    char spec[32];  // what --device and KOINE_DEVICE take: "cuda:0", "opencl:0.0"
    char name[128]; // the driver's name for it
    char vendor[64];
    char backend[16]; // "cuda", "opencl"
    char platform[64];
    char version[64];  // "OpenCL 3.0 PoCL HSTR: ..."
    char language[64]; // OpenCL C's version, or the compiler: "OpenCL C 1.2 PoCL", "NVRTC 13.0"
    char driver[64];
    kn_device_type type;
    uint32_t compute_units;
    uint64_t global_memory; // bytes
    uint64_t local_memory;
    uint64_t max_alloc; // the largest single allocation
    uint64_t constant_memory;
    uint64_t max_work_group;
    uint64_t max_work_item_sizes[3];
    uint64_t max_argument_bytes;
    bool fp64;     // double precision
    bool subgroup; // sub-group operations
    bool images;   // images and samplers
    // loop iterations a work-item may run in all before the device stops them; 0: no limit
    uint32_t loop_limit;
    char uuid[40];     // hexadecimal, "" if unknown
    char pci[16];      // "0000:65:00.0", "" if unknown
    char alias_of[32]; // spec of the entry through which this very device is used, "" if it is that entry
    bool is_default;   // the one that "auto" takes
    char why_not[256]; // why it cannot be used, in words; "" if it can be
} kn_device_info;

// All devices and paths: the default device first, then those that "auto" would take next, unusable ones
// last. An OpenCL driver that crashes the process that opens it is not opened: the list has it with its .icd
// file as spec, its library as name, and the reason in why_not. koine-probe, which is installed with the
// library, tries each driver once, and the result is kept in the cache folder; if koine-probe is absent,
// drivers are opened without a trial. Cost: opening every driver, 1 to 300 ms; the same once more for each
// driver that was not tried before.
typedef struct kn_device_list kn_device_list;
KN_API kn_status kn_device_list_create(kn_device_list **list, kn_error *err);
// NULL is fine.
KN_API void kn_device_list_free(kn_device_list *list);
KN_API size_t kn_device_list_get_count(const kn_device_list *list); // may be 0
// A device of the list, which owns it; NULL past the end.
KN_API const kn_device_info *kn_device_list_get_device(const kn_device_list *list, size_t index);
// The reason for each path that has no device, "" if all have one: "CUDA: no NVIDIA driver (libcuda.so.1 not
// found); OpenCL: ...". Owned by the list.
KN_API const char *kn_device_list_get_why(const kn_device_list *list);

// A vendor's library for matrix products or Fourier transforms that can be used instead of Koine's own
// kernels.
typedef struct kn_device_library {
    char name[16];     // "CLBlast"
    char why_not[256]; // why it is not available, in words; "" if it is
} kn_device_library;

// The libraries of a device's path. Opens them to see whether they can be used; whether they or Koine's own
// kernels are faster is decided where they are used (kn_fft_plan_create, kn_gemm).
KN_API kn_status kn_device_get_libraries(const kn_device_info *device, kn_device_library *gemm,
                                         kn_device_library *fft, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
