// SPDX-License-Identifier: Apache-2.0
// A sample of a stream of unknown length: one element of each stretch of `stride`, at a random place in it;
// when the room is full, one of every two is dropped, and stretches become twice as long.
#include "stream_internal.h"

// SplitMix64 (Steele, Lea and Flood), of a stretch's number and its length.
static uint64_t chance(uint64_t number, uint64_t stride)
{
    uint64_t z = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + stride;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void ki_stats_stream_begin_sample(struct stats_stream *s)
{
    s->sampled = 0;
    s->stride = 1;
    s->next_sample = 0;
}

static void halve(struct stats_stream *s)
{
    for (size_t k = 0; k < STREAM_SAMPLE / 2; k++)
        s->samples[k] = s->samples[2 * k + (chance(k, s->stride) >> 63)];
    s->sampled = STREAM_SAMPLE / 2;
    s->stride *= 2;
}

void ki_stats_stream_sample(struct stats_stream *s, size_t first, size_t count)
{
    while (s->next_sample - first < count) {
        s->samples[s->sampled++] = stream_element(s, s->next_sample - first);
        if (s->sampled == STREAM_SAMPLE)
            halve(s);
        // The stride is a power of two.
        s->next_sample = s->sampled * s->stride + (chance(s->sampled, s->stride) & (s->stride - 1));
    }
}
