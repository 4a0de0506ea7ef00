// SPDX-License-Identifier: Apache-2.0
// Reads many parts of a CSV file at once, with the same result as reading it from the beginning.
//
// A thread takes the next chunk of the file, guesses that the first newline in it ends a row, and reads the
// rows that begin in the chunk into its own columns. Then, in the file's order, these columns get their
// position after the existing rows if the guess was right, that is, if they begin where the rows before them
// end. If it was wrong (a newline within quotes), or if anything in the chunk could not be decided there (all
// errors; text in a column without a number so far), the chunk's rows are read again, from where they really
// begin and with knowledge of everything before. So errors are those of reading in order, and a wrong guess
// only costs time.
#include "csv_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"

// The text of a chunk, and its columns, should stay in a processor's cache.
#define CHUNK ((size_t)1 << 20)

// What belongs to one thread.
struct chunk {
    struct csv_reader rows; // a separate reader: input and columns
    uint64_t first,
        until; // rows that begin from here on (a guess except in the file's first chunk) and before `until`
    uint64_t next; // where the first row after them begins
    kn_status status;
    bool taken; // its columns have been given their position
};

// What all threads share: `reader` with what was read before, and the position reached.
struct chunks {
    struct csv_reader *reader;
    struct chunk *items; // one for each thread
    size_t count, bytes; // of the file's chunks
    uint64_t begin;
    size_t begun, ended; // how many chunks
    uint64_t at;         // where the next row begins
    long line;           // of it
    kn_status status;
    pthread_mutex_t state;    // for everything above
    pthread_cond_t turn;      // another chunk has ended
    pthread_rwlock_t columns; // shared: values are written where no other thread writes; exclusive: they move
};

// ---- one chunk ----

static void free_reader(struct chunk *chunk)
{
    if (!chunk->rows.columns)
        return;
    for (size_t i = 0; i < chunk->rows.column_count; i++)
        free(chunk->rows.columns[i].out.values);
    free(chunk->rows.columns);
    chunk->rows.columns = NULL;
    csv_input_close(&chunk->rows.input);
}

static kn_status make_reader(const struct csv_reader *reader, struct chunk *chunk)
{
    kn_status status;

    chunk->rows = *reader;
    chunk->rows.err = NULL;
    chunk->rows.guessing = true;
    chunk->rows.named = false; // its columns have no names
    chunk->rows.capacity = chunk->rows.rows_before = 0;
    chunk->rows.spills = false;
    chunk->rows.input = (struct csv_input){.fd = -1};
    chunk->rows.columns = calloc(reader->column_count, sizeof *chunk->rows.columns);
    if (!chunk->rows.columns)
        return KN_ERROR_MEMORY;
    if ((status = csv_input_share(&chunk->rows.input, &reader->input, NULL)))
        free_reader(chunk);
    return status;
}

// What a chunk must know: which columns are currently wanted, and which are known to hold numbers.
static void prepare(const struct csv_reader *reader, struct chunk *chunk)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_reader_column *column = &chunk->rows.columns[i];

        *column = (struct csv_reader_column){.out = {.values = column->out.values},
                                             .wanted = reader->columns[i].wanted,
                                             .asked = reader->columns[i].asked,
                                             .unnamed = reader->columns[i].unnamed,
                                             .clock = reader->columns[i].clock,
                                             .split = reader->columns[i].split,
                                             .numeric = csv_has_number(reader, i)};
    }
    chunk->rows.wanted_count = reader->wanted_count;
    chunk->rows.rows = chunk->rows.empty_lines = 0;
}

static void read_chunk(struct chunk *chunk, bool is_first)
{
    struct csv_input *in = &chunk->rows.input;

    in->until = chunk->until;
    csv_input_seek(in, chunk->first - !is_first, 1);
    if (!is_first && !csv_input_skip_line(in, chunk->until)) {
        chunk->status = KN_ERROR_INPUT;
        return;
    }
    chunk->first = csv_input_offset(in);
    chunk->status = csv_read_rows(&chunk->rows, chunk->until);
    chunk->next = csv_input_offset(in);
}

static kn_status copy_chunk(const struct csv_reader *reader, const struct chunk *chunk, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < reader->column_count && !status; i++) {
        const struct csv_reader_column *from = &chunk->rows.columns[i];

        if (!reader->columns[i].wanted || !from->out.count)
            continue;
        if (reader->spills)
            status = csv_spill_values(reader, i, from->position, from->out.values, from->out.count, err);
        else
            memcpy(reader->columns[i].out.values + from->position, from->out.values,
                   from->out.count * sizeof *from->out.values);
    }
    return status;
}

// ---- the chunks in order ----

// Gives a chunk's columns their position after the existing rows, in memory with room for them.
static void add_part(struct csv_reader *reader, struct csv_reader *rows)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_column *out = &reader->columns[i].out;

        rows->columns[i].position = out->count;
        out->count += rows->columns[i].out.count;
        out->missing += rows->columns[i].out.missing;
    }
    reader->rows += rows->rows;
}

// Makes room for a chunk's rows after the existing ones, and counts them.
static kn_status take_chunk(struct chunks *chunks, struct chunk *chunk)
{
    struct csv_reader *reader = chunks->reader, *rows = &chunk->rows;
    kn_status status = KN_OK;

    if (!reader->spills && reader->rows + rows->rows > reader->capacity) {
        pthread_rwlock_wrlock(&chunks->columns);
        status = csv_reserve(reader, reader->rows + rows->rows, chunk->next);
        pthread_rwlock_unlock(&chunks->columns);
    }
    if (!status && reader->spills)
        status = csv_spill_part(reader, rows);
    else if (!status)
        add_part(reader, rows);
    if (status)
        return status;
    reader->empty_lines = rows->empty_lines + (rows->rows ? 0 : reader->empty_lines);
    chunk->taken = true;
    chunks->at = chunk->next;
    chunks->line += rows->input.line - 1;
    return KN_OK;
}

static kn_status read_again(struct chunks *chunks, const struct chunk *chunk)
{
    struct csv_reader *reader = chunks->reader;
    kn_status status;

    csv_input_seek(&reader->input, chunks->at, chunks->line);
    reader->input.until = chunk->until;
    pthread_rwlock_wrlock(&chunks->columns);
    status = csv_read_rows(reader, chunk->until);
    pthread_rwlock_unlock(&chunks->columns);
    chunks->at = csv_input_offset(&reader->input);
    chunks->line = reader->input.line;
    return status;
}

// Takes the next chunk, number `i`; false if there is none, or if there is nothing more to do.
static bool begin_chunk(struct chunks *chunks, struct chunk *chunk, size_t *i)
{
    bool goes_on;

    pthread_mutex_lock(&chunks->state);
    *i = chunks->begun;
    goes_on = !chunks->status && *i < chunks->count;
    if (goes_on) {
        chunks->begun++;
        chunk->taken = false;
        chunk->first = chunks->begin + *i * chunks->bytes;
        chunk->until = *i + 1 < chunks->count ? chunk->first + chunks->bytes : UINT64_MAX;
        chunk->status = chunk->rows.columns ? KN_OK : make_reader(chunks->reader, chunk);
        if (!chunk->status)
            prepare(chunks->reader, chunk);
    }
    pthread_mutex_unlock(&chunks->state);
    return goes_on;
}

// Waits for the chunks before chunk `i`, and gives its rows their position.
static void end_chunk(struct chunks *chunks, struct chunk *chunk, size_t i)
{
    bool fits;

    pthread_mutex_lock(&chunks->state);
    while (chunks->ended < i)
        pthread_cond_wait(&chunks->turn, &chunks->state);
    // Empty lines before rows are missing cells or an error.
    fits = !chunk->status && chunk->first == chunks->at && !(chunks->reader->empty_lines && chunk->rows.rows);
    if (!chunks->status)
        chunks->status = fits ? take_chunk(chunks, chunk) : read_again(chunks, chunk);
    chunks->ended++;
    pthread_cond_broadcast(&chunks->turn);
    pthread_mutex_unlock(&chunks->state);
}

// For a copy of a chunk: something earlier in the file failed before.
static void fail(struct chunks *chunks, kn_status status, const kn_error *err)
{
    pthread_mutex_lock(&chunks->state);
    if (!chunks->status && chunks->reader->err)
        *chunks->reader->err = *err;
    chunks->status = chunks->status ? chunks->status : status;
    pthread_mutex_unlock(&chunks->state);
}

// The work of thread t, as long as there are chunks.
static void work(void *context, size_t t)
{
    struct chunks *chunks = context;
    struct chunk *chunk = &chunks->items[t];
    size_t i;

    while (begin_chunk(chunks, chunk, &i)) {
        if (!chunk->status)
            read_chunk(chunk, i == 0);
        end_chunk(chunks, chunk, i);
        if (chunk->taken) {
            kn_error err = KN_ERROR_INIT;
            kn_status status;

            pthread_rwlock_rdlock(&chunks->columns);
            status = copy_chunk(chunks->reader, chunk, &err);
            pthread_rwlock_unlock(&chunks->columns);
            if (status)
                fail(chunks, status, &err);
        }
    }
}

kn_status csv_read_chunks(struct csv_reader *reader, unsigned threads)
{
    struct chunks chunks = {.reader = reader,
                            .bytes = reader->options.chunk ? reader->options.chunk : CHUNK,
                            .begin = csv_input_offset(&reader->input),
                            .at = csv_input_offset(&reader->input),
                            .line = reader->input.line,
                            .state = PTHREAD_MUTEX_INITIALIZER,
                            .turn = PTHREAD_COND_INITIALIZER,
                            .columns = PTHREAD_RWLOCK_INITIALIZER};

    // The last one reads to the file's end, wherever that is by then.
    chunks.count = (size_t)((csv_input_size(&reader->input) - chunks.begin) / chunks.bytes) + 1;
    chunks.items = calloc(threads, sizeof *chunks.items);
    if (!chunks.items)
        return ki_fail_memory(reader->err, threads * sizeof *chunks.items, "reading a CSV file");
    ki_parallel(threads, threads, KI_STATIC, work, &chunks);
    for (unsigned i = 0; i < threads; i++)
        free_reader(&chunks.items[i]);
    free(chunks.items);
    return chunks.status;
}
