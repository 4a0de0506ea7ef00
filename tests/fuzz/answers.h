// SPDX-License-Identifier: Apache-2.0
// The results of the rewritten text of random kernels over the host shim, as hashes in a file: for each
// kernel a line with its seed, the features requested from the generator (FUZZ_DOUBLES, ...), the hash of its
// text and that of its results.
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
    struct fuzz_answer *all; // sorted by seed
    size_t count;
};

// On failure prints a line with the reason and returns false.
bool fuzz_answers_read(const char *path, struct fuzz_answers *answers);
bool fuzz_answers_append(const char *path, uint64_t seed, int count, unsigned features,
                         const uint64_t *numbers);

// The answers of the kernels from `seed` on; false if one is missing, or belongs to another text than is
// generated now.
bool fuzz_answers_take(const struct fuzz_answers *answers, uint64_t seed, int count, unsigned features,
                       uint64_t *numbers);

#endif
