// SPDX-License-Identifier: Apache-2.0
// What gzip packed, unpacked as a stream: by ISA-L where Koine was built with it, else by zlib.
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
    size_t taken, written; // of them, in this step
    bool part_ends;        // the next step begins another part
    const char *why;       // what is wrong with the packed bytes
};

// NULL if there is no memory. The caller closes it.
struct gunzip *gunzip_open(void);

// Unpacks until all is taken, the room is full, or a part ends. Sets `taken` and what follows it. Errors:
// KN_ERROR_INPUT, with `why`; KN_ERROR_MEMORY. Neither is reported further.
kn_status gunzip_some(struct gunzip *gunzip, struct gunzip_step *step);

// NULL is fine.
void gunzip_close(struct gunzip *gunzip);

#endif
