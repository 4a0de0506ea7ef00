// SPDX-License-Identifier: Apache-2.0
// Tests the work-item functions, and that each work-item runs once (6.12.1): ranges of one to three
// dimensions, with offsets, of odd sizes, beyond the limits of a CUDA grid, and with the work-group left to
// the device; on the device and, rewritten, over tests/shim. The kernel checks (execution/ranges.cl), and the
// host counts.
#include "conformance/host_program.h"

#include "base/array.h"

static const kn_range ranges[] = {
    {1, {1}, {1}, {0}},
    {1, {64}, {64}, {7}},
    {1, {10007}, {0}, {0}},
    {1, {9999}, {3}, {1}},
    {1, {257}, {257}, {0}},
    {1, {100000}, {0}, {4000000000u}},
    {2, {65, 63}, {13, 7}, {0}},
    {2, {12, 5}, {4, 5}, {10, 1000000000000}},
    {2, {101, 103}, {0}, {0, 1}},
    {2, {64, 1}, {64, 1}, {0}},
    {3, {64, 1, 1}, {64, 1, 1}, {0}},
    {3, {5, 7, 11}, {0}, {1, 2, 3}},
    {3, {6, 4, 10}, {3, 2, 5}, {1, 2, 3}},
    {3, {1, 3, 30}, {1, 3, 30}, {0}},
    // More groups in y or z than a CUDA grid has.
    {2, {3, 65537}, {3, 1}, {0}},
    {2, {1, 70001}, {0}, {0}},
    {3, {1, 2, 66000}, {1, 2, 1}, {0, 5}},
    {3, {2, 1, 66000}, {0}, {0}},
    {3, {1, 131072, 2}, {1, 2, 2}, {0}},
    // More work-items of a group in z than a CUDA block has.
    {3, {2, 4, 256}, {2, 2, 128}, {0}},
    {3, {1, 1, 130}, {1, 1, 65}, {0, 0, 9}},
    // Both at once.
    {3, {1, 66000, 65}, {1, 1, 65}, {0}},
};

static size_t items_of(const kn_range *range)
{
    size_t items = 1;

    for (unsigned d = 0; d < range->dims; d++)
        items *= range->global[d];
    return items;
}

static void describe(const kn_range *range, uint64_t words[10])
{
    words[0] = range->dims;
    for (unsigned d = 0; d < 3; d++) {
        words[1 + d] = d < range->dims ? range->offset[d] : 0;
        words[4 + d] = d < range->dims ? range->global[d] : 1;
        words[7 + d] = range->local[0] && d >= range->dims ? 1 : range->local[d];
    }
}

// Results that a platform is known to get wrong: these bits are ignored, and the rule is printed.
static const struct known_wrong {
    const char *platform;
    uint32_t bits;
    const char *rule;
} known_wrong[] = {
#define ONE_BEYOND                                                                                           \
    "6.12.1: for dimensions that there are not, get_global_size(), get_local_size() and get_num_groups() "   \
    "return 1"
    {"Portable Computing Language", 7u << 21, ONE_BEYOND},
    {"Oclgrind", 7u << 21, ONE_BEYOND},
    {"rusticl", 127u << 18, ONE_BEYOND ", and the ids 0"},
};

static uint32_t known_bits(void)
{
    const char *platform = kn_context_get_device(context)->platform;

    for (size_t i = 0; i < KI_COUNT(known_wrong); i++)
        if (strcmp(known_wrong[i].platform, platform) == 0) {
            fprintf(stderr, "%s is known to be wrong here: %s\n", platform, known_wrong[i].rule);
            return known_wrong[i].bits;
        }
    return 0;
}

static void expect_visits(const uint32_t *seen, size_t items, size_t r, const char *where)
{
    for (size_t i = 0; i < items; i++)
        ck_assert_msg(
            seen[i] == 1,
            "range %zu %s: work-item %zu: %u visits, wrong: 0x%x (the bits are execution/ranges.cl's)", r,
            where, i, seen[i] & 7, seen[i] >> 3);
}

static bool device_takes(const kn_range *range, size_t r)
{
    const kn_device_info *info = kn_context_get_device(context);
    size_t group = 1;
    bool takes = true;

    for (unsigned d = 0; d < range->dims && range->local[0]; d++) {
        group *= range->local[d];
        takes = takes && range->local[d] <= info->max_work_item_sizes[d];
    }
    takes = takes && group <= info->max_work_group;
    // CUDA's limit of 64 does not apply to Koine
    if (!takes && strcmp(info->backend, "cuda") != 0)
        fprintf(stderr, "range %zu is not run: the device takes no such work-group\n", r);
    return takes || strcmp(info->backend, "cuda") == 0;
}

// Offsets that the driver reports wrongly to kernels (engine/device/quirks.h).
static bool is_out_of_reach(const kn_range *range)
{
    const size_t limit = context->quirks.range_limit, id_limit = context->quirks.id_limit;
    bool beyond = false;

    for (unsigned d = 0; d < range->dims; d++)
        beyond = beyond || (limit && (range->offset[d] > limit || range->global[d] > limit)) ||
                 (id_limit && range->offset[d] + range->global[d] - 1 > id_limit);
    return beyond;
}

START_TEST(on_device)
{
    const kn_define linear_ids = {"LINEAR_IDS", "1"}; // from OpenCL C 2.0, which the rewrite supports
    const kn_program_options options =
        KN_INIT(kn_program_options, .defines = &linear_ids,
                .define_count = strcmp(kn_context_get_device(context)->backend, "cuda") == 0 ? 1 : 0);
    const kn_range *range = &ranges[_i];
    size_t items = items_of(range);
    uint32_t *seen = calloc(items, sizeof *seen);
    uint64_t words[10];
    kn_buffer *counts, *description;
    kn_program *program;
    kn_kernel *kernel;

    ck_assert_ptr_nonnull(seen);
    if (!device_takes(range, (size_t)_i) || (test_is_slow() && items > 5000)) {
        free(seen);
        return;
    }
    describe(range, words);
    EXPECT_OK(kn_program_from_file(context, host_path("execution/ranges.cl"), &options, &program, &err));
    EXPECT_OK(kn_program_get_kernel(program, "visit", &kernel, &err));
    counts = test_upload_with_room(seen, items * sizeof *seen, 64);
    description = test_upload_with_room(words, sizeof words, 0);
    const kn_arg args[] = {KN_BUFFER(counts), KN_BUFFER(description)};
    if (is_out_of_reach(range)) {
        EXPECT_REFUSED(KN_ERROR_LIMIT, "visit: offset",
                       kn_launch(queue, kernel, range, args, KI_COUNT(args), NULL, &err));
    } else {
        EXPECT_OK(kn_launch(queue, kernel, range, args, KI_COUNT(args), NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, counts, 0, seen, items * sizeof *seen, &err));
        for (size_t i = 0, known = known_bits(); i < items; i++)
            seen[i] &= ~(uint32_t)(known << 3);
        expect_visits(seen, items, (size_t)_i, "on the device");
    }
    test_expect_poison(counts, items * sizeof *seen);
    kn_buffer_free(counts);
    kn_buffer_free(description);
    kn_program_free(program);
    free(seen);
}
END_TEST

// The largest work-group, of at most 64 work-items, for a range without a work-group.
static void choose_group(uint64_t words[10])
{
    uint64_t room = 64;

    for (unsigned d = 0; d < 3; d++)
        for (uint64_t size = room; words[7 + d] == 0; size--)
            if (words[4 + d] % size == 0) {
                words[7 + d] = size;
                room /= size;
            }
}

static const char main_text[] =
    "int main(int, char **argv)\n"
    "{\n"
    "    unsigned long range[10];\n"
    "    size_t global[3], local[3], offset[3], items = 1;\n"
    "    FILE *in = fopen(argv[1], \"rb\"), *out = fopen(argv[2], \"wb\");\n"
    "    while (in && out && fread(range, sizeof range, 1, in) == 1) {\n"
    "        for (int d = 0; d < 3; d++)\n"
    "            offset[d] = range[1 + d], global[d] = range[4 + d], local[d] = range[7 + d];\n"
    "        items = global[0] * global[1] * global[2];\n"
    "        std::vector<unsigned> seen(items);\n"
    "        shim_run([&](const kn::kn_item &me) { kn::program::koine_visit(seen.data(), range, me); }, "
    "global,\n"
    "                 local, offset, 16, (unsigned)range[0]);\n"
    "        fwrite(seen.data(), sizeof(unsigned), items, out);\n"
    "    }\n"
    "    return !out || fclose(out);\n"
    "}\n";

// The shim is slow and folds nothing, so it only gets ranges of up to 20,000 work-items.
START_TEST(over_the_shim)
{
    enum { MOST = 20000 };
    char *folder = test_folder(), path[4200];
    struct src_cuda *cuda = host_rewrite(host_path("execution/ranges.cl"), "LINEAR_IDS");
    uint32_t *seen = malloc(MOST * sizeof *seen);
    FILE *file;

    ck_assert_ptr_nonnull(seen);
    host_build(folder, cuda->text, main_text);
    snprintf(path, sizeof path, "%s/in", folder);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (size_t r = 0; r < KI_COUNT(ranges); r++) {
        uint64_t words[10];
        describe(&ranges[r], words);
        choose_group(words);
        if (items_of(&ranges[r]) <= MOST)
            ck_assert_uint_eq(fwrite(words, sizeof words, 1, file), 1);
    }
    ck_assert_int_eq(fclose(file), 0);
    host_run(folder, "in out");
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    for (size_t r = 0; r < KI_COUNT(ranges); r++) {
        size_t items = items_of(&ranges[r]);
        if (items > MOST)
            continue;
        ck_assert_uint_eq(fread(seen, sizeof *seen, items, file), items);
        expect_visits(seen, items, r, "over the shim");
    }
    fclose(file);
    free(seen);
    ki_src_cuda_free(cuda);
    test_remove(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranges");
    TCase *tcase = tcase_create("ranges");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, test_open, test_close);
    tcase_add_loop_test(tcase, on_device, 0, (int)KI_COUNT(ranges));
    if (host_has_compiler())
        tcase_add_test(tcase, over_the_shim);
    else if (test_require("c++"))
        return EXIT_FAILURE;
    suite_add_tcase(suite, tcase);
    if (!test_finds_device()) {
        srunner_free(runner);
        return 77;
    }
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
