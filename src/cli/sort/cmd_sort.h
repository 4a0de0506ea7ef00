// SPDX-License-Identifier: Apache-2.0
// koine sort: what was asked for (cmd_sort.c), what is read (sort_input.c), how what is in memory is sorted
// (sort_compute.c), by several devices (sort_share.c), what is done under --memory-limit (sort_limited.c),
// and --dry-run (sort_dry_run.c).
#ifndef KN_CLI_SORT_CMD_SORT_H
#define KN_CLI_SORT_CMD_SORT_H

#include "cli/tool.h"
#include "tools/sort/runs.h"

enum sort_nan { SORT_NAN_LAST, SORT_NAN_ERROR };

struct sort_arguments {
    struct tool_arguments tool;
    const char *by_key, *segments, *less;
    bool descending, argsort;
    size_t top;
    int algorithm; // kn_sort_algorithm
    int nan;       // enum sort_nan
};

struct sorting {
    const struct sort_arguments *arguments;
    struct tool tool;
    struct npy keys, values, offsets; // without data where there are none
    struct npy first;                 // of --top: the elements, their numbers, or the values of those numbers
    kn_buffer *key_buffer, *value_buffer, *offset_buffer, *first_buffer;
    size_t pieces;
    bool in_pieces; // these are a piece's: keys are wanted back with their values, which --argsort's numbers
                    // are
};

// Whether the sort makes the numbers of --argsort, and moves no values.
static inline bool sort_makes_numbers(const struct sorting *sorting)
{
    return sorting->arguments->argsort && !sorting->in_pieces;
}

// All of it.
kn_status sort_read_input(struct sorting *sorting, kn_error *err);
// The elements that are in memory begin with number `first`.
kn_status sort_refuse_nan(const struct sorting *sorting, size_t first, kn_error *err);
kn_status sort_check_top(const struct sorting *sorting, kn_error *err);
kn_status sort_check_values(const struct sorting *sorting, const struct npy *values, kn_error *err);
kn_status sort_read_offsets(struct sorting *sorting, kn_error *err);

// An option that everything is sorted at once for, not in parts by several places; NULL: there is none.
const char *sort_alone(const struct sort_arguments *arguments);

// Where it is sorted, by the types and counts of keys and values.
kn_status sort_open_place(struct sorting *sorting, kn_error *err);
// The work of the cost model.
kn_work sort_work(const struct sorting *sorting);
// From keys, values and offsets to what sort_result has.
kn_status sort_compute(struct sorting *sorting, kn_error *err);
// The same by the places that share it, of which there are some.
kn_status sort_share(struct sorting *sorting, kn_error *err);
const struct npy *sort_result(const struct sorting *sorting);
// The first `count` keys, or their `numbers`, are `first`.
kn_status sort_find_first(struct sorting *sorting, size_t count, bool numbers, kn_error *err);
// The number of an element, as numpy has it: its type.
extern const struct npy sort_number;
// Room for `count` elements like those of `like`; the caller frees it.
kn_status sort_make_array(struct npy *array, const struct npy *like, size_t count, kn_error *err);
// The elements with these numbers; the caller frees them.
kn_status sort_pick(const struct npy *numbers, const struct npy *from, struct npy *picked, kn_error *err);
void sort_free_buffers(struct sorting *sorting);

// All of it under --memory-limit, the result's file too.
kn_status sort_limited(struct sorting *sorting, kn_error *err);
// An element's bytes in the host's memory, and in the device's (sort_memory.c). Returns those of an element
// and its value.
size_t sort_element_bytes(const struct sorting *sorting, size_t *host, size_t *device);

// With --dry-run: reads no more of the input than a sort without --memory-limit has to know; and tells what
// it would do in these pieces.
kn_status sort_read_sizes(struct sorting *sorting, kn_error *err);
kn_status sort_dry_run(const struct sorting *sorting, const struct sort_division *division, kn_error *err);

#endif
