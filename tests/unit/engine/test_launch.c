// SPDX-License-Identifier: Apache-2.0
// Tests launches: correct results for every kind of argument and range.
#include "engine_support.h"

#include <pthread.h>

#include "engine/engine.h"

static kn_context *context;
static kn_queue *queue;

static void set_up(void)
{
    context = open_context();
    queue = open_queue(context);
}

static void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
}

// A buffer of `count` 32-bit words with the value `word`. It is written because Oclgrind reports filled
// memory as uninitialised.
static kn_buffer *filled(size_t count, uint32_t word)
{
    kn_buffer *buffer = make_buffer(context, count * sizeof word);
    uint32_t *words = malloc(count * sizeof word);

    ck_assert_ptr_nonnull(words);
    for (size_t i = 0; i < count; i++)
        words[i] = word;
    expect_ok(kn_buffer_write(queue, buffer, 0, words, count * sizeof word, &err));
    free(words);
    return buffer;
}

static uint32_t *words_of(kn_buffer *buffer)
{
    uint32_t *words = malloc(kn_buffer_get_size(buffer));

    ck_assert_ptr_nonnull(words);
    expect_ok(kn_buffer_read(queue, buffer, 0, words, kn_buffer_get_size(buffer), &err));
    return words;
}

#define POISON 0xdeadbeefu

START_TEST(every_kind_of_argument)
{
    static const char text[] =
        "typedef struct { float4 position; int mass; } body;\n"
        "__kernel void mixed(__global uint *out, __constant uint *table, __local uint *near, __local ulong "
        "*far,\n"
        "                    uint plain, uchar small, ulong8 wide, body b, __global const uint *in)\n"
        "{\n"
        "    __local uint own[8];\n"
        "    size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);\n"
        "    near[l] = in[i];\n"
        "    far[l] = (ulong)in[i] << 32;\n"
        "    if (l < 8) own[l] = table[l];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[i] = near[n - 1 - l] + (uint)(far[n - 1 - l] >> 32) + own[i % 8] + plain + small\n"
        "             + (uint)wide.s7 + (uint)b.position.w + (uint)b.mass;\n"
        "}\n";
    struct {
        float position[4];
        int32_t mass, padding[3];
    } body = {{1, 2, 3, 4}, 5, {0, 0, 0}};
    enum { N = 96, GROUP = 8 };
    uint64_t seed = test_seed("every_kind_of_argument"), wide[8] = {0};
    kn_program *program = build_text(context, text);
    kn_kernel *kernel = kernel_of(program, "mixed");
    kn_buffer *out = filled(N + 2, POISON), *table = make_buffer(context, 32),
              *in = make_buffer(context, 4 * N);
    uint32_t table_words[8], in_words[N], plain = (uint32_t)test_random(&seed), *found;
    uint8_t small = (uint8_t)test_random(&seed);

    for (int i = 0; i < 8; i++)
        table_words[i] = (uint32_t)test_random(&seed), wide[i] = test_random(&seed) >> 40;
    for (int i = 0; i < N; i++)
        in_words[i] = (uint32_t)test_random(&seed);
    expect_ok(kn_buffer_write(queue, table, 0, table_words, sizeof table_words, &err));
    expect_ok(kn_buffer_write(queue, in, 0, in_words, sizeof in_words, &err));
    kn_arg args[] = {KN_BUFFER(out),
                     KN_BUFFER(table),
                     KN_LOCAL(4 * GROUP),
                     KN_LOCAL(8 * GROUP),
                     KN_VALUE(plain),
                     KN_VALUE(small),
                     KN_VALUE_AT(wide, sizeof wide),
                     KN_VALUE(body),
                     KN_BUFFER(in)};
    kn_range range = {1, {N}, {GROUP}, {0}};
    expect_ok(kn_launch(queue, kernel, &range, args, 9, NULL, &err));
    found = words_of(out);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t mirror = in_words[i / GROUP * GROUP + GROUP - 1 - i % GROUP];

        ck_assert_uint_eq(found[i],
                          2 * mirror + table_words[i % 8] + plain + small + (uint32_t)wide[7] + 4 + 5);
    }
    ck_assert_uint_eq(found[N], POISON);
    ck_assert_uint_eq(found[N + 1], POISON);
    free(found);
    kn_buffer_free(in);
    kn_buffer_free(table);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

// One argument changes between launches, or none: each launch uses its own arguments, and a new buffer is not
// mistaken for a freed one with the same handle.
START_TEST(arguments_that_change)
{
    static const char text[] =
        "typedef struct { uint w[32]; } large;\n"
        "__kernel void sum(__global uint *out, __constant uint *table, uint small, large l, uint last,\n"
        "                  __local uint *near)\n"
        "{\n"
        "    near[last] = table[0];\n"
        "    out[0] = near[last] + 3 * small + 5 * l.w[0] + 7 * l.w[31];\n"
        "}\n";
    enum { LAUNCHES = 200 };
    uint64_t seed = test_seed("arguments_that_change");
    kn_program *program = build_text(context, text);
    kn_kernel *kernel = kernel_of(program, "sum");
    const kn_range range = {1, {1}, {1}, {0}};
    kn_buffer *out = filled(1, POISON), *tables[2] = {filled(1, 0), filled(1, 1)};
    uint32_t in_tables[2] = {0, 1}, table = 0, small = 0, large[32] = {0}, last = 0, changed = 0;

    for (int i = 0; i < LAUNCHES; i++) {
        uint32_t value = (uint32_t)test_random(&seed), *found;

        changed = (uint32_t)test_random(&seed) % 8;
        if (changed == 0)
            small = value;
        else if (changed < 3)
            large[changed == 1 ? 0 : 31] = value;
        else if (changed == 3)
            last = value % 1024;
        else if (changed == 4)
            table = 1 - table;
        else if (changed == 5)
            expect_ok(kn_buffer_write(queue, tables[table], 0, &value, sizeof value, &err));
        if (changed == 6) {
            kn_buffer_free(tables[table]);
            tables[table] = filled(1, value);
        }
        if (changed == 5 || changed == 6)
            in_tables[table] = value;
        const kn_arg args[] = {KN_BUFFER(out),  KN_BUFFER(tables[table]),
                               KN_VALUE(small), KN_VALUE_AT(large, sizeof large),
                               KN_VALUE(last),  KN_LOCAL(4 * (last + 1))};
        expect_ok(kn_launch(queue, kernel, &range, args, 6, NULL, &err));
        found = words_of(out);
        ck_assert_msg(found[0] == in_tables[table] + 3 * small + 5 * large[0] + 7 * large[31],
                      "launch %d, after a change of kind %u: %u", i, changed, found[0]);
        free(found);
    }
    kn_buffer_free(out);
    kn_buffer_free(tables[0]);
    kn_buffer_free(tables[1]);
    kn_program_free(program);
}
END_TEST

// Each work-item writes its ids, at the position of its id without the offset.
static const char where[] =
    "__kernel void where(__global uint *out)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);\n"
    "    size_t z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    out[4 * i] = get_global_id(0); out[4 * i + 1] = get_global_id(1); out[4 * i + 2] = "
    "get_global_id(2);\n"
    "    out[4 * i + 3] = get_local_size(0) + 1000 * get_local_size(1) + 1000000 * get_local_size(2);\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void where_4x2(__global uint *out) { "
    "where(out); }\n";

static void expect_everyone(kn_kernel *kernel, const kn_range *range, uint32_t groups)
{
    size_t items = 1;
    kn_buffer *out;
    uint32_t *found;

    for (unsigned d = 0; d < range->dims; d++)
        items *= range->global[d];
    out = filled(4 * items + 1, POISON);
    kn_arg args[] = {KN_BUFFER(out)};
    expect_ok(kn_launch(queue, kernel, range, args, 1, NULL, &err));
    found = words_of(out);
    for (size_t i = 0; i < items; i++) {
        size_t rest = i;

        for (unsigned d = 0; d < 3; d++) {
            size_t extent = d < range->dims ? range->global[d] : 1,
                   offset = d < range->dims ? range->offset[d] : 0;

            ck_assert_uint_eq(found[4 * i + d], rest % extent + offset);
            rest /= extent;
        }
        if (groups)
            ck_assert_uint_eq(found[4 * i + 3], groups);
    }
    ck_assert_uint_eq(found[4 * items], POISON);
    free(found);
    kn_buffer_free(out);
}

START_TEST(every_range)
{
    static const kn_range ranges[] = {{1, {1}, {0}, {0}},
                                      {1, {37}, {0}, {0}},
                                      {1, {36}, {4}, {5}},
                                      {2, {7, 5}, {0}, {0}},
                                      {2, {12, 6}, {4, 3}, {0}},
                                      {2, {6, 4}, {2, 4}, {100, 1}},
                                      {3, {3, 5, 7}, {0}, {0}},
                                      {3, {4, 6, 2}, {2, 3, 2}, {0}},
                                      {3, {2, 2, 4}, {1, 2, 2}, {3, 70000, 9}},
                                      // what lies beyond the dimensions is not read
                                      {1, {8, 3, 0}, {2, 5, 9}, {1, 9, 9}}};
    kn_program *program = build_text(context, where);
    kn_kernel *kernel = kernel_of(program, "where");

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const kn_range *r = &ranges[i];
        uint32_t groups = r->local[0] ? (uint32_t)(r->local[0] + 1000 * (r->dims > 1 ? r->local[1] : 1) +
                                                   1000000 * (r->dims > 2 ? r->local[2] : 1))
                                      : 0;

        expect_everyone(kernel, r, groups);
    }
    kn_program_free(program);
}
END_TEST

START_TEST(required_group)
{
    kn_program *program = build_text(context, where);
    kn_kernel *kernel = kernel_of(program, "where_4x2");
    kn_range given = {2, {8, 6}, {4, 2}, {0}}, left = {2, {8, 6}, {0}, {0}},
             three = {3, {4, 2, 3}, {0}, {1, 2, 3}};

    expect_everyone(kernel, &given, 1002004);
    expect_everyone(kernel, &left, 1002004);
    expect_everyone(kernel, &three, 1002004);
    kn_program_free(program);
}
END_TEST

// ---- modes ----

static const char steps[] = "__kernel void first(__global uint *x) { x[get_global_id(0)] += 1; }\n"
                            "__kernel void second(__global uint *x) { x[get_global_id(0)] *= 3; }\n";

static void log_to(void *user, kn_log_level level, const char *message)
{
    char *text = user;

    if (level == KN_LOG_DEBUG && strlen(text) + strlen(message) < 1000)
        strcat(text, message);
}

START_TEST(debug_sync)
{
    char text[1024] = "";
    kn_context_options options =
        KN_INIT(kn_context_options, .log = log_to, .log_user = text, .debug_sync = 1);
    kn_context *slow = open_with(&options);
    kn_queue *its = open_queue(slow);
    kn_program *program = build_text(slow, steps);
    uint32_t x[4] = {1, 2, 3, 4};
    kn_buffer *buffer = make_buffer(slow, sizeof x);
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_range range = {1, {4}, {0}, {0}};
    kn_event *event = NULL;

    expect_ok(kn_buffer_write(its, buffer, 0, x, sizeof x, &err));
    expect_ok(kn_launch(its, kernel_of(program, "first"), &range, args, 1, &event, &err));
    ck_assert_ptr_nonnull(strstr(text, "first: 4 x 1 x 1"));
    expect_ok(kn_event_wait(event, &err));
    kn_event_free(event);
    expect_ok(kn_launch(its, kernel_of(program, "second"), &range, args, 1, NULL, &err));
    ck_assert_ptr_nonnull(strstr(text, "second"));
    expect_ok(kn_buffer_read(its, buffer, 0, x, sizeof x, &err));
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(x[i], 3 * (i + 2));
    kn_buffer_free(buffer);
    kn_program_free(program);
    kn_queue_close(its);
    kn_context_close(slow);
}
END_TEST

START_TEST(profile)
{
    kn_program *program = build_text(context, steps);
    kn_kernel *kernels[] = {kernel_of(program, "first"), kernel_of(program, "second")};
    static const int order[] = {0, 1, 1, 0, 1};
    kn_buffer *buffer = filled(1000, 1);
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_range range = {1, {1000}, {0}, {0}};
    kn_profile_entry *entries = NULL, made[] = {{"a", 10, 20}, {"b", 5, 8}, {"c", 30, 4005}};
    kn_event *event = NULL;
    size_t count = 77;
    uint64_t start, end;
    uint32_t *found;

    expect_refused(kn_profile_stop(queue, &entries, &count, &err), KN_ERROR_ARGUMENT, "kn_profile_start");
    expect_refused(kn_profile_start(NULL, &err), KN_ERROR_ARGUMENT, "kn_profile_start");
    expect_ok(kn_launch(queue, kernels[1], &range, args, 1, NULL, &err)); // not recorded
    expect_ok(kn_profile_start(queue, &err));
    expect_refused(kn_profile_stop(queue, NULL, &count, &err), KN_ERROR_ARGUMENT, "kn_profile_stop");
    for (int i = 0; i < 5; i++)
        expect_ok(kn_launch(queue, kernels[order[i]], &range, args, 1, i == 2 ? &event : NULL, &err));
    expect_ok(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(entries[i].kernel, order[i] ? "second" : "first");
        ck_assert_uint_ge(entries[i].end, entries[i].start);
        if (i)
            ck_assert_uint_ge(entries[i].start, entries[i - 1].start);
    }
    // The launch whose event was wanted has the times of its entry, also after the profile is gone.
    expect_ok(kn_event_get_span(event, &start, &end, &err));
    ck_assert_uint_eq(start, entries[2].start);
    ck_assert_uint_eq(end, entries[2].end);
    kn_event_free(event);
    ck_assert(kn_profile_span(entries, count) == (double)(entries[4].end - entries[0].start) * 1e-9);
    kn_free(entries);
    ck_assert(kn_profile_span(NULL, 0) == 0);
    ck_assert(kn_profile_span(made, 3) == (4005 - 5) * 1e-9);

    expect_refused(kn_profile_stop(queue, &entries, &count, &err), KN_ERROR_ARGUMENT, "kn_profile_start");
    expect_ok(kn_profile_start(queue, &err));
    expect_ok(kn_launch(queue, kernels[0], &range, args, 1, NULL, &err));
    expect_ok(kn_profile_start(queue, &err)); // starts afresh
    expect_ok(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 0);
    kn_free(entries);
    expect_ok(kn_profile_start(queue, &err));
    expect_ok(kn_launch(queue, kernels[0], &range, args, 1, NULL, &err));
    found = words_of(buffer); // 1 *3 +1 *3 *3 +1 *3 +1 +1
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(found[i], ((1 * 3 + 1) * 3 * 3 + 1) * 3 + 2);
    free(found);
    kn_buffer_free(buffer);
    kn_program_free(program);
} // tear_down closes the queue with its profile running
END_TEST

// A second queue that waits for a slow launch's event sees all that it wrote.
START_TEST(waiting_for_a_launch)
{
    static const char text[] = "__kernel void slow(__global uint *x, uint rounds)\n"
                               "{\n"
                               "    uint v = get_global_id(0);\n"
                               "    for (uint i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;\n"
                               "    x[get_global_id(0)] = v;\n"
                               "}\n";
    uint32_t n = is_interpreted(context) ? 8 : 40000, rounds = is_interpreted(context) ? 10 : 5000, *words;
    kn_program *program = build_text(context, text);
    kn_queue *second = open_queue(context);
    kn_buffer *from = filled(n, POISON), *to = filled(n, POISON);
    kn_arg args[] = {KN_BUFFER(from), KN_VALUE(rounds)};
    kn_range range = {1, {n}, {0}, {0}};
    kn_event *event = NULL;

    expect_ok(kn_queue_finish(queue, &err));
    expect_ok(kn_launch(queue, kernel_of(program, "slow"), &range, args, 2, &event, &err));
    expect_ok(kn_queue_flush(queue, &err));
    expect_ok(kn_queue_wait_for(second, event, &err));
    expect_ok(kn_buffer_copy(second, from, 0, to, 0, 4 * (size_t)n, NULL, &err));
    expect_ok(kn_queue_finish(second, &err));
    words = words_of(to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = i;

        for (uint32_t k = 0; k < rounds; k++)
            v = v * 1664525u + 1013904223u;
        ck_assert_uint_eq(words[i], v);
    }
    free(words);
    kn_event_free(event);
    kn_buffer_free(from);
    kn_buffer_free(to);
    kn_queue_close(second);
    kn_program_free(program);
}
END_TEST

// ---- threads ----

// Each queue sets its arguments on a separate kernel object; that of a closed queue is reused.
START_TEST(kernel_objects)
{
    kn_program *program = build_text(context, steps);
    kn_kernel *kernel = kernel_of(program, "first");
    kn_buffer *buffer = filled(4, 1);
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_range range = {1, {4}, {0}, {0}};

    expect_ok(kn_launch(queue, kernel, &range, args, 1, NULL, &err));
    for (int i = 0; i < 3; i++) {
        kn_queue *second = open_queue(context), *third = open_queue(context);

        expect_ok(kn_launch(second, kernel, &range, args, 1, NULL, &err));
        expect_ok(kn_launch(third, kernel, &range, args, 1, NULL, &err));
        expect_ok(kn_launch(second, kernel, &range, args, 1, NULL, &err));
        ck_assert_uint_eq(kernel->clone_count, 3);
        ck_assert_ptr_eq(kernel->clones[0].queue, queue);
        ck_assert_ptr_eq(kernel->clones[1].queue, second);
        ck_assert_ptr_eq(kernel->clones[2].queue, third);
        ck_assert_ptr_ne(kernel->clones[0].native, kernel->clones[1].native);
        ck_assert_ptr_ne(kernel->clones[1].native, kernel->clones[2].native);
        kn_queue_close(second);
        kn_queue_close(third);
        ck_assert_ptr_null(kernel->clones[1].queue);
        ck_assert_ptr_null(kernel->clones[2].queue);
    }
    kn_buffer_free(buffer);
    kn_program_free(program);
}
END_TEST

enum { THREADS = 4, LAUNCHES = 200, WIDTH = 64 };

struct worker {
    pthread_t thread;
    kn_kernel *kernel;
    uint32_t number;
    const char *failed; // Check's assertions belong to the main thread
};

static void *work(void *user)
{
    struct worker *worker = user;
    kn_queue *own = NULL;
    kn_buffer *buffers[LAUNCHES] = {NULL};
    kn_range range = {1, {WIDTH}, {0}, {0}};
    uint32_t words[WIDTH];

    if (kn_queue_open(context, &own, NULL))
        worker->failed = "no queue";
    for (uint32_t i = 0; i < LAUNCHES && !worker->failed; i++) {
        uint32_t value = worker->number * 1000000 + i;

        if (kn_buffer_create(context, sizeof words, &buffers[i], NULL))
            worker->failed = "no buffer";
        kn_arg args[] = {KN_BUFFER(buffers[i]), KN_VALUE(value)};
        if (!worker->failed && kn_launch(own, worker->kernel, &range, args, 2, NULL, NULL))
            worker->failed = "no launch";
    }
    for (uint32_t i = 0; i < LAUNCHES && !worker->failed; i++) {
        if (kn_buffer_read(own, buffers[i], 0, words, sizeof words, NULL))
            worker->failed = "not read";
        for (uint32_t k = 0; k < WIDTH && !worker->failed; k++)
            if (words[k] != worker->number * 1000000 + i + k)
                worker->failed = "a launch took another's arguments";
    }
    for (uint32_t i = 0; i < LAUNCHES; i++)
        kn_buffer_free(buffers[i]);
    kn_queue_close(own);
    return NULL;
}

START_TEST(several_threads)
{
    static const char text[] = "__kernel void count(__global uint *x, uint value) { x[get_global_id(0)] = "
                               "value + get_global_id(0); }\n";
    struct worker workers[THREADS];
    kn_program *program = build_text(context, text);

    if (is_interpreted(context)) {
        fprintf(stderr, "skipped: Oclgrind serves one thread\n");
    } else {
        for (uint32_t i = 0; i < THREADS; i++) {
            workers[i] = (struct worker){.kernel = kernel_of(program, "count"), .number = i + 1};
            ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(workers[i].thread, NULL);
            ck_assert_msg(!workers[i].failed, "thread %u: %s", i, workers[i].failed);
        }
    }
    kn_program_free(program);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_kind_of_argument, arguments_that_change, every_range,   required_group, debug_sync, profile,
        several_threads,        waiting_for_a_launch,  kernel_objects};

    return RUN_ON_DEVICE_WITH("launch", set_up, tear_down, tests);
}
