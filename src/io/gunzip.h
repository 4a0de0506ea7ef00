// SPDX-License-Identifier: Apache-2.0
// Decompresses gzip data as a stream: with ISA-L if Koine was built with it, else with zlib.
#ifndef KN_IO_GUNZIP_H
#define KN_IO_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

struct gunzip;

struct gunzip_step {
    const unsigned char *from; // `packed` bytes
    char *to;                  // room for `room` bytes
    size_t packed, room;
    size_t taken, written; // in this step
    bool part_ends;        // the next step begins another part
    const char *why;       // what is wrong with the compressed bytes
};

// NULL if memory ran out. The caller closes it.
struct gunzip *gunzip_open(void);

// Decompresses until all input is taken, the room is full, or a part ends. Sets `taken` and the members after
// it. Errors: KN_ERROR_INPUT, with `why`; KN_ERROR_MEMORY. Neither is reported in another way.
kn_status gunzip_some(struct gunzip *gunzip, struct gunzip_step *step);

// NULL is fine.
void gunzip_close(struct gunzip *gunzip);

#endif
