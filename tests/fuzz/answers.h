// SPDX-License-Identifier: Apache-2.0
// What the rewritten text of random kernels computes over the host shim, as hashes in a file: a line a kernel
// with its seed, what the generator was asked for (FUZZ_DOUBLES, ...), the hash of its text and that of its
// numbers.
#ifndef KN_TESTS_FUZZ_ANSWERS_H
#define KN_TESTS_FUZZ_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_answer {
    uint64_t seed, text, numbers;
    unsigned features; // of the generator
};

struct fuzz_answers {
    struct fuzz_answer *all; // by seed
    size_t count;
};

// False, after a line that says why.
bool fuzz_answers_read(const char *path, struct fuzz_answers *answers);
bool fuzz_answers_append(const char *path, uint64_t seed, int count, unsigned features,
                         const uint64_t *numbers);

// Those of the kernels from `seed` on; false if one is not there, or is of another text than is generated
// now.
bool fuzz_answers_take(const struct fuzz_answers *answers, uint64_t seed, int count, unsigned features,
                       uint64_t *numbers);

#endif
