// SPDX-License-Identifier: Apache-2.0
// A loop that goes on while a device works: the work is handed over, an event stands for all of it, and each turn of the
// loop asks whether that is done. Nothing waits. On the best device there is, or the one that KOINE_DEVICE names.
#include <stdio.h>

#include <koine/koine.h>

enum { N = 200200, RANKS = 3 };

static float samples[N], quartiles[RANKS];

// All that follows the copy of the samples is only enqueued: the selection, whose values stay on the device, and the copy
// that brings them to `quartiles`. A first selection compiles kernels, which takes its time.
static kn_status hand_over(kn_queue *q, kn_buffer *x, kn_buffer *values, kn_event **all, kn_error *err)
{
    const size_t ranks[RANKS] = {N / 4, N / 2, 3 * N / 4};

    if (kn_buffer_write(q, x, 0, samples, sizeof samples, err) ||
        kn_select_to_buffer(q, x, KN_F32, N, ranks, RANKS, values, NULL, err) ||
        kn_buffer_read_async(q, values, 0, quartiles, sizeof quartiles, NULL, err) ||
        kn_queue_record(q, all, err))
        return err->code;
    return kn_queue_flush(q, err); // without it a queue may keep its work to itself for as long as nobody waits
}

// Of a program this draws a frame, or answers whoever called meanwhile.
static void take_a_turn(unsigned long *turns)
{
    ++*turns;
}

int main(void)
{
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *x = NULL, *values = NULL;
    kn_event *all = NULL;
    unsigned long turns = 0;
    bool done = false;

    for (int i = 0; i < N; i++)
        samples[i] = (float)(i % 1001);
    if (kn_context_open(NULL, NULL, &ctx, &err) ||
        kn_queue_open(ctx, &q, &err) ||
        kn_buffer_create(ctx, sizeof samples, &x, &err) ||
        kn_buffer_create(ctx, sizeof quartiles, &values, &err) ||
        hand_over(q, x, values, &all, &err))
        fprintf(stderr, "event_poll: %s\n", err.text);

    while (!err.code && !done) {
        take_a_turn(&turns);
        if (kn_event_get_done(all, &done, &err)) // what went wrong on the device comes here
            fprintf(stderr, "event_poll: %s\n", err.text);
    }
    if (done)
        printf("after %lu turns: quartiles %g, %g, %g\n", turns, (double)quartiles[0], (double)quartiles[1],
               (double)quartiles[2]);

    kn_event_free(all);
    kn_buffer_free(values);
    kn_buffer_free(x);
    kn_queue_close(q);
    kn_context_close(ctx);
    return (int)err.code;
}
