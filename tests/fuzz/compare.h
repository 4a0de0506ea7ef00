// SPDX-License-Identifier: Apache-2.0
// Compares kernels on a device with the same kernels rewritten for CUDA, as host C++ over tests/shim.
#ifndef KN_TESTS_FUZZ_COMPARE_H
#define KN_TESTS_FUZZ_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/device.h>

enum fuzz_verdict {
    FUZZ_SAME,
    FUZZ_DIFFERENT,     // the results differ
    FUZZ_UNBUILT,       // the device's compiler refuses it or fails: an error of the generator or of the
                        // driver
    FUZZ_REFUSED,       // the rewriter refuses it
    FUZZ_NOT_CPLUSPLUS, // the rewritten text does not compile
    FUZZ_CRASHED,       // a process ended by a signal, or took too long
    FUZZ_NO_DEVICE,
    FUZZ_BROKEN,      // the test itself failed: out of memory, disk full
    FUZZ_KNOWN_ABORT, // the device's compiler ends the process, as it is known to do (tests/known_aborts.h)
    FUZZ_REPORTED     // equal results, but Oclgrind found a race, or an access out of bounds
};

extern const char *const fuzz_verdicts[];

enum { FUZZ_MOST = 64 }; // number of kernels in a text that are distinguished

// The request for the kernels k0, k1, ... of a text, and its outcome.
struct fuzz_task {
    bool on_device, on_host; // if both: the results are compared
    // Hashes of the host's results: an output of a task on the host, an input of a task on the device only.
    uint64_t answers[FUZZ_MOST];
    bool different[FUZZ_MOST];
    kn_device_info device; // filled in before the device is used
};

// Call in a separate process, with an empty folder for its files. Messages go to standard error.
enum fuzz_verdict fuzz_compare(const char *text, const char *folder, struct fuzz_task *task);

// The same in a child process, with a separate folder and a time limit. The output of the child's compilers
// is discarded.
enum fuzz_verdict fuzz_compare_apart(const char *text, unsigned seconds, struct fuzz_task *task);

// The same on both sides, for callers that only need the verdict.
enum fuzz_verdict fuzz_compare_both(const char *text, unsigned seconds);

uint64_t fuzz_hash(const void *bytes, size_t size);

// Properties of the device that would be used.
struct fuzz_device {
    bool doubles;
    bool is_oclgrind; // 21.10 gets some of the generated kernels wrong
    bool is_rusticl;  // Mesa 22's gives wrong results, or crashes, too often to be used
};

// Prints a line with the reason and returns false if there is none.
bool fuzz_find_device(struct fuzz_device *device);

// Reduces a text to a smaller one with the same verdict, for at most `seconds`; the caller frees it.
char *fuzz_reduce(const char *text, enum fuzz_verdict verdict, unsigned seconds);

#endif
