// SPDX-License-Identifier: Apache-2.0
// Tests that handles may be freed in any order: an object keeps its context alive.
#include <koine/koine.h>

#include "support/device.h"
#include "support/run.h"

static const char source[] = "__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }\n";

struct handles {
    kn_context *context;
    kn_queue *queue;
    kn_buffer *buffer;
    kn_program *program;
    kn_event *event;
    kn_pinned *pinned;
    kn_fft_plan *plan;
};

static void make(struct handles *made)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {16}, .type = KN_F32);
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    const int32_t values[4] = {1, 2, 3, 4};
    const kn_range range = {1, {4}, {0}, {0}};
    kn_kernel *kernel;

    EXPECT_OK(kn_context_open(NULL, NULL, &made->context, &err));
    EXPECT_OK(kn_queue_open(made->context, &made->queue, &err));
    EXPECT_OK(kn_buffer_create(made->context, sizeof values, &made->buffer, &err));
    EXPECT_OK(kn_buffer_write(made->queue, made->buffer, 0, values, sizeof values, &err));
    EXPECT_OK(kn_program_from_text(made->context, source, "twice.cl", NULL, &made->program, &err));
    EXPECT_OK(kn_program_get_kernel(made->program, "twice", &kernel, &err));
    EXPECT_OK(kn_launch(made->queue, kernel, &range, (const kn_arg[]){KN_BUFFER(made->buffer)}, 1,
                        &made->event, &err));
    EXPECT_OK(kn_pinned_create(made->queue, 4096, &made->pinned, &err));
    EXPECT_OK(kn_fft_plan_create(made->queue, &shape, &own, &made->plan, &err));
    EXPECT_OK(kn_sort(made->queue, made->buffer, KN_I32, 4, NULL, &err)); // a program of the context's own
}

// The parents are freed first; the remaining objects still work.
START_TEST(parents_first)
{
    struct handles h = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};

    make(&h);
    kn_context_close(h.context);
    ck_assert_ptr_eq(kn_queue_get_context(h.queue), h.context); // it is still there
    EXPECT_OK(kn_event_wait(h.event, &err));
    EXPECT_OK(kn_buffer_read_async(h.queue, h.buffer, 0, kn_pinned_get_data(h.pinned), 16, NULL, &err));
    kn_queue_close(h.queue); // waits
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(((const int32_t *)kn_pinned_get_data(h.pinned))[i], 2 * i + 2);
    kn_program_free(h.program);
    kn_fft_plan_free(h.plan);
    kn_event_free(h.event);
    kn_buffer_free(h.buffer);
    kn_pinned_free(h.pinned);
}
END_TEST

// Every handle is freed last in some order.
START_TEST(any_order)
{
    for (int last = 0; last < 7; last++) {
        struct handles h = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};

        make(&h);
        for (int i = 1; i <= 7; i++)
            switch ((last + i) % 7) {
            case 0:
                kn_context_close(h.context);
                break;
            case 1:
                kn_queue_close(h.queue);
                break;
            case 2:
                kn_pinned_free(h.pinned);
                break;
            case 3:
                kn_buffer_free(h.buffer);
                break;
            case 4:
                kn_program_free(h.program);
                break;
            case 5:
                kn_event_free(h.event);
                break;
            default:
                kn_fft_plan_free(h.plan);
            }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {parents_first, any_order};

    return test_run("lifetimes", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
