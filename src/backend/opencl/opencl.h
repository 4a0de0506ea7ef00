// SPDX-License-Identifier: Apache-2.0
// What the parts of the OpenCL backend share: opencl_load.c opens the loader; opencl.c (contexts, queues,
// memory, copies), opencl_device.c (finding devices), opencl_error.c (the meaning of codes), opencl_image.c
// (images and samplers), opencl_program.c (programs, kernels, launches, events), opencl_recording.c (command
// buffers).
#ifndef KN_BACKEND_OPENCL_OPENCL_H
#define KN_BACKEND_OPENCL_OPENCL_H

#include <stdatomic.h>

#include <pthread.h>

#include "base/kept.h"
#include "backend/backend.h"
#include "opencl_load.h"

#define OPENCL_MAX_DEVICES 64 // of one context
#define OPENCL_SAMPLERS    64 // by their bits

struct be_context {
    cl_context context;
    cl_device_id device;
    char spec[32]; // for messages
    bool correctly_rounded;
    atomic_ullong serials; // given to memory objects so far
    pthread_mutex_t lock;  // of the samplers, which are made when first needed
    cl_sampler samplers[OPENCL_SAMPLERS];
    struct ki_kept kept; // memory of events
};

struct be_queue {
    cl_command_queue queue;
    struct be_context *context;
};

struct be_memory {
    cl_mem memory;
    unsigned long long serial; // unique in the context for all time, because cl_mem handles are reused
};

struct be_image {
    cl_mem image;
    cl_mem buffer; // of an image buffer: the target of copies; else NULL
    size_t texel_bytes;
    kn_image_kind kind;
};

struct be_event {
    struct be_context *context;
    cl_event event;
    cl_event begin; // of a library's work, which may be several commands: a marker before the first one; else
                    // NULL
};

// "CL_OUT_OF_RESOURCES" for a code; "unknown OpenCL error" if there is no such code.
const char *ki_opencl_error_name(cl_int code);

// A failure of an OpenCL call: "SPEC: what: CL_NAME (code)", with what usually helps.
kn_status ki_opencl_fail(kn_error *err, cl_int code, const char *spec, const char *what);

// The caller's event, or nothing if `event` is NULL.
kn_status ki_opencl_event_give(struct be_context *context, cl_event native, struct be_event **event,
                               kn_error *err);

// What a library enqueues, in as many commands as it likes: if it is `timed`, from a marker before the first
// command, when everything before it in the queue has ended, to the end of `last`, whose event the library
// returns.
struct opencl_work {
    struct be_context *context;
    cl_event begin, last; // NULL: not timed
};
kn_status ki_opencl_work_begin(struct opencl_work *work, struct be_queue *queue, bool timed, kn_error *err);
// Where the library puts the event of its last command; NULL: nowhere.
cl_event *ki_opencl_work_last(struct opencl_work *work);
kn_status ki_opencl_work_end(struct opencl_work *work, struct be_event **event, kn_error *err);
// Ends work that the library refused.
void ki_opencl_work_abandon(struct opencl_work *work);

kn_status ki_opencl_image_create(struct be_context *context, const struct be_image_shape *shape,
                                 struct be_image **image, kn_error *err);
void ki_opencl_image_free(struct be_image *image);
kn_status ki_opencl_image_write(struct be_queue *queue, struct be_image *to, const void *from,
                                const struct be_image_copy *copy, kn_error *err);
kn_status ki_opencl_image_read(struct be_queue *queue, struct be_image *from, void *to,
                               const struct be_image_copy *copy, kn_error *err);
kn_status ki_opencl_image_copy(struct be_queue *queue, struct be_image *from, struct be_image *to,
                               const kn_image_region *region, const size_t to_origin[3],
                               struct be_event **event, kn_error *err);
// The context's sampler of these bits; CL_SUCCESS, or an error if there is none.
cl_int ki_opencl_sampler(struct be_context *context, unsigned bits, cl_sampler *sampler);

kn_status ki_opencl_devices(struct be_device **list, size_t *count, char why[256], kn_error *err);
// Fills in `device` for a native device, except its spec.
kn_status ki_opencl_device_describe(cl_device_id native, struct be_device *device, kn_error *err);

kn_status ki_opencl_program_build(struct be_context *context, const char *source, const char *options,
                                  struct be_program **program, char **log, kn_error *err);
kn_status ki_opencl_program_load(struct be_context *context, const void *binary, size_t bytes,
                                 const char *options, struct be_program **program, kn_error *err);
kn_status ki_opencl_program_binary(struct be_program *program, void **binary, size_t *bytes, kn_error *err);
kn_status ki_opencl_program_ptx(struct be_program *program, const char *source, const char *options,
                                char **ptx, kn_error *err);
void ki_opencl_program_free(struct be_program *program);
kn_status ki_opencl_kernel_get(struct be_program *program, const kn_source_kernel *source,
                               struct be_kernel **kernel, kn_error *err);
kn_status ki_opencl_kernel_limits(struct be_kernel *kernel, struct be_kernel_limits *limits, kn_error *err);
kn_status ki_opencl_kernel_resources(struct be_kernel *kernel, struct be_kernel_resources *resources,
                                     kn_error *err);
void ki_opencl_kernel_free(struct be_kernel *kernel);
kn_status ki_opencl_launch(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                           const struct be_arg *args, size_t arg_count, struct be_event **event,
                           kn_error *err);
// The kernel with these arguments set, as the next launch uses it.
kn_status ki_opencl_kernel_set(struct be_kernel *kernel, const struct be_arg *args, size_t arg_count,
                               cl_kernel *native, kn_error *err);
// The range's work-group, or NULL: the device chooses.
const size_t *ki_opencl_range_local(const struct be_range *range);
kn_status ki_opencl_recording_create(struct be_queue *queue, const struct be_launch *launches, size_t count,
                                     struct be_recording **recording, kn_error *err);
kn_status ki_opencl_recording_replay(struct be_queue *queue, struct be_recording *recording, kn_error *err);
void ki_opencl_recording_free(struct be_recording *recording);
kn_status ki_opencl_event_wait(struct be_event *event, kn_error *err);
kn_status ki_opencl_event_done(struct be_event *event, bool *done, kn_error *err);
kn_status ki_opencl_event_times(struct be_event *event, uint64_t *queued, uint64_t *start, uint64_t *end,
                                kn_error *err);
kn_status ki_opencl_event_share(struct be_event *event, struct be_event **second, kn_error *err);
void ki_opencl_event_free(struct be_event *event);

#endif
