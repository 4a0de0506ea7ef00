// SPDX-License-Identifier: Apache-2.0
// The cache of compiled programs on disk: a file a program, named by its key. What is truncated, altered, of
// another version or unreadable counts as absent and is removed, and so does a file that others could have
// written. Nothing is read from a folder into which others could have put it, and nothing is written there
// (cache_folder.h has the rule). Files appear whole (written under another name, synced, renamed), so any
// number of processes may share a folder.
#ifndef KN_ENGINE_CACHE_CACHE_H
#define KN_ENGINE_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/experimental/cache.h>

#include "base/hash.h"

// A program's key, and the words that are kept beside its binary.
struct cache_key {
    struct ki_hash hash;
    const char *program;
    const char *device;
};

// The binary of `key`: true with *data (the caller frees it) and *bytes, or false. A file that is not what it
// should be is removed, and `why` (not NULL) says what was wrong with it; "" if there was none.
bool ki_cache_read(const char *dir, const struct cache_key *key, void **data, size_t *bytes, char why[128]);
// Also removes what a process that was killed while writing has left an hour ago or earlier.
kn_status ki_cache_write(const char *dir, const struct cache_key *key, const void *data, size_t bytes,
                         kn_error *err);
// Removes the file of a key, for a binary that the driver refuses.
void ki_cache_remove(const char *dir, const struct cache_key *key);

#endif
