// SPDX-License-Identifier: Apache-2.0
// Tests the record of work in progress: a launch is listed until it is known to have ended.
#include "unit/engine/engine_support.h"

#include "engine/engine.h"

static _Alignas(16) char record[KN_FLIGHT_BYTES];
static const kn_flight *flight;
static unsigned ends; // how often the library told of one
static kn_context *context;
static kn_queue *queue;
static kn_program *program;
static kn_buffer *buffer;

static const char *const text = "__kernel void one(__global uint *x) { x[get_global_id(0)] = 1; }\n"
                                "__kernel void two(__global uint *x) { x[get_global_id(0)] = 2; }\n";

static void count_end(void)
{
    ends++;
}

static void set_up(void)
{
    memset(record, 0xa5, sizeof record);
    expect_ok(kn_flight_watch(record, sizeof record, count_end, &flight, &err));
    ck_assert(!kn_flight_get_entered(flight));
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
    ki_flight_record(NULL);
}

static void launch(const char *name, kn_event **event)
{
    const kn_range range = {.dims = 1, .global = {64, 1, 1}};
    const kn_arg arg = KN_BUFFER(buffer);

    expect_ok(kn_launch(queue, kernel_of(program, name), &range, &arg, 1, event, &err));
}

// The number of launches that may still run, and the text of the latest.
static void expect_flying(unsigned count, const char *latest)
{
    kn_flight_queue slot;

    ck_assert(kn_flight_get_queue(flight, 0, &slot));
    ck_assert(slot.is_open);
    ck_assert_int_eq(slot.is_cpu, kn_context_get_device(context)->type == KN_DEVICE_CPU);
    ck_assert_uint_eq(slot.launched - slot.ended, count);
    ck_assert_str_eq(slot.kernels[(slot.launched - 1) % KN_FLIGHT_KERNELS], latest);
}

START_TEST(until_it_has_ended)
{
    kn_event *event = NULL;
    uint32_t x[64];

    ck_assert(kn_flight_get_entered(flight));
    ck_assert_ptr_nonnull(queue->flight);
    ck_assert_ptr_nonnull(strstr(queue->flight->device, kn_context_get_device(context)->spec));
    ends = 0;
    launch("one", NULL);
    launch("two", NULL);
    expect_flying(2, "two (test.cl)");
    expect_ok(kn_queue_finish(queue, &err));
    expect_flying(0, "two (test.cl)");
    ck_assert_uint_gt(ends, 0);
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
    struct flight_task *first, *second;

    ck_assert_ptr_null(kn_flight_get_task(flight, 0)); // none of those of set_up goes on
    ck_assert_ptr_nonnull(strstr(flight->tasks[0].what, "compiling test.cl for "));
    first = ki_flight_begin("task %d", 1);
    second = ki_flight_begin("task %d", 2);
    ck_assert_str_eq(kn_flight_get_task(flight, 0), "task 1");
    ck_assert_str_eq(kn_flight_get_task(flight, 1), "task 2");
    ck_assert_ptr_null(kn_flight_get_task(flight, 2));
    ki_flight_end(first);
    ck_assert_str_eq(kn_flight_get_task(flight, 0), "task 2");
    ki_flight_end(second);
}
END_TEST

START_TEST(slots)
{
    kn_queue *others[KN_FLIGHT_QUEUES];
    kn_flight_queue slot;

    for (size_t i = 0; i < KN_FLIGHT_QUEUES; i++)
        others[i] = open_queue(context);
    ck_assert_ptr_null(others[KN_FLIGHT_QUEUES - 1]->flight); // one more than there are: it works without
    for (size_t i = 0; i < KN_FLIGHT_QUEUES; i++)
        kn_queue_close(others[i]);
    for (size_t i = 1; i < KN_FLIGHT_QUEUES; i++)
        ck_assert(kn_flight_get_queue(flight, i, &slot) && !slot.is_open);
    ck_assert(!kn_flight_get_queue(flight, KN_FLIGHT_QUEUES, &slot));
}
END_TEST

// As in every program other than the command.
START_TEST(without_a_record)
{
    kn_queue *own;
    kn_program *unnamed;

    ki_flight_record(NULL);
    own = open_queue(context);
    unnamed = build_text(context, text);
    ck_assert_ptr_null(own->flight);
    ck_assert_ptr_null(kernel_of(unnamed, "one")->label);
    ck_assert_ptr_null(ki_flight_begin("something"));
    kn_program_free(unnamed);
    kn_queue_close(own);
}
END_TEST

START_TEST(refusals)
{
    const kn_flight *none = flight;

    expect_refused(kn_flight_watch(record, KN_FLIGHT_BYTES / 2, NULL, &none, &err), KN_ERROR_ARGUMENT,
                   "KN_FLIGHT_BYTES");
    expect_refused(kn_flight_watch(record + 1, sizeof record - 1, NULL, &none, &err), KN_ERROR_ARGUMENT,
                   "aligned");
    expect_refused(kn_flight_watch(record, sizeof record, NULL, NULL, &err), KN_ERROR_ARGUMENT,
                   "flight is NULL");
    ck_assert_ptr_null(none);
    ck_assert(kn_flight_get_entered(flight)); // the record that was there is as it was
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {until_it_has_ended, recorded, tasks, slots, refusals, without_a_record};

    return RUN_ON_DEVICE_WITH("flight", set_up, tear_down, tests);
}
