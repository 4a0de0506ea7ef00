// SPDX-License-Identifier: Apache-2.0
// Where OpenCL drivers deviate from the specification or from what they report: one table (quirks.c), a line
// for each deviation, each with a test in tests/conformance/drivers: test_quirks.c, test_quirk_answers.c, or
// test_crashes.c for those that end the process.
#ifndef KN_ENGINE_DEVICE_QUIRKS_H
#define KN_ENGINE_DEVICE_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/device.h>

struct engine_quirks {
    const char *why_not;       // why the device is not usable at all; NULL: it is
    const char *build_options; // always passed to its compiler; "" if none
    bool calls_wrong;          // miscompiles function calls: all functions must be inlined into their callers
    uint32_t loop_limit;       // loop iterations a work-item may run; 0: no limit
    bool group_answer_wrong;   // reports too small a value for a kernel's largest work-group
    bool local_answer_missing; // does not report the kernel's own local memory
    bool local_answer_doubled; // reports twice the kernel's own local memory
    const char *flat_name; // its compiler ignores #line and reports locations in a file of this name; NULL:
                           // it does not
    bool double_fma_wrong; // fma() of doubles rounds the product as well
    size_t range_limit;    // the largest size or offset per dimension that kernels get correctly; 0: any
    size_t id_limit;       // the largest global id, including the offset, that they get correctly; 0: any
    unsigned bitonic_keys; // most keys a work-item of sort_bitonic.cl: more crash its compiler; 0: any number
    bool odd_structs_wrong; // copies structs in local memory wrongly, except those of 2 bytes or a multiple
                            // of 4
    bool slow_command_buffers; // command buffers take longer than single launches: used only on request
                               // (test_recording.c)
    bool no_binaries;          // its binaries must not be kept
    bool keeps_programs; // has a cache of its own, and compiles every kernel again, for groups of any size,
                         // when asked for a binary
};

// The quirks of a device, by the name of its platform; changes `info` where they show (why_not, loop_limit).
struct engine_quirks ki_engine_quirks_of(kn_device_info *info);

// Whether programs for such a device are kept in the cache on disk: as KOINE_KEEP_PROGRAMS says, by default
// unless the driver keeps them itself.
bool ki_engine_keeps_programs(const struct engine_quirks *quirks);

#endif
