// SPDX-License-Identifier: Apache-2.0
// What OpenCL drivers do differently from what the specification or their own answers say: one table
// (quirks.c), a line each, each with a test in tests/conformance/drivers: test_quirks.c,
// test_quirk_answers.c, or test_crashes.c for what ends the process.
#ifndef KN_ENGINE_DEVICE_QUIRKS_H
#define KN_ENGINE_DEVICE_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/device.h>

struct engine_quirks {
    const char *why_not;       // not usable at all, in words; NULL: usable
    const char *build_options; // always given to its compiler; "" if none
    bool calls_wrong;        // it compiles calls of functions wrong: all are to be made part of their callers
    uint32_t loop_limit;     // loop iterations a work-item may run; 0: no limit
    bool group_answer_wrong; // its answer to the kernel's largest work-group is too small to be true
    bool local_answer_missing; // it knows nothing of the kernel's own local memory
    bool local_answer_doubled; // its answer to the kernel's own local memory is twice the truth
    const char
        *flat_name; // its compiler ignores #line and gives places in a file of this name; NULL: it does not
    bool double_fma_wrong; // its fma() of doubles rounds the product too
    size_t range_limit; // the largest size or offset, in a dimension, that kernels are told rightly; 0: any
    size_t id_limit;    // the largest global id, its offset included, that they are told rightly; 0: any
    unsigned bitonic_keys; // most keys a work-item of sort_bitonic.cl: more crash its compiler; 0: any number
    bool odd_structs_wrong; // it copies structs wrong in local memory, save of 2 bytes and of multiples of 4
    bool slow_command_buffers; // they take longer than launches one by one: for those who ask
                               // (test_recording.c)
    bool no_binaries;          // the binaries it hands out are not to be kept
    bool keeps_programs; // it keeps what it compiles by itself, and compiles every kernel once more, for
                         // groups of any size, when it is asked for a binary
};

// The quirks of a device, from its platform's name, and with `info` changed where they show (why_not,
// loop_limit).
struct engine_quirks ki_engine_quirks_of(kn_device_info *info);

// Whether programs of such a device are kept in a cache on disk: as KOINE_KEEP_PROGRAMS says, and without it
// unless the driver keeps them.
bool ki_engine_keeps_programs(const struct engine_quirks *quirks);

#endif
