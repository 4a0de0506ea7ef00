// SPDX-License-Identifier: Apache-2.0
// The record of what is under way: what is launched stands in it until it is known to have ended.
#include "engine_support.h"

#include "engine/engine.h"

static struct flight flight = FLIGHT_INIT(NULL);
static kn_context *context;
static kn_queue *queue;
static kn_program *program;
static kn_buffer *buffer;

static const char *const text = "__kernel void one(__global uint *x) { x[get_global_id(0)] = 1; }\n"
                                "__kernel void two(__global uint *x) { x[get_global_id(0)] = 2; }\n";

static void set_up(void)
{
    ki_flight_watch(&flight);
    context = open_context();
    queue = open_queue(context);
    program = build_text(context, text);
    buffer = make_buffer(context, 64 * sizeof(uint32_t));
}

static void tear_down(void)
{
    kn_buffer_free(buffer);
    kn_program_free(program);
    kn_queue_close(queue);
    kn_context_close(context);
    ki_flight_watch(NULL);
}

static void launch(const char *name, kn_event **event)
{
    const kn_range range = {.dims = 1, .global = {64, 1, 1}};
    const kn_arg arg = KN_BUFFER(buffer);

    expect_ok(kn_launch(queue, kernel_of(program, name), &range, &arg, 1, event, &err));
}

// How many launches may still run, and the words of the latest.
static void expect_flying(unsigned count, const char *latest)
{
    const struct flight_queue *slot = queue->flight;
    unsigned departed = atomic_load(&slot->departed);

    ck_assert_uint_eq(departed - atomic_load(&slot->landed), count);
    ck_assert_str_eq(atomic_load(&slot->kernels[(departed - 1) % FLIGHT_KERNELS]), latest);
}

START_TEST(until_it_has_ended)
{
    kn_event *event = NULL;
    uint32_t x[64];

    ck_assert(atomic_load(&flight.entered));
    ck_assert_ptr_nonnull(queue->flight);
    ck_assert_ptr_nonnull(strstr(queue->flight->device, kn_context_get_device(context)->spec));
    launch("one", NULL);
    launch("two", NULL);
    expect_flying(2, "two (test.cl)");
    expect_ok(kn_queue_finish(queue, &err));
    expect_flying(0, "two (test.cl)");
    launch("one", NULL);
    expect_flying(1, "one (test.cl)");
    expect_ok(kn_buffer_read(queue, buffer, 0, x, sizeof x, &err));
    expect_flying(0, "one (test.cl)");
    launch("two", &event);
    launch("one", NULL);
    expect_ok(kn_event_wait(event, &err));
    expect_flying(1, "one (test.cl)");
    kn_event_free(event);
    expect_ok(kn_queue_finish(queue, &err));
}
END_TEST

START_TEST(recorded)
{
    kn_recording *recording = NULL;
    unsigned before = atomic_load(&queue->flight->departed);

    expect_ok(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    launch("one", NULL);
    launch("two", NULL);
    expect_ok(kn_recording_end(queue, &recording, &err));
    ck_assert_uint_eq(atomic_load(&queue->flight->departed), before);
    expect_ok(kn_recording_replay(queue, recording, &err));
    expect_flying(2, "two (test.cl)");
    expect_ok(kn_queue_finish(queue, &err));
    expect_flying(0, "two (test.cl)");
    kn_recording_free(recording);
}
END_TEST

START_TEST(tasks)
{
    for (size_t i = 0; i < FLIGHT_TASKS; i++)
        ck_assert(!atomic_load(&flight.tasks[i].used)); // none of those of set_up goes on
    ck_assert_ptr_nonnull(strstr(flight.tasks[0].what, "compiling test.cl for "));
}
END_TEST

START_TEST(slots)
{
    kn_queue *others[FLIGHT_QUEUES];

    for (size_t i = 0; i < FLIGHT_QUEUES; i++)
        others[i] = open_queue(context);
    ck_assert_ptr_null(others[FLIGHT_QUEUES - 1]->flight); // one more than there are: it works without
    for (size_t i = 0; i < FLIGHT_QUEUES; i++)
        kn_queue_close(others[i]);
    for (size_t i = 1; i < FLIGHT_QUEUES; i++)
        ck_assert(!atomic_load(&flight.queues[i].used));
}
END_TEST

// As in every program but the command.
START_TEST(without_a_record)
{
    kn_queue *own;
    kn_program *unnamed;

    ki_flight_watch(NULL);
    own = open_queue(context);
    unnamed = build_text(context, text);
    ck_assert_ptr_null(own->flight);
    ck_assert_ptr_null(kernel_of(unnamed, "one")->label);
    ck_assert_ptr_null(ki_flight_begin("something"));
    kn_program_free(unnamed);
    kn_queue_close(own);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {until_it_has_ended, recorded, tasks, slots, without_a_record};

    return RUN_ON_DEVICE_WITH("flight", set_up, tear_down, tests);
}
