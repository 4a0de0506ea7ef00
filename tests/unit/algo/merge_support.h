// SPDX-License-Identifier: Apache-2.0
// For the tests of the merge sort: devices that compile it wrong.
#ifndef KN_TESTS_MERGE_SUPPORT_H
#define KN_TESTS_MERGE_SUPPORT_H

#include "../device_support.h"

// Whether the device compiles the merge sort wrong (src/engine/quirks.c), asked in a child. Then there is this much to
// test: that it is refused.
static inline bool test_merges_are_wrong(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        _exit(kn_context_open(NULL, &found, NULL) == KN_OK && found->quirks.merges_wrong ? 77 : 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 77;
}

START_TEST(wrong_merges_are_refused)
{
    const kn_less less = {.type = "uint", .size = 4, .less = "a < b"};
    uint32_t keys[2] = {2, 1};
    uint64_t bounds[2] = {0, 2};
    kn_buffer *buffer = test_upload_with_room(keys, sizeof keys, 0), *offsets = test_upload_with_room(bounds, sizeof bounds, 0);

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "compiles the merge sort wrong", kn_sort_less(queue, buffer, 2, &less, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "compiles the merge sort wrong",
                   kn_sort_segments(queue, buffer, KN_U32, 2, offsets, 1, false, &err));
    kn_buffer_free(buffer);
    kn_buffer_free(offsets);
}
END_TEST

#endif
