// SPDX-License-Identifier: Apache-2.0
// Numbers that do not fit into memory, in a file of the folder TMPDIR, or /var/tmp, whose disk must have room
// for them. It has no name, so that nothing is left of it whatever ends the process.
#ifndef KN_IO_SPOOL_H
#define KN_IO_SPOOL_H

#include <stddef.h>

#include <koine/error.h>

struct spool;

// Errors: KN_ERROR_OUTPUT (the folder cannot be written into), KN_ERROR_MEMORY.
kn_status spool_open(struct spool **spool, kn_error *err);
void spool_close(struct spool *spool); // NULL is fine

// `count` numbers, from number `position` on. Threads may write at once where they do not overlap. Errors:
// KN_ERROR_OUTPUT (the disk is full, among others), with the folder.
kn_status spool_write(struct spool *spool, size_t position, const double *values, size_t count,
                      kn_error *err);
// What was written, by any number of threads at once. Errors: KN_ERROR_OUTPUT.
kn_status spool_read(const struct spool *spool, size_t position, double *values, size_t count, kn_error *err);

#endif
