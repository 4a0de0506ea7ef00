// SPDX-License-Identifier: Apache-2.0
// koine sort --memory-limit: in as many pieces as it takes, which are sorted one after another and merged, or
// are whole segments and follow one another.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "base/os/output.h"
#include "base/os/spool.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/memory.h"
#include "cmd_sort.h"
#include "io/csv/csv.h"
#include "tools/sort/runs.h"

struct limited {
    struct sorting *sorting;
    struct npy_file keys, values; // of --by-key
    struct csv_table table;       // with --column
    struct spool *column;         // of it, where it is in a file
    struct sort_runs *runs;
    struct ki_output *out;
};

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// ---- what there is ----

// Parts of a pipe are read from a copy.
static kn_status open_array(const struct sorting *sorting, const char *path, struct npy_file *file,
                            kn_error *err)
{
    const bool is_input = strcmp(path, "-") == 0;
    FILE *stream = NULL;
    kn_status status = KN_OK;

    if (is_input)
        status = ki_spool_stream(stdin, "standard input", sorting->arguments->tool.out, &stream, err);
    else
        stream = fopen(path, "rb");
    return status ? status : npy_open(stream, is_input ? "standard input" : path, file, err);
}

// A column of a CSV file stays in memory where it is a small part of what there is, with which it can be
// sorted at once.
static kn_status read_column(struct limited *limited, const char *path, kn_error *err)
{
    enum { PART = 16 };
    struct sorting *sorting = limited->sorting;
    const struct tool_arguments *arguments = &sorting->arguments->tool;
    const struct csv_options options = {.columns = &arguments->column,
                                        .column_count = 1,
                                        .most = memory_for_data(&arguments->common) / PART + 1};
    const double start = ki_clock_seconds();
    kn_status status = csv_read(path, &options, &limited->table, err);
    struct csv_column *column = limited->table.columns;

    sorting->tool.seconds.read += ki_clock_seconds() - start;
    if (status)
        return status;
    limited->column = column->spool;
    sorting->keys = (struct npy){
        .type = KN_F64, .dims = 1, .shape = {column->count}, .count = column->count, .data = column->values};
    column->values = NULL;
    return KN_OK;
}

static kn_status open_input(struct limited *limited, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const struct sort_arguments *arguments = sorting->arguments;
    const char *path = arguments->tool.common.operands.items[0];
    kn_status status;

    status = arguments->tool.column ? read_column(limited, path, err)
                                    : open_array(sorting, path, &limited->keys, err);
    if (!status && !arguments->tool.column)
        sorting->keys = limited->keys.array;
    if (!status)
        status = tool_check_column(path, &sorting->keys, err);
    if (!status)
        status = sort_check_top(sorting, err);
    if (!status && arguments->by_key)
        status = open_array(sorting, arguments->by_key, &limited->values, err);
    if (!status && arguments->by_key) {
        sorting->values = limited->values.array;
        status = sort_check_values(sorting, &sorting->values, err);
    }
    if (!status && arguments->segments)
        status = sort_read_offsets(sorting, err);
    return status;
}

// ---- the memory ----

static struct sort_sizes sizes_of(const struct sorting *sorting)
{
    const bool shared = sorting->tool.place.device.type == KN_DEVICE_CPU; // the host's memory is the device's
    size_t host, device;
    const size_t record = sort_element_bytes(sorting, &host, &device);

    return (struct sort_sizes){
        .n = sorting->keys.count, .piece = shared ? host + device : most(host, device), .record = record};
}

static uint64_t offset(const struct sorting *sorting, size_t i)
{
    return ((const uint64_t *)sorting->offsets.data)[i];
}

// The elements of the longest segment; of all, where the offsets are none.
static size_t longest_segment(const struct sorting *sorting)
{
    const size_t last = sorting->offsets.count - 1, n = sorting->keys.count;
    size_t longest = 0;

    if (offset(sorting, 0) != 0 || offset(sorting, last) != n)
        return n;
    for (size_t i = 0; i < last; i++) {
        if (offset(sorting, i + 1) < offset(sorting, i))
            return n;
        longest = most(longest, (size_t)(offset(sorting, i + 1) - offset(sorting, i)));
    }
    return longest;
}

// The segments of a piece, from segment `first` on: as many whole ones as have no more elements, and at least
// one.
static size_t segments_from(const struct sorting *sorting, size_t first, size_t elements)
{
    size_t end = first + 1;

    while (end + 1 < sorting->offsets.count && offset(sorting, end + 1) - offset(sorting, first) <= elements)
        end++;
    return end - first;
}

// Pieces are whole segments, beside which there are the offsets, and those of a piece on the device.
static kn_status divide_segments(const struct sorting *sorting, const struct sort_sizes *sizes,
                                 struct sort_division *division, kn_error *err)
{
    const struct common_arguments *common = &sorting->arguments->tool.common;
    const size_t offsets = 3 * sorting->offsets.count * sizeof(uint64_t), left = memory_for_data(common);
    const size_t longest = longest_segment(sorting),
                 elements = left < offsets ? 0 : (left - offsets) / sizes->piece;

    *division = (struct sort_division){.pieces = 0, .elements = most(elements, longest)};
    if (sizes->n <= division->elements)
        *division = (struct sort_division){.pieces = 1, .elements = sizes->n};
    for (size_t i = 0; i + 1 < sorting->offsets.count && sizes->n > division->elements; division->pieces++)
        i += segments_from(sorting, i, division->elements);
    return memory_check(common, MEMORY_BESIDE + offsets + longest * sizes->piece,
                        "the longest of --segments, each of which is sorted as a whole,", err);
}

static kn_status divide(const struct sorting *sorting, struct sort_division *division, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const struct common_arguments *common = &arguments->tool.common;
    const struct sort_sizes sizes = sizes_of(sorting);

    if (arguments->segments)
        return divide_segments(sorting, &sizes, division, err);
    if (arguments->less) {
        *division = (struct sort_division){.pieces = 1, .elements = sizes.n};
        return memory_check(common, MEMORY_BESIDE + sizes.n * sizes.piece,
                            "--less, by whose order pieces cannot be merged,", err);
    }
    if (sort_divide(&sizes, memory_for_data(common), division))
        return KN_OK;
    return memory_check(common, MEMORY_BESIDE + sort_least_limit(&sizes), "a sort in pieces", err);
}

// ---- a piece ----

// Elements from `first` on, to memory that is there already.
static kn_status read_piece(struct limited *limited, size_t first, size_t count, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const double start = ki_clock_seconds();
    kn_status status = KN_OK;

    sorting->keys.count = count;
    if (limited->column)
        status = spool_read(limited->column, first, sorting->keys.data, count, err);
    else if (limited->keys.stream)
        status = npy_read_part(&limited->keys, first, count, sorting->keys.data, err);
    if (!status && sorting->values.data)
        sorting->values.count = count;
    if (!status && limited->values.stream)
        status = npy_read_part(&limited->values, first, count, sorting->values.data, err);
    else if (sorting->in_pieces && sorting->values.data)
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)sorting->values.data)[i] = first + i;
    sorting->tool.seconds.read += ki_clock_seconds() - start;
    return status ? status : sort_refuse_nan(sorting, first, err);
}

static kn_status make_room(struct limited *limited, size_t count, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const struct npy keys = sorting->keys, values = limited->values.array;
    kn_status status = KN_OK;

    if (limited->column || limited->keys.stream)
        status = sort_make_array(&sorting->keys, &keys, count, err);
    if (!status && sorting->arguments->by_key)
        status = sort_make_array(&sorting->values, &values, count, err);
    else if (!status && sorting->arguments->argsort && sorting->in_pieces)
        status = sort_make_array(&sorting->values, &sort_number, count, err);
    return status;
}

// The first of a piece are all of it that can be among the first of all.
static kn_status add_first(struct limited *limited, size_t count, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const size_t top = sorting->arguments->top;
    struct npy keys = {.data = NULL}, values = {.data = NULL};
    kn_status status = sort_find_first(sorting, top < count ? top : count, true, err);

    if (!status)
        status = sort_pick(&sorting->first, &sorting->keys, &keys, err);
    if (!status && sorting->values.data)
        status = sort_pick(&sorting->first, &sorting->values, &values, err);
    if (!status)
        status = sort_runs_add(limited->runs, keys.data, values.data, keys.count, err);
    npy_free(&keys);
    npy_free(&values);
    npy_free(&sorting->first);
    return status;
}

static kn_status add_piece(struct limited *limited, size_t first, size_t count, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    kn_status status = read_piece(limited, first, count, err);

    if (!status && sorting->arguments->top) {
        status = add_first(limited, count, err);
    } else if (!status) {
        status = sort_compute(sorting, err);
        if (!status)
            status = sort_runs_add(limited->runs, sorting->keys.data, sorting->values.data, count, err);
    }
    sort_free_buffers(sorting);
    return status;
}

// ---- all of them ----

static kn_status take(void *context, const void *keys, const void *values, size_t count, kn_error *err)
{
    const struct limited *limited = context;
    const struct sorting *sorting = limited->sorting;
    const size_t size = npy_element_size(values ? &sorting->values : &sorting->keys);

    fwrite(values ? values : keys, size, count, ki_output_stream(limited->out));
    return interrupt_check(err);
}

// The types stay.
static void release(struct npy *array)
{
    free(array->data);
    array->data = NULL;
}

// The result's file, as far as its first element.
static kn_status open_output(struct limited *limited, const struct npy *like, size_t count, kn_error *err)
{
    const struct tool_arguments *arguments = &limited->sorting->arguments->tool;
    struct npy head = *like;
    kn_status status = ki_output_open(arguments->out, arguments->common.force, &limited->out, err);

    head.count = head.shape[0] = count;
    if (!status && !npy_write_head(ki_output_stream(limited->out), &head))
        status = ki_fail_memory(err, 0, "writing an array");
    return status;
}

static kn_status close_output(struct limited *limited, kn_status status, kn_error *err)
{
    if (!status)
        return ki_output_close(limited->out, err);
    ki_output_discard(limited->out);
    return status;
}

static kn_status merge(struct limited *limited, size_t n, size_t buffer, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const size_t wanted = sorting->arguments->top ? sorting->arguments->top : n;
    const double start = ki_clock_seconds();
    const struct npy like = sorting->values.data ? sorting->values : sorting->keys;
    kn_status status;

    sorting->keys.count = n;
    release(&sorting->keys);
    release(&sorting->values);
    interrupt_hold();
    status = open_output(limited, &like, wanted, err);
    if (!status)
        status = sort_runs_merge(limited->runs, buffer, wanted, take, limited, err);
    status = close_output(limited, status, err);
    interrupt_release();
    sorting->tool.seconds.compute += ki_clock_seconds() - start;
    return status;
}

static kn_status sort_pieces(struct limited *limited, const struct sort_division *division, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const struct sort_arguments *arguments = sorting->arguments;
    const size_t n = sorting->keys.count;
    const bool moves = arguments->by_key || arguments->argsort;
    const struct sort_order order = {sorting->keys.type, arguments->descending, moves || arguments->top};
    kn_status status;

    sorting->in_pieces = true;
    status = make_room(limited, division->elements, err);
    if (!status)
        status = sort_runs_create(&order, moves ? npy_element_size(&sorting->values) : 0, arguments->tool.out,
                                  &limited->runs, err);
    for (size_t first = 0; first < n && !status; first += division->elements)
        status =
            add_piece(limited, first, n - first < division->elements ? n - first : division->elements, err);
    return status ? status : merge(limited, n, division->buffer, err);
}

// So many segments from the first one on, with room for their offsets.
static kn_status sort_some_segments(struct limited *limited, size_t first, size_t segments,
                                    struct npy *offsets, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const struct npy all = sorting->offsets;
    const size_t begin = (size_t)offset(sorting, first),
                 count = (size_t)offset(sorting, first + segments) - begin;
    kn_status status = count ? read_piece(limited, begin, count, err) : KN_OK;

    if (status || !count)
        return status;
    offsets->count = segments + 1;
    for (size_t i = 0; i <= segments; i++)
        ((uint64_t *)offsets->data)[i] = offset(sorting, first + i) - begin;
    sorting->offsets = *offsets;
    status = sort_compute(sorting, err);
    sorting->offsets = all;
    sort_free_buffers(sorting);
    if (!status)
        fwrite(sort_result(sorting)->data, npy_element_size(sort_result(sorting)), count,
               ki_output_stream(limited->out));
    return status ? status : interrupt_check(err);
}

static kn_status sort_segments_in_pieces(struct limited *limited, const struct sort_division *division,
                                         kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const size_t n = sorting->keys.count, last = sorting->offsets.count - 1;
    struct npy offsets = {.data = NULL};
    kn_status status = make_room(limited, division->elements, err);

    if (!status)
        status = sort_make_array(&offsets, &sorting->offsets, last + 1, err);
    if (status)
        return status;
    interrupt_hold();
    status = open_output(limited, sort_result(sorting), n, err);
    for (size_t first = 0, segments; first < last && !status; first += segments) {
        segments = segments_from(sorting, first, division->elements);
        status = sort_some_segments(limited, first, segments, &offsets, err);
    }
    status = close_output(limited, status, err);
    interrupt_release();
    sorting->keys.count = n;
    npy_free(&offsets);
    return status;
}

static kn_status sort_at_once(struct limited *limited, kn_error *err)
{
    struct sorting *sorting = limited->sorting;
    const size_t n = sorting->keys.count;
    kn_status status = make_room(limited, n, err);

    if (!status)
        status = read_piece(limited, 0, n, err);
    if (!status)
        status = sort_compute(sorting, err);
    return status ? status : tool_write(&sorting->tool, sort_result(sorting), err);
}

kn_status sort_limited(struct sorting *sorting, kn_error *err)
{
    struct limited limited = {.sorting = sorting};
    struct sort_division division = {.pieces = 1};
    kn_status status = open_input(&limited, err);

    memory_keep_nothing();
    if (!status)
        status = sort_open_place(sorting, err);
    if (!status)
        status = divide(sorting, &division, err);
    sorting->pieces = division.pieces;
    if (!status && sorting->arguments->tool.common.dry_run)
        status = sort_dry_run(sorting, &division, err);
    else if (!status && division.pieces == 1)
        status = sort_at_once(&limited, err);
    else if (!status)
        status = sorting->arguments->segments ? sort_segments_in_pieces(&limited, &division, err)
                                              : sort_pieces(&limited, &division, err);
    sort_runs_free(limited.runs);
    npy_close(&limited.keys);
    npy_close(&limited.values);
    csv_free(&limited.table);
    return status;
}
