// SPDX-License-Identifier: Apache-2.0
// What a path to devices must be able to do. A backend is one const table of these functions; src/engine
// checks every argument once before the call, so that a backend stays short and never checks again.
//
// The be_* structs are each backend's own; the engine only carries pointers to them. A function that can fail
// fills `err` and leaves its output untouched.
#ifndef KN_BACKEND_BACKEND_H
#define KN_BACKEND_BACKEND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/device.h>
#include <koine/error.h>
#include <koine/experimental/source.h>
#include <koine/image.h>
#include <koine/launch.h>
#include <koine/program.h>

struct be_context;
struct be_queue;
struct be_memory;
struct be_image;
struct be_program;
struct be_kernel;
struct be_event;
struct be_recording;

// A device as the backend found it.
struct be_device {
    kn_device_info info;
    char *extensions; // separated by blanks; freed with ki_be_devices_free
    void *platform;   // the backend's handles
    void *device;
};

// A driver that is opened in our process, and may terminate it.
struct be_driver {
    char file[PATH_MAX];    // identifies the driver to the system; for messages
    char library[PATH_MAX]; // that is opened: a path or a name
};

// Host memory that the device accesses directly. `holder` is the same memory as memory of the device; kernels
// may write to it if the path says so (kernels_reach_host).
struct be_host {
    void *data;
    struct be_memory *holder;
};

struct be_arg {
    enum { BE_ARG_MEMORY, BE_ARG_VALUE, BE_ARG_LOCAL, BE_ARG_IMAGE, BE_ARG_SAMPLER } kind;
    struct be_memory *memory;
    const void *value;
    size_t size; // of the value, or bytes of local memory
    struct be_image *image;
    unsigned sampler; // kn_sampler_bits
};

// The description of an image; sizes that it does not have are 1.
struct be_image_shape {
    kn_image_kind kind;
    kn_image_format format;
    size_t size[3]; // the third: slices or layers
    size_t texel_bytes;
};

// The host memory of an image's copy, with the distance between rows, and between slices (after
// region.size[1] rows).
struct be_image_copy {
    kn_image_region region;
    size_t row_pitch;
};

struct be_range {
    unsigned dims; // 1 to 3
    size_t offset[3];
    size_t global[3];
    size_t local[3]; // all 0: the device chooses
};

// A launch to be kept, with its own kernel object that is only launched with these arguments.
struct be_launch {
    struct be_kernel *kernel;
    struct be_range range;
    struct be_arg *args;
    size_t arg_count;
};

struct be_kernel_limits {
    size_t work_group;
    size_t preferred_multiple;
    size_t local_bytes;
};

// A kernel's resources for a work-group of the given size; -1 for what the driver does not report.
struct be_kernel_resources {
    size_t group_items, local_bytes; // given; local_bytes are those of arguments
    long registers, private_bytes;   // of a work-item
    long groups;                     // that fit on a multiprocessor
};

// How a copy is ordered: after everything before it in its queue. `blocking`: return when it is done.
struct be_copy {
    size_t offset; // in the device memory
    size_t bytes;
    bool blocking;
};

// What a backend's compiler reads.
enum be_language { BE_LANGUAGE_OPENCL, BE_LANGUAGE_CUDA };

struct ki_backend {
    const char *name;  // as in a device's spec: "opencl"
    const char *title; // for people: "OpenCL"
    enum be_language language;
    size_t image_bytes; // size of an image among a kernel's arguments
    // Whether this error of the driver leaves the whole path unusable in this process. NULL: no error does.
    bool (*poisons)(int native);
    // Whether the host can read what kernels wrote to memory of host_alloc once the queue is done.
    bool kernels_reach_host;

    // The drivers that `devices` would open; all three functions are NULL for a path whose driver never
    // terminates the process. The caller frees *list. Empty if they are open already.
    kn_status (*drivers)(struct be_driver **list, size_t *count, kn_error *err);
    // The environment variable ("NAME=VALUE") with which a program opens only that driver, and a folder to be
    // removed afterwards (ki_process_folder_remove), "" if there is none.
    kn_status (*driver_alone)(const struct be_driver *driver, char variable[PATH_MAX], char folder[PATH_MAX],
                              kn_error *err);
    // Opens these drivers and no others: before `devices`, and once in a process.
    kn_status (*drivers_open)(const struct be_driver *list, size_t count, kn_error *err);

    // Every device of this path. Having none is not an error: `why` then gives the reason.
    kn_status (*devices)(struct be_device **list, size_t *count, char why[256], kn_error *err);

    kn_status (*context_open)(const struct be_device *device, struct be_context **context, kn_error *err);
    // The application's own context; `device` receives its device. It is never closed by us.
    kn_status (*context_wrap)(void *native, void *native_device, struct be_context **context,
                              struct be_device *device, kn_error *err);
    void *(*context_native)(const struct be_context *context);
    void (*context_close)(struct be_context *context);

    kn_status (*queue_open)(struct be_context *context, struct be_queue **queue, kn_error *err);
    kn_status (*queue_wrap)(struct be_context *context, void *native, struct be_queue **queue, kn_error *err);
    void *(*queue_native)(const struct be_queue *queue);
    kn_status (*queue_flush)(struct be_queue *queue, kn_error *err);
    kn_status (*queue_finish)(struct be_queue *queue, kn_error *err);
    kn_status (*queue_wait)(struct be_queue *queue, struct be_event *event, kn_error *err);
    // The event of everything that is in the queue now.
    kn_status (*queue_record)(struct be_queue *queue, struct be_event **event, kn_error *err);
    void (*queue_close)(struct be_queue *queue);

    kn_status (*memory_alloc)(struct be_context *context, size_t bytes, struct be_memory **memory,
                              kn_error *err);
    // `bytes` receives the size if the driver reports it; if it does not (CUDA), the caller passes it in.
    kn_status (*memory_wrap)(struct be_context *context, void *native, struct be_memory **memory,
                             size_t *bytes, kn_error *err);
    // From now on the application may write to it without our knowledge.
    void *(*memory_native)(struct be_memory *memory);
    // Whether it begins at a multiple of `bytes` (up to 16): only memory wrapped by an application may not.
    bool (*memory_aligned)(const struct be_memory *memory, size_t bytes);
    void (*memory_free)(struct be_memory *memory);
    kn_status (*image_create)(struct be_context *context, const struct be_image_shape *shape,
                              struct be_image **image, kn_error *err);
    void (*image_free)(struct be_image *image);
    kn_status (*host_alloc)(struct be_queue *queue, size_t bytes, struct be_host *host, kn_error *err);
    void (*host_free)(struct be_queue *queue, struct be_host *host);

    // `event` may be NULL in all functions that follow.
    kn_status (*copy_to_device)(struct be_queue *queue, struct be_memory *to, const void *from,
                                const struct be_copy *copy, struct be_event **event, kn_error *err);
    kn_status (*copy_to_host)(struct be_queue *queue, struct be_memory *from, void *to,
                              const struct be_copy *copy, struct be_event **event, kn_error *err);
    kn_status (*copy_on_device)(struct be_queue *queue, struct be_memory *from, size_t from_offset,
                                struct be_memory *to, size_t to_offset, size_t bytes, struct be_event **event,
                                kn_error *err);
    // `pattern_size` is 1, 2, 4, 8 or 16; offset and bytes are multiples of it.
    kn_status (*fill)(struct be_queue *queue, struct be_memory *memory, const void *pattern,
                      size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                      kn_error *err);

    // For images; the first two return when they are done.
    kn_status (*image_write)(struct be_queue *queue, struct be_image *to, const void *from,
                             const struct be_image_copy *copy, kn_error *err);
    kn_status (*image_read)(struct be_queue *queue, struct be_image *from, void *to,
                            const struct be_image_copy *copy, kn_error *err);
    kn_status (*image_copy)(struct be_queue *queue, struct be_image *from, struct be_image *to,
                            const kn_image_region *region, const size_t to_origin[3], struct be_event **event,
                            kn_error *err);

    // The compiler's switches for a numeric policy: part of the cache's key. `contract_off`: the program
    // contains #pragma OPENCL FP_CONTRACT OFF.
    const char *(*policy_options)(const struct be_context *context, kn_policy policy, bool contract_off);
    // `log` receives the compiler's output (malloc'ed, maybe ""), also on failure.
    kn_status (*program_build)(struct be_context *context, const char *source, const char *options,
                               struct be_program **program, char **log, kn_error *err);
    kn_status (*program_load)(struct be_context *context, const void *binary, size_t bytes,
                              const char *options, struct be_program **program, kn_error *err);
    // The caller frees *binary.
    kn_status (*program_binary)(struct be_program *program, void **binary, size_t *bytes, kn_error *err);
    // Its PTX, which the caller frees; `source` and `options` are what it was built from.
    // KN_ERROR_UNSUPPORTED, with the reason, if there is none.
    kn_status (*program_ptx)(struct be_program *program, const char *source, const char *options, char **ptx,
                             kn_error *err);
    void (*program_free)(struct be_program *program);

    // `source` must live as long as the kernel.
    kn_status (*kernel_get)(struct be_program *program, const kn_source_kernel *source,
                            struct be_kernel **kernel, kn_error *err);
    kn_status (*kernel_limits)(struct be_kernel *kernel, struct be_kernel_limits *limits, kn_error *err);
    kn_status (*kernel_resources)(struct be_kernel *kernel, struct be_kernel_resources *resources,
                                  kn_error *err);
    // Kernels of this name from kernel_get run this PTX from now on. NULL: the path has no PTX.
    kn_status (*ptx_substitute)(struct be_context *context, const char *kernel, const char *ptx,
                                kn_error *err);
    void (*kernel_free)(struct be_kernel *kernel);
    kn_status (*launch)(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                        const struct be_arg *args, size_t arg_count, struct be_event **event, kn_error *err);

    // Makes one object of the driver from launches, in this path's way. `launches` live as long as it.
    // KN_ERROR_UNSUPPORTED, with the reason, if this driver or device has no such object.
    kn_recording_way recording_way;
    kn_status (*recording_create)(struct be_queue *queue, const struct be_launch *launches, size_t count,
                                  struct be_recording **recording, kn_error *err);
    kn_status (*recording_replay)(struct be_queue *queue, struct be_recording *recording, kn_error *err);
    void (*recording_free)(struct be_recording *recording);

    kn_status (*event_wait)(struct be_event *event, kn_error *err);
    // Without waiting; *done is written only on success.
    kn_status (*event_done)(struct be_event *event, bool *done, kn_error *err);
    // Nanoseconds of the device's clock.
    kn_status (*event_times)(struct be_event *event, uint64_t *queued, uint64_t *start, uint64_t *end,
                             kn_error *err);
    // A second handle of the same event, freed separately.
    kn_status (*event_share)(struct be_event *event, struct be_event **second, kn_error *err);
    void (*event_free)(struct be_event *event);
};

extern const struct ki_backend ki_backend_cuda;
extern const struct ki_backend ki_backend_opencl;

void ki_be_devices_free(struct be_device *list, size_t count);

#endif
