// SPDX-License-Identifier: Apache-2.0
#include "unpack.h"

#include <config.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "gunzip.h"

#if HAVE_ZSTD
#include <zstd.h>
#endif

enum { PACKED_BYTES = 1 << 17, SLOT_BYTES = 1 << 17, SLOTS = 4 };

// Uncompressed bytes on their way to the reader.
struct slot {
    char *bytes; // SLOT_BYTES of them
    size_t count, taken;
};

struct unpack {
    const char *name;
    int fd;
    enum packing packing;
    unsigned char *packed; // PACKED_BYTES, or those that were read before
    size_t packed_count, packed_taken;
    bool at_end;    // there is no more compressed data
    bool part_ends; // between two compressed parts
    struct gunzip *gzip;
#if HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    struct slot slots[SLOTS];

    pthread_mutex_t state; // of what follows
    pthread_cond_t changed;
    size_t filled, emptied;    // how many slots, from the beginning; slot i is slots[i % SLOTS]
    bool is_ahead, is_filling; // another thread decompresses; a slot is being filled
    bool stopped, finished;    // the reader has stopped; nothing is left, or it failed:
    kn_status status;
    kn_error error;
};

enum packing packing_of(const char *bytes, size_t count)
{
    if (count >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        return PACKING_GZIP;
    return count >= PACKING_BYTES && memcmp(bytes, "\x28\xb5\x2f\xfd", PACKING_BYTES) == 0 ? PACKING_ZSTD
                                                                                           : PACKING_NONE;
}

// ---- unpacking ----

static kn_status fail_end(struct unpack *unpack, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, unpack->name, 0,
                      "its compressed data end early; is the file complete?");
}

static kn_status fail_damaged(struct unpack *unpack, const char *why, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, unpack->name, 0, "its compressed data are damaged (%s)", why);
}

// Reads more compressed bytes, if all existing ones were used.
static kn_status refill(struct unpack *unpack, kn_error *err)
{
    ssize_t got;

    if (unpack->packed_taken < unpack->packed_count || unpack->at_end)
        return KN_OK;
    do
        got = read(unpack->fd, unpack->packed, PACKED_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ki_fail_errno(err, KN_ERROR_INPUT, unpack->name, errno, "cannot be read");
    unpack->at_end = got == 0;
    unpack->packed_count = (size_t)got;
    unpack->packed_taken = 0;
    return KN_OK;
}

// Decompresses some of the compressed bytes after `*count`, and says whether a part ended.
static kn_status gzip_some(struct unpack *unpack, char *to, size_t *count, kn_error *err)
{
    struct gunzip_step step = {.from = unpack->packed + unpack->packed_taken,
                               .packed = unpack->packed_count - unpack->packed_taken,
                               .to = to + *count,
                               .room = SLOT_BYTES - *count};
    kn_status status = gunzip_some(unpack->gzip, &step);

    unpack->packed_taken += step.taken;
    *count += step.written;
    unpack->part_ends = step.part_ends;
    if (status == KN_ERROR_MEMORY)
        return ki_fail_memory(err, 0, unpack->name);
    return status ? fail_damaged(unpack, step.why, err) : KN_OK;
}

static kn_status zstd_some(struct unpack *unpack, char *to, size_t *count, kn_error *err)
{
#if HAVE_ZSTD
    ZSTD_inBuffer in = {unpack->packed, unpack->packed_count, unpack->packed_taken};
    ZSTD_outBuffer out = {to, SLOT_BYTES, *count};
    size_t result = ZSTD_decompressStream(unpack->zstd, &out, &in);

    unpack->packed_taken = in.pos;
    *count = out.pos;
    unpack->part_ends = result == 0;
    return ZSTD_isError(result) ? fail_damaged(unpack, ZSTD_getErrorName(result), err) : KN_OK;
#else
    (void)to;
    (void)count;
    return fail_damaged(unpack, "this Koine was built without zstd", err);
#endif
}

// Fills a slot: to its end, or with all that is left.
static kn_status fill(struct unpack *unpack, struct slot *slot, kn_error *err)
{
    kn_status status = KN_OK;

    slot->count = slot->taken = 0;
    while (slot->count < SLOT_BYTES && !status) {
        size_t before = slot->count;

        if ((status = refill(unpack, err)))
            break;
        if (unpack->at_end && unpack->part_ends)
            break;
        // gzip takes what follows its last part for padding.
        if (unpack->part_ends && unpack->packing == PACKING_GZIP &&
            unpack->packed[unpack->packed_taken] != 0x1f) {
            unpack->at_end = true;
            break;
        }
        status =
            (unpack->packing == PACKING_GZIP ? gzip_some : zstd_some)(unpack, slot->bytes, &slot->count, err);
        if (!status && unpack->at_end && !unpack->part_ends && slot->count == before)
            status = fail_end(unpack, err);
    }
    return status;
}

// Fills the next slot, which must be empty; `state` is locked before and after it.
static void fill_next(struct unpack *unpack)
{
    struct slot *slot = &unpack->slots[unpack->filled % SLOTS];
    kn_error err = KN_ERROR_INIT;
    kn_status status;

    unpack->is_filling = true;
    pthread_mutex_unlock(&unpack->state);
    status = fill(unpack, slot, &err);
    pthread_mutex_lock(&unpack->state);
    unpack->is_filling = false;
    unpack->filled += slot->count > 0;
    unpack->finished = status || slot->count < SLOT_BYTES;
    unpack->status = status;
    unpack->error = err;
    pthread_cond_broadcast(&unpack->changed);
}

void unpack_ahead(struct unpack *unpack)
{
    pthread_mutex_lock(&unpack->state);
    while (!unpack->stopped && !unpack->finished) {
        unpack->is_ahead = true;
        if (!unpack->is_filling && unpack->filled - unpack->emptied < SLOTS)
            fill_next(unpack);
        else
            pthread_cond_wait(&unpack->changed, &unpack->state);
    }
    unpack->is_ahead = false;
    pthread_mutex_unlock(&unpack->state);
}

void unpack_stop(struct unpack *unpack)
{
    pthread_mutex_lock(&unpack->state);
    unpack->stopped = true;
    pthread_cond_broadcast(&unpack->changed);
    pthread_mutex_unlock(&unpack->state);
}

// ---- reading ----

// Waits for a slot with contents; NULL at the end.
static struct slot *next_slot(struct unpack *unpack)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&unpack->state);
    while (unpack->emptied == unpack->filled && !unpack->finished) {
        if (unpack->is_ahead)
            pthread_cond_wait(&unpack->changed, &unpack->state);
        else
            fill_next(unpack);
    }
    if (unpack->emptied < unpack->filled)
        slot = &unpack->slots[unpack->emptied % SLOTS];
    pthread_mutex_unlock(&unpack->state);
    return slot;
}

static void empty_slot(struct unpack *unpack)
{
    pthread_mutex_lock(&unpack->state);
    unpack->emptied++;
    pthread_cond_broadcast(&unpack->changed);
    pthread_mutex_unlock(&unpack->state);
}

kn_status unpack_read(struct unpack *unpack, char *to, size_t room, size_t *got, kn_error *err)
{
    struct slot *slot = next_slot(unpack);

    *got = 0;
    if (!slot) {
        if (unpack->status && err)
            *err = unpack->error;
        return unpack->status;
    }
    *got = slot->count - slot->taken < room ? slot->count - slot->taken : room;
    memcpy(to, slot->bytes + slot->taken, *got);
    slot->taken += *got;
    if (slot->taken == slot->count)
        empty_slot(unpack);
    return KN_OK;
}

// ---- opening and closing ----

static kn_status open_packing(struct unpack *unpack, kn_error *err)
{
    if (unpack->packing == PACKING_GZIP) {
        unpack->gzip = gunzip_open();
        return unpack->gzip ? KN_OK : ki_fail_memory(err, 0, unpack->name);
    }
#if HAVE_ZSTD
    unpack->zstd = ZSTD_createDStream();
    return unpack->zstd ? KN_OK : ki_fail_memory(err, 0, unpack->name);
#else
    return ki_fail_at(
        err, KN_ERROR_UNSUPPORTED, unpack->name, 0,
        "is compressed by zstd, but this Koine was built without libzstd: decompress it with unzstd, or "
        "install libzstd's development files (Debian, Ubuntu: libzstd-dev) and build again");
#endif
}

kn_status unpack_open(const char *name, int fd, enum packing packing, const char *begun, size_t count,
                      struct unpack **unpack, kn_error *err)
{
    struct unpack *made = calloc(1, sizeof *made);
    kn_status status = KN_OK;

    *unpack = NULL;
    if (!made)
        return ki_fail_memory(err, sizeof *made, name);
    made->name = name;
    made->fd = fd;
    made->packing = packing;
    pthread_mutex_init(&made->state, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->packed = malloc(count > PACKED_BYTES ? count : PACKED_BYTES);
    for (size_t i = 0; i < SLOTS; i++)
        made->slots[i].bytes = malloc(SLOT_BYTES);
    for (size_t i = 0; i < SLOTS && !status; i++)
        if (!made->slots[i].bytes || !made->packed)
            status = ki_fail_memory(err, SLOT_BYTES, name);
    if (!status)
        status = open_packing(made, err);
    if (status) {
        unpack_close(made);
        return status;
    }
    if (count)
        memcpy(made->packed, begun, count);
    made->packed_count = count;
    *unpack = made;
    return KN_OK;
}

void unpack_close(struct unpack *unpack)
{
    if (!unpack)
        return;
    gunzip_close(unpack->gzip);
#if HAVE_ZSTD
    ZSTD_freeDStream(unpack->zstd);
#endif
    for (size_t i = 0; i < SLOTS; i++)
        free(unpack->slots[i].bytes);
    free(unpack->packed);
    pthread_mutex_destroy(&unpack->state);
    pthread_cond_destroy(&unpack->changed);
    free(unpack);
}
