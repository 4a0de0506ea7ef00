// SPDX-License-Identifier: Apache-2.0
// Tests buffers and copies against a copy of their contents on the host: in one piece, in parts, and through
// staging.
#include "engine_support.h"

#include "engine/engine.h"

#define GUARD ((size_t)32) // bytes around host memory that no copy may touch

struct bytes {
    unsigned char *memory, *data;
    size_t count;
};

static struct bytes random_bytes(size_t count, uint64_t *seed)
{
    struct bytes bytes = {malloc(count + 2 * GUARD), NULL, count};

    ck_assert_ptr_nonnull(bytes.memory);
    memset(bytes.memory, 0xa5, count + 2 * GUARD);
    bytes.data = bytes.memory + GUARD;
    for (size_t i = 0; i < count; i++)
        bytes.data[i] = (unsigned char)(i % 8 ? bytes.data[i - 1] * 5u + 1u : test_random(seed));
    return bytes;
}

static void expect_guards(const struct bytes *bytes)
{
    for (size_t i = 0; i < GUARD; i++) {
        ck_assert_uint_eq(bytes->memory[i], 0xa5);
        ck_assert_uint_eq(bytes->data[bytes->count + i], 0xa5);
    }
}

static void expect_bytes(const void *found, const void *expected, size_t count, const char *what)
{
    const unsigned char *a = found, *b = expected;

    for (size_t i = 0; i < count && memcmp(a, b, count) != 0; i++)
        ck_assert_msg(a[i] == b[i], "%s: byte %zu of %zu is %02x, not %02x", what, i, count, a[i], b[i]);
}

// The buffer has exactly these contents.
static void expect_contents(kn_queue *queue, kn_buffer *buffer, const void *expected, const char *what)
{
    uint64_t seed = 1;
    struct bytes found = random_bytes(kn_buffer_get_size(buffer), &seed);

    expect_ok(kn_buffer_read(queue, buffer, 0, found.data, found.count, &err));
    expect_guards(&found);
    expect_bytes(found.data, expected, found.count, what);
    free(found.memory);
}

START_TEST(create_and_free)
{
    kn_context *context = open_context();
    kn_queue *queue = open_queue(context);
    kn_buffer *empty = make_buffer(context, 0), *one = make_buffer(context, 1), *made = NULL;
    unsigned char byte = 7;

    kn_buffer_free(NULL);
    ck_assert_uint_eq(kn_buffer_get_size(NULL), 0);
    ck_assert_uint_eq(kn_buffer_get_part_count(NULL), 0);
    ck_assert_ptr_null(kn_buffer_get_part(NULL, 0));
    ck_assert_uint_eq(kn_buffer_get_part_count(one), 1);
    ck_assert_ptr_eq(kn_buffer_get_part(one, 0), one);
    ck_assert_ptr_null(kn_buffer_get_part(one, 1));
    expect_refused(kn_buffer_create(NULL, 1, &made, &err), KN_ERROR_ARGUMENT, "kn_buffer_create|context");
    expect_refused(kn_buffer_create(context, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_buffer_create|buffer");
    ck_assert_int_eq(kn_buffer_create(NULL, 1, &made, NULL), KN_ERROR_ARGUMENT); // without an error to fill

    expect_ok(kn_buffer_write(queue, empty, 0, &byte, 0, &err));
    expect_ok(kn_buffer_write(queue, empty, 0, NULL, 0, &err));
    expect_refused(kn_buffer_write(queue, empty, 0, &byte, 1, &err), KN_ERROR_ARGUMENT, "1 bytes|0 bytes");
    expect_ok(kn_buffer_write(queue, one, 0, &byte, 1, &err));
    byte = 9;
    expect_ok(kn_buffer_read(queue, one, 1, &byte, 0, &err));
    ck_assert_uint_eq(byte, 9);
    expect_ok(kn_buffer_read(queue, one, 0, &byte, 1, &err));
    ck_assert_uint_eq(byte, 7);

    kn_buffer_free(empty);
    kn_buffer_free(one);
    kn_queue_close(queue);
    kn_queue_close(NULL);
    kn_context_close(context);
    kn_context_close(NULL);
    kn_free(NULL);
}
END_TEST

// ---- traffic: whatever is done on the device is done on the host too ----

struct twin {
    kn_buffer *buffer;
    struct bytes host;
};

static struct twin make_twin(kn_context *context, kn_queue *queue, size_t bytes, uint64_t *seed)
{
    struct twin twin = {make_buffer(context, bytes), random_bytes(bytes, seed)};

    expect_ok(kn_buffer_write(queue, twin.buffer, 0, twin.host.data, bytes, &err));
    return twin;
}

static void free_twin(struct twin *twin)
{
    kn_buffer_free(twin->buffer);
    free(twin->host.memory);
}

struct step {
    kn_queue *queue;
    struct twin *to, *from;
    size_t at, from_at, count;
    uint64_t *seed;
};

static void write_step(const struct step *s)
{
    struct bytes data = random_bytes(s->count, s->seed);

    expect_ok(kn_buffer_write(s->queue, s->to->buffer, s->at, data.data, s->count, &err));
    memcpy(s->to->host.data + s->at, data.data, s->count);
    free(data.memory);
}

static void write_async_step(const struct step *s)
{
    struct bytes data = random_bytes(s->count, s->seed);
    kn_event *event = NULL;

    expect_ok(kn_buffer_write_async(s->queue, s->to->buffer, s->at, data.data, s->count, &event, &err));
    expect_ok(kn_queue_flush(s->queue, &err));
    expect_ok(kn_event_wait(event, &err));
    kn_event_free(event);
    memcpy(s->to->host.data + s->at, data.data, s->count);
    free(data.memory);
}

static void read_step(const struct step *s)
{
    struct bytes data = random_bytes(s->count, s->seed);

    expect_ok(kn_buffer_read(s->queue, s->to->buffer, s->at, data.data, s->count, &err));
    expect_bytes(data.data, s->to->host.data + s->at, s->count, "read");
    expect_guards(&data);
    free(data.memory);
}

static void read_async_step(const struct step *s)
{
    struct bytes data = random_bytes(s->count, s->seed);
    kn_event *event = NULL;

    expect_ok(kn_buffer_read_async(s->queue, s->to->buffer, s->at, data.data, s->count, &event, &err));
    expect_ok(kn_event_wait(event, &err));
    kn_event_free(event);
    expect_bytes(data.data, s->to->host.data + s->at, s->count, "asynchronous read");
    expect_guards(&data);
    free(data.memory);
}

static void copy_step(const struct step *s)
{
    expect_ok(
        kn_buffer_copy(s->queue, s->from->buffer, s->from_at, s->to->buffer, s->at, s->count, NULL, &err));
    memcpy(s->to->host.data + s->at, s->from->host.data + s->from_at, s->count);
}

// Within one buffer: overlapping copies are refused, and nothing is changed.
static void copy_within_step(const struct step *s)
{
    bool overlap = s->at < s->from_at + s->count && s->from_at < s->at + s->count;
    kn_event *event = NULL;

    if (overlap) {
        expect_refused(
            kn_buffer_copy(s->queue, s->to->buffer, s->from_at, s->to->buffer, s->at, s->count, &event, &err),
            KN_ERROR_ARGUMENT, "kn_buffer_copy|overlap");
        ck_assert_ptr_null(event);
        return;
    }
    expect_ok(
        kn_buffer_copy(s->queue, s->to->buffer, s->from_at, s->to->buffer, s->at, s->count, &event, &err));
    expect_ok(kn_event_wait(event, &err));
    kn_event_free(event);
    memcpy(s->to->host.data + s->at, s->to->host.data + s->from_at, s->count);
}

static void fill_step(const struct step *s)
{
    size_t size = (size_t)1 << test_random(s->seed) % 5;
    size_t at = s->at / size * size, count = s->count / size * size;
    unsigned char pattern[16];

    for (size_t i = 0; i < size; i++)
        pattern[i] = (unsigned char)test_random(s->seed);
    if (count == 0)
        return;
    expect_ok(kn_buffer_fill(s->queue, s->to->buffer, pattern, size, at, count, NULL, &err));
    for (size_t i = 0; i < count; i++)
        s->to->host.data[at + i] = pattern[i % size];
}

static void traffic(kn_context *context, size_t bytes, int steps, uint64_t *seed)
{
    static void (*const kinds[])(const struct step *) = {
        write_step, write_async_step, read_step, read_async_step, copy_step, copy_within_step, fill_step};
    kn_queue *queue = open_queue(context);
    struct twin a = make_twin(context, queue, bytes, seed), b = make_twin(context, queue, bytes, seed);

    for (int i = 0; i < steps; i++) {
        struct step step = {queue, i % 2 ? &a : &b, i % 2 ? &b : &a, 0, 0, 0, seed};
        size_t kind = test_random(seed) % (sizeof kinds / sizeof *kinds);

        step.count = 1 + test_random(seed) % (test_random(seed) % 2 ? bytes : 1 + bytes / 4);
        step.at = test_random(seed) % (bytes - step.count + 1);
        step.from_at = test_random(seed) % (bytes - step.count + 1);
        kinds[kind](&step);
    }
    expect_ok(kn_queue_finish(queue, &err));
    expect_contents(queue, a.buffer, a.host.data, "first buffer");
    expect_contents(queue, b.buffer, b.host.data, "second buffer");
    free_twin(&a);
    free_twin(&b);
    kn_queue_close(queue);
}

START_TEST(traffic_in_one_piece)
{
    uint64_t seed = test_seed("traffic_in_one_piece");
    kn_context *context = open_context();

    traffic(context, 1, 30, &seed);
    traffic(context, 4097, 200, &seed);
    traffic(context, 100003, 100, &seed);
    kn_context_close(context);
}
END_TEST

START_TEST(traffic_in_parts)
{
    static const size_t max_alloc[] = {64, 100, 4096, 5000};
    uint64_t seed = test_seed("traffic_in_parts");

    for (size_t i = 0; i < sizeof max_alloc / sizeof *max_alloc; i++) {
        kn_context_options options = KN_INIT(kn_context_options, .max_alloc = max_alloc[i]);
        kn_context *context = open_with(&options);

        traffic(context, max_alloc[i], 20, &seed);
        traffic(context, 3 * max_alloc[i] + 37, 150, &seed);
        kn_context_close(context);
    }
}
END_TEST

START_TEST(parts)
{
    static const struct {
        size_t max_alloc, bytes, count, part, last;
    } cases[] = {{4096, 4096, 1, 4096, 4096}, {4096, 4097, 2, 4096, 1},     {5000, 5000, 1, 5000, 5000},
                 {5000, 5001, 2, 4096, 905},  {4096, 16384, 4, 4096, 4096}, {8191, 20000, 5, 4096, 3616}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kn_context_options options = KN_INIT(kn_context_options, .max_alloc = cases[i].max_alloc);
        kn_context *context = open_with(&options);
        kn_queue *queue = open_queue(context);
        uint64_t seed = i;
        struct twin twin = make_twin(context, queue, cases[i].bytes, &seed);

        ck_assert_uint_eq(kn_context_get_device(context)->max_alloc, cases[i].max_alloc);
        ck_assert_uint_eq(kn_buffer_get_part_count(twin.buffer), cases[i].count);
        ck_assert_ptr_null(kn_buffer_get_part(twin.buffer, cases[i].count));
        for (size_t p = 0; p < cases[i].count; p++) {
            kn_buffer *part = kn_buffer_get_part(twin.buffer, p);

            ck_assert_uint_eq(kn_buffer_get_size(part),
                              p + 1 < cases[i].count ? cases[i].part : cases[i].last);
            expect_contents(queue, part, twin.host.data + p * cases[i].part, "a part");
        }
        free_twin(&twin);
        kn_queue_close(queue);
        kn_context_close(context);
    }
}
END_TEST

START_TEST(too_small_parts_are_refused)
{
    kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 63);
    kn_context *context = NULL;

    expect_refused(kn_context_open(NULL, &options, &context, &err), KN_ERROR_ARGUMENT,
                   "kn_context_open|max_alloc|63|64");
    ck_assert_ptr_null(context);
}
END_TEST

// ---- staging ----

static void staged_copy(kn_context *context, kn_queue *queue, size_t bytes, uint64_t *seed)
{
    struct twin twin = make_twin(context, queue, bytes + 29, seed);
    struct bytes data = random_bytes(bytes, seed);

    context->staged = true;
    expect_ok(kn_buffer_write(queue, twin.buffer, 13, data.data, bytes, &err));
    memcpy(twin.host.data + 13, data.data, bytes);
    context->staged = false;
    expect_contents(queue, twin.buffer, twin.host.data, "written through staging");
    context->staged = true;
    memset(data.data, 0x5a, bytes);
    expect_ok(kn_buffer_read(queue, twin.buffer, 13, data.data, bytes, &err));
    expect_guards(&data);
    expect_bytes(data.data, twin.host.data + 13, bytes, "read through staging");
    context->staged = false;
    free(data.memory);
    free_twin(&twin);
}

START_TEST(staging)
{
    static const size_t sizes[] = {1,
                                   ENGINE_STAGE_FROM - 1,
                                   ENGINE_STAGE_FROM,
                                   ENGINE_STAGE_BYTES - 1,
                                   ENGINE_STAGE_BYTES,
                                   ENGINE_STAGE_BYTES + 1,
                                   2 * ENGINE_STAGE_BYTES,
                                   3 * ENGINE_STAGE_BYTES + ENGINE_STAGE_BYTES / 2};
    uint64_t seed = test_seed("staging");
    kn_context_options in_parts = KN_INIT(kn_context_options, .max_alloc = ENGINE_STAGE_BYTES + 5);
    kn_context *context = open_context();
    kn_queue *queue = open_queue(context);
    size_t count = is_interpreted(context) ? 3 : sizeof sizes / sizeof *sizes;

    for (size_t i = 0; i < count; i++)
        staged_copy(context, queue, sizes[i], &seed);
    ck_assert_ptr_nonnull(queue->stage[0].data); // it was used
    kn_queue_close(queue);
    kn_context_close(context);

    context = open_with(&in_parts);
    queue = open_queue(context);
    staged_copy(context, queue, sizes[count - 1], &seed);
    ck_assert_ptr_nonnull(queue->stage[0].data);
    kn_queue_close(queue);
    kn_context_close(context);
}
END_TEST

START_TEST(pinned_memory)
{
    uint64_t seed = test_seed("pinned_memory");
    kn_context *context = open_context();
    kn_queue *queue = open_queue(context);
    kn_pinned *pinned = NULL, *large = NULL;
    struct twin twin = make_twin(context, queue, 10007, &seed);
    kn_event *event = NULL;

    expect_refused(kn_pinned_create(queue, 0, &pinned, &err), KN_ERROR_ARGUMENT, "kn_pinned_create");
    expect_refused(kn_pinned_create(NULL, 1, &pinned, &err), KN_ERROR_ARGUMENT, "kn_pinned_create");
    expect_refused(kn_pinned_create(queue, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_pinned_create");
    ck_assert_ptr_null(kn_pinned_get_data(NULL));
    kn_pinned_free(NULL);
    expect_ok(kn_pinned_create(queue, 10007, &pinned, &err));
    expect_ok(kn_pinned_create(queue, 1, &large, &err));
    memset(kn_pinned_get_data(pinned), 0x33, 10007);
    expect_ok(kn_buffer_read_async(queue, twin.buffer, 7, kn_pinned_get_data(pinned), 10000, &event, &err));
    expect_ok(kn_event_wait(event, &err));
    kn_event_free(event);
    expect_bytes(kn_pinned_get_data(pinned), twin.host.data + 7, 10000, "read to pinned memory");
    ck_assert_uint_eq(((unsigned char *)kn_pinned_get_data(pinned))[10000], 0x33);
    expect_ok(kn_buffer_write_async(queue, twin.buffer, 0, kn_pinned_get_data(pinned), 10007, NULL, &err));
    expect_ok(kn_queue_finish(queue, &err));
    expect_contents(queue, twin.buffer, kn_pinned_get_data(pinned), "written from pinned memory");
    kn_pinned_free(large);
    kn_pinned_free(pinned);
    free_twin(&twin);
    kn_queue_close(queue);
    kn_context_close(context);
}
END_TEST

// ---- events ----

START_TEST(events)
{
    uint64_t seed = test_seed("events");
    kn_context *context = open_context(), *other = open_context();
    kn_queue *queue = open_queue(context), *second = open_queue(context), *foreign = open_queue(other);
    struct twin twin = make_twin(context, queue, 1000003, &seed);
    struct bytes data = random_bytes(1000003, &seed);
    kn_event *written = NULL, *read = NULL;
    bool done = false;
    uint64_t start = 1, end = 0, duration = 1;

    // The second queue reads what the first is still writing.
    expect_ok(kn_buffer_write_async(queue, twin.buffer, 0, data.data, data.count, &written, &err));
    expect_ok(kn_queue_wait_for(second, written, &err));
    expect_ok(kn_queue_flush(queue, &err));
    expect_ok(kn_buffer_read_async(second, twin.buffer, 0, twin.host.data, data.count, &read, &err));
    expect_ok(kn_event_wait(read, &err));
    expect_guards(&twin.host);
    expect_bytes(twin.host.data, data.data, data.count, "read after another queue's write");

    expect_ok(kn_event_get_span(read, &start, &end, &err));
    ck_assert_uint_ge(end, start);
    expect_ok(kn_event_get_duration(read, &duration, &err));
    ck_assert_uint_eq(duration, end - start);
    expect_refused(kn_event_get_span(read, NULL, &end, &err), KN_ERROR_ARGUMENT, "kn_event_get_span");
    expect_refused(kn_event_get_span(NULL, &start, &end, &err), KN_ERROR_ARGUMENT, "event is NULL");
    expect_refused(kn_event_get_duration(read, NULL, &err), KN_ERROR_ARGUMENT, "kn_event_get_duration");
    expect_refused(kn_event_wait(NULL, &err), KN_ERROR_ARGUMENT, "kn_event_wait");
    expect_refused(kn_event_get_done(NULL, &done, &err), KN_ERROR_ARGUMENT, "kn_event_get_done");
    expect_refused(kn_event_get_done(read, NULL, &err), KN_ERROR_ARGUMENT, "kn_event_get_done");
    expect_ok(kn_event_get_done(read, &done, &err));
    ck_assert(done); // it was waited for
    expect_refused(kn_queue_wait_for(NULL, read, &err), KN_ERROR_ARGUMENT, "kn_queue_wait_for");
    expect_refused(kn_queue_wait_for(queue, NULL, &err), KN_ERROR_ARGUMENT, "kn_queue_wait_for");
    expect_refused(kn_queue_wait_for(foreign, read, &err), KN_ERROR_ARGUMENT, "another context");
    expect_refused(kn_queue_finish(NULL, &err), KN_ERROR_ARGUMENT, "kn_queue_finish");
    expect_refused(kn_queue_flush(NULL, &err), KN_ERROR_ARGUMENT, "kn_queue_flush");

    kn_event_free(NULL);
    kn_event_free(written);
    kn_event_free(read);
    free(data.memory);
    free_twin(&twin);
    kn_queue_close(foreign);
    kn_queue_close(second);
    kn_queue_close(queue);
    kn_context_close(other);
    kn_context_close(context);
}
END_TEST

// ---- refusals, each of which leaves the buffer as it was ----

START_TEST(refusals)
{
    static const size_t bad_patterns[] = {0, 3, 5, 12, 17, 32};
    uint64_t seed = test_seed("refusals");
    kn_context *context = open_context(), *other = open_context();
    kn_queue *queue = open_queue(context);
    struct twin twin = make_twin(context, queue, 1000, &seed);
    kn_buffer *foreign = make_buffer(other, 1000), *b = twin.buffer;
    unsigned char data[1000] = {0};
    kn_event *event = NULL;

    expect_refused(kn_buffer_write(queue, b, 1, data, 1000, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_write|1000 bytes from byte 1 ");
    expect_refused(kn_buffer_write(queue, b, 1001, data, 0, &err), KN_ERROR_ARGUMENT, "1001");
    expect_refused(kn_buffer_write(queue, b, 2, data, SIZE_MAX, &err), KN_ERROR_ARGUMENT, "kn_buffer_write");
    expect_refused(kn_buffer_write(queue, b, SIZE_MAX, data, 2, &err), KN_ERROR_ARGUMENT, "kn_buffer_write");
    expect_refused(kn_buffer_read(queue, b, 999, data, 2, &err), KN_ERROR_ARGUMENT, "kn_buffer_read");
    expect_refused(kn_buffer_write(queue, b, 0, NULL, 1, &err), KN_ERROR_ARGUMENT, "data is NULL");
    expect_refused(kn_buffer_read(queue, b, 0, NULL, 1, &err), KN_ERROR_ARGUMENT, "data is NULL");
    expect_refused(kn_buffer_write_async(queue, b, 0, NULL, 1, &event, &err), KN_ERROR_ARGUMENT,
                   "data is NULL");
    expect_refused(kn_buffer_read_async(queue, b, 0, NULL, 1, &event, &err), KN_ERROR_ARGUMENT,
                   "data is NULL");
    expect_refused(kn_buffer_write_async(queue, b, 0, data, 0, &event, &err), KN_ERROR_ARGUMENT, "no bytes");
    expect_refused(kn_buffer_read_async(queue, b, 0, data, 0, &event, &err), KN_ERROR_ARGUMENT, "no bytes");
    expect_refused(kn_buffer_write_async(queue, b, 1, data, 1000, &event, &err), KN_ERROR_ARGUMENT,
                   "write_async");
    expect_refused(kn_buffer_read_async(queue, b, 1, data, 1000, &event, &err), KN_ERROR_ARGUMENT,
                   "read_async");
    expect_refused(kn_buffer_write(NULL, b, 0, data, 1, &err), KN_ERROR_ARGUMENT, "NULL");
    expect_refused(kn_buffer_read(queue, NULL, 0, data, 1, &err), KN_ERROR_ARGUMENT, "NULL");
    expect_refused(kn_buffer_write(queue, foreign, 0, data, 1, &err), KN_ERROR_ARGUMENT, "another context");
    expect_refused(kn_buffer_read(queue, foreign, 0, data, 1, &err), KN_ERROR_ARGUMENT, "another context");
    expect_refused(kn_buffer_copy(queue, foreign, 0, b, 0, 1, &event, &err), KN_ERROR_ARGUMENT,
                   "(from)|another context");
    expect_refused(kn_buffer_copy(queue, b, 0, foreign, 0, 1, &event, &err), KN_ERROR_ARGUMENT,
                   "(to)|another context");
    expect_refused(kn_buffer_copy(queue, b, 0, b, 500, 501, &event, &err), KN_ERROR_ARGUMENT, "(to)");
    expect_refused(kn_buffer_copy(queue, b, 500, b, 0, 501, &event, &err), KN_ERROR_ARGUMENT, "(from)");
    expect_refused(kn_buffer_copy(queue, b, 0, b, 500, 0, &event, &err), KN_ERROR_ARGUMENT, "no bytes");
    expect_refused(kn_buffer_copy(queue, b, 0, b, 0, 1, &event, &err), KN_ERROR_ARGUMENT, "overlap");
    expect_refused(kn_buffer_copy(queue, b, 0, b, 499, 500, &event, &err), KN_ERROR_ARGUMENT, "overlap");
    expect_refused(kn_buffer_fill(queue, b, NULL, 4, 0, 4, &event, &err), KN_ERROR_ARGUMENT,
                   "pattern is NULL");
    for (size_t i = 0; i < sizeof bad_patterns / sizeof *bad_patterns; i++)
        expect_refused(kn_buffer_fill(queue, b, data, bad_patterns[i], 0, 480, &event, &err),
                       KN_ERROR_ARGUMENT, "pattern");
    expect_refused(kn_buffer_fill(queue, b, data, 4, 2, 8, &event, &err), KN_ERROR_ARGUMENT, "offset 2");
    expect_refused(kn_buffer_fill(queue, b, data, 4, 4, 7, &event, &err), KN_ERROR_ARGUMENT, "length 7");
    expect_refused(kn_buffer_fill(queue, b, data, 8, 0, 0, &event, &err), KN_ERROR_ARGUMENT, "length 0");
    expect_refused(kn_buffer_fill(queue, b, data, 16, 992, 16, &event, &err), KN_ERROR_ARGUMENT,
                   "kn_buffer_fill");
    ck_assert_ptr_null(event);
    expect_contents(queue, b, twin.host.data, "after refusals");

    free_twin(&twin);
    kn_buffer_free(foreign);
    kn_queue_close(queue);
    kn_context_close(other);
    kn_context_close(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        create_and_free, traffic_in_one_piece, traffic_in_parts, parts,   too_small_parts_are_refused,
        staging,         pinned_memory,        events,           refusals};

    return RUN_ON_DEVICE("buffer", tests);
}
