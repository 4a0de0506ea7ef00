// SPDX-License-Identifier: Apache-2.0
// Counts what the library allocates while a call runs. Programs that use it are linked with
// allocations_ldflags (tests/programs.am): by --wrap, the linker sends what the library's objects call of
// malloc and the like to allocations.c. What a driver, Check or the C library allocates for itself is not
// counted, and sanitizers keep their own allocators.
#ifndef KN_TESTS_SUPPORT_MEMORY_ALLOCATIONS_H
#define KN_TESTS_SUPPORT_MEMORY_ALLOCATIONS_H

#include "support/device.h"

// A call that is made again and again with the same arguments.
struct allocations_call {
    const char *name;
    kn_status (*run)(kn_error *err);
};

// A known exception: the call of that name may make, each time, at most so many allocations of the host's
// memory and of the device's.
struct allocations_known {
    const char *name;
    unsigned host, device;
};

// The program's exceptions, each with its reason; the last one has no name.
extern const struct allocations_known allocations_known[];

// Makes each call four times, and counts from the second one on. Prints a row of a table for each, and where
// the allocations are that are not known. Fails when a call fails, or allocates more than is known; what the
// device does not support is skipped, with a line that says so.
void allocations_expect(const struct allocations_call *calls, size_t count);

#endif
