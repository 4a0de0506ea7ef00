// SPDX-License-Identifier: Apache-2.0
// Tests what a launch refuses before any driver sees it, naming the kernel and the argument. Some of these
// launches make a driver abort the process: if one reached the driver, this program would not finish.
#include "engine_support.h"

#include "engine/engine.h"

static kn_context *context;
static kn_queue *queue;
static kn_program *program;
static kn_buffer *buffer;

static const char text[] =
    "typedef struct { float4 position; int mass; } body;\n"
    "__kernel void mixed(__global uint *out, __constant uint *table, __local uint *near, uint plain, body "
    "b)\n"
    "{ out[get_global_id(0)] = 1; }\n"
    "__kernel void simple(__global uint *out) { out[get_global_id(0)] = 1; }\n"
    "__kernel void two_locals(__local uint *first, __local uint *second)\n"
    "{ __local uint own[64]; if (get_local_id(0) == 0) first[0] = second[0] = own[0] = 1; }\n"
    "__kernel void nothing(void) { }\n"
    "__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required(__global uint *out) { }\n"
    "__kernel void takes(float4 wide, uchar small, __global const body *bodies) { }\n";

static void set_up(void)
{
    context = open_context();
    queue = open_queue(context);
    program = build_text(context, text);
    buffer = make_buffer(context, 4096);
}

static void tear_down(void)
{
    kn_buffer_free(buffer);
    kn_program_free(program);
    kn_queue_close(queue);
    kn_context_close(context);
}

static const kn_range eight = {1, {8}, {8}, {0}};

static void expect_args_refused(const char *kernel, const kn_arg *args, size_t count, kn_status code,
                                const char *words)
{
    kn_event *event = NULL;

    expect_refused(kn_launch(queue, kernel_of(program, kernel), &eight, args, count, &event, &err), code,
                   words);
    ck_assert_ptr_null(event);
}

static void expect_range_refused(const char *kernel, kn_range range, kn_status code, const char *words)
{
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_event *event = NULL;

    expect_refused(kn_launch(queue, kernel_of(program, kernel), &range, args, 1, &event, &err), code, words);
    ck_assert_ptr_null(event);
}

START_TEST(nulls)
{
    kn_arg args[] = {KN_BUFFER(buffer)};
    kn_kernel *kernel = kernel_of(program, "simple");

    expect_refused(kn_launch(NULL, kernel, &eight, args, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_launch");
    expect_refused(kn_launch(queue, NULL, &eight, args, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_launch");
    expect_refused(kn_launch(queue, kernel, NULL, args, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_launch");
    expect_refused(kn_launch(queue, kernel, &eight, NULL, 1, NULL, &err), KN_ERROR_ARGUMENT, "kn_launch");
    expect_ok(kn_launch(queue, kernel_of(program, "nothing"), &eight, NULL, 0, NULL, &err));
    expect_ok(kn_launch(queue, kernel, &eight, args, 1, NULL, NULL));
}
END_TEST

START_TEST(counts)
{
    kn_arg args[6] = {KN_BUFFER(buffer), KN_BUFFER(buffer)};

    expect_args_refused("simple", args, 0, KN_ERROR_ARGUMENT, "simple|takes 1 arg|given 0");
    expect_args_refused("simple", args, 2, KN_ERROR_ARGUMENT, "simple|takes 1 arg|given 2");
    expect_args_refused("nothing", args, 1, KN_ERROR_ARGUMENT, "nothing|takes 0 arg|given 1");
    expect_args_refused("mixed", args, 6, KN_ERROR_ARGUMENT, "mixed|takes 5 arg|given 6");
}
END_TEST

// Each kind of argument in place of each other kind.
START_TEST(argument_kinds)
{
    static const char *const given_names[] = {[KN_ARG_BUFFER] = "given a buffer",
                                              [KN_ARG_VALUE] = "given a value",
                                              [KN_ARG_INLINE] = "given a value",
                                              [KN_ARG_LOCAL] = "given local memory"};
    static const struct {
        const char *name, *takes;
        int right;
    } params[] = {{"(out)", "takes a buffer", KN_ARG_BUFFER},
                  {"(table)", "takes a buffer", KN_ARG_BUFFER},
                  {"(near)", "takes bytes of local memory", KN_ARG_LOCAL},
                  {"(plain)", "takes a value", KN_ARG_VALUE},
                  {"(b)", "takes a value", KN_ARG_VALUE}};
    uint32_t plain = 1;
    unsigned char body[32] = {0};
    const kn_arg right[] = {KN_BUFFER(buffer), KN_BUFFER(buffer), KN_LOCAL(64), KN_VALUE(plain),
                            KN_VALUE_AT(body, sizeof body)};
    const kn_arg kinds[] = {KN_BUFFER(buffer), KN_VALUE(plain), KN_LOCAL(64)};

    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            kn_arg args[5];
            char words[128];

            if (kinds[k].kind == (kn_arg_kind)params[i].right ||
                (kinds[k].kind == KN_ARG_INLINE && params[i].right == KN_ARG_VALUE))
                continue;
            memcpy(args, right, sizeof args);
            args[i] = kinds[k];
            snprintf(words, sizeof words, "mixed|argument %zu|%s|%s|%s", i, params[i].name, params[i].takes,
                     given_names[kinds[k].kind]);
            expect_args_refused("mixed", args, 5, KN_ERROR_ARGUMENT, words);
        }
    expect_ok(kn_launch(queue, kernel_of(program, "mixed"), &eight, right, 5, NULL, &err));
}
END_TEST

START_TEST(argument_values)
{
    unsigned char bytes[33] = {0};
    uint32_t plain = 1;
    kn_arg mixed[] = {KN_BUFFER(buffer), KN_BUFFER(buffer), KN_LOCAL(64), KN_VALUE(plain),
                      KN_VALUE_AT(bytes, 32)};
    kn_arg takes[] = {KN_VALUE_AT(bytes, 16), KN_VALUE_AT(bytes, 1), KN_BUFFER(buffer)};

    takes[0].size = 12;
    expect_args_refused("takes", takes, 3, KN_ERROR_ARGUMENT,
                        "takes|argument 0|(wide)|float4|16 bytes|given 12");
    takes[0].size = 16;
    takes[1].size = 4;
    expect_args_refused("takes", takes, 3, KN_ERROR_ARGUMENT,
                        "takes|argument 1|(small)|uchar|1 bytes|given 4");
    takes[1].value = NULL;
    takes[1].size = 1;
    expect_args_refused("takes", takes, 3, KN_ERROR_ARGUMENT, "takes|argument 1|(small)|NULL");
    mixed[4].size = 0; // a struct: its size is known to the compiler alone
    expect_args_refused("mixed", mixed, 5, KN_ERROR_ARGUMENT, "mixed|argument 4|(b)|0 bytes");
}
END_TEST

START_TEST(buffers)
{
    kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 4096);
    kn_context *other = open_with(&options);
    kn_queue *its = open_queue(other);
    kn_program *elsewhere = build_text(other, text);
    kn_buffer *parts = make_buffer(other, 10000), *foreign = make_buffer(other, 16);
    kn_arg args[] = {KN_BUFFER(NULL)};
    uint32_t *words = calloc(1, 10000), seven = 7;
    kn_kernel *kernel = kernel_of(elsewhere, "simple");
    kn_range range = {1, {1024}, {0}, {0}};

    ck_assert_ptr_nonnull(words);
    expect_args_refused("simple", args, 1, KN_ERROR_ARGUMENT, "simple|argument 0|(out)|NULL buffer");
    args[0].buffer = foreign;
    expect_args_refused("simple", args, 1, KN_ERROR_ARGUMENT, "simple|argument 0|(out)|another context");
    expect_refused(kn_launch(queue, kernel, &eight, args, 1, NULL, &err), KN_ERROR_ARGUMENT,
                   "simple|another context");
    args[0].buffer = parts;
    expect_refused(kn_launch(its, kernel, &range, args, 1, NULL, &err), KN_ERROR_ARGUMENT,
                   "simple|argument 0|(out)|10000 bytes|3 parts of at most 4096|kn_buffer_get_part");

    // As the message suggests: once for each part.
    expect_ok(kn_buffer_fill(its, parts, &seven, 4, 0, 10000, NULL, &err));
    for (size_t i = 0; i < kn_buffer_get_part_count(parts); i++) {
        args[0].buffer = kn_buffer_get_part(parts, i);
        range.global[0] = kn_buffer_get_size(args[0].buffer) / 4;
        expect_ok(kn_launch(its, kernel, &range, args, 1, NULL, &err));
    }
    expect_ok(kn_buffer_read(its, parts, 0, words, 10000, &err));
    for (size_t i = 0; i < 2500; i++)
        ck_assert_uint_eq(words[i], 1);
    free(words);
    kn_buffer_free(foreign);
    kn_buffer_free(parts);
    kn_program_free(elsewhere);
    kn_queue_close(its);
    kn_context_close(other);
}
END_TEST

START_TEST(local_memory)
{
    kn_kernel_limits limits;
    const kn_device_info *info = kn_context_get_device(context);
    kn_kernel *kernel = kernel_of(program, "two_locals");
    size_t left, half;
    static const size_t too_many[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1};

    limits = *kn_kernel_get_limits(kernel);
    ck_assert_uint_eq(limits.local_bytes + limits.local_bytes_left, info->local_memory);
    left = limits.local_bytes_left / 16 * 16;
    half = left / 2 / 16 * 16;
    kn_arg args[] = {KN_LOCAL(half), KN_LOCAL(left - half)};
    expect_ok(kn_launch(queue, kernel, &eight, args, 2, NULL, &err)); // all there is
    args[1].size++;
    expect_args_refused("two_locals", args, 2, KN_ERROR_LIMIT, "two_locals|local memory");
    args[1].size = 0;
    expect_args_refused("two_locals", args, 2, KN_ERROR_ARGUMENT, "two_locals|argument 1|(second)|0 bytes");
    for (size_t i = 0; i < 3; i++) {
        args[0].size = args[1].size = too_many[i];
        expect_args_refused("two_locals", args, 2, KN_ERROR_LIMIT, "two_locals|local memory");
    }
    expect_ok(kn_queue_finish(queue, &err));
}
END_TEST

START_TEST(ranges)
{
    const kn_device_info *info = kn_context_get_device(context);
    kn_kernel_limits limits;
    size_t most;

    expect_range_refused("simple", (kn_range){0, {8}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|0 dimensions|1, 2 or 3");
    expect_range_refused("simple", (kn_range){4, {8, 8, 8}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|4 dimensions");
    expect_range_refused("simple", (kn_range){1, {0}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|no work-items|dimension 0");
    expect_range_refused("simple", (kn_range){3, {8, 8, 0}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "no work-items|dimension 2");
    expect_range_refused("simple", (kn_range){1, {10}, {4}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|10|dimension 0|4");
    expect_range_refused("simple", (kn_range){2, {8, 9}, {4, 2}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|9|dimension 1|2");
    expect_range_refused("simple", (kn_range){2, {8, 8}, {4, 0}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|size 0|dimension 1");
    expect_range_refused("simple", (kn_range){2, {8, 8}, {0, 4}, {0}}, KN_ERROR_ARGUMENT,
                         "simple|size 0|dimension 0");
    expect_range_refused("required", (kn_range){2, {8, 8}, {4, 2}, {0}}, KN_ERROR_ARGUMENT,
                         "required|8 x 2 x 1|dimension 0|4");
    expect_range_refused("required", (kn_range){3, {8, 2, 2}, {8, 2, 2}, {0}}, KN_ERROR_ARGUMENT,
                         "required|8 x 2 x 1|dimension 2|2");
    expect_range_refused("required", (kn_range){1, {8}, {8}, {0}}, KN_ERROR_ARGUMENT,
                         "required|8 x 2 x 1|dimension 1");
    expect_range_refused("required", (kn_range){1, {8}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "required|8 x 2 x 1|1 dimension");
    expect_range_refused("required", (kn_range){2, {12, 2}, {0}, {0}}, KN_ERROR_ARGUMENT,
                         "required|12|dimension 0|8");

    limits = *kn_kernel_get_limits(kernel_of(program, "simple"));
    most = limits.work_group;
    ck_assert_uint_gt(most, 0);
    ck_assert_uint_le(most, info->max_work_group);
    expect_range_refused("simple", (kn_range){1, {2 * most}, {2 * most}, {0}}, KN_ERROR_LIMIT,
                         "simple|work-group of");
    expect_range_refused("simple", (kn_range){2, {most, 2}, {most, 2}, {0}}, KN_ERROR_LIMIT,
                         "simple|work-group of");
    expect_range_refused("simple",
                         (kn_range){3, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, {0}},
                         KN_ERROR_LIMIT, "simple|work-group of");
}
END_TEST

// As through NVIDIA's OpenCL: its table of quirks has a largest range. A mistake in the work-group is told as
// everywhere.
START_TEST(ranges_past_the_quirk)
{
    context->quirks.range_limit = INT32_MAX;
    expect_range_refused("simple",
                         (kn_range){3, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, {0}},
                         KN_ERROR_LIMIT, "simple|work-group of");
    expect_range_refused("simple", (kn_range){2, {8, (size_t)INT32_MAX + 1}, {8, 1}, {0}}, KN_ERROR_LIMIT,
                         "simple|size 2147483648 in dimension 1|split the range");
    expect_range_refused("simple", (kn_range){1, {8}, {0}, {(size_t)INT32_MAX + 1}}, KN_ERROR_LIMIT,
                         "simple|offset 2147483648 in dimension 0|split the range");
}
END_TEST

// The largest group within the limits runs.
START_TEST(largest_group)
{
    static const char counting[] =
        "__kernel void count(__global uint *out) { out[get_global_id(0)] = get_local_size(0); }\n";
    kn_program *own = build_text(context, counting);
    kn_kernel *kernel = kernel_of(own, "count");
    kn_kernel_limits limits;

    limits = *kn_kernel_get_limits(kernel);
    kn_buffer *out = make_buffer(context, 4 * limits.work_group);
    kn_arg args[] = {KN_BUFFER(out)};
    kn_range range = {1, {limits.work_group}, {limits.work_group}, {0}};
    uint32_t *found = calloc(limits.work_group, 4);
    ck_assert_ptr_nonnull(found);
    expect_ok(kn_launch(queue, kernel, &range, args, 1, NULL, &err));
    expect_ok(kn_buffer_read(queue, out, 0, found, 4 * limits.work_group, &err));
    for (size_t i = 0; i < limits.work_group; i++)
        ck_assert_uint_eq(found[i], limits.work_group);
    free(found);
    kn_buffer_free(out);
    kn_program_free(own);
}
END_TEST

START_TEST(constant_memory)
{
    uint64_t most = kn_context_get_device(context)->constant_memory;
    kn_buffer *large;
    uint32_t plain = 1;
    unsigned char body[32] = {0};

    ck_assert_uint_ge(most, 65536);
    if (most > (uint64_t)64 << 20) {
        fprintf(stderr, "skipped: this device's constant memory is its global memory\n");
        return;
    }
    large = make_buffer(context, (size_t)most + 1);
    kn_arg args[] = {KN_BUFFER(buffer), KN_BUFFER(large), KN_LOCAL(64), KN_VALUE(plain),
                     KN_VALUE_AT(body, sizeof body)};
    expect_args_refused("mixed", args, 5, KN_ERROR_LIMIT, "mixed|argument 1|(table)|__constant|at most");
    kn_buffer_free(large);
}
END_TEST

// The checks of argument bytes and counts: a kernel beyond the device's limit may not compile at all.
START_TEST(argument_bytes)
{
    uint64_t most = kn_context_get_device(context)->max_argument_bytes;
    size_t count = (size_t)most / 128 + 1;
    char *source = calloc(1, 100 + 32 * count);
    kn_arg *args = calloc(count, sizeof *args);
    unsigned char value[128] = {0};
    kn_program *wide = NULL;

    ck_assert(source && args);
    strcpy(source, "__kernel void wide(");
    for (size_t i = 0; i < count; i++) {
        snprintf(source + strlen(source), 32, "%sdouble16 a%zu", i ? ", " : "", i);
        args[i] = KN_VALUE_AT(value, sizeof value);
    }
    strcat(source, ") { }\n");
    if (count > 128 || !kn_context_get_device(context)->fp64 ||
        kn_program_from_text(context, source, "wide.cl", NULL, &wide, &err)) {
        fprintf(stderr, "skipped: no kernel with %zu arguments of 128 bytes here: %.200s\n", count, err.text);
    } else {
        expect_refused(kn_launch(queue, kernel_of(wide, "wide"), &eight, args, count, NULL, &err),
                       KN_ERROR_LIMIT, "wide|arguments take|at most");
        kn_program_free(wide);
    }
    memset(&err, 0, sizeof err);
    free(args);
    free(source);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nulls,         counts,          argument_kinds, argument_values,
                                  buffers,       local_memory,    ranges,         ranges_past_the_quirk,
                                  largest_group, constant_memory, argument_bytes};

    return RUN_ON_DEVICE_WITH("launch refused", set_up, tear_down, tests);
}
