// SPDX-License-Identifier: Apache-2.0
// Tests libkoine inside an OpenCL application: the application's context, queue and buffer are used and
// remain its own.
#define CL_TARGET_OPENCL_VERSION 120
#include "unit/engine/engine_support.h"

#include <koine/experimental.h>
#include <koine/opencl.h>

// The application's objects. Its device is that of the tests.
struct application {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    float *values;
};

enum { N = 1000 };

static struct application app;

static cl_context device_context(cl_device_id device)
{
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);

    ck_assert_int_eq(code, CL_SUCCESS);
    return context;
}

static cl_command_queue device_queue(cl_context context, cl_command_queue_properties properties)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, app.device, properties, &code);

    ck_assert_int_eq(code, CL_SUCCESS);
    return queue;
}

struct counts {
    cl_uint context, queue, buffer;
};

static struct counts reference_counts(void)
{
    struct counts counts = {0, 0, 0};

    clFinish(app.queue);
    clGetContextInfo(app.context, CL_CONTEXT_REFERENCE_COUNT, sizeof counts.context, &counts.context, NULL);
    clGetCommandQueueInfo(app.queue, CL_QUEUE_REFERENCE_COUNT, sizeof counts.queue, &counts.queue, NULL);
    clGetMemObjectInfo(app.buffer, CL_MEM_REFERENCE_COUNT, sizeof counts.buffer, &counts.buffer, NULL);
    return counts;
}

// Some drivers keep a new buffer, or its queue, for a moment after its first use.
static void let_settle(void)
{
    struct counts found = reference_counts();

    for (int i = 0; i < 200 && (found.buffer != 1 || found.queue != 1); i++) {
        usleep(10000);
        found = reference_counts();
    }
}

static void set_up(void)
{
    kn_context *context = open_context();
    uint64_t seed = test_seed("wrap");
    cl_int code;

    ck_assert_ptr_nonnull(kn_context_get_opencl(context));
    code = clGetContextInfo(kn_context_get_opencl(context), CL_CONTEXT_DEVICES, sizeof app.device,
                            &app.device, NULL);
    ck_assert_int_eq(code, CL_SUCCESS);
    kn_context_close(context);
    app.context = device_context(app.device);
    app.queue = device_queue(app.context, CL_QUEUE_PROFILING_ENABLE);
    app.buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, N * sizeof *app.values, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    app.values = malloc(N * sizeof *app.values);
    ck_assert_ptr_nonnull(app.values);
    for (size_t i = 0; i < N; i++)
        app.values[i] = (float)test_uniform(&seed) - 0.5f;
    code = clEnqueueWriteBuffer(app.queue, app.buffer, CL_TRUE, 0, N * sizeof *app.values, app.values, 0,
                                NULL, NULL);
    ck_assert_int_eq(code, CL_SUCCESS);
    let_settle();
}

static void tear_down(void)
{
    free(app.values);
    clReleaseMemObject(app.buffer);
    clReleaseCommandQueue(app.queue);
    clReleaseContext(app.context);
}

// Some drivers release their own references from another thread, a moment after the work is done.
static void expect_counts(struct counts expected)
{
    struct counts found = reference_counts();

    for (int i = 0; i < 200 && memcmp(&found, &expected, sizeof found) != 0; i++) {
        usleep(10000);
        found = reference_counts();
    }
    ck_assert_uint_eq(found.buffer, expected.buffer);
    ck_assert_uint_eq(found.queue, expected.queue);
    ck_assert_uint_eq(found.context, expected.context);
}

static int compare(const void *a, const void *b)
{
    const float *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

START_TEST(working_inside)
{
    static const char text[] =
        "__kernel void negate(__global float *x) { x[get_global_id(0)] = -x[get_global_id(0)]; }\n";
    const kn_sort_options small = KN_INIT(
        kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 6, .log2_keys = 4}); // keeps Oclgrind fast
    struct counts before = reference_counts();
    float found[N];
    kn_context *context = NULL;
    kn_queue *queue = NULL;
    kn_buffer *buffer = NULL;
    kn_program *program;
    kn_event *event = NULL;
    uint64_t nanoseconds;

    expect_ok(kn_context_wrap_opencl(app.context, app.device, NULL, &context, &err));
    expect_ok(kn_queue_wrap_opencl(context, app.queue, &queue, &err));
    expect_ok(kn_buffer_wrap_opencl(context, app.buffer, &buffer, &err));
    ck_assert_ptr_eq(kn_context_get_opencl(context), app.context);
    ck_assert_ptr_eq(kn_queue_get_opencl(queue), app.queue);
    ck_assert_ptr_eq(kn_buffer_get_opencl(buffer), app.buffer);
    ck_assert_uint_eq(kn_buffer_get_size(buffer), N * sizeof(float));
    ck_assert_str_ne(kn_context_get_device(context)->name, "");

    program = build_text(context, text);
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_range range = {1, {N}, {0}, {0}};
    expect_ok(kn_launch(queue, kernel_of(program, "negate"), &range, args, 1, &event, &err));
    expect_ok(kn_event_get_duration(event, &nanoseconds, &err));
    kn_event_free(event);
    expect_ok(kn_sort(queue, buffer, KN_F32, N, &small, &err));
    ck_assert_int_eq(
        clEnqueueReadBuffer(app.queue, app.buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < N; i++)
        app.values[i] = -app.values[i];
    qsort(app.values, N, sizeof *app.values, compare);
    for (size_t i = 0; i < N; i++)
        ck_assert(found[i] == app.values[i]);

    kn_program_free(program);
    kn_buffer_free(buffer);
    kn_queue_close(queue);
    kn_context_close(context);
    expect_counts(before);
}
END_TEST

// After closing, the application's objects still work; those that are already released are refused.
START_TEST(refusals)
{
    struct counts before = reference_counts();
    cl_context other = device_context(app.device);
    cl_command_queue_properties supported = 0;
    cl_command_queue foreign_queue = device_queue(other, 0);
    cl_int code;
    cl_mem foreign_buffer = clCreateBuffer(other, CL_MEM_READ_WRITE, 16, NULL, &code);
    kn_context *context = NULL;
    kn_queue *queue = NULL;
    kn_buffer *buffer = NULL;

    ck_assert_int_eq(code, CL_SUCCESS);
    expect_refused(kn_context_wrap_opencl(NULL, NULL, NULL, &context, &err), KN_ERROR_ARGUMENT,
                   "kn_context_wrap_opencl");
    expect_refused(kn_context_wrap_opencl(app.context, NULL, NULL, NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_context_wrap_opencl");
    expect_refused(kn_context_wrap_opencl(app.context, (cl_device_id)(void *)&app, NULL, &context, &err),
                   KN_ERROR_ARGUMENT, "device|not one of");
    ck_assert_ptr_null(context);
    expect_ok(kn_context_wrap_opencl(app.context, NULL, NULL, &context, &err)); // uses its first device
    expect_refused(kn_queue_wrap_opencl(context, foreign_queue, &queue, &err), KN_ERROR_ARGUMENT,
                   "another cl_context");
    expect_refused(kn_buffer_wrap_opencl(context, foreign_buffer, &buffer, &err), KN_ERROR_ARGUMENT,
                   "another cl_context");
    expect_refused(kn_queue_wrap_opencl(context, NULL, &queue, &err), KN_ERROR_ARGUMENT,
                   "kn_queue_wrap_opencl");
    expect_refused(kn_queue_wrap_opencl(NULL, app.queue, &queue, &err), KN_ERROR_ARGUMENT,
                   "kn_queue_wrap_opencl");
    expect_refused(kn_queue_wrap_opencl(context, app.queue, NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_queue_wrap_opencl");
    expect_refused(kn_buffer_wrap_opencl(context, NULL, &buffer, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_wrap_opencl");
    expect_refused(kn_buffer_wrap_opencl(NULL, app.buffer, &buffer, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_wrap_opencl");
    expect_refused(kn_buffer_wrap_opencl(context, app.buffer, NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_wrap_opencl");
    clGetDeviceInfo(app.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof supported, &supported, NULL);
    if (supported & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        cl_command_queue disorderly = device_queue(app.context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);

        expect_refused(kn_queue_wrap_opencl(context, disorderly, &queue, &err), KN_ERROR_UNSUPPORTED,
                       "in-order");
        clReleaseCommandQueue(disorderly);
    } else {
        fprintf(stderr, "skipped: this device has no out-of-order queues\n");
    }
    ck_assert_ptr_null(queue);
    ck_assert_ptr_null(buffer);
    ck_assert_ptr_null(kn_context_get_opencl(NULL));
    ck_assert_ptr_null(kn_queue_get_opencl(NULL));
    ck_assert_ptr_null(kn_buffer_get_opencl(NULL));
    kn_context_close(context);
    clReleaseMemObject(foreign_buffer);
    clReleaseCommandQueue(foreign_queue);
    clReleaseContext(other);
    expect_counts(before);
}
END_TEST

// A context of two devices: each has its own queues, and programs are cached for the right one.
START_TEST(two_devices)
{
    cl_platform_id platform = NULL;
    cl_device_id devices[8];
    cl_uint count = 0;
    cl_int code;
    kn_context *context = NULL;
    kn_queue *queue = NULL;
    cl_command_queue queues[2];
    char *cache = test_folder();
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = cache);
    cl_context both;

    clGetDeviceInfo(app.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, &count);
    if (count < 2) {
        fprintf(stderr, "skipped: this platform has one device\n");
        test_remove(cache);
        return;
    }
    both = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(both, devices[i], 0, &code);
        ck_assert_int_eq(code, CL_SUCCESS);
    }
    for (int i = 0; i < 4; i++) { // each device twice
        kn_program *program;

        expect_ok(kn_context_wrap_opencl(both, devices[i % 2], &options, &context, &err));
        expect_refused(kn_queue_wrap_opencl(context, queues[1 - i % 2], &queue, &err), KN_ERROR_ARGUMENT,
                       "another device");
        expect_ok(kn_queue_wrap_opencl(context, queues[i % 2], &queue, &err));
        program = build_text(context, "__kernel void fill(__global int *x) { x[get_global_id(0)] = 7; }\n");
        if (i != 3) // PoCL 3.1 only returns the binary of the first device
            ck_assert_int_eq(kn_program_get_cached(program), i == 2);
        kn_buffer *buffer = make_buffer(context, 64);
        kn_arg args[] = {KN_BUFFER(buffer)};
        kn_range range = {1, {16}, {0}, {0}};
        int found[16] = {0};
        expect_ok(kn_launch(queue, kernel_of(program, "fill"), &range, args, 1, NULL, &err));
        expect_ok(kn_buffer_read(queue, buffer, 0, found, sizeof found, &err));
        for (int k = 0; k < 16; k++)
            ck_assert_int_eq(found[k], 7);
        kn_buffer_free(buffer);
        kn_program_free(program);
        kn_queue_close(queue);
        kn_context_close(context);
        queue = NULL;
    }
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseContext(both);
    test_remove(cache);
}
END_TEST

START_TEST(images)
{
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_bool supported = CL_FALSE;
    cl_int code = CL_SUCCESS;
    kn_context *context = NULL;
    kn_buffer *buffer = NULL;
    cl_mem image = NULL;

    clGetDeviceInfo(app.device, CL_DEVICE_IMAGE_SUPPORT, sizeof supported, &supported, NULL);
    if (supported)
        image = clCreateImage(app.context, CL_MEM_READ_WRITE, &format, &shape, NULL, &code);
    if (!image || code != CL_SUCCESS) {
        fprintf(stderr, "skipped: this device has no images\n");
        return;
    }
    expect_ok(kn_context_wrap_opencl(app.context, app.device, NULL, &context, &err));
    expect_refused(kn_buffer_wrap_opencl(context, image, &buffer, &err), KN_ERROR_ARGUMENT,
                   "is not a buffer");
    kn_context_close(context);
    clReleaseMemObject(image);
}
END_TEST

// Correlations of several images, whose plans read the clock.
static void correlate(kn_queue *queue)
{
    const uint8_t pixels[3 * 16] = {1, 2, 3};
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = 4, .height = 4, .type = KN_U8, .max_offset = 1);
    const kn_autocorr_frames frames =
        KN_INIT(kn_autocorr_frames, .first = pixels, .stride = 4, .frame_stride = 16);
    const kn_autocorr_options options = KN_INIT(kn_autocorr_options, .method = KN_AUTOCORR_DIRECT);
    uint64_t sums[3][2][3];
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .sums = &sums[0][0][0]);
    kn_autocorr_plan *plan = NULL;

    expect_ok(kn_autocorr_plan_create(queue, &shape, &options, &plan, &err));
    expect_ok(kn_autocorr_execute(plan, &frames, 3, &results, &err));
    ck_assert_uint_eq(sums[0][0][1], 1 + 4 + 9);
    ck_assert_uint_eq(sums[2][0][1], 0);
    kn_autocorr_plan_free(plan);
}

// A queue without profiling: work is done, and asking for times gives an error that says so.
START_TEST(without_times)
{
    cl_command_queue plain = device_queue(app.context, 0);
    kn_context *context = NULL;
    kn_queue *queue = NULL;
    kn_buffer *buffer = NULL;
    kn_event *event = NULL;
    float found[N];
    uint64_t nanoseconds = 0;
    bool reported = begin_refusals();
    kn_status status;

    expect_ok(kn_context_wrap_opencl(app.context, app.device, NULL, &context, &err));
    expect_ok(kn_queue_wrap_opencl(context, plain, &queue, &err));
    expect_ok(kn_buffer_wrap_opencl(context, app.buffer, &buffer, &err));
    expect_ok(kn_buffer_read_async(queue, buffer, 0, found, sizeof found, &event, &err));
    expect_ok(kn_event_wait(event, &err));
    ck_assert_int_eq(memcmp(found, app.values, sizeof found), 0);
    correlate(queue);
    status = kn_event_get_duration(event, &nanoseconds, &err);
    if (status == KN_OK)
        fprintf(stderr, "skipped: this driver measures all queues\n");
    else
        expect_refused(status, KN_ERROR_DEVICE, "CL_PROFILING_INFO_NOT_AVAILABLE");
    end_refusals(reported);
    kn_event_free(event);
    kn_buffer_free(buffer);
    kn_queue_close(queue);
    kn_context_close(context);
    clReleaseCommandQueue(plain);
}
END_TEST

// Handles of our objects, for the application.
START_TEST(handles)
{
    kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 4096);
    kn_context *context = open_with(&options);
    kn_queue *queue = open_queue(context);
    kn_buffer *one = make_buffer(context, 64), *parts = make_buffer(context, 5000);
    unsigned char bytes[64], found[64];
    cl_uint references = 0;
    size_t size = 0;

    memset(bytes, 0x3c, sizeof bytes);
    expect_ok(kn_buffer_write(queue, one, 0, bytes, sizeof bytes, &err));
    ck_assert_int_eq(clEnqueueReadBuffer(kn_queue_get_opencl(queue), kn_buffer_get_opencl(one), CL_TRUE, 0,
                                         sizeof found, found, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(memcmp(bytes, found, sizeof bytes), 0);
    clGetContextInfo(kn_context_get_opencl(context), CL_CONTEXT_REFERENCE_COUNT, sizeof references,
                     &references, NULL);
    ck_assert_uint_ge(references, 1);
    ck_assert_ptr_null(kn_buffer_get_opencl(parts));
    clGetMemObjectInfo(kn_buffer_get_opencl(kn_buffer_get_part(parts, 1)), CL_MEM_SIZE, sizeof size, &size,
                       NULL);
    ck_assert_uint_eq(size, 5000 - 4096);
    kn_buffer_free(parts);
    kn_buffer_free(one);
    kn_queue_close(queue);
    kn_context_close(context);
}
END_TEST

static bool asks_opencl(void)
{
    kn_context *context = NULL;
    bool asks = kn_context_open(NULL, NULL, &context, &err) ||
                kn_context_get_opencl(context); // no device is open: reported elsewhere

    if (!asks)
        fprintf(stderr, "skipped: %s is not reached through OpenCL\n", kn_context_get_device(context)->spec);
    kn_context_close(context);
    return asks;
}

int main(void)
{
    const TTest *const tests[] = {working_inside, refusals, two_devices, images, without_times, handles};

    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);
    setenv("POCL_DEVICES", "pthread basic", 0); // PoCL has two devices then
    if (!asks_opencl())
        return 77;
    return RUN_ON_DEVICE_WITH("wrap", set_up, tear_down, tests);
}
