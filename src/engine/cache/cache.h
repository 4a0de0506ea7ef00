// SPDX-License-Identifier: Apache-2.0
// The cache of compiled programs on disk: one file per program, named by its key. Files that are truncated,
// altered, of another version or unreadable count as absent and are removed, and so are files that other
// users could have written. Folders that other users could write to are neither read nor written
// (cache_folder.h has the rule). Files appear complete (written under another name, synced, renamed), so any
// number of processes may share a folder.
#ifndef KN_ENGINE_CACHE_CACHE_H
#define KN_ENGINE_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/experimental/cache.h>

#include "base/hash.h"

// A program's key, and the descriptions that are kept beside its binary.
struct cache_key {
    struct ki_hash hash;
    const char *program;
    const char *device;
};

// Gets the binary of `key`: true with *data (the caller frees it) and *bytes, or false. An invalid file is
// removed, and `why` (not NULL) says what was wrong with it; "" if there was no file.
bool ki_cache_read(const char *dir, const struct cache_key *key, void **data, size_t *bytes, char why[128]);
// Also removes temporary files that killed processes left an hour ago or earlier.
kn_status ki_cache_write(const char *dir, const struct cache_key *key, const void *data, size_t bytes,
                         kn_error *err);
// Removes the file of a key, because the driver refused the binary.
void ki_cache_remove(const char *dir, const struct cache_key *key);

#endif
