// SPDX-License-Identifier: Apache-2.0
// Counts what the library allocates while a call runs. Programs that use it are linked with
// allocations_ldflags (tests/programs.am): with --wrap, the linker redirects the calls of malloc and the like
// in the library's objects to allocations.c. Allocations of a driver, Check or the C library are not counted,
// and sanitizers keep their own allocators.
#ifndef KN_TESTS_SUPPORT_MEMORY_ALLOCATIONS_H
#define KN_TESTS_SUPPORT_MEMORY_ALLOCATIONS_H

#include "support/device.h"

// A call that is made again and again with the same arguments.
struct allocations_call {
    const char *name;
    kn_status (*run)(kn_error *err);
};

// A known exception: each call of that name may make at most this many allocations of host memory and of
// device memory.
struct allocations_known {
    const char *name;
    unsigned host, device;
};

// The program's exceptions, each with its reason; the last one has no name.
extern const struct allocations_known allocations_known[];

// Makes each call four times, and counts from the second one on. Prints a table with a row for each, and
// where unknown allocations happen. Fails if a call fails, or allocates more than is known; calls that the
// device does not support are skipped, with a line that says so.
void allocations_expect(const struct allocations_call *calls, size_t count);

#endif
