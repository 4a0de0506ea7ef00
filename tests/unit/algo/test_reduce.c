// SPDX-License-Identifier: Apache-2.0
// Tests that sums equal the fixed tree, written here as in its description, exactly; with double precision
// and without.
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

enum { LEAF = 4096, LANES = 64 };

// ---- the tree ----

static kn_sums add(kn_sums a, kn_sums b)
{
    return (kn_sums){a.sum + b.sum, a.squares + b.squares};
}

static kn_sums leaf_sums(const double *x, size_t n, double shift)
{
    kn_sums lanes[LANES];

    for (size_t lane = 0; lane < LANES; lane++) {
        lanes[lane] = (kn_sums){0, 0};
        for (size_t i = lane; i < n; i += LANES) {
            double d = x[i] - shift;
            lanes[lane].sum += d;
            lanes[lane].squares = fma(d, d, lanes[lane].squares);
        }
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t lane = 0; lane < half; lane++)
            lanes[lane] = add(lanes[lane], lanes[lane + half]);
    return lanes[0];
}

// A tree of `leaves` leaves, a power of two; leaves past the end are 0.
static kn_sums tree(const double *x, size_t n, double shift, size_t leaves)
{
    size_t half = leaves / 2 * LEAF;

    if (n == 0)
        return (kn_sums){0, 0};
    if (leaves == 1)
        return leaf_sums(x, n, shift);
    if (n <= half)
        return tree(x, n, shift, leaves / 2);
    return add(tree(x, half, shift, leaves / 2), tree(x + half, n - half, shift, leaves / 2));
}

static kn_sums expected_sums(const double *x, size_t n, double shift)
{
    return tree(x, n, shift, (size_t)1 << 20);
}

// ---- columns ----

static double *x;
static uint64_t state;
static size_t room; // elements that x has room for

static size_t largest_size(void)
{
    return test_is_slow() ? 3 * LEAF + 5 : 1000003;
}

static void set_up(void)
{
    test_open();
    state = test_seed("reduce");
    room = largest_size();
    x = malloc(room * sizeof *x);
    ck_assert_ptr_nonnull(x);
}

static void tear_down(void)
{
    free(x);
    test_close();
}

// Numbers of both signs whose sizes differ by up to 2^exponents, rounded to the type.
static void fill(size_t n, kn_type type, int exponents)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = ldexp(test_uniform(&state) - 0.4, (int)(test_random(&state) % (unsigned)(exponents + 1)));
        if (type == KN_F32)
            x[i] = (double)(float)x[i];
    }
}

static kn_sums device_sums(size_t n, kn_type type, double shift)
{
    kn_buffer *buffer = test_upload_column(x, n, type);
    kn_sums sums = {-1, -1};
    double sum = -1;

    EXPECT_OK(kn_reduce_sums(queue, buffer, type, n, shift, &sums, &err));
    if (shift == 0) {
        EXPECT_OK(kn_reduce_sum(queue, buffer, type, n, &sum, &err));
        ck_assert_msg(test_same(sum, sums.sum), "n %zu: sum %.17g alone, %.17g with squares", n, sum,
                      sums.sum);
    }
    kn_buffer_free(buffer);
    return sums;
}

static void expect_equal(kn_sums sums, kn_sums expected, size_t n)
{
    ck_assert_msg(test_same(sums.sum, expected.sum), "n %zu: sum %.17g, expected %.17g", n, sums.sum,
                  expected.sum);
    ck_assert_msg(test_same(sums.squares, expected.squares), "n %zu: squares %.17g, expected %.17g", n,
                  sums.squares, expected.squares);
}

static const size_t sizes[] = {0,
                               1,
                               2,
                               5,
                               63,
                               64,
                               65,
                               127,
                               128,
                               1000,
                               4095,
                               4096,
                               4097,
                               8191,
                               8193,
                               3 * LEAF,
                               3 * LEAF + 5,
                               7 * LEAF,
                               16 * LEAF + 1,
                               17 * LEAF,
                               33 * LEAF - 1,
                               100 * LEAF + 3,
                               1000003};
#define SIZES (sizeof sizes / sizeof *sizes)

// Sizes that fit; on an interpreter only a few.
static bool is_tried(size_t n)
{
    return test_is_slow() ? n == 0 || n == 65 || n == 4097 : n <= room;
}

// ---- to the bit ----

static void expect_sums_to_the_bit(kn_type type)
{
    if (!test_takes(type))
        return;
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = sizes[i];
        if (!is_tried(n))
            continue;
        fill(n, type, 30);
        expect_equal(device_sums(n, type, 0), expected_sums(x, n, 0), n);
        fill(n, type, 0);
        expect_equal(device_sums(n, type, 0.4375), expected_sums(x, n, 0.4375), n);
        // 0.1 is rounded to the type first.
        expect_equal(device_sums(n, type, 0.1), expected_sums(x, n, type == KN_F32 ? (double)0.1F : 0.1), n);
    }
    for (int i = 0; i < (test_is_slow() ? 0 : 20); i++) {
        size_t n = 1 + test_random(&state) % (room < 200000 ? room : 200000);
        fill(n, type, 100);
        expect_equal(device_sums(n, type, 0), expected_sums(x, n, 0), n);
    }
}

START_TEST(tree_single)
{
    expect_sums_to_the_bit(KN_F32);
}
END_TEST

// Without double precision.
START_TEST(tree_soft)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    expect_sums_to_the_bit(KN_F32);
    // Squares that exceed the range of float, and that are below its least number.
    for (int exponent = -149; exponent < 128; exponent += 92) {
        const size_t n = test_is_slow() ? 130 : 3 * LEAF + 5;
        for (size_t i = 0; i < n; i++)
            x[i] = ldexp((double)(test_random(&state) % 3) - 1, exponent);
        expect_equal(device_sums(n, KN_F32, 0), expected_sums(x, n, 0), n);
    }
    context->device.info.fp64 = fp64;
}
END_TEST

START_TEST(tree_double)
{
    expect_sums_to_the_bit(KN_F64);
}
END_TEST

// ---- launched in other shapes: the same bits ----

struct shape {
    unsigned group, width;
};

static kn_kernel *kernel_of(kn_program *program, const char *name)
{
    kn_kernel *kernel = NULL;

    EXPECT_OK(kn_program_get_kernel(program, name, &kernel, &err));
    return kernel;
}

static kn_program *build(const struct shape *shape, kn_type type, bool soft)
{
    char group[16], width[16];
    const kn_define defines[] = {{"REAL_BITS", type == KN_F64 ? "64" : "32"},
                                 {"ACC_SOFT", soft ? "1" : "0"},
                                 {"GROUP", group},
                                 {"WIDTH", width},
                                 {"KN_CPU", shape->width == 16 ? "1" : "0"}};
    const kn_program_options options =
        KN_INIT(kn_program_options, .defines = defines, .define_count = 5, .policy = KN_POLICY_STRICT);
    kn_program *program = NULL;

    snprintf(group, sizeof group, "%u", shape->group);
    snprintf(width, sizeof width, "%u", shape->width);
    EXPECT_OK(kn_program_from_builtin(context, "algo/reduce.cl", &options, &program, &err));
    return program;
}

// Launches as described at the head of cl/algo/reduce.cl.
static kn_sums launch_shape(kn_program *program, const struct shape *shape, kn_type type, size_t n)
{
    size_t span = (size_t)LEAF * (shape->group / (LANES / shape->width)), groups = (n + span - 1) / span;
    uint64_t count = n, first = 0, stride = groups;
    double shift = 0, result[2];
    float single_shift = 0;
    kn_buffer *column = test_upload_column(x, n, type), *from = NULL, *to = NULL;

    EXPECT_OK(kn_buffer_create(context, groups * 16, &from, &err));
    EXPECT_OK(kn_buffer_create(context, groups * 16, &to, &err));
    const kn_arg args[] = {
        KN_BUFFER(column), KN_VALUE(count), type == KN_F64 ? KN_VALUE(shift) : KN_VALUE(single_shift),
        KN_BUFFER(from),   KN_VALUE(first), KN_VALUE(stride)};
    const kn_range range = {1, {groups * shape->group}, {shape->group}, {0}};
    EXPECT_OK(kn_launch(queue, kernel_of(program, "reduce_leaves"), &range, args, 6, NULL, &err));
    while (groups > 1) {
        uint64_t nodes = groups;
        groups = (groups + 16 * shape->group - 1) / (16 * shape->group);
        const kn_arg fold_args[] = {KN_BUFFER(from), KN_VALUE(nodes), KN_BUFFER(to)};
        const kn_range fold_range = {2, {groups * shape->group, 2}, {shape->group, 1}, {0}};
        EXPECT_OK(kn_launch(queue, kernel_of(program, "reduce_fold"), &fold_range, fold_args, 3, NULL, &err));
        kn_buffer *swapped = from;
        from = to;
        to = swapped;
    }
    EXPECT_OK(kn_buffer_read(queue, from, 0, result, 16, &err));
    kn_buffer_free(column);
    kn_buffer_free(from);
    kn_buffer_free(to);
    return (kn_sums){result[0], result[1]};
}

static void expect_shapes_agree(kn_type type, bool soft)
{
    static const struct shape shapes[] = {{4, 16}, {16, 4}, {64, 4}};
    static const size_t lengths[] = {1, 65, 2 * LEAF + 5, 65 * LEAF + 100, 244 * LEAF + 1};

    for (size_t s = 0; s < (test_is_slow() ? 2 : sizeof shapes / sizeof *shapes); s++) {
        kn_program *program = build(&shapes[s], type, soft);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths && lengths[i] <= room; i++) {
            size_t n = lengths[i];
            state = 1000 + i;
            fill(n, type, 10);
            expect_equal(launch_shape(program, &shapes[s], type, n), expected_sums(x, n, 0), n);
        }
        kn_program_free(program);
    }
}

START_TEST(shapes_single)
{
    if (context->device.info.fp64)
        expect_shapes_agree(KN_F32, false);
    expect_shapes_agree(KN_F32, true);
}
END_TEST

START_TEST(shapes_double)
{
    if (test_takes(KN_F64))
        expect_shapes_agree(KN_F64, false);
}
END_TEST

// The shapes that kn_reduce_sums chooses for a CPU, a GPU, and a device that only supports small groups.
START_TEST(chosen_shapes)
{
    kn_device_info *info = &context->device.info;
    const size_t n = test_is_slow() ? 777 : 77777;
    const uint64_t group = info->max_work_group;
    kn_sums first;

    fill(n, KN_F32, 20);
    first = device_sums(n, KN_F32, 0);
    info->type = info->type == KN_DEVICE_CPU ? KN_DEVICE_GPU : KN_DEVICE_CPU;
    expect_equal(device_sums(n, KN_F32, 0), first, n);
    info->type = KN_DEVICE_GPU;
    info->max_work_group = 100;
    expect_equal(device_sums(n, KN_F32, 0), first, n);
    info->max_work_group = 1;
    kn_buffer *buffer = test_upload_column(x, n, KN_F32);
    EXPECT_REFUSED(KN_ERROR_LIMIT, "work-items", kn_reduce_sum(queue, buffer, KN_F32, n, &(double){0}, &err));
    kn_buffer_free(buffer);
    info->max_work_group = group;
}
END_TEST

// ---- values at the edge ----

START_TEST(special_values)
{
    const size_t n = test_is_slow() ? 200 : LEAF + 100, step = n / 4 - 1;

    for (int soft = !context->device.info.fp64; soft < 2; soft++) {
        context->device.info.fp64 = !soft;
        for (size_t at = 0; at < n; at += step) {
            fill(n, KN_F32, 0);
            x[at] = INFINITY;
            expect_equal(device_sums(n, KN_F32, 0), (kn_sums){INFINITY, INFINITY}, n);
            expect_equal(device_sums(n, KN_F32, -2), (kn_sums){INFINITY, INFINITY}, n);
            x[at] = -INFINITY;
            expect_equal(device_sums(n, KN_F32, 1), (kn_sums){-INFINITY, INFINITY}, n);
            x[n - 1 - at] = INFINITY;
            expect_equal(device_sums(n, KN_F32, 1), (kn_sums){NAN, INFINITY}, n);
            x[n / 2] = NAN;
            expect_equal(device_sums(n, KN_F32, 1), (kn_sums){NAN, NAN}, n);
        }
        // The sum of a column of -0 is +0.
        for (size_t i = 0; i < n; i++)
            x[i] = -0.0;
        expect_equal(device_sums(n, KN_F32, 0), (kn_sums){0, 0}, n);
    }
}
END_TEST

// 2^24 - 1 and its negative cancel, and a small rest stays.
START_TEST(cancellation)
{
    const size_t n = test_is_slow() ? LEAF : 2 * LEAF;
    const int fp64 = context->device.info.fp64;

    for (int soft = !fp64; soft < 2; soft++) {
        context->device.info.fp64 = !soft;
        for (size_t i = 0; i < n; i++)
            x[i] = i % 2 ? 0x1.fffffep23 : -0x1.fffffep23;
        x[n - 2] = 0x1p-10;
        x[n - 1] = 0;
        ck_assert_msg(device_sums(n, KN_F32, 0).sum == 0x1p-10, "soft %d", soft);
    }
    context->device.info.fp64 = fp64;
    if (!test_takes(KN_F64))
        return;
    for (size_t i = 0; i < n; i++)
        x[i] = (i / 128) % 2 ? 0x1p1000 : -0x1p1000;
    expect_equal(device_sums(n, KN_F64, 0), expected_sums(x, n, 0), n);
    for (size_t i = 0; i < n; i++)
        x[i] = DBL_MAX;
    expect_equal(device_sums(n, KN_F64, 0), (kn_sums){INFINITY, INFINITY}, n);
    for (size_t i = 0; i < n; i++)
        x[i] = DBL_TRUE_MIN * (double)(1 + i % 7);
    expect_equal(device_sums(n, KN_F64, 0), expected_sums(x, n, 0), n);
}
END_TEST

// ---- buffers in parts ----

START_TEST(parts_same_bits)
{
    const size_t n = test_is_slow() ? 2 * LEAF + 5 : 50 * LEAF + 1234;

    for (kn_type type = KN_F32; type <= KN_F64; type++) {
        if (!test_takes(type))
            continue;
        fill(n, type, 20);
        kn_sums whole = device_sums(n, type, 0.25);
        for (size_t leaves = 1; leaves <= (test_is_slow() ? 1 : 32); leaves *= 2) {
            const uint64_t max_alloc = context->device.info.max_alloc;
            // Between two powers of two, the parts have the smaller size.
            context->device.info.max_alloc = leaves * LEAF * kn_type_size(type) * 3 / 2;
            kn_buffer *buffer = test_upload_column(x, n, type);
            kn_sums sums;
            ck_assert_uint_eq(kn_buffer_get_part_count(buffer), (n + leaves * LEAF - 1) / (leaves * LEAF));
            EXPECT_OK(kn_reduce_sums(queue, buffer, type, n, 0.25, &sums, &err));
            expect_equal(sums, whole, n);
            // Only the beginning of the column, which ends in the first part.
            EXPECT_OK(kn_reduce_sums(queue, buffer, type, 100, 0.25, &sums, &err));
            kn_buffer_free(buffer);
            context->device.info.max_alloc = max_alloc;
            expect_equal(sums, device_sums(100, type, 0.25), 100);
        }
    }
}
END_TEST

// ---- refusals ----

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_column((double[]){1, 2, 3}, 3, KN_F32);
    kn_sums sums = {5, 5};
    double sum = 5;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on uint", kn_reduce_sum(queue, buffer, KN_U32, 3, &sum, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 3", kn_reduce_sum(queue, buffer, KN_F32, 4, &sum, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_reduce_sum(queue, buffer, KN_F32, 3, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_reduce_sums(queue, buffer, KN_F32, 3, 0, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_reduce_sum(queue, NULL, KN_F32, 3, &sum, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite",
                   kn_reduce_sums(queue, buffer, KN_F32, 3, INFINITY, &sums, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite",
                   kn_reduce_sums(queue, buffer, KN_F32, 3, NAN, &sums, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite",
                   kn_reduce_sums(queue, buffer, KN_F32, 3, 1e300, &sums, &err));
    ck_assert(sum == 5 && sums.sum == 5 && sums.squares == 5);
    kn_buffer_free(buffer);
    context->device.info.max_alloc = 8192;
    EXPECT_OK(kn_buffer_create(context, 20000, &buffer, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "less than a leaf",
                   kn_reduce_sum(queue, buffer, KN_F32, 5000, &sum, &err));
    kn_buffer_free(buffer);
    context->device.info.fp64 = 0;
    EXPECT_OK(kn_buffer_create(context, 80, &buffer, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "double precision",
                   kn_reduce_sum(queue, buffer, KN_F64, 5, &sum, &err));
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {tree_single,   tree_soft,      tree_double,  shapes_single,   shapes_double,
                                  chosen_shapes, special_values, cancellation, parts_same_bits, refusals};

    return test_run("reduce", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
