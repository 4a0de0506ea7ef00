// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "batch_internal.h"

// The most nonzeros of an entry, because each work-item of a group has one entry and all wait for the
// longest; and the number of nonzeros that are read together without a check in between.
enum { LONGEST = 64, TOGETHER = 4 };

struct keyed {
    uint64_t key;
    uint32_t number;
};

// Sorts by the key, then by the number.
static int ascending(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->number > y->number) - (x->number < y->number);
}

// Sorts entries, the longest first.
static int longest_first(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    uint32_t own = x[1] - x[0], other = y[1] - y[0];

    return own != other ? (own < other) - (own > other) : (x[0] > y[0]) - (x[0] < y[0]);
}

// The workspace for making tiles.
struct making {
    const struct sparse_matrix *matrix;
    struct batch_tiles *tiles;
    struct keyed *rows;
    uint32_t *counts, *touched; // per column: its nonzeros in a tile, later the position of the next one; and
                                // the columns that a tile has
};

static uint32_t fours_of(uint64_t count)
{
    return (uint32_t)((count + TOGETHER - 1) / TOGETHER);
}

// Repeats the last of `count` nonzeros from `from` on, with a value of 0, until the group of four is full.
static void fill_up(uint32_t *nonzeros, uint64_t from, uint64_t count)
{
    for (uint64_t i = from + count; (i - from) % TOGETHER; i++) {
        nonzeros[2 * i] = nonzeros[2 * i - 2];
        nonzeros[2 * i + 1] = 0;
    }
}

static uint64_t length_of(const struct sparse_matrix *a, uint32_t row)
{
    return a->starts[row + 1] - a->starts[row];
}

// Sorts the rows with nonzeros by their first and last column; within a tile, the longest first.
static void order_rows(struct making *m, uint32_t most)
{
    const struct sparse_matrix *a = m->matrix;
    uint32_t count = 0;

    for (uint32_t row = 0; row < a->rows; row++)
        if (length_of(a, row)) {
            uint64_t first = a->indices[a->starts[row]], last = a->indices[a->starts[row + 1] - 1];
            m->rows[count++] = (struct keyed){first << 32 | last, row};
        }
    qsort(m->rows, count, sizeof *m->rows, ascending);
    for (uint32_t from = 0; from < count; from += most) {
        uint32_t some = count - from < most ? count - from : most;
        for (uint32_t i = from; i < from + some; i++)
            m->rows[i].key = UINT64_MAX - length_of(a, m->rows[i].number);
        qsort(m->rows + from, some, sizeof *m->rows, ascending);
    }
    m->tiles->rows = count;
    m->tiles->tiles = count / most + (count % most > 0);
}

// Adds entries for the columns that a tile touches; all entries of a column but its last are full. Then sets
// each column's count to the position of its first nonzero.
static void add_entries(struct making *m, uint32_t columns)
{
    struct batch_tiles *t = m->tiles;
    uint32_t *begin = t->entries + 4 * (size_t)t->lines, *entry = begin;

    for (uint32_t i = 0; i < columns; i++) {
        uint32_t column = m->touched[i], count = m->counts[column];
        for (uint32_t from = 0; from < count; from += LONGEST, entry += 4) {
            entry[0] = t->returned + from / TOGETHER;
            entry[1] = t->returned + fours_of(count - from < LONGEST ? count : from + LONGEST);
            entry[2] = column;
        }
        m->counts[column] = t->returned * TOGETHER;
        t->returned += fours_of(count);
    }
    t->lines += (uint32_t)((entry - begin) / 4);
    qsort(begin, (size_t)(entry - begin) / 4, 4 * sizeof *entry, longest_first);
}

static void add_tile(struct making *m, uint32_t first, uint32_t rows)
{
    const struct sparse_matrix *a = m->matrix;
    struct batch_tiles *t = m->tiles;
    uint32_t columns = 0;

    for (uint32_t r = first; r < first + rows; r++) {
        uint64_t from = a->starts[m->rows[r].number], length = length_of(a, m->rows[r].number);
        uint64_t to = (uint64_t)t->placed * TOGETHER;
        for (uint64_t i = 0; i < length; i++) {
            uint32_t column = a->indices[from + i];
            t->nonzeros[2 * (to + i)] = column;
            t->nonzeros[2 * (to + i) + 1] = ki_float_bits(a->values[from + i]);
            if (m->counts[column]++ == 0)
                m->touched[columns++] = column;
        }
        fill_up(t->nonzeros, to, length);
        t->placed += fours_of(length);
        t->starts[r + 1] = t->placed;
    }
    add_entries(m, columns);
    for (uint32_t r = first; r < first + rows; r++) {
        uint64_t to = (uint64_t)t->starts[r] * TOGETHER, length = length_of(a, m->rows[r].number);
        for (uint64_t i = to; i < to + length; i++) {
            uint64_t at = m->counts[t->nonzeros[2 * i]]++;
            t->back[2 * at] = r - first;
            t->back[2 * at + 1] = t->nonzeros[2 * i + 1];
        }
    }
    for (uint32_t i = 0; i < columns; i++) {
        uint64_t end = m->counts[m->touched[i]];
        fill_up(t->back, end / TOGETHER * TOGETHER, end % TOGETHER);
        m->counts[m->touched[i]] = 0;
    }
}

// Numbers the lines so that those of a column are contiguous, in the order of tiles.
static void place_lines(struct batch_tiles *t, uint32_t columns)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < t->lines; i++)
        t->columns[t->entries[4 * (size_t)i + 2]]++;
    for (uint32_t j = 0; j <= columns; j++) {
        uint32_t count = t->columns[j];
        t->columns[j] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < t->lines; i++)
        t->entries[4 * (size_t)i + 2] = t->columns[t->entries[4 * (size_t)i + 2]]++;
    memmove(t->columns + 1, t->columns, columns * sizeof *t->columns);
    t->columns[0] = 0;
}

kn_status ki_batch_tiles_make(const struct sparse_matrix *matrix, uint32_t most, struct batch_tiles *tiles,
                              kn_error *err)
{
    const size_t rows = matrix->rows, columns = matrix->columns, nonzeros = matrix->nonzeros;
    struct making m = {.matrix = matrix,
                       .tiles = tiles,
                       .rows = malloc(rows * sizeof *m.rows + 1),
                       .counts = calloc(columns + 1, sizeof *m.counts),
                       .touched = malloc(columns * sizeof *m.touched + 1)};
    kn_status status = KN_OK;

    *tiles = (struct batch_tiles){.starts = calloc(rows + 1, sizeof *tiles->starts),
                                  .nonzeros = malloc(2 * TOGETHER * nonzeros * sizeof *tiles->nonzeros + 1),
                                  .firsts = calloc(rows / most + 2, sizeof *tiles->firsts),
                                  .entries = calloc(4 * nonzeros + 1, sizeof *tiles->entries),
                                  .back = malloc(2 * TOGETHER * nonzeros * sizeof *tiles->back + 1),
                                  .columns = calloc(columns + 1, sizeof *tiles->columns)};
    if (m.rows && m.counts && m.touched && tiles->starts && tiles->nonzeros && tiles->firsts &&
        tiles->entries && tiles->back && tiles->columns) {
        order_rows(&m, most);
        for (uint32_t i = 0, first = 0; i < tiles->tiles; i++, first += most) {
            add_tile(&m, first, tiles->rows - first < most ? tiles->rows - first : most);
            tiles->firsts[i + 1] = tiles->lines;
        }
        place_lines(tiles, (uint32_t)columns);
    } else {
        ki_batch_tiles_free(tiles);
        status = ki_fail_memory(err, (16 * TOGETHER + 16) * nonzeros, "tiles of a sparse matrix");
    }
    free(m.rows);
    free(m.counts);
    free(m.touched);
    return status;
}

kn_status ki_batch_tiles_upload(kn_queue *queue, const struct batch_tiles *tiles, uint32_t columns,
                                kn_buffer **buffers, kn_error *err)
{
    const struct {
        const uint32_t *items;
        size_t count;
    } arrays[BATCH_TILE_BUFFERS] = {
        [BATCH_TILE_STARTS] = {tiles->starts, tiles->rows + (size_t)1},
        [BATCH_TILE_NONZEROS] = {tiles->nonzeros, 2 * TOGETHER * (size_t)tiles->placed},
        [BATCH_TILE_FIRSTS] = {tiles->firsts, tiles->tiles + (size_t)1},
        [BATCH_TILE_ENTRIES] = {tiles->entries, 4 * (size_t)tiles->lines},
        [BATCH_TILE_BACK] = {tiles->back, 2 * TOGETHER * (size_t)tiles->returned},
        [BATCH_TILE_COLUMNS] = {tiles->columns, columns + (size_t)1}};
    kn_status status = KN_OK;

    for (unsigned i = 0; i < BATCH_TILE_BUFFERS && !status; i++) {
        size_t bytes = arrays[i].count * sizeof *arrays[i].items;
        status = kn_buffer_create(kn_queue_get_context(queue), bytes, &buffers[i], err);
        if (!status && bytes)
            status = kn_buffer_write(queue, buffers[i], 0, arrays[i].items, bytes, err);
    }
    return status;
}

void ki_batch_tiles_free(struct batch_tiles *tiles)
{
    free(tiles->starts);
    free(tiles->nonzeros);
    free(tiles->firsts);
    free(tiles->entries);
    free(tiles->back);
    free(tiles->columns);
    *tiles = (struct batch_tiles){.rows = 0};
}
