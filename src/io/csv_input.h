// SPDX-License-Identifier: Apache-2.0
// A text file as a row of records: a window slides over a file, a pipe or standard input, and no more than
// one record's limit is ever held. (Not mmap: a file that somebody shortens while it is read would end the
// process with SIGBUS.)
#ifndef KN_IO_CSV_INPUT_H
#define KN_IO_CSV_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#define CSV_LINE_LIMIT ((size_t)1 << 20)

struct csv_input {
    const char *name; // as the user wrote it; "standard input" for "-"
    int fd;
    char *window;
    size_t next, end;  // the next record begins at window[next]; window[end] is always '\0'
    size_t quote, nul; // the first '"' and the first NUL byte from `next` on; `end` if there is none
    bool finished;     // nothing is left to read
    long line;         // of the next record, from 1
};

// One line without its end; more than one line if a quoted cell holds line ends.
struct csv_record {
    const char *text;
    const char *end; // *end is '\n', '\r' or '\0', so that a number read at `text` ends there by itself
    long line;
    bool quoted; // holds a '"'
};

kn_status csv_input_open(struct csv_input *in, const char *path, kn_error *err);

// The next record, valid until the next call; `found` is false at the end of the file.
kn_status csv_input_next(struct csv_input *in, struct csv_record *record, bool *found, kn_error *err);

// Also for one that was never opened, if its fd is -1 and its window NULL.
void csv_input_close(struct csv_input *in);

#endif
