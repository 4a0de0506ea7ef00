// SPDX-License-Identifier: Apache-2.0
// Iterations on a device with a progress callback (operator/loop.h): when it is called, and that the host
// does not run far ahead of the device.
#include <pthread.h>
#include <unistd.h>

#include "support/buffers.h"
#include "support/run.h"

#include "operator/loop.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <koine/opencl.h>

enum { ITERATIONS = 100, AHEAD = 2 };

static kn_buffer *state;

static kn_status iterate(const void *data, kn_queue *on, size_t k, bool last, kn_error *why)
{
    const double ended = 0;

    (void)data;
    (void)last;
    return kn_buffer_fill(on, state, &ended, sizeof ended, 8 * k, 8, NO_EVENT, why);
}

struct told {
    atomic_size_t asked; // number of calls of the callback
    size_t most;         // the call, counted from 1, that returns false
    cl_event gate;       // which the queue waits for
    size_t before;       // calls before it was opened
};

static bool tell(void *data, size_t iteration)
{
    struct told *told = data;

    ck_assert_uint_eq(atomic_fetch_add(&told->asked, 1), iteration);
    return iteration + 1 < told->most;
}

static struct operator_loop loop_of(struct told *told, bool looks)
{
    return (struct operator_loop){.iterate = iterate,
                                  .count = ITERATIONS,
                                  .state = looks ? state : NULL,
                                  .stride = 8,
                                  .progress = tell,
                                  .progress_data = told};
}

static void begin(void)
{
    const uint64_t nothing[ITERATIONS] = {0};

    test_open();
    state = test_upload_with_room(nothing, sizeof nothing, 0);
}

static void end(void)
{
    kn_buffer_free(state);
    test_close();
}

// The callback is called before every iteration but the last, whether the host checks the state or not.
START_TEST(questions)
{
    for (int looks = 0; looks < 2; looks++)
        for (size_t most = 1; most <= ITERATIONS; most += most < 4 ? 1 : 31) {
            struct told told = {.most = most};
            const struct operator_loop loop = loop_of(&told, looks);
            size_t launched = 0;
            kn_status status = ki_loop_run(queue, &loop, &launched, &err);

            ck_assert_int_eq(status, most < ITERATIONS ? KN_ERROR_INTERRUPTED : KN_OK);
            ck_assert_uint_eq(atomic_load(&told.asked), most < ITERATIONS ? most : ITERATIONS - 1);
            ck_assert_uint_eq(launched, most < ITERATIONS ? most - 1 : ITERATIONS);
            ck_assert(!status || strstr(err.text, "stopped before iteration"));
        }
}
END_TEST

static void *open_gate(void *data)
{
    struct told *told = data;

    usleep(100000);
    told->before = atomic_load(&told->asked);
    clSetUserEventStatus(told->gate, CL_COMPLETE);
    return NULL;
}

// While the queue is blocked, the host launches a few iterations and then waits.
START_TEST(waits)
{
    for (int looks = 0; looks < 2 && kn_queue_get_opencl(queue); looks++) {
        struct told told = {.most = SIZE_MAX};
        const struct operator_loop loop = loop_of(&told, looks);
        size_t launched = 0;
        pthread_t thread;
        cl_int code;

        told.gate = clCreateUserEvent(kn_context_get_opencl(context), &code);
        ck_assert_int_eq(code, CL_SUCCESS);
        ck_assert_int_eq(clEnqueueBarrierWithWaitList(kn_queue_get_opencl(queue), 1, &told.gate, NULL),
                         CL_SUCCESS);
        ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, &told), 0);
        EXPECT_OK(ki_loop_run(queue, &loop, &launched, &err));
        pthread_join(thread, NULL);
        ck_assert_uint_eq(launched, ITERATIONS);
        ck_assert_msg(told.before == AHEAD + 1, "%zu questions before the queue went on", told.before);
        ck_assert_uint_eq(atomic_load(&told.asked), ITERATIONS - 1);
        clReleaseEvent(told.gate);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {questions, waits};

    return test_run("loop", tests, sizeof tests / sizeof *tests, begin, end);
}
