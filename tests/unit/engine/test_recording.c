// SPDX-License-Identifier: Apache-2.0
// Tests launches that are recorded and replayed on a device, in each way: the results of a loop of plain
// launches, frozen arguments, many replays in flight, which calls were made, profiles, and refusals while a
// queue records.
#include "engine_support.h"

#include "backend/opencl/opencl_load.h"
#include "engine/recording.h"

// ---- which calls reach the driver ----

static unsigned long enqueued;

static __typeof__(cl->EnqueueNDRangeKernel) loaders_enqueue;

static cl_int count_enqueued(cl_command_queue to, cl_kernel ready, cl_uint dims, const size_t *offset,
                             const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                             cl_event *event)
{
    enqueued++;
    return loaders_enqueue(to, ready, dims, offset, global, local, count, list, event);
}

// The context is open, so that the loader's calls are there.
static void look_at_calls(void)
{
    if (!cl->EnqueueNDRangeKernel || cl->EnqueueNDRangeKernel == count_enqueued)
        return;
    loaders_enqueue = cl->EnqueueNDRangeKernel;
    cl->EnqueueNDRangeKernel = count_enqueued;
}

// ---- what is launched ----

enum { GROUP = 8, MOST = 33 * GROUP };

// Of three arguments and the work-item's place in its group: what a wrong order, argument or range would
// change.
static const char text[] =
    "__kernel void mix_up(__global const uint *from, __global uint *to, uint factor, __local uint *near)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0), n = (uint)get_global_size(0);\n"
    "    near[l] = from[(i + 1) % n];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[i] = from[i] * factor + near[(uint)get_local_size(0) - 1 - l] + (uint)get_global_offset(0);\n"
    "}\n";

static kn_context *context;
static kn_queue *queue;
static kn_program *program;
static kn_kernel *kernel;
static kn_buffer *buffers[2];

static void set_up(void)
{
    context = open_context();
    look_at_calls();
    queue = open_queue(context);
    program = build_text(context, text);
    kernel = kernel_of(program, "mix_up");
    for (int i = 0; i < 2; i++) {
        buffers[i] = make_buffer(context, MOST * sizeof(uint32_t));
        expect_ok(kn_buffer_fill(queue, buffers[i], "", 1, 0, MOST * sizeof(uint32_t), NULL, &err));
    }
}

static void tear_down(void)
{
    for (int i = 0; i < 2; i++)
        kn_buffer_free(buffers[i]);
    kn_program_free(program);
    kn_queue_close(queue);
    kn_context_close(context);
}

static kn_status launch(size_t n, unsigned k)
{
    const kn_range range = {1, {n}, {GROUP}, {0}};
    const uint32_t factor = 2 * k + 3;
    const kn_arg args[] = {KN_BUFFER(buffers[k % 2]), KN_BUFFER(buffers[(k + 1) % 2]), KN_VALUE(factor),
                           KN_LOCAL(GROUP * sizeof(uint32_t))};

    return kn_launch(queue, kernel, &range, args, 4, NULL, &err);
}

static void compute(uint32_t *x, size_t n, unsigned k)
{
    uint32_t old[MOST];

    memcpy(old, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        size_t first = i / GROUP * GROUP, mirror = first + (GROUP - 1 - i % GROUP);
        x[i] = old[i] * (2 * k + 3) + old[(mirror + 1) % n];
    }
}

static kn_recording *record(size_t n, unsigned launches, kn_recording_way way, kn_status expected)
{
    kn_recording *recording = NULL;
    kn_status status;

    expect_ok(kn_recording_begin(queue, way, &err));
    for (unsigned k = 0; k < launches; k++)
        expect_ok(launch(n, k));
    status = kn_recording_end(queue, &recording, &err);
    ck_assert_msg(status == KN_OK || status == expected, "%s", err.text);
    if (status)
        ck_assert_ptr_null(recording);
    else
        ck_assert_uint_eq(kn_recording_get_count(recording), launches);
    return recording;
}

static bool is_opencl(void)
{
    return strcmp(kn_context_get_device(context)->backend, "opencl") == 0;
}

// The driver's own way, or NULL.
static kn_recording *record_best(size_t n, unsigned launches)
{
    kn_recording_way way = is_opencl() ? KN_RECORDING_COMMAND_BUFFER : KN_RECORDING_GRAPH;
    kn_recording *recording = record(n, launches, way, KN_ERROR_UNSUPPORTED);

    if (recording)
        ck_assert_int_eq(kn_recording_get_way(recording), way);
    return recording;
}

// Runs `replays` at once, and compares with the same launches one by one on the host.
static void expect_replays(kn_recording *recording, size_t n, unsigned launches, unsigned replays,
                           uint64_t *state)
{
    uint32_t expected[MOST], found[MOST];
    unsigned long before = enqueued;

    for (size_t i = 0; i < MOST; i++)
        expected[i] = (uint32_t)test_random(state);
    expect_ok(kn_buffer_write(queue, buffers[0], 0, expected, sizeof expected, &err));
    expect_ok(kn_buffer_fill(queue, buffers[1], "\xab", 1, 0, sizeof expected, NULL, &err));
    for (unsigned i = 0; i < replays; i++)
        expect_ok(kn_recording_replay(queue, recording, &err));
    expect_ok(kn_buffer_read(queue, buffers[0], 0, found, sizeof found, &err));
    for (unsigned k = 0; k < replays * launches; k++)
        compute(expected, n, k % launches);
    for (size_t i = 0; i < MOST; i++)
        ck_assert_msg(found[i] == expected[i],
                      "%s: %zu work-items, %u launches, %u times: place %zu is %u, not %u",
                      kn_recording_way_name(kn_recording_get_way(recording)), n, launches, replays, i,
                      found[i], expected[i]);
    if (is_opencl())
        ck_assert_uint_eq(enqueued - before,
                          kn_recording_get_way(recording) == KN_RECORDING_LAUNCHES ? replays * launches : 0);
}

START_TEST(numbers)
{
    static const struct {
        size_t n;
        unsigned launches, replays;
    } cases[] = {{GROUP, 2, 1}, {3 * GROUP, 2, 33}, {33 * GROUP, 64, 3}};
    uint64_t state = test_seed("recordings");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kn_recording *recordings[] = {record(cases[i].n, cases[i].launches, KN_RECORDING_LAUNCHES, KN_OK),
                                      record(cases[i].n, cases[i].launches, KN_RECORDING_AUTO, KN_OK),
                                      record_best(cases[i].n, cases[i].launches)};
        ck_assert_int_eq(kn_recording_get_way(recordings[0]), KN_RECORDING_LAUNCHES);
        ck_assert_str_eq(kn_recording_get_why(recordings[0]), "");
        // By default the driver's own way is used, or the reason why not is reported.
        if (kn_recording_get_way(recordings[1]) == KN_RECORDING_LAUNCHES)
            ck_assert_str_ne(kn_recording_get_why(recordings[1]), "");
        else
            ck_assert(recordings[2] &&
                      kn_recording_get_way(recordings[1]) == kn_recording_get_way(recordings[2]));
        if (i == 0)
            fprintf(stderr, "recordings: %s %s\n", kn_recording_way_name(kn_recording_get_way(recordings[1])),
                    kn_recording_get_why(recordings[1]));
        for (int w = 0; w < 3; w++)
            if (recordings[w])
                expect_replays(recordings[w], cases[i].n, cases[i].launches, cases[i].replays, &state);
        for (int w = 0; w < 3; w++)
            kn_recording_free(recordings[w]);
    }
}
END_TEST

// PoCL 3.1 has cl_khr_command_buffer 0.9.0: it is used if requested, and only then, because it is slow.
START_TEST(command_buffers)
{
    kn_recording *asked = record_best(GROUP, 2), *recording = record(GROUP, 2, KN_RECORDING_AUTO, KN_OK);

    if (strncmp(kn_context_get_device(context)->name, "pthread-", strlen("pthread-")) == 0) {
        ck_assert_ptr_nonnull(asked);
        ck_assert_ptr_nonnull(strstr(kn_recording_get_why(recording), "longer"));
    }
    ck_assert(!asked || asked->native);
    ck_assert_int_eq(recording->native == NULL, kn_recording_get_way(recording) == KN_RECORDING_LAUNCHES);
    kn_recording_free(asked);
    kn_recording_free(recording);
}
END_TEST

// Another queue of the context; and the recording has separate kernels: plain launches between replays do not
// affect it.
START_TEST(other_queues)
{
    uint64_t state = test_seed("other queues");
    kn_queue *own = queue, *other = open_queue(context);
    kn_recording *recordings[] = {record(GROUP, 2, KN_RECORDING_LAUNCHES, KN_OK), record_best(GROUP, 2)};

    // set_up() fills the buffers on this queue, and two queues have no order.
    expect_ok(kn_queue_finish(queue, &err));
    for (int w = 0; w < 2 && recordings[w]; w++) {
        queue = other;
        expect_ok(launch(2 * GROUP, 1));
        expect_replays(recordings[w], GROUP, 2, 2, &state);
        queue = own;
        expect_ok(launch(2 * GROUP, 3));
        expect_replays(recordings[w], GROUP, 2, 2, &state);
    }
    expect_ok(kn_queue_finish(queue, &err));
    kn_queue_close(other);
    for (int w = 0; w < 2; w++)
        kn_recording_free(recordings[w]);
}
END_TEST

START_TEST(profiled)
{
    kn_recording *recording = record(GROUP, 6, KN_RECORDING_AUTO, KN_OK);
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    expect_ok(kn_profile_start(queue, &err));
    expect_ok(kn_recording_replay(queue, recording, &err));
    expect_ok(kn_recording_replay(queue, recording, &err));
    expect_ok(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 12);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(entries[i].kernel, "mix_up");
    kn_free(entries);
    kn_recording_free(recording);
}
END_TEST

START_TEST(refused_while_recording)
{
    const kn_range range = {1, {GROUP}, {GROUP}, {0}};
    const uint32_t factor = 1;
    const kn_arg args[] = {KN_BUFFER(buffers[0]), KN_BUFFER(buffers[1]), KN_VALUE(factor), KN_LOCAL(64)};
    uint32_t data[4] = {0};
    double sum;
    kn_event *event = NULL;
    kn_recording *recording = NULL;

    expect_ok(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    expect_refused(kn_recording_begin(queue, KN_RECORDING_AUTO, &err), KN_ERROR_ARGUMENT,
                   "records already|kn_recording_end");
    expect_refused(kn_buffer_write(queue, buffers[0], 0, data, 16, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_write|records|kn_recording_end");
    expect_refused(kn_buffer_read(queue, buffers[0], 0, data, 16, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_read|records");
    expect_refused(kn_buffer_write_async(queue, buffers[0], 0, data, 16, NULL, &err), KN_ERROR_ARGUMENT,
                   "records");
    expect_refused(kn_buffer_read_async(queue, buffers[0], 0, data, 16, NULL, &err), KN_ERROR_ARGUMENT,
                   "records");
    expect_refused(kn_buffer_copy(queue, buffers[0], 0, buffers[1], 0, 16, NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_copy|records");
    expect_refused(kn_buffer_fill(queue, buffers[0], data, 4, 0, 16, NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_fill|records");
    expect_refused(kn_queue_finish(queue, &err), KN_ERROR_ARGUMENT, "kn_queue_finish|records");
    expect_refused(kn_queue_flush(queue, &err), KN_ERROR_ARGUMENT, "kn_queue_flush|records");
    expect_refused(kn_profile_start(queue, &err), KN_ERROR_ARGUMENT, "kn_profile_start|records");
    expect_refused(kn_launch(queue, kernel, &range, args, 4, &event, &err), KN_ERROR_ARGUMENT,
                   "mix_up|recorded|event");
    ck_assert_ptr_null(event);
    expect_refused(kn_launch(queue, kernel, &range, args, 3, NULL, &err), KN_ERROR_ARGUMENT, "takes 4 arg");
    expect_refused(kn_recording_end(queue, &recording, &err), KN_ERROR_ARGUMENT, "nothing was launched");
    ck_assert_ptr_null(recording);
    // A function whose launches are recorded, and whose answer is to be read at once.
    expect_ok(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    expect_refused(kn_reduce_sum(queue, buffers[0], KN_F32, MOST, &sum, &err), KN_ERROR_ARGUMENT, "records");
    expect_ok(kn_recording_end(queue, NULL, &err));
    // Now it runs again; and what is dropped is gone.
    expect_ok(launch(GROUP, 0));
    expect_ok(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    expect_ok(launch(GROUP, 0));
    expect_ok(kn_recording_end(queue, NULL, &err));
    expect_ok(kn_queue_finish(queue, &err));
    // Closing a queue while it records also drops the recording.
    kn_queue *short_lived = queue, *own = queue;
    short_lived = open_queue(context);
    expect_ok(kn_recording_begin(short_lived, KN_RECORDING_AUTO, &err));
    queue = short_lived;
    expect_ok(launch(GROUP, 0));
    queue = own;
    kn_queue_close(short_lived);
}
END_TEST

START_TEST(refused_at_all)
{
    kn_recording_way absent = is_opencl() ? KN_RECORDING_GRAPH : KN_RECORDING_COMMAND_BUFFER;
    kn_context *elsewhere = open_context();
    kn_queue *other = open_queue(elsewhere);
    kn_recording *recording = NULL;

    expect_refused(kn_recording_begin(NULL, KN_RECORDING_AUTO, &err), KN_ERROR_ARGUMENT, "NULL");
    expect_refused(kn_recording_begin(queue, (kn_recording_way)9, &err), KN_ERROR_ARGUMENT, "no way 9");
    expect_refused(kn_recording_begin(queue, absent, &err), KN_ERROR_UNSUPPORTED,
                   "command-buffer|graph|launches");
    expect_refused(kn_recording_end(queue, &recording, &err), KN_ERROR_ARGUMENT, "kn_recording_begin");
    expect_refused(kn_recording_end(NULL, &recording, &err), KN_ERROR_ARGUMENT, "NULL");
    recording = record(GROUP, 2, KN_RECORDING_AUTO, KN_OK);
    expect_refused(kn_recording_replay(other, recording, &err), KN_ERROR_ARGUMENT, "another context");
    expect_refused(kn_recording_replay(queue, NULL, &err), KN_ERROR_ARGUMENT, "NULL");
    expect_refused(kn_recording_replay(NULL, recording, &err), KN_ERROR_ARGUMENT, "NULL");
    expect_ok(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    expect_refused(kn_recording_replay(queue, recording, &err), KN_ERROR_ARGUMENT,
                   "kn_recording_replay|records");
    expect_ok(kn_recording_end(queue, NULL, &err));
    ck_assert_str_eq(kn_recording_way_name(KN_RECORDING_GRAPH), "graph");
    ck_assert_str_eq(kn_recording_way_name((kn_recording_way)9), "?");
    kn_recording_free(recording);
    kn_recording_free(NULL);
    kn_queue_close(other);
    kn_context_close(elsewhere);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {numbers,  command_buffers,         other_queues,
                                  profiled, refused_while_recording, refused_at_all};

    return RUN_ON_DEVICE_WITH("recording", set_up, tear_down, tests);
}
