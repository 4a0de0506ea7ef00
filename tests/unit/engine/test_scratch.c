// SPDX-License-Identifier: Apache-2.0
// Tests scratch memory: nested calls get different buffers, a repeated call allocates nothing, and the
// buffers of a call are released when it returns. unit/algo/test_failures tests that they are released when a
// call fails.
#include "support/failing_backend.h"

#include <koine/fft.h>
#include <koine/reduce.h>
#include <koine/sort.h>

#include "engine/scratch.h"

enum { MOST = 16, N = 20000 };

static struct engine_scratch open_slots(size_t slots)
{
    return ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, slots, "test_scratch");
}

static kn_buffer *get(const struct engine_scratch *scratch, size_t slot, size_t bytes)
{
    kn_buffer *buffer = NULL;

    EXPECT_OK(ki_engine_scratch_get(scratch, slot, bytes, &buffer, &err));
    ck_assert_ptr_nonnull(buffer);
    ck_assert_uint_ge(kn_buffer_get_size(buffer), bytes);
    ck_assert_uint_eq(kn_buffer_get_part_count(buffer), 1);
    return buffer;
}

// Adds the buffers of a caller to those in use, of which it must not have been given any.
static void expect_new(kn_buffer *found[MOST], size_t *count, const struct engine_scratch *scratch)
{
    for (size_t slot = 0; slot < scratch->slots; slot++) {
        kn_buffer *buffer = get(scratch, slot, 100 + 1000 * slot);
        for (size_t i = 0; i < *count; i++)
            ck_assert_ptr_ne(found[i], buffer);
        ck_assert_uint_lt(*count, MOST);
        found[(*count)++] = buffer;
    }
}

START_TEST(test_nested)
{
    kn_buffer *found[MOST];
    size_t count = 0;

    test_open();
    struct engine_scratch solver = ki_engine_scratch_open(queue, ENGINE_SCRATCH_SOLVER, 3, "solver");
    struct engine_scratch outer = open_slots(3);
    expect_new(found, &count, &solver);
    struct engine_scratch inner = open_slots(2); // before the outer one has got a buffer
    expect_new(found, &count, &inner);
    expect_new(found, &count, &outer);
    struct engine_scratch innermost = open_slots(2);
    expect_new(found, &count, &innermost);
    ck_assert_uint_eq(ki_engine_scratch_in_use(queue), 10);
    ck_assert_ptr_eq(get(&inner, 1, 1), found[4]); // still its own
    ki_engine_scratch_close(&innermost);
    ki_engine_scratch_close(&inner);
    ki_engine_scratch_close(&inner); // once more changes nothing
    ck_assert_uint_eq(ki_engine_scratch_in_use(queue), 6);

    // The next caller gets buffers that were released, and none that are in use.
    struct engine_scratch next = open_slots(2);
    ck_assert_ptr_eq(get(&next, 0, 1), found[3]);
    ck_assert_ptr_eq(get(&next, 1, 1), found[4]);
    ki_engine_scratch_close(&next);
    ki_engine_scratch_close(&outer);
    ki_engine_scratch_close(&solver);
    ck_assert_uint_eq(ki_engine_scratch_in_use(queue), 0);
    test_close();
}
END_TEST

// The buffers of a level stay, whatever another level opens in the meantime.
START_TEST(test_levels)
{
    test_open();
    struct engine_scratch grid = ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, 1, "operator");
    kn_buffer *first = get(&grid, 0, 1 << 20);
    ki_engine_scratch_close(&grid);
    size_t kept = ki_engine_scratch_kept(queue);
    ck_assert_uint_eq(kept, 1 << 20);

    struct engine_scratch solver = ki_engine_scratch_open(queue, ENGINE_SCRATCH_SOLVER, 1, "solver");
    get(&solver, 0, 100);
    grid = ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, 1, "operator");
    ck_assert_ptr_eq(get(&grid, 0, 1 << 20), first);
    ck_assert_uint_lt(ki_engine_scratch_kept(queue) - kept, 1 << 20);
    ki_engine_scratch_close(&grid);
    ki_engine_scratch_close(&solver);
    test_close();
}
END_TEST

START_TEST(test_refused)
{
    kn_buffer *buffer = NULL;

    test_open();
    struct engine_scratch scratch = open_slots(1);
    get(&scratch, 0, 100);
    context->device.info.max_alloc = 1 << 20;
    EXPECT_REFUSED(KN_ERROR_LIMIT,
                   "test_scratch: 1048577 bytes of scratch memory are more than one allocation",
                   ki_engine_scratch_get(&scratch, 0, (1 << 20) + 1, &buffer, &err));
    ck_assert_ptr_null(buffer);
    get(&scratch, 0, 1 << 20); // the slot is not lost
    ki_engine_scratch_close(&scratch);
    test_close();
}
END_TEST

// With exactly the requested size, whatever was there; the next caller gets no less than it requests.
START_TEST(test_exact)
{
    kn_buffer *buffer = NULL, *again = NULL;

    test_open();
    struct engine_scratch scratch = open_slots(2);
    get(&scratch, 1, 1 << 20);
    EXPECT_OK(ki_engine_scratch_get_exact(&scratch, 1, 100, &buffer, &err));
    ck_assert_uint_eq(kn_buffer_get_size(buffer), 100);
    EXPECT_OK(ki_engine_scratch_get_exact(&scratch, 1, 100, &again, &err));
    ck_assert_ptr_eq(again, buffer);
    get(&scratch, 1, 101);
    EXPECT_OK(ki_engine_scratch_get_exact(&scratch, 0, 4096, &buffer, &err));
    ck_assert_uint_eq(kn_buffer_get_size(buffer), 4096);
    ki_engine_scratch_close(&scratch);
    test_close();
}
END_TEST

// ---- algorithms ----

static float input[N];
static kn_buffer *column, *other;
static kn_fft_plan *transform;

static kn_status sort(kn_error *why)
{
    return kn_sort(queue, column, KN_F32, N, NULL, why);
}

static kn_status reduce(kn_error *why)
{
    kn_number found;

    return kn_reduce(queue, column, KN_F32, N, KN_REDUCE_MAX, &found, why);
}

static kn_status robust(kn_error *why)
{
    kn_robust found;

    return kn_robust_stats(queue, column, KN_F32, N, &found, NULL, why);
}

static kn_status selected(kn_error *why)
{
    const kn_robust_options by_select = KN_INIT(kn_robust_options, .method = KN_ROBUST_SELECT);
    kn_robust found;

    return kn_robust_stats(queue, column, KN_F32, N, &found, &by_select, why);
}

static kn_status fft(kn_error *why)
{
    return kn_fft_execute(queue, transform, KN_FFT_FORWARD, column, other, why);
}

static kn_status (*const works[])(kn_error *) = {sort, reduce, robust, selected, fft};

static void begin_work(void)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {N / 2}, .type = KN_F32);
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    uint64_t state = test_seed("scratch");

    test_open();
    for (size_t i = 0; i < N; i++)
        input[i] = (float)test_uniform(&state) - 0.3F;
    column = test_upload_with_room(input, sizeof input, 0);
    other = test_upload_with_room(input, sizeof input, 0);
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &transform, &err));
}

static void end_work(void)
{
    kn_fft_plan_free(transform);
    kn_buffer_free(column);
    kn_buffer_free(other);
    test_close();
}

static long allocations;

static kn_status counting_alloc(struct be_context *native, size_t bytes, struct be_memory **memory,
                                kn_error *why)
{
    allocations++;
    return failing_real->memory_alloc(native, bytes, memory, why);
}

// All of them one after the other, and again: the second time from what the first one left.
START_TEST(test_warm)
{
    begin_work();
    failing_real = context->backend;
    failing_backend = *failing_real;
    failing_backend.memory_alloc = counting_alloc;
    context->backend = &failing_backend;
    for (int round = 0; round < 3; round++) {
        size_t kept = ki_engine_scratch_kept(queue);
        allocations = 0;
        for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
            EXPECT_OK(works[i](&err));
            ck_assert_uint_eq(ki_engine_scratch_in_use(queue), 0);
        }
        ck_assert_msg(round == 0 ? allocations > 0 : allocations == 0, "round %d: %ld allocations", round,
                      allocations);
        ck_assert(round == 0 || ki_engine_scratch_kept(queue) == kept);
    }
    context->backend = failing_real;
    end_work();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_nested, test_levels, test_refused, test_exact, test_warm};

    return test_run("scratch", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
