// SPDX-License-Identifier: Apache-2.0
// Kernels on a device and, rewritten for CUDA, as host C++ over tests/shim: do they write the same?
#ifndef KN_TESTS_COMPARE_H
#define KN_TESTS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/device.h>

enum fuzz_verdict {
    FUZZ_SAME,
    FUZZ_DIFFERENT,     // the numbers differ
    FUZZ_UNBUILT,       // the device's compiler refuses it or fails: the generator's fault, or the driver's
    FUZZ_REFUSED,       // the rewriter refuses it
    FUZZ_NOT_CPLUSPLUS, // the rewritten text does not compile
    FUZZ_CRASHED,       // a process ended by a signal, or took too long
    FUZZ_NO_DEVICE,
    FUZZ_BROKEN,     // the test itself failed: no memory, no disk
    FUZZ_KNOWN_ABORT // the device's compiler ends the process, as it is known to (tests/known_aborts.h)
};

extern const char *const fuzz_verdicts[];

// Compares the kernels of a text; to be called in a process of its own, with an empty folder for its files.
// `different` gets, for each kernel k0, k1, ..., whether it differs. What happened is said on standard error.
// `device` gets the device before it is asked anything.
enum fuzz_verdict fuzz_compare(const char *text, const char *folder, kn_device_info *device, bool *different,
                               size_t most);

// In a child, with a folder and time limit of its own. The children's compiler output is thrown away.
enum fuzz_verdict fuzz_compare_apart(const char *text, unsigned seconds, bool *different, size_t most);

// What is to be known of the device that would be taken.
struct fuzz_device {
    bool doubles;
    bool is_oclgrind; // 21.10 crashes on most of what is generated
    bool is_rusticl;  // Mesa 22's is wrong, or crashes, too often to be asked
};

// False, after a line that says why, if there is none.
bool fuzz_find_device(struct fuzz_device *device);

// Cuts a text down to less that has the same verdict, for at most `seconds`; the caller frees it.
char *fuzz_reduce(const char *text, enum fuzz_verdict verdict, unsigned seconds);

#endif
