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

#include <koine/error.h>

#include "base/hash.h"

// What `koine cache list` shows of a file.
struct cache_entry {
    char file[80]; // its name in the folder
    uint64_t bytes;
    int64_t used;     // when it was last read or written, seconds since 1970
    char program[64]; // "algo/reduce.cl"
    char device[128];
    char version[32]; // Koine's
    bool valid;
    char why[128]; // why it is not valid
};

// A program's key, and the words that are kept beside its binary.
struct cache_key {
    struct ki_hash hash;
    const char *program;
    const char *device;
};

// $KOINE_CACHE_DIR, $XDG_CACHE_HOME/koine or ~/.cache/koine. KN_ERROR_OUTPUT if none of them is set.
kn_status ki_cache_default_dir(char *path, size_t size, kn_error *err);

// Whether what is in the folder would be used: KN_OK also for one that is not there or cannot be read, and
// KN_ERROR_OUTPUT with a sentence for one that others can write, or that is another user's. Each of the
// functions below looks by itself, on every call; this one is for saying it once.
kn_status ki_cache_trusted(const char *dir, kn_error *err);

// The binary of `key`: true with *data (the caller frees it) and *bytes, or false. A file that is not what it
// should be is removed, and `why` (not NULL) says what was wrong with it; "" if there was none.
bool ki_cache_read(const char *dir, const struct cache_key *key, void **data, size_t *bytes, char why[128]);
// Whether it can be written and what is in it would be used; makes the folder. KN_ERROR_OUTPUT.
kn_status ki_cache_try(const char *dir, kn_error *err);
// Also removes what a process that was killed while writing has left an hour ago or earlier.
kn_status ki_cache_write(const char *dir, const struct cache_key *key, const void *data, size_t bytes,
                         kn_error *err);
// Removes the file of a key, for a binary that the driver refuses.
void ki_cache_remove(const char *dir, const struct cache_key *key);

// The files in the folder, each examined whole, whether or not the folder is trusted; the caller frees *list.
// A folder that does not exist is empty.
kn_status ki_cache_list(const char *dir, struct cache_entry **list, size_t *count, kn_error *err);
// Removes every cache file, whole or not, and nothing else in the folder, whether or not that is trusted.
// What cannot be removed is an error, after all others are gone.
kn_status ki_cache_clear(const char *dir, size_t *removed, kn_error *err);

#endif
