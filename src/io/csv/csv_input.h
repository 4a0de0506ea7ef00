// SPDX-License-Identifier: Apache-2.0
// A text file as a sequence of records: a window slides over a file, a pipe or standard input, and never
// holds more than the limit of one record. Several windows may slide over one file at the same time, because
// each reads at its own offset. (Not mmap: if another program truncates the file meanwhile, the process would
// end with SIGBUS, and copying it piece by piece into a cache costs no more than the faults of a mapping.)
#ifndef KN_IO_CSV_CSV_INPUT_H
#define KN_IO_CSV_CSV_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

#include "io/unpack.h"

#define CSV_LINE_LIMIT ((size_t)1 << 20)
#define CSV_PIECE      ((size_t)1 << 18) // bytes read at a time, by default
#define CSV_MARGIN     64                // bytes that may be read before a window and after its end

struct csv_input {
    const char *name; // as the user wrote it; "standard input" for "-"
    int fd;
    bool seekable;         // a file, not compressed, not a pipe or standard input
    struct unpack *unpack; // for a compressed file; else NULL
    enum packing packing;
    char separator; // of cells, which begin after it
    bool shared;    // something else closes it
    char *window;
    size_t next, end;  // the next record begins at window[next]; CSV_MARGIN bytes of 0 follow the end
    size_t quote, nul; // the first '"' and the first NUL byte from `next` on; `end` if there is none
    bool finished;     // there is nothing left to read
    uint64_t offset;   // of window[0] in the file
    uint64_t until;    // an offset up to which everything will be read: beyond it less is read at a time
    size_t piece;
    long line; // of the next record, from 1
};

// One line without its newline; more than one line if a quoted cell contains newlines.
struct csv_record {
    const char *text;
    const char *end; // *end is '\n', '\r' or '\0', so that a number read at `text` ends there by itself
    long line;
    bool quoted; // contains a '"'
};

// Reads `piece` bytes at a time, or CSV_PIECE if it is 0. Data compressed by gzip or zstd are decompressed, a
// UTF-8 byte-order mark is skipped, and UTF-16 is refused.
kn_status csv_input_open(struct csv_input *in, const char *path, size_t piece, kn_error *err);

// A second window over a seekable file; it does not keep a file open itself.
kn_status csv_input_share(struct csv_input *in, const struct csv_input *from, kn_error *err);

// Continues at `offset` of the file, in line `line`.
void csv_input_seek(struct csv_input *in, uint64_t offset, long line);

// Moves past the next newline, wherever that is, but not farther than `until`: false if there is none before
// it. Lines are not counted.
bool csv_input_skip_line(struct csv_input *in, uint64_t until);

// Reads until `count` bytes from window[next] on are in the window, or all that there are; `count` is at most
// the limit of a record.
kn_status csv_input_look(struct csv_input *in, size_t count, kn_error *err);

// Skips the next `count` lines, whatever they contain; `found` is how many there were.
kn_status csv_input_skip_lines(struct csv_input *in, size_t count, size_t *found, kn_error *err);

// Where the next record begins, in bytes from the beginning.
static inline uint64_t csv_input_offset(const struct csv_input *in)
{
    return in->offset + in->next;
}

// The file's current size, if it is seekable.
uint64_t csv_input_size(const struct csv_input *in);

// The next record, valid until the next call; `found` is false at the end of the file.
kn_status csv_input_next(struct csv_input *in, struct csv_record *record, bool *found, kn_error *err);

// Marks `count` records of one line each, which end before window[next], as read.
void csv_input_took(struct csv_input *in, size_t next, size_t count);

// Also for an input that was never opened, if its fd is -1 and its window NULL.
void csv_input_close(struct csv_input *in);

#endif
