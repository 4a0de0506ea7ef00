// SPDX-License-Identifier: Apache-2.0
// The radix sort by cl_khr_subgroup_ballot with sub-groups of 8, 16, 32 and 64 lanes, on a device that has
// none: the extension's functions are written out in front of cl/lib/subgroup.clh, with barriers and an
// element in memory for each work-item's vote. Every work-item of a group calls each of them at the same
// point, as that file asks for, so that the barriers are met by all. The memory is the test's own, whose
// address the kernels are given: that is for PoCL, whose device is this process. Where the extension is
// there, test_sort_radix takes it as it is.
#include "sort_support.h"

#include <koine/experimental.h>

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

enum { GROUPS = 4096, MOST_GROUP = 1024 };

static uint32_t votes[GROUPS * MOST_GROUP];

static const char emulation[] = "#define get_sub_group_size() %uu\n"
                                "#define get_sub_group_local_id() ((uint)get_local_id(0) %% %uu)\n"
                                "#define get_sub_group_id() ((uint)get_local_id(0) / %uu)\n"
                                "#define sub_group_barrier(flags) barrier(flags)\n"
                                "#define sub_group_ballot own_ballot\n"
                                "#define sub_group_ballot_bit_count own_bit_count\n"
                                "#define sub_group_scan_inclusive_add own_scan\n"
                                "#define get_sub_group_le_mask() own_mask(get_sub_group_local_id())\n"
                                "#define get_sub_group_gt_mask() (~get_sub_group_le_mask())\n"
                                "inline __global uint *own_votes(void)\n"
                                "{\n"
                                "    return (__global uint *)%lluUL + get_group_id(0) * %d;\n"
                                "}\n"
                                "inline void own_publish(uint value)\n"
                                "{\n"
                                "    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
                                "    own_votes()[get_local_id(0)] = value;\n"
                                "    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
                                "}\n"
                                "inline uint4 own_ballot(uint vote)\n"
                                "{\n"
                                "    ulong bits = 0;\n"
                                "    own_publish(vote != 0);\n"
                                "    for (uint i = 0; i < %uu; i++)\n"
                                "        bits |= (ulong)own_votes()[get_sub_group_id() * %uu + i] << i;\n"
                                "    return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);\n"
                                "}\n"
                                "inline uint own_bit_count(uint4 lanes)\n"
                                "{\n"
                                "    uint4 counts = popcount(lanes);\n"
                                "    return counts.x + counts.y;\n"
                                "}\n"
                                "inline uint4 own_mask(uint lane)\n"
                                "{\n"
                                "    ulong bits = ~0UL >> (63 - lane);\n"
                                "    return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);\n"
                                "}\n"
                                "inline uint own_scan(uint value)\n"
                                "{\n"
                                "    uint sum = 0;\n"
                                "    own_publish(value);\n"
                                "    for (uint i = 0; i <= get_sub_group_local_id(); i++)\n"
                                "        sum += own_votes()[get_sub_group_id() * %uu + i];\n"
                                "    return sum;\n"
                                "}\n";

// Opens a kernel's file below `folder`, creating the folders on its path.
static FILE *open_below(const char *folder, const char *name, const char *mode)
{
    char path[PATH_MAX + 64];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (*mode != 'r')
        test_make_parents(path);
    file = fopen(path, mode);
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    return file;
}

// Appends a file of cl/ to the output; without the unroll pragmas, which multiply barriers.
static void copy_below(const char *folder, const char *name)
{
    const char *srcdir = getenv("srcdir");
    char sources[PATH_MAX], line[1024];
    FILE *from, *to = open_below(folder, name, "a");

    snprintf(sources, sizeof sources, "%s/cl", srcdir ? srcdir : ".");
    from = open_below(sources, name, "r");
    while (fgets(line, sizeof line, from))
        if (!strstr(line, "#pragma unroll"))
            fputs(line, to);
    fclose(from);
    fclose(to);
}

// A folder with the sort's kernels for sub-groups of this width; `fault` is inserted after the emulation.
static void write_kernels(const char *folder, unsigned width, const char *fault)
{
    FILE *file = open_below(folder, "lib/subgroup.clh", "w");

    fprintf(file, emulation, width, width, width, (unsigned long long)(uintptr_t)votes, MOST_GROUP, width,
            width, width);
    fputs(fault, file);
    fclose(file);
    copy_below(folder, "lib/subgroup.clh");
    copy_below(folder, "lib/element.clh");
    copy_below(folder, "lib/key.clh");
    copy_below(folder, "algo/sort/radix_tile.clh");
    copy_below(folder, "algo/sort/sort_radix.cl");
    copy_below(folder, "algo/rungs.cl");
}

static bool is_pocl(void)
{
    return kn_context_get_device(context)->type == KN_DEVICE_CPU &&
           strstr(kn_context_get_device(context)->version, "PoCL") != NULL;
}

static void sort_all(uint64_t *state)
{
    static const size_t lengths[] = {1, 31, 32, 33, 255, 256, 257, 1000, 3001};
    kn_sort_options options = KN_INIT(
        kn_sort_options, .algorithm = KN_SORT_RADIX,
        .tuning = &(kn_sort_tuning){
            .lanes = KN_SORT_LANES_SUBGROUPS, .radix_group = 256, .radix_keys = 2, .radix_chunks = 2});

    for (size_t i = 0; i < COUNT(lengths); i++)
        expect_sorts(lengths[i], KN_F32, i % 2 ? ANY_BITS : SPECIAL, &options, state);
    for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
        expect_sorts(2000, KN_F32, pattern, &options, state);
    expect_moves(1777, KN_F32, 4, MOSTLY_TIES, &options, state);
}

static void check_width(const char *name, unsigned width)
{
    uint64_t state = test_seed(name);
    char *folder = test_folder(), *extensions = context->device.extensions, own[] = "cl_khr_subgroup_ballot";
    bool voted = false;

    if (!is_pocl()) {
        fprintf(stderr, "skipped: %s is not PoCL, whose kernels share the process's memory\n",
                kn_context_get_device(context)->name);
        test_remove(folder);
        return;
    }
    write_kernels(folder, width, "");
    ck_assert_int_eq(setenv("KOINE_KERNEL_PATH", folder, 1), 0);
    context->device.extensions = own;
    memset(votes, 0, sizeof votes);
    sort_all(&state);
    for (size_t i = 0; i < COUNT(votes); i++)
        voted |= votes[i] != 0;
    ck_assert_msg(voted, "no kernel had a sub-group vote");
    context->device.extensions = extensions;
    ck_assert_int_eq(unsetenv("KOINE_KERNEL_PATH"), 0);
    test_remove(folder);
}

START_TEST(width_8)
{
    check_width("width_8", 8);
}
END_TEST

START_TEST(width_16)
{
    check_width("width_16", 16);
}
END_TEST

START_TEST(width_32)
{
    check_width("width_32", 32);
}
END_TEST

START_TEST(width_64)
{
    check_width("width_64", 64);
}
END_TEST

static char warnings[4096];

static void take(void *user, kn_log_level level, const char *message)
{
    size_t length = strlen(warnings);

    (void)user;
    if (level == KN_LOG_WARNING)
        snprintf(warnings + length, sizeof warnings - length, "%s\n", message);
}

// A device that lists the extension but gets it wrong: the extension is not used, with a line in the log, and
// the next method sorts.
static void check_fault(const char *name, const char *fault)
{
    kn_sort_options options =
        KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX,
                .tuning = &(kn_sort_tuning){.radix_group = 256, .radix_keys = 2, .radix_chunks = 2});
    kn_context_options watched = KN_INIT(kn_context_options, .log = take, .cache_dir = "");
    uint64_t state = test_seed(name);
    char *folder = test_folder(), *extensions, own[] = "cl_khr_subgroup_ballot";
    kn_buffer *two;

    test_close();
    test_open_with(&watched);
    if (!is_pocl()) {
        fprintf(stderr, "skipped: %s is not PoCL, whose kernels share the process's memory\n",
                kn_context_get_device(context)->name);
        test_remove(folder);
        return;
    }
    write_kernels(folder, 32, fault);
    ck_assert_int_eq(setenv("KOINE_KERNEL_PATH", folder, 1), 0);
    extensions = context->device.extensions;
    context->device.extensions = own;
    warnings[0] = '\0';
    expect_sorts(1777, KN_F32, ANY_BITS, &options, &state);
    ck_assert_msg(strstr(warnings, "sub-groups, rung 2.0: not used on "), "%s", warnings);
    options.tuning = &(kn_sort_tuning){.lanes = KN_SORT_LANES_SUBGROUPS};
    two = test_upload_with_room("12345678", 8, 0);
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "has not what lanes",
                   kn_sort(queue, two, KN_F32, 2, &options, &err));
    kn_buffer_free(two);
    context->device.extensions = extensions;
    ck_assert_int_eq(unsetenv("KOINE_KERNEL_PATH"), 0);
    test_remove(folder);
}

// Like PoCL 6.0, which lacks some of the extension's functions.
START_TEST(missing_function)
{
    check_fault("missing_function", "#undef get_sub_group_le_mask\n"
                                    "#define get_sub_group_le_mask get_mask_that_is_not_there\n");
}
END_TEST

START_TEST(wrong_count)
{
    check_fault("wrong_count", "#undef sub_group_ballot_bit_count\n"
                               "#define sub_group_ballot_bit_count(lanes) (own_bit_count(lanes) & 15)\n");
}
END_TEST

START_TEST(wrong_scan)
{
    check_fault("wrong_scan", "#undef sub_group_scan_inclusive_add\n"
                              "#define sub_group_scan_inclusive_add(value) (own_scan(value) - (value))\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {width_8,          width_16,    width_32,  width_64,
                                  missing_function, wrong_count, wrong_scan};

    return test_run("sort_subgroups", tests, COUNT(tests), test_open, test_close);
}
