// SPDX-License-Identifier: Apache-2.0
// Kernels on a device and, rewritten for CUDA, as host C++ over tests/shim: do they write the same?
#ifndef KN_TESTS_FUZZ_COMPARE_H
#define KN_TESTS_FUZZ_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/device.h>

enum fuzz_verdict {
    FUZZ_SAME,
    FUZZ_DIFFERENT,     // the numbers differ
    FUZZ_UNBUILT,       // the device's compiler refuses it or fails: the generator's fault, or the driver's
    FUZZ_REFUSED,       // the rewriter refuses it
    FUZZ_NOT_CPLUSPLUS, // the rewritten text does not compile
    FUZZ_CRASHED,       // a process ended by a signal, or took too long
    FUZZ_NO_DEVICE,
    FUZZ_BROKEN,      // the test itself failed: no memory, no disk
    FUZZ_KNOWN_ABORT, // the device's compiler ends the process, as it is known to (tests/known_aborts.h)
    FUZZ_REPORTED     // the same numbers, but Oclgrind found a race, or an access out of bounds
};

extern const char *const fuzz_verdicts[];

enum { FUZZ_MOST = 64 }; // kernels of a text that are told apart

// What is asked of a text's kernels k0, k1, ..., and what came of it.
struct fuzz_task {
    bool on_device, on_host; // on both: they are compared
    // Hashes of the host's numbers: out of a task on the host, into one on the device alone.
    uint64_t answers[FUZZ_MOST];
    bool different[FUZZ_MOST];
    kn_device_info device; // filled before it is asked anything
};

// To be called in a process of its own, with an empty folder for its files. What happened is said on standard
// error.
enum fuzz_verdict fuzz_compare(const char *text, const char *folder, struct fuzz_task *task);

// In a child, with a folder and time limit of its own. The children's compiler output is thrown away.
enum fuzz_verdict fuzz_compare_apart(const char *text, unsigned seconds, struct fuzz_task *task);

// The same on both sides, for who asks of nothing but the verdict.
enum fuzz_verdict fuzz_compare_both(const char *text, unsigned seconds);

uint64_t fuzz_hash(const void *bytes, size_t size);

// What is to be known of the device that would be taken.
struct fuzz_device {
    bool doubles;
    bool is_oclgrind; // 21.10 has some of what is generated wrong
    bool is_rusticl;  // Mesa 22's is wrong, or crashes, too often to be asked
};

// False, after a line that says why, if there is none.
bool fuzz_find_device(struct fuzz_device *device);

// Cuts a text down to less that has the same verdict, for at most `seconds`; the caller frees it.
char *fuzz_reduce(const char *text, enum fuzz_verdict verdict, unsigned seconds);

#endif
