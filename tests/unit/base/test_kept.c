// SPDX-License-Identifier: Apache-2.0
// Tests kept memory: no block has two users at once, all of it can be written, and blocks that fit are
// reused.
#include "support/run.h"
#include "support/support.h"

#include "base/kept.h"

enum { TAKEN = 20, ROUNDS = 2000, MOST = 5000 };

struct piece {
    unsigned char *memory;
    size_t bytes;
    unsigned char mark;
};

// The first `bytes` must be unchanged.
static void expect_mark(const struct piece *piece, size_t bytes)
{
    bool same = true;

    for (size_t i = 0; i < bytes; i++)
        same = same && piece->memory[i] == piece->mark;
    ck_assert(same);
}

// Pieces of random sizes are taken, grown and returned in random order; no piece may overlap another.
static void take_and_give(struct ki_kept *kept, uint64_t *state)
{
    struct piece pieces[TAKEN] = {{NULL, 0, 0}};

    for (int round = 0; round < ROUNDS; round++) {
        struct piece *piece = &pieces[test_random(state) % TAKEN];
        size_t bytes = (size_t)(test_random(state) % MOST);

        if (piece->memory)
            expect_mark(piece, piece->bytes);
        if (piece->memory && test_random(state) % 2) {
            ki_kept_give(kept, piece->memory);
            *piece = (struct piece){NULL, 0, 0};
            continue;
        }
        if (piece->memory) {
            size_t same = bytes < piece->bytes ? bytes : piece->bytes;
            piece->memory = ki_kept_grow(kept, piece->memory, bytes);
            expect_mark(piece, same);
        } else {
            piece->memory = ki_kept_take(kept, bytes);
        }
        ck_assert_ptr_nonnull(piece->memory);
        ck_assert_uint_eq((uintptr_t)piece->memory % KI_KEPT_ALIGNMENT, 0);
        piece->bytes = bytes;
        piece->mark = (unsigned char)test_random(state);
        memset(piece->memory, piece->mark, bytes);
    }
    for (size_t i = 0; i < TAKEN; i++) {
        if (pieces[i].memory)
            expect_mark(&pieces[i], pieces[i].bytes);
        ki_kept_give(kept, pieces[i].memory);
    }
}

START_TEST(random_sizes)
{
    struct ki_kept kept;
    uint64_t state = test_seed("kept");

    ki_kept_init(&kept);
    take_and_give(&kept, &state);
    take_and_give(NULL, &state); // without keeping anything
    ki_kept_free(&kept);
}
END_TEST

// The smallest block that fits is used; otherwise the largest one is replaced.
START_TEST(which_block)
{
    struct ki_kept kept;

    ki_kept_init(&kept);
    void *small = ki_kept_take(&kept, 100), *large = ki_kept_take(&kept, 10000);
    ck_assert_ptr_ne(small, large);
    ki_kept_give(&kept, large);
    ki_kept_give(&kept, small);
    ck_assert_ptr_eq(ki_kept_take(&kept, 90), small);
    ck_assert_ptr_eq(ki_kept_take(&kept, 90), large); // the one that is left
    ki_kept_give(&kept, small);
    ki_kept_give(&kept, large);
    ck_assert_ptr_eq(ki_kept_take(&kept, 200), large);
    ki_kept_give(&kept, large);
    void *larger = ki_kept_take(&kept, 20000);
    ck_assert_ptr_eq(ki_kept_take(&kept, 128), small);
    ki_kept_give(&kept, small);
    ki_kept_give(&kept, larger);
    ck_assert_ptr_eq(ki_kept_take(&kept, 128), small);
    ck_assert_ptr_eq(ki_kept_take(&kept, 0), larger);
    ki_kept_give(&kept, small);
    ki_kept_give(&kept, larger);
    ki_kept_give(&kept, NULL);
    ki_kept_free(&kept);
}
END_TEST

START_TEST(arrays)
{
    struct ki_kept kept;

    ki_kept_init(&kept);
    unsigned char *dirty = ki_kept_take(&kept, 96);
    memset(dirty, 0xff, 96);
    ki_kept_give(&kept, dirty);
    unsigned char *zeros = ki_kept_take_zeros(&kept, 24, 4);
    ck_assert_ptr_eq(zeros, dirty);
    for (size_t i = 0; i < 96; i++)
        ck_assert_uint_eq(zeros[i], 0);
    ck_assert_ptr_null(ki_kept_take_array(&kept, SIZE_MAX / 8 + 2, 8)); // the product overflows to 8 bytes
    ck_assert_ptr_null(ki_kept_take_zeros(&kept, SIZE_MAX / 4 + 2, 4));
    ck_assert_ptr_null(ki_kept_take(&kept, SIZE_MAX));
    ck_assert_ptr_null(ki_kept_grow(&kept, zeros, SIZE_MAX)); // and is unchanged
    zeros[95] = 1;
    ki_kept_give(&kept, zeros);
    ki_kept_free(&kept);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_sizes, which_block, arrays};

    return TEST_RUN("kept", CK_FORK_GETENV, tests);
}
