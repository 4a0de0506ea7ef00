// SPDX-License-Identifier: Apache-2.0
// Memory of a device with what a test put there, and with room behind it that nobody may write to.
#ifndef KN_TESTS_SUPPORT_BUFFERS_H
#define KN_TESTS_SUPPORT_BUFFERS_H

#include "device.h"

// Oclgrind 21.10 keeps what is initialised in a buffer under the buffer's number, as large as the last write
// from the host was, and forgets what kernels, fills and copies write elsewhere: it would take scratch memory
// for uninitialised. So, before each use: numbers to come are left by large buffers that were written whole.
void test_prepare_numbers(void);

// A buffer with `bytes` of data and `room` bytes behind them, each 0xa5. Written at once, for Oclgrind's
// sake.
kn_buffer *test_upload_with_room(const void *data, size_t bytes, size_t room);

void test_expect_poison(kn_buffer *buffer, size_t offset);

// n numbers as a column of `type`.
kn_buffer *test_upload_column(const double *x, size_t n, kn_type type);

#endif
