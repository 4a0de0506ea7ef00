// SPDX-License-Identifier: Apache-2.0
// Tests launches of the CUDA backend with the fake driver: every byte of one, grids beyond CUDA's limits, the
// constant bank, and two threads.
#include "cuda_open.h"

#include "backend/cuda/cuda_launch.h"
#include "base/array.h"

static void expect_item(size_t index, const struct cuda_item *expected)
{
    ck_assert_uint_eq(driver->last.sizes[index], 64);
    ck_assert_mem_eq(driver->last.params[index], expected, 64);
}

static const kn_param mixed_params[] = {
    {KN_PARAM_GLOBAL, "float", 4, "out", 0},  {KN_PARAM_LOCAL, "float", 4, "tile", 0},
    {KN_PARAM_VALUE, "float4", 16, "f", 0},   {KN_PARAM_LOCAL, "char", 1, "flags", 0},
    {KN_PARAM_CONSTANT, "float", 4, "c", 1},  {KN_PARAM_VALUE, "char", 1, "n", 0},
    {KN_PARAM_LOCAL, "double", 8, "sums", 0},
};
static const kn_source_kernel mixed = {"mixed", mixed_params, KI_COUNT(mixed_params), NULL, {0, 0, 0}, "a.cl",
                                       1,       {0, false}};

START_TEST(arguments)
{
    struct be_program *program = program_of("//kernel koine_mixed 8 4 16 4 8 1 4 64\n");
    struct be_kernel *kernel = kernel_of(program, &mixed);
    struct be_memory *out = memory_of(64), *table = memory_of(64);
    float f[4] = {1.5f, -2, 3, 4};
    char n = 77;
    const struct be_arg args[] = {
        {BE_ARG_MEMORY, out, NULL, 0, NULL, 0},    {BE_ARG_LOCAL, NULL, NULL, 100, NULL, 0},
        {BE_ARG_VALUE, NULL, f, 16, NULL, 0},      {BE_ARG_LOCAL, NULL, NULL, 1, NULL, 0},
        {BE_ARG_MEMORY, table, NULL, 0, NULL, 0},  {BE_ARG_VALUE, NULL, &n, 1, NULL, 0},
        {BE_ARG_LOCAL, NULL, NULL, 50000, NULL, 0}};
    const struct be_range range = {2, {5, 1000000000000, 0}, {64, 6, 1}, {16, 2, 1}};
    const struct cuda_item item = {{5, 1000000000000, 0}, {4, 3, 1}, {16, 2, 1}, {0, 0}, 0, 2};
    const unsigned offsets[] = {0, 112, 128};

    expect_ok(cuda->launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err));
    ck_assert_str_eq(driver->last.kernel, "koine_mixed");
    ck_assert_uint_eq(driver->last.count, 8);
    ck_assert_ptr_eq(driver->last.stream, queue->stream);
    ck_assert_mem_eq(driver->last.params[0], &out->pointer, 8);
    ck_assert_mem_eq(driver->last.params[1], &offsets[0], 4);
    ck_assert_mem_eq(driver->last.params[2], f, 16);
    ck_assert_mem_eq(driver->last.params[3], &offsets[1], 4);
    ck_assert_mem_eq(driver->last.params[4], &table->pointer, 8);
    ck_assert_mem_eq(driver->last.params[5], &n, 1);
    ck_assert_mem_eq(driver->last.params[6], &offsets[2], 4);
    expect_item(7, &item);
    ck_assert_uint_eq(driver->last.shared, 128 + 50000);
    ck_assert_uint_eq(driver->dynamic_allowed, 232448); // for more than 48 KiB, the maximum is requested
    ck_assert_uint_eq(driver->last.grid[0], 4);
    ck_assert_uint_eq(driver->last.grid[1], 3);
    ck_assert_uint_eq(driver->last.block[0], 16);
    ck_assert_uint_eq(driver->last.block[1], 2);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
    cuda->memory_free(out);
    cuda->memory_free(table);
}
END_TEST

// A kernel's own variables in the arena precede its local arguments; their total size is requested.
START_TEST(own_local_memory)
{
    static const kn_source_kernel holder = {"holder",  &mixed_params[1], 1, NULL,
                                            {0, 0, 0}, "a.cl",           1, {60008, false}};
    struct be_program *program = program_of("//kernel koine_holder 4 64\n//shared koine_holder 512\n");
    struct be_kernel *kernel = kernel_of(program, &holder);
    const struct be_arg local = {BE_ARG_LOCAL, NULL, NULL, 100, NULL, 0};
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
    const unsigned offset = 60016; // of 16 bytes each
    struct be_kernel_limits limits;

    expect_ok(cuda->kernel_limits(kernel, &limits, &err));
    ck_assert_uint_eq(limits.local_bytes, 512 + 60008);
    expect_ok(cuda->launch(queue, kernel, &range, &local, 1, NULL, &err));
    ck_assert_mem_eq(driver->last.params[0], &offset, 4);
    ck_assert_uint_eq(driver->last.shared, 60016 + 112);
    ck_assert_uint_eq(driver->dynamic_allowed, 232448 - 512);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// Ranges that OpenCL allows and a CUDA grid does not: several grids, of which this is the last.
START_TEST(large_geometry)
{
    static const struct {
        struct be_range range;
        unsigned grids, grid[3], block[3], groups[3], first[2], fold;
    } cases[] = {
        {{2, {0}, {8, 65536, 1}, {8, 1, 1}}, 2, {1, 1, 1}, {8, 1, 1}, {1, 65536, 1}, {65535, 0}, 0},
        {{2, {0}, {8, 65535, 1}, {8, 1, 1}}, 1, {1, 65535, 1}, {8, 1, 1}, {1, 65535, 1}, {0, 0}, 0},
        {{3, {0}, {6, 4, 70000}, {3, 2, 1}}, 2, {2, 2, 4465}, {3, 2, 1}, {2, 2, 70000}, {0, 65535}, 0},
        {{3, {0}, {1, 200000, 65537}, {1, 1, 1}},
         8,
         {1, 3395, 2},
         {1, 1, 1},
         {1, 200000, 65537},
         {196605, 65535},
         0},
        {{3, {0}, {4, 2, 256}, {2, 2, 128}}, 1, {2, 1, 2}, {2, 256, 1}, {2, 1, 2}, {0, 0}, 32768},
        {{3, {0}, {4, 2, 64}, {2, 2, 64}}, 1, {2, 1, 1}, {2, 2, 64}, {2, 1, 1}, {0, 0}, 0},
        {{3, {0}, {1, 65536, 128}, {1, 1, 128}}, 2, {1, 1, 1}, {1, 128, 1}, {1, 65536, 1}, {65535, 0}, 65536},
        {{1, {0}, {2147483647, 1, 1}, {1, 1, 1}},
         1,
         {2147483647, 1, 1},
         {1, 1, 1},
         {2147483647, 1, 1},
         {0, 0},
         0},
    };
    struct be_program *program = program_of("//kernel koine_plain 64\n");
    struct be_kernel *kernel = kernel_of(program, &no_arguments);

    for (size_t c = 0; c < KI_COUNT(cases); c++) {
        struct cuda_item item = {.first = {cases[c].first[0], cases[c].first[1]},
                                 .fold = cases[c].fold,
                                 .dims = cases[c].range.dims};
        unsigned long before = driver->launches;

        expect_ok(cuda->launch(queue, kernel, &cases[c].range, NULL, 0, NULL, &err));
        ck_assert_msg(driver->launches - before == cases[c].grids, "case %zu: %lu grids", c,
                      driver->launches - before);
        for (int d = 0; d < 3; d++) {
            item.groups[d] = cases[c].groups[d];
            item.local[d] = (unsigned)cases[c].range.local[d];
            ck_assert_msg(driver->last.grid[d] == cases[c].grid[d], "case %zu: grid %u", c,
                          driver->last.grid[d]);
            ck_assert_msg(driver->last.block[d] == cases[c].block[d], "case %zu: block %u", c,
                          driver->last.block[d]);
        }
        expect_item(0, &item);
    }
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

START_TEST(too_many_groups)
{
    static const struct be_range ranges[] = {
        {1, {0, 0, 0}, {(size_t)1 << 31, 1, 1}, {1, 1, 1}},
        {2, {0, 0, 0}, {1, (size_t)1 << 32, 1}, {1, 1, 1}},
        {3, {0, 0, 0}, {(size_t)1 << 40, (size_t)1 << 40, 1}, {1, 1, 1}}};
    struct be_program *program = program_of("//kernel koine_plain 64\n");
    struct be_kernel *kernel = kernel_of(program, &no_arguments);
    struct be_event *event = NULL;

    for (size_t i = 0; i < KI_COUNT(ranges); i++)
        expect_failure(cuda->launch(queue, kernel, &ranges[i], NULL, 0, &event, &err), KN_ERROR_LIMIT, &err,
                       "cuda:0|work-groups|2147483647");
    ck_assert_ptr_null(event);
    ck_assert_uint_eq(driver->launches, 0);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// Without a local size, the driver's advice is followed as far as the range is divisible.
START_TEST(picked_local)
{
    static const struct {
        size_t global[3], local[3];
        int advice;
    } cases[] = {
        {{1024, 1, 1}, {256, 1, 1}, 256}, {{1000, 1, 1}, {250, 1, 1}, 256}, {{997, 1, 1}, {1, 1, 1}, 256},
        {{100, 1, 1}, {100, 1, 1}, 128},  {{60, 1080, 1}, {60, 4, 1}, 256}, {{4, 4, 4}, {4, 4, 4}, 256},
        {{1, 1, 512}, {1, 1, 256}, 768},
    };
    struct be_program *program = program_of("//kernel koine_plain 64\n");
    struct be_kernel *kernel = kernel_of(program, &no_arguments);

    for (size_t c = 0; c < KI_COUNT(cases); c++) {
        struct be_range range = {3, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        struct cuda_item item;

        memcpy(range.global, cases[c].global, sizeof range.global);
        driver->occupancy = cases[c].advice;
        expect_ok(cuda->launch(queue, kernel, &range, NULL, 0, NULL, &err));
        memcpy(&item, driver->last.params[0], sizeof item);
        for (int d = 0; d < 3; d++)
            ck_assert_msg(item.local[d] == cases[c].local[d] &&
                              item.groups[d] == cases[c].global[d] / cases[c].local[d],
                          "case %zu: %u in dimension %d", c, item.local[d], d);
    }
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// ---- the constant bank ----

static const kn_param bank_params[] = {{KN_PARAM_GLOBAL, "float", 4, "out", 0},
                                       {KN_PARAM_CONSTANT, "float", 4, "a", 1},
                                       {KN_PARAM_CONSTANT, "float", 4, "b", 1}};
static const kn_source_kernel banked = {"banked", bank_params, KI_COUNT(bank_params), NULL, {0, 0, 0}, "a.cl",
                                        1,        {0, false}};

// The number of copies into the bank for a launch.
static unsigned long refills(struct be_kernel *kernel, struct be_memory *out, struct be_memory *a,
                             struct be_memory *b)
{
    const struct be_arg args[] = {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0},
                                  {BE_ARG_MEMORY, a, NULL, 0, NULL, 0},
                                  {BE_ARG_MEMORY, b, NULL, 0, NULL, 0}};
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
    unsigned long before = driver->copies_on_device;

    expect_ok(cuda->launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err));
    return driver->copies_on_device - before;
}

START_TEST(constant_bank)
{
    struct be_program *program = program_of("//kernel koine_banked 8 4 4 64\n//bank 256\n");
    struct be_kernel *kernel = kernel_of(program, &banked), *writer = kernel_of(program, &banked);
    struct be_memory *out = memory_of(64), *a = memory_of(100), *b = memory_of(40), *big = memory_of(250);
    struct be_memory *foreign = NULL;
    const unsigned char ones = 1, twos = 2;
    const unsigned offsets[] = {0, 112};
    const unsigned char *bank = (const unsigned char *)(uintptr_t)kernel->bank;
    const struct be_arg too_much[] = {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0},
                                      {BE_ARG_MEMORY, a, NULL, 0, NULL, 0},
                                      {BE_ARG_MEMORY, big, NULL, 0, NULL, 0}};
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
    size_t bytes = 40;

    expect_ok(cuda->fill(queue, a, &ones, 1, 0, 100, NULL, &err));
    expect_ok(cuda->fill(queue, b, &twos, 1, 0, 40, NULL, &err));
    ck_assert_uint_eq(refills(kernel, out, a, b), 2);
    ck_assert_mem_eq(driver->last.params[1], &offsets[0], 4);
    ck_assert_mem_eq(driver->last.params[2], &offsets[1], 4);
    ck_assert_uint_eq(bank[99], 1);
    ck_assert_uint_eq(bank[112], 2);
    ck_assert_uint_eq(bank[151], 2);
    ck_assert_uint_eq(refills(kernel, out, a, b), 0); // nothing changed
    expect_ok(cuda->fill(queue, a, &twos, 1, 0, 100, NULL, &err));
    ck_assert_uint_eq(refills(kernel, out, a, b), 1);
    ck_assert_uint_eq(bank[0], 2);
    ck_assert_uint_eq(refills(kernel, out, a, a), 1); // another argument
    ck_assert_uint_eq(refills(kernel, out, a, b), 1);
    ck_assert_uint_eq(refills(writer, b, a, a), 2); // a kernel writes to b
    ck_assert_uint_eq(refills(kernel, out, a, b), 1);
    ck_assert_uint_eq(refills(kernel, out, a, b), 0);
    expect_ok(cuda->memory_wrap(context, (void *)(uintptr_t)b->pointer, &foreign, &bytes, &err));
    ck_assert_uint_eq(refills(kernel, out, a, foreign), 1);
    ck_assert_uint_eq(refills(kernel, out, a, foreign), 1); // the application may have written to it
    ck_assert_uint_eq(refills(kernel, out, a, b), 1);
    ck_assert_ptr_nonnull(cuda->memory_native(b)); // and to this one from now on
    ck_assert_uint_eq(refills(kernel, out, a, b), 1);
    expect_failure(cuda->launch(queue, kernel, &range, too_much, 3, NULL, &err), KN_ERROR_LIMIT, &err,
                   "argument 2 (b)|368 bytes|256");
    cuda->memory_free(foreign);
    cuda->memory_free(out);
    cuda->memory_free(a);
    cuda->memory_free(b);
    cuda->memory_free(big);
    cuda->kernel_free(writer);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// A bank has one writer: two kernel objects of one program do not share it.
START_TEST(one_bank_a_kernel)
{
    struct be_program *program = program_of("//kernel koine_banked 8 4 4 64\n//bank 256\n");
    struct be_kernel *one = kernel_of(program, &banked), *other = kernel_of(program, &banked);

    ck_assert(one->bank != other->bank);
    cuda->kernel_free(one);
    cuda->kernel_free(other);
    cuda->program_free(program);
}
END_TEST

// compute-sanitizer reports each lookup of a missing symbol.
START_TEST(asks_for_what_is_there)
{
    struct be_program *with = program_of("//kernel koine_banked 8 4 4 64\n//bank 256\n");
    struct be_program *without = program_of("//kernel koine_banked 8 4 4 64\n");
    struct be_kernel *kernel = kernel_of(with, &banked);

    ck_assert_uint_eq(kernel->bank_bytes, 256);
    ck_assert_int_eq(driver->not_found, 0);
    cuda->kernel_free(kernel);
    cuda->program_free(without);
    cuda->program_free(with);
}
END_TEST

// ---- threads ----

#define LAUNCHES 500

static void *launch_often(void *given)
{
    struct be_kernel *kernel = given; // each thread has its own kernel and queue
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {0, 0, 0}};
    struct be_queue *mine = NULL;
    struct be_event *event = NULL;
    uint64_t queued, start, end;
    kn_status status = cuda->queue_open(context, &mine, NULL);

    for (int i = 0; i < LAUNCHES && !status; i++) {
        status = cuda->launch(mine, kernel, &range, NULL, 0, &event, NULL);
        if (!status && !(status = cuda->event_wait(event, NULL)))
            status = cuda->event_times(event, &queued, &start, &end, NULL);
        cuda->event_free(event);
    }
    cuda->queue_close(mine);
    return status ? given : NULL;
}

START_TEST(two_threads)
{
    struct be_program *program = program_of("//kernel koine_plain 64\n");
    struct be_kernel *kernels[2] = {kernel_of(program, &no_arguments), kernel_of(program, &no_arguments)};
    pthread_t threads[2];
    void *failed;

    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_often, kernels[i]), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
        cuda->kernel_free(kernels[i]);
    }
    ck_assert_uint_eq(driver->launches, 2 * LAUNCHES);
    cuda->program_free(program);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {arguments,       large_geometry,    too_many_groups,        picked_local,
                                  constant_bank,   one_bank_a_kernel, asks_for_what_is_there, two_threads,
                                  own_local_memory};

    return TEST_RUN_WITH("cuda_launch", CK_FORK, set_up, tear_down, tests);
}
