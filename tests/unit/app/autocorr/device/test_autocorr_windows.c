// SPDX-License-Identifier: Apache-2.0
// Tests the sums over all overlaps on the device against the host's, which are tested against the reference:
// integer by integer, 8 and 16 bits, one image and two, part of a batch.
#include "autocorr_frames_support.h"

static void expect_windows(const struct test_frames *frames, size_t first, size_t count,
                           const struct autocorr_tables *tables)
{
    size_t offsets = autocorr_offsets(frames->device.max_offset);
    struct autocorr_window *wanted = malloc(offsets * sizeof *wanted),
                           *found = malloc(offsets * sizeof *found);
    uint32_t levels[2];

    ck_assert(wanted && found);
    for (size_t f = 0; f < count; f++) {
        const struct autocorr_task task = frame_task(frames, first + f);
        const struct autocorr_window *whole = &found[autocorr_at(task.max_offset, 0, 0)];

        EXPECT_OK(ki_autocorr_windows(&task, wanted, &err));
        memset(found, 0xab, offsets * sizeof *found);
        EXPECT_OK(ki_autocorr_tables_read(queue, tables, frames->device.width, frames->device.height, f,
                                          found, &err));
        for (size_t i = 0; i < offsets; i++)
            ck_assert_msg(
                memcmp(&found[i], &wanted[i], sizeof *found) == 0,
                "%zu x %zu, R %zu, frame %zu, offset %zu: n %llu, s %llu %llu, q %llu %llu instead of %llu, "
                "%llu %llu, %llu %llu",
                frames->device.width, frames->device.height, task.max_offset, first + f, i,
                (unsigned long long)found[i].n, (unsigned long long)found[i].s1,
                (unsigned long long)found[i].s2, (unsigned long long)found[i].q1,
                (unsigned long long)found[i].q2, (unsigned long long)wanted[i].n,
                (unsigned long long)wanted[i].s1, (unsigned long long)wanted[i].s2,
                (unsigned long long)wanted[i].q1, (unsigned long long)wanted[i].q2);
        EXPECT_OK(kn_buffer_read(queue, tables->levels, f * sizeof levels, levels, sizeof levels, &err));
        ck_assert_uint_eq(levels[0], whole->s1 / whole->n);
        ck_assert_uint_eq(levels[1], whole->s2 / whole->n);
    }
    free(wanted);
    free(found);
}

START_TEST(random_frames_of_all_sizes)
{
    uint64_t state = test_seed("random_frames_of_all_sizes");

    for (size_t i = 0; i < frame_size_count(); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct test_frames frames = random_frames(frame_sizes[i], 3, type, (kind & 2) != 0, 0,
                                                      type == KN_U8 ? 256 : 65536, &state);
            struct autocorr_tables tables;

            EXPECT_OK(ki_autocorr_tables_create(context, frame_sizes[i][2], 2, &tables, &err));
            EXPECT_OK(ki_autocorr_windows_device(queue, &frames.device, 1, 2, &tables, &err));
            expect_windows(&frames, 1, 2, &tables);
            ki_autocorr_tables_free(&tables);
            free_frames(&frames);
        }
}
END_TEST

// Sums of more than 32 bits: white, in few rows and in many.
START_TEST(greatest_sums)
{
    static const size_t sizes[][3] = {{70000, 2, 1}, {1500, 150, 2}};
    uint64_t state = 0;

    for (size_t i = 0; i < (test_is_slow() ? 0 : sizeof sizes / sizeof *sizes); i++) {
        struct test_frames frames = random_frames(sizes[i], 1, KN_U16, false, 65535, 1, &state);
        struct autocorr_tables tables;

        EXPECT_OK(ki_autocorr_tables_create(context, sizes[i][2], 1, &tables, &err));
        EXPECT_OK(ki_autocorr_windows_device(queue, &frames.device, 0, 1, &tables, &err));
        expect_windows(&frames, 0, 1, &tables);
        ki_autocorr_tables_free(&tables);
        free_frames(&frames);
    }
}
END_TEST

START_TEST(refused)
{
    kn_buffer *buffer = test_upload_with_room("", 0, 100);
    struct autocorr_frames frames = {10, 5, 2, KN_U8, buffer, NULL, 3};

    EXPECT_OK(ki_autocorr_check_images(&frames, &err));
    frames.count = 3;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "3 images of 10 x 5 pixels of 1 bytes, but the buffer holds 100",
                   ki_autocorr_check_images(&frames, &err));
    frames.max_offset = 10;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 9", ki_autocorr_check_images(&frames, &err));
    frames.type = KN_F32;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "8 or 16 bits", ki_autocorr_check_images(&frames, &err));
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_frames_of_all_sizes, greatest_sums, refused};

    return test_run("autocorr windows", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
