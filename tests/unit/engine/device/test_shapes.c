// SPDX-License-Identifier: Apache-2.0
// Tests the table of launch sizes: every row is complete and is a launch that a device can run, and each
// device gets its column.
#include "support/run.h"
#include "support/support.h"

#include "engine/device/shapes.h"

enum { GROUP_MOST = 1024, ROWS = SHAPES_OF_ALL };

static bool is_power_of_two(unsigned value)
{
    return value > 0 && !(value & (value - 1));
}

START_TEST(rows_have_names_of_their_own)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const char *name = ki_engine_shape(i)->name;

        ck_assert_msg(name && name[0], "row %u has no name", i);
        for (unsigned other = 0; other < i; other++)
            ck_assert_msg(strcmp(name, ki_engine_shape(other)->name) != 0, "rows %u and %u are both %s",
                          other, i, name);
    }
}
END_TEST

static void expect_sizes(const char *name, const struct engine_sizes *sizes)
{
    const unsigned powers[] = {sizes->width, sizes->lanes, sizes->shares, sizes->copies, sizes->chunk};
    unsigned cells = 1;

    // Groups are halved until a device supports them, and are folded in pairs.
    ck_assert_msg(!sizes->group || (is_power_of_two(sizes->group) && sizes->group <= GROUP_MOST),
                  "%s: groups of %u", name, sizes->group);
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        ck_assert_msg(!powers[i] || is_power_of_two(powers[i]), "%s: %u is no power of two", name, powers[i]);
    // OpenCL has vectors of up to 16.
    ck_assert_msg(sizes->width <= 16, "%s: vectors of %u", name, sizes->width);
    ck_assert_msg(!sizes->group || !sizes->lanes || sizes->lanes <= sizes->group,
                  "%s: %u lanes in groups of %u", name, sizes->lanes, sizes->group);
    for (size_t axis = 0; axis < 3; axis++) {
        ck_assert_msg(!sizes->tile[axis] || is_power_of_two(sizes->tile[axis]), "%s: a tile of %u", name,
                      sizes->tile[axis]);
        cells *= sizes->tile[axis] ? sizes->tile[axis] : 1;
    }
    ck_assert_msg(!sizes->tile[2] || sizes->group <= cells, "%s: %u work-items for %u cells", name,
                  sizes->group, cells);
}

START_TEST(sizes_can_be_launched)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct engine_shape *shape = ki_engine_shape(i);

        expect_sizes(shape->name, &shape->cpu);
        expect_sizes(shape->name, &shape->gpu);
    }
}
END_TEST

// A row that has a size on one kind of device has it on the other.
START_TEST(columns_belong_together)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct engine_shape *shape = ki_engine_shape(i);

        ck_assert_msg(!shape->cpu.group == !shape->gpu.group, "%s has groups on one side only", shape->name);
        ck_assert_msg(!shape->cpu.width == !shape->gpu.width, "%s has vectors on one side only", shape->name);
        ck_assert_msg(!shape->cpu.lanes == !shape->gpu.lanes, "%s has lanes on one side only", shape->name);
        ck_assert_msg(!shape->cpu.copies == !shape->gpu.copies, "%s has copies on one side only",
                      shape->name);
        ck_assert_msg(!shape->cpu.tile[0] == !shape->gpu.tile[0], "%s has tiles on one side only",
                      shape->name);
        // Long loops occur because a CPU's work-item does the work of a group.
        if (shape->long_loops)
            ck_assert_msg(shape->cpu.group == 1, "%s has long loops in groups of %u", shape->name,
                          shape->cpu.group);
    }
}
END_TEST

// A group of the fixed tree has whole leaves: 64 lanes each (cl/algo/reduce.cl).
START_TEST(groups_of_the_tree_have_whole_leaves)
{
    static const enum engine_shape_of trees[] = {
        SHAPE_REDUCE_SUM,        SHAPE_REDUCE_SUMS,    SHAPE_REDUCE_WITH, SHAPE_REDUCE_WITH_SHORTS,
        SHAPE_REDUCE_WITH_BYTES, SHAPE_MOMENTS_F32,    SHAPE_MOMENTS_F64, SHAPE_MOMENTS_SOFT,
        SHAPE_ROBUST_PASS_F32,   SHAPE_ROBUST_PASS_F64};

    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct engine_shape *shape = ki_engine_shape(trees[i]);
        const unsigned lanes[] = {shape->cpu.group * shape->cpu.width, shape->gpu.group * shape->gpu.width};

        for (size_t column = 0; column < 2; column++)
            ck_assert_msg(lanes[column] >= 64 && lanes[column] % 64 == 0, "%s: %u lanes", shape->name,
                          lanes[column]);
    }
}
END_TEST

// SHAPE_TILE has long loops, SHAPE_TOP_K has not.
START_TEST(devices_get_their_columns)
{
    const kn_device_info cpu = {.type = KN_DEVICE_CPU, .local_memory = 1 << 20},
                         limited = {.type = KN_DEVICE_CPU, .loop_limit = 65535},
                         gpu = {.type = KN_DEVICE_GPU, .local_memory = 228 << 10},
                         small = {.type = KN_DEVICE_GPU, .local_memory = 32 << 10},
                         other = {.type = KN_DEVICE_ACCELERATOR};

    ck_assert(engine_is_cpu(&cpu) && engine_is_cpu(&limited) && !engine_is_cpu(&gpu) &&
              !engine_is_cpu(&other));
    ck_assert(engine_is_serial(&cpu) && !engine_is_serial(&limited) && !engine_is_serial(&gpu));
    ck_assert_ptr_eq(ki_engine_sizes(&cpu, SHAPE_TILE), &ki_engine_shape(SHAPE_TILE)->cpu);
    ck_assert_ptr_eq(ki_engine_sizes(&limited, SHAPE_TILE), &ki_engine_shape(SHAPE_TILE)->gpu);
    ck_assert_ptr_eq(ki_engine_sizes(&gpu, SHAPE_TILE), &ki_engine_shape(SHAPE_TILE)->gpu);
    ck_assert_ptr_eq(ki_engine_sizes(&limited, SHAPE_TOP_K), &ki_engine_shape(SHAPE_TOP_K)->cpu);
    ck_assert_ptr_eq(ki_engine_sizes(&other, SHAPE_TOP_K), &ki_engine_shape(SHAPE_TOP_K)->gpu);
    ck_assert_uint_eq(ki_engine_local_arrays(&cpu), 1 << 20);
    ck_assert_uint_eq(ki_engine_local_arrays(&gpu), 48 << 10);
    ck_assert_uint_eq(ki_engine_local_arrays(&small), 32 << 10);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_have_names_of_their_own, sizes_can_be_launched,
                                  columns_belong_together, groups_of_the_tree_have_whole_leaves,
                                  devices_get_their_columns};

    return TEST_RUN("shapes", CK_FORK_GETENV, tests);
}
