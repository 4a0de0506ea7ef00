// SPDX-License-Identifier: Apache-2.0
// A text file as a row of records: a window slides over a file, a pipe or standard input, and no more than
// one record's limit is ever held. Several windows may slide over one file at once, as each reads at an
// offset of its own. (Not mmap: a file that somebody shortens while it is read would end the process with
// SIGBUS, and copying it piece by piece into a cache costs no more than the faults of a mapping.)
#ifndef KN_IO_CSV_CSV_INPUT_H
#define KN_IO_CSV_CSV_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

#include "io/unpack.h"

#define CSV_LINE_LIMIT ((size_t)1 << 20)
#define CSV_PIECE      ((size_t)1 << 18) // bytes read at a time, unless told otherwise
#define CSV_MARGIN     64                // what may be looked at before a window and behind its end

struct csv_input {
    const char *name; // as the user wrote it; "standard input" for "-"
    int fd;
    bool seekable;         // a file that is not packed, not a pipe or standard input
    struct unpack *unpack; // of one that is packed; NULL
    enum packing packing;
    char separator; // of cells, which begin behind it
    bool shared;    // somebody else closes it
    char *window;
    size_t next, end;  // the next record begins at window[next]; then CSV_MARGIN bytes of 0
    size_t quote, nul; // the first '"' and the first NUL byte from `next` on; `end` if there is none
    bool finished;     // nothing is left to read
    uint64_t offset;   // of window[0] in the file
    uint64_t until;    // an offset up to which it will be read surely: beyond it less is read at a time
    size_t piece;
    long line; // of the next record, from 1
};

// One line without its end; more than one line if a quoted cell holds line ends.
struct csv_record {
    const char *text;
    const char *end; // *end is '\n', '\r' or '\0', so that a number read at `text` ends there by itself
    long line;
    bool quoted; // holds a '"'
};

// Reads `piece` bytes at a time, or CSV_PIECE if it is 0. What gzip or zstd packed is unpacked, a UTF-8
// byte-order mark left out, and UTF-16 refused.
kn_status csv_input_open(struct csv_input *in, const char *path, size_t piece, kn_error *err);

// A second window over a file that can be sought in; it keeps no file open itself.
kn_status csv_input_share(struct csv_input *in, const struct csv_input *from, kn_error *err);

// Goes on at `offset` of the file, in line `line`.
void csv_input_seek(struct csv_input *in, uint64_t offset, long line);

// Goes to what follows the next line end, wherever that is, but not farther than `until`: false if there is
// none before it. Lines are not counted.
bool csv_input_skip_line(struct csv_input *in, uint64_t until);

// Reads until `count` bytes from window[next] on are in the window, or all that there are; `count` is no more
// than a record may have.
kn_status csv_input_look(struct csv_input *in, size_t count, kn_error *err);

// Goes behind the next `count` lines, whatever is in them; `found` is how many there were.
kn_status csv_input_skip_lines(struct csv_input *in, size_t count, size_t *found, kn_error *err);

// Where the next record begins, in bytes from the beginning.
static inline uint64_t csv_input_offset(const struct csv_input *in)
{
    return in->offset + in->next;
}

// The file's size now; of one that can be sought in.
uint64_t csv_input_size(const struct csv_input *in);

// The next record, valid until the next call; `found` is false at the end of the file.
kn_status csv_input_next(struct csv_input *in, struct csv_record *record, bool *found, kn_error *err);

// Takes `count` records of one line each, which end before window[next], as read.
void csv_input_took(struct csv_input *in, size_t next, size_t count);

// Also for one that was never opened, if its fd is -1 and its window NULL.
void csv_input_close(struct csv_input *in);

#endif
