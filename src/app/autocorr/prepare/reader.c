// SPDX-License-Identifier: Apache-2.0
// Frames of a series, decoded by several threads ahead of those who take them (koine/autocorr.h).
#include "reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"

enum { AHEAD = 8 }; // where nobody says otherwise

struct slot {
    bool ready;
    struct autocorr_decoded decoded;
};

// Frame i waits in slot i % ahead.
struct kn_autocorr_reader {
    kn_autocorr_source frames;
    struct autocorr_reading reading;
    pthread_mutex_t state; // of what follows
    pthread_cond_t turn;   // something of it changed
    size_t begun, taken;   // frames
    bool ends;
    double decode;
    struct slot *slots;
    pthread_t *threads;
    size_t thread_count;
};

// Of the frame, or its region; 0 where that is not in it, or the mask of another size, which others tell.
static double energy_of(const struct autocorr_reading *reading, const kn_autocorr_grey *grey)
{
    struct autocorr_task task = {.first = autocorr_image_of(grey)};

    task.mask = reading->mask;
    task.mask_stride = reading->mask_width;
    if (task.mask && (grey->width != reading->mask_width || grey->height != reading->mask_height))
        return 0;
    if (!reading->energies || (reading->region && ki_autocorr_crop(&task, reading->region, NULL)))
        return 0;
    return ki_autocorr_energy(&task.first, task.mask, task.mask_stride);
}

static void read_frame(const kn_autocorr_reader *reader, size_t index, void **kept,
                       struct autocorr_decoded *decoded)
{
    const struct autocorr_reading *reading = &reader->reading;
    char room[AUTOCORR_NAME_ROOM];
    kn_status status;

    memset(decoded, 0, sizeof *decoded);
    status = ki_autocorr_fetch(&reader->frames, index, kept, &decoded->grey, &decoded->error);
    if (!status && reading->preparation)
        status =
            kn_autocorr_prepare(reading->preparation, ki_autocorr_frame_name(&reader->frames, index, room),
                                &decoded->grey, &decoded->prepared, &decoded->error);
    if (status) {
        free(decoded->grey.pixels);
        decoded->grey.pixels = NULL;
    } else {
        decoded->energy = energy_of(reading, &decoded->grey);
    }
}

static void *work(void *given)
{
    kn_autocorr_reader *reader = given;
    void *kept = NULL;

    pthread_mutex_lock(&reader->state);
    for (;;) {
        struct slot *slot;
        double start;
        size_t index;

        while (!reader->ends && reader->begun < reader->frames.count &&
               reader->begun >= reader->taken + reader->reading.ahead)
            pthread_cond_wait(&reader->turn, &reader->state);
        if (reader->ends || reader->begun >= reader->frames.count)
            break;
        index = reader->begun++;
        slot = &reader->slots[index % reader->reading.ahead];
        pthread_mutex_unlock(&reader->state);
        start = ki_clock_seconds();
        read_frame(reader, index, &kept, &slot->decoded);
        pthread_mutex_lock(&reader->state);
        reader->decode += ki_clock_seconds() - start;
        slot->ready = true;
        pthread_cond_broadcast(&reader->turn);
    }
    pthread_mutex_unlock(&reader->state);
    ki_autocorr_release(&reader->frames, kept);
    return NULL;
}

kn_status ki_autocorr_reader_open(const kn_autocorr_source *source, const struct autocorr_reading *reading,
                                  kn_autocorr_reader **reader, kn_error *err)
{
    size_t threads = ki_threads(reading->threads);
    kn_autocorr_reader *opened = calloc(1, sizeof *opened);

    if (!opened)
        return ki_fail_memory(err, sizeof *opened, "reading frames");
    opened->frames = *source;
    opened->reading = *reading;
    pthread_mutex_init(&opened->state, NULL);
    pthread_cond_init(&opened->turn, NULL);
    opened->slots = calloc(reading->ahead, sizeof *opened->slots);
    opened->threads = calloc(threads, sizeof *opened->threads);
    while (opened->slots && opened->threads && opened->thread_count < threads &&
           ki_thread_start(&opened->threads[opened->thread_count], work, opened))
        opened->thread_count++;
    if (!opened->thread_count) {
        kn_autocorr_reader_close(opened);
        return ki_fail_memory(err, reading->ahead * sizeof *opened->slots, "reading frames");
    }
    *reader = opened;
    return KN_OK;
}

bool ki_autocorr_reader_next(kn_autocorr_reader *reader, bool wait, struct autocorr_decoded *decoded)
{
    struct slot *slot = &reader->slots[reader->taken % reader->reading.ahead];
    bool found = false;

    if (reader->taken >= reader->frames.count)
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

double kn_autocorr_reader_get_seconds(const kn_autocorr_reader *reader)
{
    kn_autocorr_reader *locked = (kn_autocorr_reader *)reader;
    double seconds;

    if (!reader)
        return 0;
    pthread_mutex_lock(&locked->state);
    seconds = reader->decode;
    pthread_mutex_unlock(&locked->state);
    return seconds;
}

void kn_autocorr_reader_close(kn_autocorr_reader *reader)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->state);
    reader->ends = true;
    pthread_cond_broadcast(&reader->turn);
    pthread_mutex_unlock(&reader->state);
    for (size_t i = 0; i < reader->thread_count; i++)
        pthread_join(reader->threads[i], NULL);
    for (size_t i = 0; reader->slots && i < reader->reading.ahead; i++) {
        free(reader->slots[i].decoded.grey.pixels);
        kn_autocorr_prepared_free(&reader->slots[i].decoded.prepared);
    }
    pthread_mutex_destroy(&reader->state);
    pthread_cond_destroy(&reader->turn);
    free(reader->slots);
    free(reader->threads);
    free(reader);
}

// ---- as programs have it ----

static kn_status open_reader(const char *function, const kn_autocorr_source *source,
                             const kn_autocorr_reader_options *options, kn_autocorr_reader **reader,
                             kn_error *err)
{
    kn_autocorr_source frames;
    kn_autocorr_reader_options read;
    struct autocorr_reading reading;
    kn_status status;

    if (!reader)
        return ki_fail(err, KN_ERROR_ARGUMENT, "reader is NULL");
    status = ki_autocorr_read_source(function, source, &frames, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_autocorr_reader_options, options, &read, err);
    if (status)
        return status;
    reading = (struct autocorr_reading){
        .threads = read.threads, .ahead = read.ahead ? read.ahead : AHEAD, .preparation = read.preparation};
    return ki_autocorr_reader_open(&frames, &reading, reader, err);
}

kn_status kn_autocorr_reader_open(const kn_autocorr_source *source, const kn_autocorr_reader_options *options,
                                  kn_autocorr_reader **reader, kn_error *err)
{
    return ki_error_name(__func__, open_reader(__func__, source, options, reader, err), err);
}

kn_status kn_autocorr_reader_next(kn_autocorr_reader *reader, kn_autocorr_grey *grey,
                                  kn_autocorr_prepared *prepared, kn_error *err)
{
    struct autocorr_decoded decoded;

    if (!reader || !grey)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, reader ? "grey" : "reader");
    if (!ki_autocorr_reader_next(reader, true, &decoded))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: all of the %zu frames were taken", __func__,
                       reader->frames.count);
    if (decoded.error.code) {
        if (err)
            *err = decoded.error;
        return decoded.error.code;
    }
    *grey = decoded.grey;
    if (prepared)
        *prepared = decoded.prepared;
    else
        kn_autocorr_prepared_free(&decoded.prepared);
    return KN_OK;
}
