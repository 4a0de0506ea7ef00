// SPDX-License-Identifier: Apache-2.0
// The most memory that the library holds while a call runs. Programs that use it are linked with peak_ldflags
// (tests/programs.am): with --wrap, the linker redirects the calls of malloc and the like in the library's
// objects to peak.c. Allocations of a driver or the C library are not counted.
#ifndef KN_TESTS_SUPPORT_MEMORY_PEAK_H
#define KN_TESTS_SUPPORT_MEMORY_PEAK_H

#include "support/device.h"

// Bytes in addition to what is held when it begins.
struct peak {
    size_t host, device;
};

// Begin now, and read out now. `device`: of the context that tests have open, if there is one.
void peak_begin(void);
struct peak peak_end(void);

#endif
