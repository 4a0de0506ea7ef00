// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr_share.h"
#include "cli/share_bytes.h"
#include "base/error.h"

// A frame, followed by its error or its rings, and by sums and values if they are wanted; then the pixels of
// the pictures that were kept of its preparation.
struct packed {
    kn_autocorr_analysis analysis; // without what it points to
    kn_autocorr_prepared prepared; // likewise
    kn_autocorr_verified verified;
    bool failed, has_verified, has_sums, has_values;
};

struct packed_pipeline {
    kn_autocorr_pipeline pipeline; // without its texts
    char why_host[sizeof((struct autocorr_run *)0)->why_host];
};

// ---- to bytes ----

static size_t bytes_of_picture(const kn_autocorr_grey *picture)
{
    return picture->width * picture->height * kn_type_size(picture->type);
}

static struct packed pack(const kn_autocorr_analysis *frame)
{
    struct packed packed = {.analysis = *frame,
                            .failed = frame->error != NULL,
                            .has_verified = frame->verified != NULL,
                            .has_sums = frame->sums != NULL,
                            .has_values = frame->values != NULL};

    packed.analysis.error = NULL;
    packed.analysis.prepared = NULL;
    packed.analysis.sums = NULL;
    packed.analysis.values = NULL;
    packed.analysis.rings = NULL;
    packed.analysis.verified = NULL;
    if (frame->verified)
        packed.verified = *frame->verified;
    if (frame->prepared)
        packed.prepared = *frame->prepared;
    return packed;
}

// The existing pictures have pixels; the bytes record which ones exist, not where they are.
static void put_pictures(struct share_writer *writer, const kn_autocorr_prepared *prepared)
{
    for (size_t i = 0; i < KN_AUTOCORR_STEPS; i++) {
        const kn_autocorr_grey *picture = &prepared->pictures[i];
        const size_t size = picture->pixels ? bytes_of_picture(picture) : 0;

        share_put(writer, &size, sizeof size);
        share_put(writer, picture->pixels, size);
    }
}

kn_status autocorr_pack_frame(const struct autocorr_run *run, const kn_autocorr_analysis *frame,
                              kn_distribute_result *result, kn_error *err)
{
    const size_t offsets = autocorr_offsets(run, frame->max_offset);
    struct packed packed = pack(frame);
    struct share_writer writer = {.result = result, .err = err};

    for (size_t i = 0; i < KN_AUTOCORR_STEPS; i++)
        packed.prepared.pictures[i].pixels = NULL;
    share_put(&writer, &packed, sizeof packed);
    if (frame->error) {
        share_put(&writer, frame->error, sizeof *frame->error);
        return writer.status;
    }
    share_put(&writer, frame->rings, (frame->max_offset + 1) * sizeof *frame->rings);
    if (frame->sums)
        share_put(&writer, frame->sums, offsets * sizeof *frame->sums);
    if (frame->values)
        share_put(&writer, frame->values, offsets * sizeof *frame->values);
    put_pictures(&writer, frame->prepared);
    return writer.status;
}

kn_status autocorr_pack_pipeline(const kn_autocorr_pipeline *pipeline, kn_distribute_result *result,
                                 kn_error *err)
{
    struct packed_pipeline packed = {.pipeline = *pipeline};

    packed.pipeline.why_host = NULL;
    snprintf(packed.why_host, sizeof packed.why_host, "%s", pipeline->why_host ? pipeline->why_host : "");
    return kn_distribute_put(result, &packed, sizeof packed, err);
}

// ---- from bytes ----

static void get_pictures(struct share_reader *reader, kn_autocorr_prepared *prepared)
{
    for (size_t i = 0; i < KN_AUTOCORR_STEPS; i++) {
        size_t size;

        share_get(reader, &size, sizeof size);
        prepared->pictures[i].pixels = share_get_array(reader, size, 1);
    }
}

static kn_status take_good(struct autocorr_run *run, struct packed *packed, struct share_reader *reader,
                           kn_error *err)
{
    kn_autocorr_analysis *frame = &packed->analysis;
    const size_t offsets = autocorr_offsets(run, frame->max_offset),
                 rings_size = (frame->max_offset + 1) * sizeof *frame->rings;
    void *rings = share_get_array(reader, 1, rings_size);
    void *sums = packed->has_sums ? share_get_array(reader, offsets, sizeof *frame->sums) : NULL;
    void *values = packed->has_values ? share_get_array(reader, offsets, sizeof *frame->values) : NULL;
    kn_status status;

    get_pictures(reader, &packed->prepared);
    frame->rings = rings;
    frame->sums = sums;
    frame->values = values;
    frame->prepared = &packed->prepared;
    frame->verified = packed->has_verified ? &packed->verified : NULL;
    status =
        reader->failed ? ki_fail_memory(err, rings_size, "a frame's sums") : autocorr_take(run, frame, err);
    free(rings);
    free(sums);
    free(values);
    kn_autocorr_prepared_free(&packed->prepared);
    return status;
}

static kn_status take_failed(struct autocorr_run *run, struct packed *packed, struct share_reader *reader,
                             kn_error *err)
{
    kn_error why;

    share_get(reader, &why, sizeof why);
    packed->analysis.error = &why;
    return autocorr_take(run, &packed->analysis, err);
}

static void add_pipeline(struct autocorr_run *run, const struct packed_pipeline *packed)
{
    const kn_autocorr_pipeline *other = &packed->pipeline;
    kn_autocorr_pipeline *all = &run->pipeline;

    all->frames += other->frames;
    all->failed += other->failed;
    if (other->decoders * run->share.count > all->decoders) // each place has so many
        all->decoders = other->decoders * (unsigned)run->share.count;
    all->decode += other->decode;
    all->wait += other->wait;
    all->build += other->build;
    all->upload += other->upload;
    all->compute += other->compute;
    all->download += other->download;
    all->analyse += other->analyse;
    all->batches += other->batches;
    all->overlapped += other->overlapped;
    all->device_rings += other->device_rings;
    if (*packed->why_host) {
        memcpy(run->why_host, packed->why_host, sizeof run->why_host);
        all->why_host = run->why_host;
    }
}

kn_status autocorr_unpack(struct autocorr_run *run, const void *result, size_t size, kn_error *err)
{
    struct packed_pipeline pipeline;
    const char *end = (const char *)result + size - sizeof pipeline;
    struct share_reader reader = {.at = result};
    kn_status status = KN_OK;

    while (reader.at < end && !status) {
        struct packed packed;

        memcpy(&packed, reader.at, sizeof packed);
        reader.at += sizeof packed;
        status =
            packed.failed ? take_failed(run, &packed, &reader, err) : take_good(run, &packed, &reader, err);
    }
    memcpy(&pipeline, end, sizeof pipeline);
    add_pipeline(run, &pipeline);
    return status;
}
