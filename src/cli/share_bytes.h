// SPDX-License-Identifier: Apache-2.0
// The result of a shared piece (share.h), as bytes without pointers: values are written one after another and
// read in the same order.
#ifndef KN_CLI_SHARE_BYTES_H
#define KN_CLI_SHARE_BYTES_H

#include <stdbool.h>

#include <koine/distribute.h>

struct share_writer {
    kn_distribute_result *result;
    kn_status status; // of the first failure, after which nothing is written
    kn_error *err;
};
void share_put(struct share_writer *writer, const void *bytes, size_t size);

struct share_reader {
    const char *at;
    bool failed; // memory ran out
};
void share_get(struct share_reader *reader, void *to, size_t size);
// A copy of `count` elements, aligned for any type, which the caller frees; NULL if there are none or on
// failure.
void *share_get_array(struct share_reader *reader, size_t count, size_t size);

#endif
