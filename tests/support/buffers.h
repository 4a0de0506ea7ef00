// SPDX-License-Identifier: Apache-2.0
// Device memory that a test fills, followed by a guard area that must not be written to.
#ifndef KN_TESTS_SUPPORT_BUFFERS_H
#define KN_TESTS_SUPPORT_BUFFERS_H

#include "device.h"

// Oclgrind 21.10 records what is initialised in a buffer by the buffer's number, as large as the last write
// from the host was, and forgets what kernels, fills and copies write elsewhere: it would take scratch memory
// to be uninitialised. So, before each use, large buffers that were written whole take up the numbers to
// come.
void test_prepare_numbers(void);

// A buffer with `bytes` of data followed by `room` bytes of 0xa5. It is written in one call, because of
// Oclgrind.
kn_buffer *test_upload_with_room(const void *data, size_t bytes, size_t room);

void test_expect_poison(kn_buffer *buffer, size_t offset);

// n numbers as a column of `type`.
kn_buffer *test_upload_column(const double *x, size_t n, kn_type type);

#endif
