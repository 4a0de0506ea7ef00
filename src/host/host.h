// SPDX-License-Identifier: Apache-2.0
// What the host's algorithms share: the vector code for this processor, the number of threads, and the order
// of any type's values as signed integers.
#ifndef KN_HOST_HOST_H
#define KN_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/host.h>

#include "base/kept.h"
#include "base/threads.h"
#include "base/vector.h"

// Converts stored bits to a signed integer of the same width that sorts as numpy sorts the values
// (cl/lib/key.clh has the same order): x ^= before; x ^= negative where x < 0; x = (x - bias) ^ after. One to
// one.
struct host_codec {
    int64_t before, negative, bias, after;
};

struct host_plan {
    kn_host_level level;
    unsigned threads; // at least 1
    bool descending;
    size_t size;          // bytes of an element
    struct ki_kept *kept; // the source of algorithms' memory; NULL: nothing is kept
};

// Checks a type, whether memory can hold n elements of it, and options, and fills in defaults; no memory is
// kept. `function` names the caller in messages.
kn_status ki_host_plan(const char *function, kn_type type, size_t n, const kn_host_options *given,
                       struct host_plan *plan, kn_error *err);

// The number of threads that are worth starting for `bytes`.
unsigned ki_host_threads(const struct host_plan *plan, size_t bytes);

// Where the share of thread t begins, of n elements among `threads`.
static inline size_t host_share(size_t n, size_t t, size_t threads)
{
    return n / threads * t + n % threads * t / threads;
}

// Runs `work` on n elements, with a share [first, end) for each thread.
typedef void host_share_work(void *context, size_t first, size_t end);
void ki_host_share_out(unsigned threads, size_t n, host_share_work *work, void *context);

struct host_codec ki_host_codec(kn_type type, bool descending);

// The types through which elements of any type are read and written.
typedef int8_t __attribute__((may_alias)) host_i8;
typedef int16_t __attribute__((may_alias)) host_i16;
typedef int32_t __attribute__((may_alias)) host_i32;
typedef int64_t __attribute__((may_alias)) host_i64;

// Element i of `size` bytes, as a signed integer. If `size` is a constant, no switch remains.
static inline int64_t host_stored(const void *elements, size_t i, size_t size)
{
    switch (size) {
    case 1:
        return ((const host_i8 *)elements)[i];
    case 2:
        return ((const host_i16 *)elements)[i];
    case 4:
        return ((const host_i32 *)elements)[i];
    default:
        return ((const host_i64 *)elements)[i];
    }
}

static inline void host_store(void *elements, size_t i, size_t size, int64_t value)
{
    switch (size) {
    case 1:
        ((host_i8 *)elements)[i] = (host_i8)value;
        break;
    case 2:
        ((host_i16 *)elements)[i] = (host_i16)value;
        break;
    case 4:
        ((host_i32 *)elements)[i] = (host_i32)value;
        break;
    default:
        ((host_i64 *)elements)[i] = value;
    }
}

// The least key of `size` bytes.
static inline int64_t host_least(size_t size)
{
    return (int64_t)(UINT64_MAX << (8 * size - 1));
}

// The key of a stored element; both are extended to 64 bits.
static inline int64_t host_encode(int64_t stored, size_t size, const struct host_codec *codec)
{
    int64_t x = stored ^ codec->before;

    x ^= x < 0 ? codec->negative : 0;
    x = (int64_t)((uint64_t)x - (uint64_t)codec->bias) ^ codec->after;
    return size == 4 ? (int32_t)x : x; // bytes and shorts have no bias
}

static inline int64_t host_decode(int64_t key, size_t size, const struct host_codec *codec)
{
    int64_t x = (int64_t)((uint64_t)(key ^ codec->after) + (uint64_t)codec->bias);

    x = size == 4 ? (int32_t)x : x;
    x ^= x < 0 ? codec->negative : 0;
    return x ^ codec->before;
}

// A key as an unsigned number, equal for elements that a stable sort treats as equal: -0 and +0, and all NaN.
static inline uint64_t host_rank(int64_t stored, size_t size, const struct host_codec *codec)
{
    const int64_t most = ~host_least(size);

    if (codec->negative) { // floats
        int64_t magnitude = stored & most;
        stored = magnitude == 0 ? 0 : magnitude > most - codec->bias ? most : stored;
    }
    return (uint64_t)host_encode(stored, size, codec) - (uint64_t)host_least(size);
}

#endif
