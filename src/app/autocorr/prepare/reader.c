// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"

struct slot {
    bool ready;
    struct autocorr_decoded decoded;
};

// Frame i waits in slot i % ahead.
struct autocorr_reader {
    const struct autocorr_film *frames;
    struct autocorr_reader_options options;
    pthread_mutex_t state; // of what follows
    pthread_cond_t turn;   // something of it changed
    size_t begun, taken;   // frames
    bool ends;
    double decode;
    struct slot *slots;
    pthread_t *threads;
    size_t thread_count;
};

// Of the frame, or its region; 0 where that is not in it, which others tell.
static double energy_of(const struct autocorr_reader_options *options, const struct autocorr_grey *grey)
{
    struct autocorr_task task = {.first = autocorr_image_of(grey)};

    if (!options->energies || (options->region && ki_autocorr_crop(&task, options->region, NULL)))
        return 0;
    return ki_autocorr_energy(&task.first);
}

static void read_frame(const struct autocorr_reader *reader, size_t index, void **kept,
                       struct autocorr_decoded *decoded)
{
    const struct autocorr_reader_options *options = &reader->options;
    const struct autocorr_film *frames = reader->frames;
    kn_status status;

    memset(decoded, 0, sizeof *decoded);
    status = frames->fetch(frames, index, kept, &decoded->grey, &decoded->error);
    if (!status && options->preparation)
        status = ki_autocorr_prepare(options->preparation, frames->sources[index].file, &decoded->grey,
                                     &decoded->prepared, &decoded->error);
    if (status) {
        free(decoded->grey.pixels);
        decoded->grey.pixels = NULL;
    } else {
        decoded->energy = energy_of(options, &decoded->grey);
    }
}

static void *work(void *given)
{
    struct autocorr_reader *reader = given;
    void *kept = NULL;

    pthread_mutex_lock(&reader->state);
    for (;;) {
        struct slot *slot;
        double start;
        size_t index;

        while (!reader->ends && reader->begun < reader->frames->count &&
               reader->begun >= reader->taken + reader->options.ahead)
            pthread_cond_wait(&reader->turn, &reader->state);
        if (reader->ends || reader->begun >= reader->frames->count)
            break;
        index = reader->begun++;
        slot = &reader->slots[index % reader->options.ahead];
        pthread_mutex_unlock(&reader->state);
        start = ki_clock_seconds();
        read_frame(reader, index, &kept, &slot->decoded);
        pthread_mutex_lock(&reader->state);
        reader->decode += ki_clock_seconds() - start;
        slot->ready = true;
        pthread_cond_broadcast(&reader->turn);
    }
    pthread_mutex_unlock(&reader->state);
    reader->frames->release(kept);
    return NULL;
}

kn_status ki_autocorr_reader_open(const struct autocorr_film *frames,
                                  const struct autocorr_reader_options *options,
                                  struct autocorr_reader **reader, kn_error *err)
{
    size_t threads = ki_threads(options->threads);
    struct autocorr_reader *opened = calloc(1, sizeof *opened);
    sigset_t all, before;

    *reader = NULL;
    if (!opened)
        return ki_fail_memory(err, sizeof *opened, "reading frames");
    opened->frames = frames;
    opened->options = *options;
    pthread_mutex_init(&opened->state, NULL);
    pthread_cond_init(&opened->turn, NULL);
    opened->slots = calloc(options->ahead, sizeof *opened->slots);
    opened->threads = calloc(threads, sizeof *opened->threads);
    // Signals are for the thread that called: what it does for them to wait must hold.
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (opened->slots && opened->threads && opened->thread_count < threads &&
           pthread_create(&opened->threads[opened->thread_count], NULL, work, opened) == 0)
        opened->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!opened->thread_count) {
        ki_autocorr_reader_close(opened, NULL);
        return ki_fail_memory(err, options->ahead * sizeof *opened->slots, "reading frames");
    }
    *reader = opened;
    return KN_OK;
}

bool ki_autocorr_reader_next(struct autocorr_reader *reader, bool wait, struct autocorr_decoded *decoded)
{
    struct slot *slot = &reader->slots[reader->taken % reader->options.ahead];
    bool found = false;

    if (reader->taken >= reader->frames->count)
        return false;
    pthread_mutex_lock(&reader->state);
    while (wait && !slot->ready)
        pthread_cond_wait(&reader->turn, &reader->state);
    if (slot->ready) {
        *decoded = slot->decoded;
        slot->ready = false;
        memset(&slot->decoded, 0, sizeof slot->decoded);
        reader->taken++;
        pthread_cond_broadcast(&reader->turn);
        found = true;
    }
    pthread_mutex_unlock(&reader->state);
    return found;
}

void ki_autocorr_reader_close(struct autocorr_reader *reader, double *decode)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->state);
    reader->ends = true;
    pthread_cond_broadcast(&reader->turn);
    pthread_mutex_unlock(&reader->state);
    for (size_t i = 0; i < reader->thread_count; i++)
        pthread_join(reader->threads[i], NULL);
    if (decode)
        *decode = reader->decode;
    for (size_t i = 0; reader->slots && i < reader->options.ahead; i++) {
        free(reader->slots[i].decoded.grey.pixels);
        ki_autocorr_prepared_free(&reader->slots[i].decoded.prepared);
    }
    pthread_mutex_destroy(&reader->state);
    pthread_cond_destroy(&reader->turn);
    free(reader->slots);
    free(reader->threads);
    free(reader);
}
