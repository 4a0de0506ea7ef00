// SPDX-License-Identifier: Apache-2.0
#include "support/buffers.h"

void test_prepare_numbers(void)
{
    enum { BYTES = 1 << 17, NUMBERS = 24 };
    static char nothing[BYTES];
    kn_buffer *large[NUMBERS];

    for (size_t i = 0; i < (test_is_oclgrind() ? NUMBERS : 0); i++) {
        EXPECT_OK(kn_buffer_create(context, BYTES, &large[i], &err));
        EXPECT_OK(kn_buffer_write(queue, large[i], 0, nothing, BYTES, &err));
    }
    for (size_t i = 0; i < (test_is_oclgrind() ? NUMBERS : 0); i++)
        kn_buffer_free(large[i]);
}

kn_buffer *test_upload_with_room(const void *data, size_t bytes, size_t room)
{
    kn_buffer *buffer = NULL;
    char *all = malloc(bytes + room + 1);

    ck_assert_ptr_nonnull(all);
    test_prepare_numbers();
    memcpy(all, data, bytes);
    memset(all + bytes, 0xa5, room);
    EXPECT_OK(kn_buffer_create(context, bytes + room, &buffer, &err));
    EXPECT_OK(kn_buffer_write(queue, buffer, 0, all, bytes + room, &err));
    free(all);
    return buffer;
}

void test_expect_poison(kn_buffer *buffer, size_t offset)
{
    size_t room = kn_buffer_get_size(buffer) - offset;
    unsigned char *found = test_allocate(room);

    EXPECT_OK(kn_buffer_read(queue, buffer, offset, found, room, &err));
    for (size_t i = 0; i < room; i++) // Check writes a file at every assertion
        if (found[i] != 0xa5)
            ck_abort_msg("byte %zu past the end was written", i);
    free(found);
}

kn_buffer *test_upload_column(const double *x, size_t n, kn_type type)
{
    float *singles = malloc((n + 1) * sizeof *singles);
    kn_buffer *buffer;

    ck_assert_ptr_nonnull(singles);
    for (size_t i = 0; i < n; i++)
        singles[i] = (float)x[i];
    buffer = type == KN_F64 ? test_upload_with_room(x, n * sizeof *x, 0)
                            : test_upload_with_room(singles, n * sizeof *singles, 0);
    free(singles);
    return buffer;
}
