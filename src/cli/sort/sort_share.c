// SPDX-License-Identifier: Apache-2.0
// koine sort on several devices, as a job in pieces (koine/distribute.h): each sorts a part of the input, and
// neighbouring parts are merged, by the threads of the devices. Under MPI the ranks sort parts, and rank 0,
// which gets them, merges; so does a run with --resume, whose journal has the parts. How many parts there are
// follows from the number of elements alone. Equal keys of which nothing else is known have the same bits,
// and keys with values keep their order, so that the result is that of one device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "cmd_sort.h"
#include "tools/sort/merge.h"

enum { PART_ELEMENTS = 1 << 18, PARTS = 16 }; // at least, as long as there are elements; at most

struct job {
    struct sorting *sorting;
    struct sort_order order;
    size_t together; // elements of a part
    bool has_values;
    struct npy keys[2], values[2]; // parts that are sorted: merged from one to the other; values: or none
    struct range *parts;           // those that came with their elements, in order
    struct progress progress;
};

// What a result is: a range of elements, and in which of the job's arrays it is sorted.
struct range {
    size_t first, count, array;
    double build, upload, compute, download; // seconds
};

// What the values are like.
static const struct npy *values_of(const struct job *job)
{
    return job->sorting->arguments->argsort ? &sort_number : &job->sorting->values;
}

static char *at(const struct npy *array, size_t i)
{
    return (char *)array->data + i * npy_element_size(array);
}

static void copy(const struct npy *from, size_t first, const struct npy *to, size_t to_first, size_t count)
{
    memcpy(at(to, to_first), at(from, first), count * npy_element_size(from));
}

// ---- a part ----

// A copy of its elements, which a device that fails may leave in any state.
static kn_status copy_part(const struct job *job, size_t first, size_t count, struct sorting *part,
                           kn_error *err)
{
    const struct sorting *all = job->sorting;
    kn_status status = sort_make_array(&part->keys, &all->keys, count, err);

    if (status)
        return status;
    copy(&all->keys, first, &part->keys, 0, count);
    if (!job->has_values)
        return KN_OK;
    status = sort_make_array(&part->values, values_of(job), count, err);
    if (!status && !all->arguments->argsort)
        copy(&all->values, first, &part->values, 0, count);
    for (size_t i = 0; i < count && !status && all->arguments->argsort; i++)
        ((uint64_t *)part->values.data)[i] = first + i;
    return status;
}

// Whether parts leave this process, to rank 0 of MPI or to the journal: then they have their elements.
static bool leaves(const struct job *job)
{
    return job->sorting->tool.share.ranks || job->sorting->arguments->tool.common.resume;
}

static kn_status put_part(const struct job *job, const struct range *range, const struct sorting *part,
                          kn_distribute_result *result, kn_error *err)
{
    const size_t n = range->count;
    kn_status status = kn_distribute_put(result, range, sizeof *range, err);

    if (!leaves(job)) {
        copy(&part->keys, 0, &job->keys[0], range->first, n);
        if (job->has_values)
            copy(&part->values, 0, &job->values[0], range->first, n);
        return status;
    }
    if (!status)
        status = kn_distribute_put(result, part->keys.data, n * npy_element_size(&part->keys), err);
    if (!status && job->has_values)
        status = kn_distribute_put(result, part->values.data, n * npy_element_size(&part->values), err);
    return status;
}

static kn_status run_part(void *data, size_t place, kn_queue *queue, size_t piece,
                          kn_distribute_result *result, kn_error *err)
{
    const struct job *job = data;
    const struct share *share = &job->sorting->tool.share;
    const size_t n = job->sorting->keys.count, first = piece * job->together;
    struct range range = {.first = first, .count = n - first < job->together ? n - first : job->together};
    struct sorting part = {
        .arguments = job->sorting->arguments,
        .tool = {.arguments = job->sorting->tool.arguments,
                 .place = share->count ? share->places[share_place(share, place)] : job->sorting->tool.place},
        .in_pieces = true};
    kn_status status = copy_part(job, first, range.count, &part, err);

    (void)queue; // the place's own
    if (!status)
        status = sort_compute(&part, err);
    if (!status) {
        range.build = part.tool.seconds.build;
        range.upload = part.tool.seconds.upload;
        range.compute = part.tool.seconds.compute;
        range.download = part.tool.seconds.download;
        status = put_part(job, &range, &part, result, err);
    }
    sort_free_buffers(&part);
    npy_free(&part.keys);
    npy_free(&part.values);
    return status;
}

static void name_part(void *data, size_t piece, char *name, size_t size)
{
    const struct job *job = data;
    const size_t first = piece * job->together, left = job->sorting->keys.count - first;

    snprintf(name, size, "elements %zu to %zu", first + 1,
             first + (left < job->together ? left : job->together));
}

// ---- two neighbours ----

// The last part of a level that has no neighbour is in the array of a lower one.
static void move(const struct job *job, const struct range *range, size_t array)
{
    copy(&job->keys[range->array], range->first, &job->keys[array], range->first, range->count);
    if (job->has_values)
        copy(&job->values[range->array], range->first, &job->values[array], range->first, range->count);
}

static struct sort_part part_of(const struct job *job, const struct range *range, size_t array)
{
    return (struct sort_part){at(&job->keys[array], range->first),
                              job->has_values ? at(&job->values[array], range->first) : NULL, range->count};
}

static struct range merge(const struct job *job, const struct range *left, const struct range *right)
{
    const double start = ki_clock_seconds();
    struct range merged = {.first = left->first,
                           .count = left->count + right->count,
                           .array = 1 - left->array,
                           .build = left->build + right->build,
                           .upload = left->upload + right->upload,
                           .download = left->download + right->download};
    struct sort_part from, with;

    if (right->array != left->array)
        move(job, right, left->array);
    from = part_of(job, left, left->array);
    with = part_of(job, right, left->array);
    sort_merge(&job->order, job->has_values ? npy_element_size(&job->values[0]) : 0, &from, &with,
               at(&job->keys[merged.array], merged.first),
               job->has_values ? at(&job->values[merged.array], merged.first) : NULL);
    merged.compute = left->compute + right->compute + ki_clock_seconds() - start;
    return merged;
}

static kn_status merge_parts(void *data, const void *left_bytes, size_t left_size, const void *right_bytes,
                             size_t right_size, kn_distribute_result *result, kn_error *err)
{
    struct range left, right, merged;

    memcpy(&left, left_bytes, left_size);
    memcpy(&right, right_bytes, right_size);
    merged = merge(data, &left, &right);
    return kn_distribute_put(result, &merged, sizeof merged, err);
}

// ---- all of them ----

static void exchange(struct npy *one, struct npy *other)
{
    const struct npy first = *one;

    *one = *other;
    *other = first;
}

static void keep(struct job *job, const struct range *range)
{
    struct sorting *sorting = job->sorting;

    exchange(&sorting->keys, &job->keys[range->array]);
    if (job->has_values)
        exchange(&sorting->values, &job->values[range->array]);
    sorting->tool.seconds.compute = range->compute; // of all places together
    if (sorting->tool.place.queue) {
        sorting->tool.seconds.build = range->build;
        sorting->tool.seconds.upload = range->upload;
        sorting->tool.seconds.download = range->download;
    }
}

static kn_status keep_result(void *data, size_t index, const void *result, size_t size, kn_error *err)
{
    struct range range;

    (void)index;
    (void)err;
    memcpy(&range, result, size);
    keep(data, &range);
    return KN_OK;
}

// A part that comes with its elements.
static kn_status keep_part(void *data, size_t index, const void *result, size_t size, kn_error *err)
{
    struct job *job = data;
    struct range *range = &job->parts[index];
    const char *bytes = result;
    size_t key_bytes;

    (void)size;
    (void)err;
    memcpy(range, bytes, sizeof *range);
    bytes += sizeof *range;
    key_bytes = range->count * npy_element_size(&job->keys[0]);
    memcpy(at(&job->keys[0], range->first), bytes, key_bytes);
    if (job->has_values)
        memcpy(at(&job->values[0], range->first), bytes + key_bytes,
               range->count * npy_element_size(&job->values[0]));
    return KN_OK;
}

// The parts that came with their elements, neighbours first.
static void merge_all(struct job *job, size_t count)
{
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++)
            job->parts[i] = merge(job, &job->parts[2 * i], &job->parts[2 * i + 1]);
        if (count % 2)
            job->parts[count / 2] = job->parts[count - 1];
    }
    keep(job, job->parts);
}

static kn_status make_arrays(struct job *job, size_t parts, kn_error *err)
{
    const struct sorting *sorting = job->sorting;
    const size_t n = sorting->keys.count;
    kn_status status = KN_OK;

    if (!ranks_writes(sorting->tool.share.ranks)) // the others keep nothing
        return KN_OK;
    for (size_t i = 0; i < 2 && !status; i++) {
        status = sort_make_array(&job->keys[i], &sorting->keys, n, err);
        if (!status && job->has_values)
            status = sort_make_array(&job->values[i], values_of(job), n, err);
    }
    if (status || !leaves(job))
        return status;
    job->parts = calloc(parts, sizeof *job->parts);
    return job->parts ? KN_OK : ki_fail_memory(err, parts * sizeof *job->parts, "sorting");
}

kn_status sort_share(struct sorting *sorting, kn_error *err)
{
    const size_t n = sorting->keys.count, even = (n + PARTS - 1) / PARTS;
    struct job job = {.sorting = sorting,
                      .together = even < PART_ELEMENTS ? PART_ELEMENTS : even,
                      .has_values = sorting->values.data || sorting->arguments->argsort};
    const kn_distribute_job parts =
        KN_INIT(kn_distribute_job, .piece_count = (n + job.together - 1) / job.together, .run = run_part,
                .fold = leaves(&job) ? NULL : merge_parts, .name = name_part, .data = &job);
    kn_status status = make_arrays(&job, parts.piece_count, err);

    job.order = (struct sort_order){sorting->keys.type, sorting->arguments->descending, job.has_values};
    sorting->pieces = parts.piece_count;
    progress_begin(&job.progress, sorting->arguments->tool.common.quiet);
    if (!status)
        status =
            tool_share(&sorting->tool, &parts, leaves(&job) ? keep_part : keep_result, &job.progress, err);
    if (!status && leaves(&job) && ranks_writes(sorting->tool.share.ranks))
        merge_all(&job, parts.piece_count);
    progress_end(&job.progress);
    for (size_t i = 0; i < 2; i++) {
        npy_free(&job.keys[i]);
        npy_free(&job.values[i]);
    }
    free(job.parts);
    return status;
}
