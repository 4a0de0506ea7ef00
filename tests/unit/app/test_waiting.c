// SPDX-License-Identifier: Apache-2.0
// Tests that calls with results in buffers enqueue their work and return even if the queue is blocked;
// kn_queue_record gets an event for the work. The same holds inside an OpenCL application, on its queue and
// between its own commands.
#include "support/buffers.h"
#include "support/run.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <koine/opencl.h>

enum {
    N = 5000,
    WIDTH = 16,
    HEIGHT = 12,
    OFFSET = 3,
    OFFSETS = (2 * OFFSET + 1) * (OFFSET + 1),
    LENGTH = 60,
    UNKNOWNS = 50
};

static kn_buffer *floats, *integers, *frames, *result;
static kn_autocorr_plan *autocorr;
static kn_recon_plan *recon, *lecture; // with weights and a basis, by a kernel that takes positions
static kn_fft_plan *fft;
static kn_solve_plan *solvers[KN_SOLVE_SIRT + 1], *stopping; // indexed by method; with a tolerance

// For a self-adjoint matrix with a large diagonal and no negative elements. One block of iterations and some
// more.
static void make_solvers(void)
{
    uint32_t at[2][3 * UNKNOWNS];
    double values[3 * UNKNOWNS];
    size_t count = 0;
    kn_sparse *matrix = NULL;
    kn_operator *a = NULL;

    for (uint32_t i = 0; i < UNKNOWNS; i++)
        for (uint32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < UNKNOWNS; j++, count++) {
            at[0][count] = i;
            at[1][count] = j;
            values[count] = i == j ? 4 : 1;
        }
    EXPECT_OK(kn_sparse_create_coo(UNKNOWNS, UNKNOWNS, count, at[0], at[1], values, &matrix, &err));
    EXPECT_OK(kn_sparse_operator_create(
        queue, matrix, &KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SIMPLE), &a, &err));
    for (unsigned method = KN_SOLVE_CGNR; method <= KN_SOLVE_SIRT; method++)
        EXPECT_OK(kn_solve_plan_create(
            queue, a, &KN_INIT(kn_solve_options, .method = (kn_solve_method)method, .iterations = 40),
            &solvers[method], &err));
    EXPECT_OK(kn_solve_plan_create(queue, a, &KN_INIT(kn_solve_options, .iterations = 40, .tolerance = 1e-3),
                                   &stopping, &err));
    kn_operator_free(a);
    kn_sparse_free(matrix);
}

// Prepares the calls on the open queue.
static void prepare(void)
{
    static double column[N];
    static uint32_t numbers[N];
    static uint8_t pixels[2 * WIDTH * HEIGHT];
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT, .type = KN_U8, .max_offset = OFFSET);
    const kn_autocorr_options direct = KN_INIT(kn_autocorr_options, .method = KN_AUTOCORR_DIRECT);
    const kn_recon_matrix matrix = {2, {8, 8, 0}};
    const kn_fft_shape line = KN_INIT(kn_fft_shape, .rank = 1, .dims = {LENGTH}, .type = KN_F32);
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    static double k[3 * 40], weights[40], basis[2 * 40];
    const kn_recon_options arrays =
        KN_INIT(kn_recon_options, .kernel = KN_RECON_KERNEL_CONSTANT, .weights = weights, .basis = basis);
    uint64_t state = test_seed("waiting");

    for (size_t i = 0; i < N; i++)
        column[i] = numbers[i] = (uint32_t)(test_random(&state) % 1000);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)test_random(&state);
    for (size_t i = 0; i < 3 * 40; i++)
        k[i] = i % 3 < 2 ? 8 * test_uniform(&state) - 4 : 0;
    floats = test_upload_column(column, N, KN_F32);
    integers = test_upload_with_room(numbers, sizeof numbers, 0);
    frames = test_upload_with_room(pixels, sizeof pixels, 0);
    EXPECT_OK(kn_buffer_create(context, N * sizeof(uint64_t), &result, &err));
    EXPECT_OK(kn_autocorr_plan_create(queue, &shape, &direct, &autocorr, &err));
    for (size_t i = 0; i < 40; i++)
        weights[i] = basis[2 * i] = basis[2 * i + 1] = 1 + (double)i;
    EXPECT_OK(kn_recon_plan_create(queue, &matrix, k, 40, NULL, &recon, &err));
    EXPECT_OK(kn_recon_plan_create(queue, &matrix, k, 40, &arrays, &lecture, &err));
    EXPECT_OK(kn_fft_plan_create(queue, &line, &own, &fft, &err));
    make_solvers();
}

static void begin(void)
{
    test_open();
    prepare();
}

static void end(void)
{
    for (size_t i = 0; i <= KN_SOLVE_SIRT; i++)
        kn_solve_plan_free(solvers[i]);
    kn_solve_plan_free(stopping);
    kn_fft_plan_free(fft);
    kn_recon_plan_free(recon);
    kn_recon_plan_free(lecture);
    kn_autocorr_plan_free(autocorr);
    kn_buffer_free(result);
    kn_buffer_free(frames);
    kn_buffer_free(integers);
    kn_buffer_free(floats);
    test_close();
}

// ---- an application ----

static cl_context application;
static cl_command_queue its_queue;

// Opens the tests' device in a context and a queue created elsewhere, without profiling.
static void begin_inside(void)
{
    cl_context native;
    cl_device_id device;
    cl_int code;

    test_open();
    native = kn_context_get_opencl(context);
    if (native) {
        ck_assert_int_eq(clGetContextInfo(native, CL_CONTEXT_DEVICES, sizeof device, &device, NULL),
                         CL_SUCCESS);
        test_close();
        application = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        ck_assert_int_eq(code, CL_SUCCESS);
        its_queue = clCreateCommandQueue(application, device, 0, &code);
        ck_assert_int_eq(code, CL_SUCCESS);
        EXPECT_OK(kn_context_wrap_opencl(application, NULL, NULL, &context, &err));
        EXPECT_OK(kn_queue_wrap_opencl(context, its_queue, &queue, &err));
    }
    prepare();
}

static void end_inside(void)
{
    end();
    if (application) {
        ck_assert_int_eq(clReleaseCommandQueue(its_queue), CL_SUCCESS);
        ck_assert_int_eq(clReleaseContext(application), CL_SUCCESS);
    }
    application = NULL;
}

// ---- the calls ----

static kn_status reduce_floats(void)
{
    return kn_reduce_to_buffer(queue, floats, KN_F32, N, KN_REDUCE_SUM, result, &err);
}

static kn_status reduce_integers(void)
{
    return kn_reduce_to_buffer(queue, integers, KN_U32, N, KN_REDUCE_MAX, result, &err);
}

static kn_status reduce_nothing(void)
{
    return kn_reduce_to_buffer(queue, integers, KN_U32, 0, KN_REDUCE_PRODUCT, result, &err);
}

static kn_status reduce_with(void)
{
    const kn_combine how = KN_INIT(kn_combine, .combine = "max(a, b)", .identity = "0", .map = "x % 100");

    return kn_reduce_with_to_buffer(queue, integers, KN_U32, N, &how, KN_U32, result, &err);
}

static kn_status scan(void)
{
    return kn_scan(queue, integers, KN_U32, N, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, result, &err);
}

static kn_status unique(void)
{
    return kn_unique(queue, integers, KN_U32, N, result, NULL, NULL, &err);
}

static kn_status select_if(void)
{
    const kn_condition odd = KN_INIT(kn_condition, .type = "uint", .size = 4, .holds = "x & 1");

    return kn_select_if(queue, integers, N, &odd, result, NULL, NULL, &err);
}

// With brackets, and the launches that may follow them.
static kn_status select_ranks(void)
{
    const kn_select_options brackets = KN_INIT(kn_select_options, .method = KN_SELECT_BRACKETS);

    return kn_select_to_buffer(queue, floats, KN_F32, N, (const size_t[]){0, N / 2, N - 1}, 3, result,
                               &brackets, &err);
}

static kn_status quantiles(void)
{
    return kn_quantiles_to_buffer(queue, integers, KN_U32, N, (const double[]){0.25, 0.5}, 2, result, NULL,
                                  &err);
}

static kn_status robust(void)
{
    return kn_robust_to_buffer(queue, floats, KN_F32, N, result, NULL, &err);
}

static kn_status transform(void)
{
    return kn_fft_execute(queue, fft, KN_FFT_FORWARD, floats, result, &err);
}

static kn_status correlate(void)
{
    return kn_autocorr_sums_to_buffer(autocorr, frames, NULL, 2, result, &err);
}

static kn_status forward(void)
{
    return kn_recon_forward_buffers(recon, floats, result, &err);
}

static kn_status forward_with_basis(void)
{
    return kn_recon_forward_buffers(lecture, floats, result, &err);
}

static kn_status adjoint(void)
{
    return kn_recon_adjoint_buffers(recon, floats, result, &err);
}

static kn_status adjoint_of_lecture(void)
{
    return kn_recon_adjoint_buffers(lecture, floats, result, &err);
}

static kn_status grid(void)
{
    return kn_recon_gridding_adjoint_buffers(recon, floats, result, &err);
}

static kn_status normal(void)
{
    return kn_recon_normal_buffers(recon, floats, result, &err);
}

static kn_status solve_by(kn_solve_method method)
{
    return kn_solve_execute_buffers(solvers[method], floats, result, NULL, &err);
}

static kn_status solve_least_squares(void)
{
    return solve_by(KN_SOLVE_CGNR);
}

static kn_status solve_equation(void)
{
    return solve_by(KN_SOLVE_CG);
}

static kn_status solve_fista(void)
{
    return solve_by(KN_SOLVE_FISTA);
}

static kn_status solve_sirt(void)
{
    return solve_by(KN_SOLVE_SIRT);
}

static kn_status copy(void)
{
    return kn_buffer_copy(queue, floats, 0, result, 0, N, NULL, &err);
}

static const struct {
    const char *name;
    kn_status (*call)(void);
    bool of_doubles; // its result contains doubles
} calls[] = {{"reduce_to_buffer of floats", reduce_floats, false},
             {"reduce_to_buffer of integers", reduce_integers, false},
             {"reduce_to_buffer of nothing", reduce_nothing, false},
             {"reduce_with_to_buffer", reduce_with, false},
             {"scan", scan, false},
             {"unique", unique, false},
             {"select_if", select_if, false},
             {"select_to_buffer", select_ranks, false},
             {"quantiles_to_buffer", quantiles, true},
             {"robust_to_buffer", robust, true},
             {"fft_execute", transform, false},
             {"autocorr_sums_to_buffer", correlate, false},
             {"recon_forward_buffers", forward, false},
             {"recon_forward_buffers with a basis", forward_with_basis, false},
             {"recon_adjoint_buffers", adjoint, false},
             {"recon_adjoint_buffers by constant", adjoint_of_lecture, false},
             {"recon_gridding_adjoint_buffers", grid, false},
             {"recon_normal_buffers", normal, false},
             {"solve_execute_buffers by cgnr", solve_least_squares, false},
             {"solve_execute_buffers by cg", solve_equation, false},
             {"solve_execute_buffers by fista", solve_fista, false},
             {"solve_execute_buffers by sirt", solve_sirt, false},
             {"buffer_copy", copy, false}};
#define CALLS (sizeof calls / sizeof *calls)

static bool can_call(size_t i)
{
    return !calls[i].of_doubles || kn_context_get_device(context)->fp64;
}

// ---- a queue that cannot go on ----

static uint64_t *take_result(uint64_t *to)
{
    EXPECT_OK(kn_buffer_read(queue, result, 0, to, N * sizeof *to, &err));
    return to;
}

static void clear_result(void)
{
    const uint32_t pattern = 0xa5a5a5a5;

    EXPECT_OK(kn_buffer_fill(queue, result, &pattern, sizeof pattern, 0, N * sizeof(uint64_t), NULL, &err));
}

static cl_int status_of(cl_event event)
{
    cl_int found = CL_QUEUED;

    ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof found, &found, NULL),
                     CL_SUCCESS);
    return found;
}

// Blocked by an event of the application, with a marker after the call that is not reached before the event.
static void expect_return(size_t i)
{
    static uint64_t first[N], second[N];
    cl_command_queue native = kn_queue_get_opencl(queue);
    cl_int code;
    cl_event gate, reached;
    kn_event *done = NULL;
    bool is_done = true;

    clear_result();
    EXPECT_OK(calls[i].call()); // prepares what the first call does
    take_result(first);
    clear_result();
    EXPECT_OK(kn_queue_finish(queue, &err));
    gate = clCreateUserEvent(kn_context_get_opencl(context), &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    ck_assert_int_eq(clEnqueueBarrierWithWaitList(native, 1, &gate, NULL), CL_SUCCESS);
    EXPECT_OK(calls[i].call());
    ck_assert_int_eq(clEnqueueMarkerWithWaitList(native, 0, NULL, &reached), CL_SUCCESS);
    EXPECT_OK(kn_queue_record(queue, &done, &err));
    EXPECT_OK(kn_queue_flush(queue, &err));
    ck_assert_msg(status_of(reached) != CL_COMPLETE, "%s: the queue was not blocked", calls[i].name);
    EXPECT_OK(kn_event_get_done(done, &is_done, &err)); // a query does not wait either
    ck_assert(!is_done);
    ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_OK(kn_event_wait(done, &err));
    EXPECT_OK(kn_event_get_done(done, &is_done, &err));
    ck_assert(is_done);
    ck_assert_msg(!memcmp(take_result(second), first, sizeof first), "%s: other numbers", calls[i].name);
    kn_event_free(done);
    clReleaseEvent(reached);
    clReleaseEvent(gate);
}

START_TEST(blocked)
{
    if (!kn_queue_get_opencl(queue)) {
        puts("blocked: not an OpenCL device");
        return;
    }
    for (size_t i = 0; i < CALLS; i++)
        if (can_call(i))
            expect_return(i);
}
END_TEST

// ---- nothing that waits is called ----

static const struct ki_backend *real;
static size_t waits;

static kn_status count_finish(struct be_queue *native, kn_error *why)
{
    waits++;
    return real->queue_finish(native, why);
}

static kn_status count_event(struct be_event *event, kn_error *why)
{
    waits++;
    return real->event_wait(event, why);
}

static kn_status count_to_device(struct be_queue *native, struct be_memory *to, const void *from,
                                 const struct be_copy *copied, struct be_event **event, kn_error *why)
{
    waits += copied->blocking;
    return real->copy_to_device(native, to, from, copied, event, why);
}

static kn_status count_to_host(struct be_queue *native, struct be_memory *from, void *to,
                               const struct be_copy *copied, struct be_event **event, kn_error *why)
{
    waits += copied->blocking;
    return real->copy_to_host(native, from, to, copied, event, why);
}

static size_t waits_of(kn_status (*call)(void))
{
    struct ki_backend counting = *context->backend;

    real = context->backend;
    counting.queue_finish = count_finish;
    counting.event_wait = count_event;
    counting.copy_to_device = count_to_device;
    counting.copy_to_host = count_to_host;
    context->backend = &counting;
    waits = 0;
    EXPECT_OK(call());
    context->backend = real;
    return waits;
}

static kn_status reduce_to_host(void)
{
    kn_number number;

    return kn_reduce(queue, integers, KN_U32, N, KN_REDUCE_MAX, &number, &err);
}

// Methods in which the host decides, even if no result is requested.
static kn_status solve_bb(void)
{
    return solve_by(KN_SOLVE_BB);
}

static kn_status solve_to_tolerance(void)
{
    return kn_solve_execute_buffers(stopping, floats, result, NULL, &err);
}

START_TEST(waits_of_calls)
{
    for (size_t i = 0; i < CALLS; i++) {
        if (!can_call(i))
            continue;
        EXPECT_OK(calls[i].call());
        ck_assert_msg(waits_of(calls[i].call) == 0, "%s waits %zu times", calls[i].name, waits);
    }
    ck_assert_uint_gt(waits_of(reduce_to_host), 0); // the counter works
    ck_assert_uint_gt(waits_of(solve_bb), 0);
    ck_assert_uint_gt(waits_of(solve_to_tolerance), 0);
}
END_TEST

// ---- what kn_queue_record gives ----

START_TEST(events)
{
    kn_queue *second = NULL;
    kn_event *done = NULL, *later = NULL;
    uint64_t start = 1, end = 0;
    uint32_t found = 0;

    EXPECT_OK(kn_queue_open(context, &second, &err));
    EXPECT_OK(kn_queue_record(queue, &done, &err)); // with no work
    EXPECT_OK(kn_event_wait(done, &err));
    kn_event_free(done);
    EXPECT_OK(reduce_with());
    EXPECT_OK(kn_queue_record(queue, &done, &err));
    EXPECT_OK(kn_queue_flush(queue, &err));
    EXPECT_OK(kn_queue_wait_for(second, done, &err));
    EXPECT_OK(kn_buffer_read_async(second, result, 0, &found, sizeof found, &later, &err));
    EXPECT_OK(kn_event_wait(later, &err));
    ck_assert_uint_eq(found, 99);
    EXPECT_OK(kn_event_get_span(done, &start, &end, &err));
    ck_assert_uint_ge(end, start);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "queue or event is NULL", kn_queue_record(NULL, &later, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "queue or event is NULL", kn_queue_record(queue, NULL, &err));
    EXPECT_OK(kn_recording_begin(queue, KN_RECORDING_LAUNCHES, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_queue_record", kn_queue_record(queue, &later, &err));
    (void)kn_recording_end(queue, NULL, NULL);
    kn_event_free(later);
    kn_event_free(done);
    kn_queue_close(second);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {blocked, waits_of_calls, events}, *const inside[] = {blocked};
    int status = test_run("waiting", tests, sizeof tests / sizeof *tests, begin, end);

    return status ? status : test_run("waiting, inside an application", inside, 1, begin_inside, end_inside);
}
