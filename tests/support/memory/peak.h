// SPDX-License-Identifier: Apache-2.0
// The most memory that the library holds while a call runs. Programs that use it are linked with peak_ldflags
// (tests/programs.am): by --wrap, the linker sends what the library's objects call of malloc and the like to
// peak.c. What a driver or the C library allocates for itself is not counted.
#ifndef KN_TESTS_SUPPORT_MEMORY_PEAK_H
#define KN_TESTS_SUPPORT_MEMORY_PEAK_H

#include "support/device.h"

// Bytes, beyond what is held when it begins.
struct peak {
    size_t host, device;
};

// From now on, and until now. `device`: of the context that tests have open, if there is one.
void peak_begin(void);
struct peak peak_end(void);

#endif
