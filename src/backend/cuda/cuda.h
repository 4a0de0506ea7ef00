// SPDX-License-Identifier: Apache-2.0
// What the parts of the CUDA backend share. cuda_load.c opens NVIDIA's libraries, cuda_device.c finds
// devices, cuda.c has contexts, queues and memory, cuda_copy.c copies and fills, cuda_image.c has images,
// cuda_event.c measures, cuda_compile.c calls NVRTC, cuda_program.c loads the result, cuda_ptx.c reads PTX
// from elsewhere, cuda_launch.c runs kernels, cuda_recording.c makes graphs of launches.
//
// Every call makes its context current and removes it again, so that several threads and several contexts,
// including the application's own, never interfere.
#ifndef KN_BACKEND_CUDA_CUDA_H
#define KN_BACKEND_CUDA_CUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/kept.h"
#include "backend/backend.h"
#include "cuda_compile.h"
#include "cuda_load.h"

struct be_context {
    struct cuda_driver cu;
    CUcontext context;
    CUdevice device;
    bool retained;  // the device's primary context, ours to release; else the application's
    int arch;       // 90: compute capability 9.0
    int cuda_major; // of the driver
    char spec[32];  // for messages
    atomic_ullong writes;
    pthread_mutex_t lock;  // of what follows, and of the images' places on the device
    struct ki_kept kept;   // memory of events
    struct be_event *base; // times count from its start, which was at base_ns
    int64_t base_ns;
    struct cuda_ptx *substitute; // by kernel name; NULL: none
};

struct be_queue {
    struct be_context *context;
    CUstream stream;
    bool owned;
};

struct be_memory {
    struct be_context *context;
    CUdeviceptr pointer;
    size_t bytes;
    bool owned;
    atomic_bool foreign;      // the application has the pointer and may write without our knowledge
    atomic_ullong last_write; // a number that no other write in the context has
};

struct be_event {
    struct be_context *context;
    CUevent start, end;
    atomic_uint handles;
};

struct be_kernel {
    struct be_context *context;
    const kn_source_kernel *source;
    CUmodule instance; // this kernel's own, if it has a constant bank (a bank has one writer); else NULL
    CUfunction function;
    bool is_opencl;     // it runs PTX of NVIDIA's OpenCL (cuda_ptx.h)
    size_t arena_bytes; // of the launch's dynamic shared memory, for the kernel's own variables
    size_t static_shared;
    size_t dynamic_asked; // dynamic shared memory that the driver allows so far
    CUdeviceptr bank;
    size_t bank_bytes;            // 0: constant arguments are plain pointers
    struct cuda_bank_slot *slots; // what the bank holds, one for each argument
    struct be_range picked_for;   // the range, and the work-group chosen for it last
    size_t picked_shared;
    size_t picked[3];
};

struct cuda_bank_slot {
    unsigned long long write; // 0: nothing
    size_t offset, bytes;
};

// ---- errors ----

// The outcome of a call, with its name for the message: CUDA_DO(&context->cu, cuMemFree_v2, pointer).
struct cuda_outcome {
    CUresult code;
    const char *call;
};
#define CUDA_DO(cu, name, ...) ((struct cuda_outcome){(cu)->name(__VA_ARGS__), #name})

// "SPEC: what: CALL: CUDA_ERROR_NAME (code)", with what usually helps.
kn_status ki_cuda_fail(kn_error *err, const struct cuda_driver *cu, const char *spec,
                       struct cuda_outcome outcome, const char *what);
// The name of a code; "CUDA error" if the driver knows none.
const char *ki_cuda_error_name(const struct cuda_driver *cu, CUresult code);

// Between the two the context is current on this thread.
kn_status ki_cuda_enter(struct be_context *context, kn_error *err);
void ki_cuda_leave(struct be_context *context);
// The same where there is no error to report to: false if it could not be entered. Memory is freed even then.
bool ki_cuda_enter_to_free(struct be_context *context);

// ---- devices ----

extern const char ki_cuda_extensions[]; // that programs may use: "cl_khr_fp64 ..."
kn_status ki_cuda_devices(struct be_device **list, size_t *count, char why[256], kn_error *err);
// Fills in `device`; one that cannot be used has the reason in info.why_not. `spec` stays empty if there is
// no such ordinal.
kn_status ki_cuda_device_describe(const struct cuda_driver *cu, CUdevice native, struct be_device *device,
                                  kn_error *err);

// ---- work in a queue ----

// A copy, fill or launch: begins with the context entered and the start time recorded if `timed`; `outcome`
// is the result of the calls in between. ki_cuda_work_end leaves the context in every case.
struct cuda_work {
    struct be_queue *queue;
    struct be_event *event;
};
kn_status ki_cuda_work_begin(struct cuda_work *work, struct be_queue *queue, bool timed, kn_error *err);
kn_status ki_cuda_work_end(struct cuda_work *work, struct cuda_outcome outcome, bool blocking,
                           const char *what, struct be_event **event, kn_error *err);
// Ends work that enqueued nothing.
void ki_cuda_work_abandon(struct cuda_work *work);

// Records that the contents change with the work being enqueued.
void ki_cuda_memory_written(struct be_memory *memory);

// Whether the launch writes to this argument.
bool ki_cuda_launch_writes(const struct be_kernel *kernel, const struct be_arg *args, size_t i);

// ---- the table's functions ----

kn_status ki_cuda_copy_to_device(struct be_queue *queue, struct be_memory *to, const void *from,
                                 const struct be_copy *copy, struct be_event **event, kn_error *err);
kn_status ki_cuda_copy_to_host(struct be_queue *queue, struct be_memory *from, void *to,
                               const struct be_copy *copy, struct be_event **event, kn_error *err);
kn_status ki_cuda_copy_on_device(struct be_queue *queue, struct be_memory *from, size_t from_offset,
                                 struct be_memory *to, size_t to_offset, size_t bytes,
                                 struct be_event **event, kn_error *err);
kn_status ki_cuda_fill(struct be_queue *queue, struct be_memory *memory, const void *pattern,
                       size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                       kn_error *err);

kn_status ki_cuda_image_create(struct be_context *context, const struct be_image_shape *shape,
                               struct be_image **image, kn_error *err);
void ki_cuda_image_free(struct be_image *image);
kn_status ki_cuda_image_write(struct be_queue *queue, struct be_image *to, const void *from,
                              const struct be_image_copy *copy, kn_error *err);
kn_status ki_cuda_image_read(struct be_queue *queue, struct be_image *from, void *to,
                             const struct be_image_copy *copy, kn_error *err);
kn_status ki_cuda_image_copy(struct be_queue *queue, struct be_image *from, struct be_image *to,
                             const kn_image_region *region, const size_t to_origin[3],
                             struct be_event **event, kn_error *err);

kn_status ki_cuda_program_build(struct be_context *context, const char *source, const char *options,
                                struct be_program **program, char **log, kn_error *err);
kn_status ki_cuda_program_load(struct be_context *context, const void *binary, size_t bytes,
                               const char *options, struct be_program **program, kn_error *err);
kn_status ki_cuda_program_binary(struct be_program *program, void **binary, size_t *bytes, kn_error *err);
kn_status ki_cuda_program_ptx(struct be_program *program, const char *source, const char *options, char **ptx,
                              kn_error *err);
void ki_cuda_program_free(struct be_program *program);
kn_status ki_cuda_kernel_get(struct be_program *program, const kn_source_kernel *source,
                             struct be_kernel **kernel, kn_error *err);
kn_status ki_cuda_kernel_limits(struct be_kernel *kernel, struct be_kernel_limits *limits, kn_error *err);
kn_status ki_cuda_kernel_resources(struct be_kernel *kernel, struct be_kernel_resources *resources,
                                   kn_error *err);
kn_status ki_cuda_ptx_substitute(struct be_context *context, const char *kernel, const char *ptx,
                                 kn_error *err);
void ki_cuda_kernel_free(struct be_kernel *kernel);
kn_status ki_cuda_launch(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                         const struct be_arg *args, size_t arg_count, struct be_event **event, kn_error *err);

kn_status ki_cuda_recording_create(struct be_queue *queue, const struct be_launch *launches, size_t count,
                                   struct be_recording **recording, kn_error *err);
kn_status ki_cuda_recording_replay(struct be_queue *queue, struct be_recording *recording, kn_error *err);
void ki_cuda_recording_free(struct be_recording *recording);

kn_status ki_cuda_event_wait(struct be_event *event, kn_error *err);
kn_status ki_cuda_event_done(struct be_event *event, bool *done, kn_error *err);
kn_status ki_cuda_event_times(struct be_event *event, uint64_t *queued, uint64_t *start, uint64_t *end,
                              kn_error *err);
kn_status ki_cuda_event_share(struct be_event *event, struct be_event **second, kn_error *err);
void ki_cuda_event_free(struct be_event *event);

#endif
