// SPDX-License-Identifier: Apache-2.0
// A device for each test, opened after Check has forked (no OpenCL implementation except Oclgrind survives a
// fork), and what it can do.
#ifndef KN_TESTS_SUPPORT_DEVICE_H
#define KN_TESTS_SUPPORT_DEVICE_H

#include "expect.h"

#include "engine/engine.h"

extern kn_context *context;
extern kn_queue *queue;

bool test_is_oclgrind(void);

// Whether it is an interpreter, which needs small sizes; or few cases are requested (scripts/test).
bool test_is_slow(void);

void test_open_with(const kn_context_options *options);
void test_close(void);

// The fixture of most tests: the default device (KOINE_DEVICE).
void test_open(void);

// The same with its own, empty cache on disk, which is removed with it.
void test_open_with_cache(void);
void test_close_cache(void);

// Whether the device flushes denormals to 0.
bool test_flushes_denormals(void);

// False, after a line that says so, for KN_F64 on a device without double precision.
bool test_takes(kn_type type);

// The number of launches of a kernel in a profile.
size_t test_count_kernel(const kn_profile_entry *entries, size_t count, const char *name);

#endif
