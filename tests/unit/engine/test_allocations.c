// SPDX-License-Identifier: Apache-2.0
// Launches, copies and events must allocate nothing when they are repeated.
#include "support/memory/allocations.h"
#include "support/buffers.h"
#include "support/run.h"

#include <koine/koine.h>

enum { N = 20011 };

const struct allocations_known allocations_known[] = {
    {NULL, 0, 0},
};

static kn_buffer *floats, *other;
static float host_floats[N];

static void begin(void)
{
    uint64_t state = test_seed("allocations");

    test_open();
    for (size_t i = 0; i < N; i++)
        host_floats[i] = (float)test_uniform(&state) - 0.3F;
    floats = test_upload_with_room(host_floats, sizeof host_floats, 0);
    other = test_upload_with_room(host_floats, sizeof host_floats, sizeof host_floats);
}

static void end(void)
{
    kn_buffer_free(floats);
    kn_buffer_free(other);
    test_close();
}

static kn_kernel *own;
static kn_recording *recorded;
static const char own_text[] =
    "__kernel void own(__global float *to, __global const float *from, float a, __local float *shared)\n"
    "{ shared[get_local_id(0)] = a; to[get_global_id(0)] = from[get_global_id(0)] * shared[get_local_id(0)]; "
    "}\n";

static kn_status launch_with(kn_event **event, kn_error *why)
{
    const kn_arg args[] = {KN_BUFFER(other), KN_BUFFER(floats), KN_VALUE(3.0F), KN_LOCAL(64 * sizeof(float))};
    const kn_range range = {1, {N / 64 * 64, 0, 0}, {64, 0, 0}, {0, 0, 0}};

    return kn_launch(queue, own, &range, args, sizeof args / sizeof *args, event, why);
}

static kn_status launch(kn_error *why)
{
    return launch_with(NULL, why);
}

static kn_status launch_event(kn_error *why)
{
    kn_event *event = NULL;
    kn_status status = launch_with(&event, why);

    if (!status)
        status = kn_event_wait(event, why);
    kn_event_free(event);
    return status;
}

static kn_status replay(kn_error *why)
{
    return kn_recording_replay(queue, recorded, why);
}

static kn_status write_buffer(kn_error *why)
{
    return kn_buffer_write(queue, other, 4, host_floats, sizeof host_floats, why);
}

static kn_status read_buffer(kn_error *why)
{
    return kn_buffer_read(queue, floats, 0, host_floats, sizeof host_floats, why);
}

static kn_status copy_buffer(kn_error *why)
{
    return kn_buffer_copy(queue, floats, 0, other, 0, sizeof host_floats, NULL, why);
}

static kn_status fill_buffer(kn_error *why)
{
    return kn_buffer_fill(queue, other, "x", 1, 3, N, NULL, why);
}

static kn_status copy_event(kn_error *why)
{
    kn_event *event = NULL;
    kn_status status = kn_buffer_copy(queue, floats, 0, other, 0, sizeof host_floats, &event, why);

    if (!status)
        status = kn_event_wait(event, why);
    kn_event_free(event);
    return status;
}

static kn_status get_kernel(kn_error *why)
{
    kn_kernel *found = NULL;
    kn_program *program = own->program;

    return kn_program_get_kernel(program, "own", &found, why);
}

static kn_status record(kn_error *why)
{
    kn_event *event = NULL;
    kn_status status = kn_queue_record(queue, &event, why);

    if (!status)
        status = kn_event_wait(event, why);
    kn_event_free(event);
    return status;
}

static kn_status finish(kn_error *why)
{
    return kn_queue_finish(queue, why);
}

START_TEST(test_engine)
{
    const struct allocations_call calls[] = {
        {"kn_launch", launch},
        {"kn_launch, with an event", launch_event},
        {"kn_recording_replay", replay},
        {"kn_buffer_write", write_buffer},
        {"kn_buffer_read", read_buffer},
        {"kn_buffer_copy", copy_buffer},
        {"kn_buffer_copy, with an event", copy_event},
        {"kn_buffer_fill", fill_buffer},
        {"kn_program_get_kernel", get_kernel},
        {"kn_queue_record", record},
        {"kn_queue_finish", finish},
    };
    kn_program *program = NULL;

    begin();
    EXPECT_OK(kn_program_from_text(context, own_text, "own.cl", NULL, &program, &err));
    EXPECT_OK(kn_program_get_kernel(program, "own", &own, &err));
    EXPECT_OK(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    EXPECT_OK(launch(&err));
    EXPECT_OK(launch(&err));
    EXPECT_OK(kn_recording_end(queue, &recorded, &err));
    allocations_expect(calls, sizeof calls / sizeof *calls);
    kn_recording_free(recorded);
    kn_program_free(program);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_engine};

    return test_run("allocations of the engine", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
