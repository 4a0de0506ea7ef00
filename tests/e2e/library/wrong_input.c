// SPDX-License-Identifier: Apache-2.0
// What wrong_input.sh compiles with calls of its own making: for every kind of object that a function takes,
// a right one (right_TYPE) and one of another context (other_TYPE), and what a refusal must be.
#include <koine/experimental.h>
#include <koine/koine.h>

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK  ((size_t)1 << 16)
#define POISON 0xA5

typedef struct world {
    kn_context *context;
    kn_queue *queue;
    kn_buffer *buffer[6]; // a call has no buffer twice
    kn_image *image;
    kn_program *program;
    kn_kernel *kernel;
    kn_fft_plan *fft_plan;
    kn_stats_plan *stats_plan;
    kn_autocorr_plan *autocorr_plan;
    kn_recon_plan *recon_plan;
    kn_operator *operator_;
    kn_solve_plan *solve_plan;
    kn_tomography_fbp_plan *tomography_fbp_plan;
} world;

static world right, other;
static kn_buffer *tiny;                                           // of a byte
static kn_sparse *right_kn_sparse;                                // 4 x 4, of the host
static unsigned char block[BLOCK], poisoned[BLOCK], zeros[BLOCK]; // outputs, what they hold, inputs
static void *made;
static volatile int failures, refusals;
static const char *volatile call; // that is being made

static const char *const text = "wrong input";
static const size_t numbers[4] = {0, 1, 2, 3}; // ranks, and ends of prefixes
static const uint64_t starts[5] = {0, 1, 2, 3, 4};
static const uint32_t indices[4] = {0, 1, 2, 3};
static const double values[4] = {1, 2, 3, 4}, points[12] = {0, 1, 0, 1, 0, 0, -1, 0, 0, 0, -1, 0};
static const kn_image_format right_kn_image_format = {KN_ORDER_RGBA, KN_CHANNEL_FLOAT};
static const kn_recon_matrix right_kn_recon_matrix[1] = {{2, {4, 4, 1}}};
static const kn_image_region right_kn_image_region[1] = {{{0, 0, 0}, {4, 4, 1}}};
static const kn_range right_kn_range[1] = {{.dims = 1, .global = {4}}};
static const kn_tomography_geometry right_kn_tomography_geometry[1] = {
    {.struct_size = sizeof(kn_tomography_geometry), .angles = 4, .detectors = 4, .size = 4}};
static const kn_fft_shape right_kn_fft_shape[1] = {
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {4, 1, 1}, .type = KN_F32}};
static const kn_autocorr_shape right_kn_autocorr_shape[1] = {
    {.struct_size = sizeof(kn_autocorr_shape), .width = 8, .height = 8, .type = KN_U8, .max_offset = 2}};
static const kn_combine right_kn_combine[1] = {
    {.struct_size = sizeof(kn_combine), .combine = "a + b", .identity = "0"}};
static const kn_condition right_kn_condition[1] = {
    {.struct_size = sizeof(kn_condition), .type = "float", .size = 4, .holds = "x > 0"}};
static const kn_less right_kn_less[1] = {
    {.struct_size = sizeof(kn_less), .type = "float", .size = 4, .less = "a < b"}};
static const kn_autocorr_frames right_kn_autocorr_frames[1] = {
    {.struct_size = sizeof(kn_autocorr_frames), .first = zeros}};
static const kn_autocorr_results right_kn_autocorr_results[1] = {
    {.struct_size = sizeof(kn_autocorr_results), .sums = (uint64_t *)block}};
static kn_least_squares_task right_kn_least_squares_task[1] = {
    {.struct_size = sizeof(kn_least_squares_task), .b = (const double *)zeros, .count = 1}};

static bool right_kn_host_condition(const void *element, void *data)
{
    (void)data;
    return *(const unsigned char *)element != 0;
}

static kn_status same(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                      kn_error *err)
{
    (void)data;
    (void)adjoint;
    return kn_buffer_copy(queue, from, 0, to, 0, 16, NULL, err);
}

// What the test stands on works; `step` says where it did not.
static void need(const char *step, kn_status status, const kn_error *err)
{
    if (status == KN_OK)
        return;
    printf("%s: %s\n", step, err->text);
    exit(1);
}

static void open_world(world *w)
{
    static const char code[] = "kernel void wrong(global float *x) { x[get_global_id(0)] = 1; }";
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = 4, .columns = 4, .type = KN_F32, .apply = same);
    const kn_solve_options options = KN_INIT(kn_solve_options, .iterations = 1);
    kn_error err = KN_ERROR_INIT;

    need("context", kn_context_open(NULL, NULL, &w->context, &err), &err);
    need("queue", kn_queue_open(w->context, &w->queue, &err), &err);
    for (size_t i = 0; i < 6; i++)
        need("buffer", kn_buffer_create(w->context, BLOCK, &w->buffer[i], &err), &err);
    need("image", kn_image_create(w->context, KN_IMAGE_2D, right_kn_image_format, 4, 4, 1, &w->image, &err),
         &err);
    need("program", kn_program_from_text(w->context, code, "wrong.cl", NULL, &w->program, &err), &err);
    need("kernel", kn_program_get_kernel(w->program, "wrong", &w->kernel, &err), &err);
    need("transform", kn_fft_plan_create(w->queue, right_kn_fft_shape, NULL, &w->fft_plan, &err), &err);
    need("statistics", kn_stats_plan_create(w->queue, KN_F32, 16, NULL, &w->stats_plan, &err), &err);
    need("correlation",
         kn_autocorr_plan_create(w->queue, right_kn_autocorr_shape, NULL, &w->autocorr_plan, &err), &err);
    need("reconstruction",
         kn_recon_plan_create(w->queue, right_kn_recon_matrix, points, 4, NULL, &w->recon_plan, &err), &err);
    need("operator", kn_operator_create(w->context, &functions, &w->operator_, &err), &err);
    need("solver", kn_solve_plan_create(w->queue, w->operator_, &options, &w->solve_plan, &err), &err);
    need("back-projection",
         kn_tomography_fbp_plan_create(w->queue, right_kn_tomography_geometry, NULL, &w->tomography_fbp_plan,
                                       &err),
         &err);
}

static void poison(void)
{
    kn_error err = KN_ERROR_INIT;

    memset(block, POISON, BLOCK);
    for (size_t i = 0; i < 6; i++) {
        need("poison", kn_buffer_write(right.queue, right.buffer[i], 0, poisoned, BLOCK, &err), &err);
        need("poison", kn_buffer_write(other.queue, other.buffer[i], 0, poisoned, BLOCK, &err), &err);
    }
}

// Is one of the buffers, or the block, not what poison() made it?
static bool written(void)
{
    static unsigned char now[BLOCK];
    kn_error err = KN_ERROR_INIT;

    for (size_t i = 0; i < 12; i++) {
        const world *w = i < 6 ? &right : &other;

        need("read", kn_buffer_read(w->queue, w->buffer[i % 6], 0, now, BLOCK, &err), &err);
        if (memcmp(now, poisoned, BLOCK) != 0)
            return true;
    }
    return memcmp(block, poisoned, BLOCK) != 0;
}

static sigjmp_buf before;

static void on_crash(int number)
{
    (void)number;
    siglongjmp(before, 1);
}

// The call returned `status`: an error with a sentence, and nothing was written.
static void refused(kn_status status, kn_error *err)
{
    const kn_error none = KN_ERROR_INIT;

    refusals++;
    if (status == KN_OK || err->code != status || strlen(err->text) < 8) {
        printf("%s: %s, \"%s\"\n", call, kn_status_name(status), err->text);
        failures++;
    }
    if (written()) {
        printf("%s: something was written\n", call);
        failures++;
        poison();
    }
    if (getenv("WRONG_INPUT_SENTENCES"))
        printf("%s: %s: %s\n", call, kn_status_name(status), err->text);
    *err = none;
}

// One call after another, so that a crash is told with the rest.
#define CALL(name, made_call)                                                                                \
    do {                                                                                                     \
        call = name;                                                                                         \
        if (sigsetjmp(before, 1) == 0) {                                                                     \
            refused(made_call, &err);                                                                        \
        } else {                                                                                             \
            printf("%s: crashed\n", call);                                                                   \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

#include "calls.h"

int main(void)
{
    kn_error err = KN_ERROR_INIT;

    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGSEGV, on_crash);
    memset(poisoned, POISON, BLOCK);
    need("matrix", kn_sparse_create_csr(4, 4, 4, starts, indices, values, &right_kn_sparse, &err), &err);
    right_kn_least_squares_task->matrix = right_kn_sparse;
    open_world(&right);
    open_world(&other);
    need("byte", kn_buffer_create(right.context, 1, &tiny, &err), &err);
    poison();
    make_calls();
    printf("%d wrong calls\n", refusals);
    return failures ? 1 : 0;
}
