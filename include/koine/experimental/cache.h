// SPDX-License-Identifier: Apache-2.0
// The cache of compiled programs on disk: where it is, whether it is used, what is in it. Contexts read and
// write it automatically (kn_context_options.cache_dir); these functions are for inspecting and clearing it.
// Unstable (koine/experimental.h).
//
// Each file holds a program and is named by its key. A file that is truncated, modified, from another version
// or unreadable counts as absent. Any number of processes may use a folder at once.
#ifndef KOINE_EXPERIMENTAL_CACHE_H
#define KOINE_EXPERIMENTAL_CACHE_H

#include <koine/device.h>
#include <koine/error.h>
#include <koine/types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The folder that contexts use by default: $KOINE_CACHE_DIR, $XDG_CACHE_HOME/koine or ~/.cache/koine. `path`
// has room for `size` bytes, including the terminating NUL; 4,096 are enough. Errors: KN_ERROR_OUTPUT if none
// of the variables is set, or if the name is longer; KN_ERROR_ARGUMENT.
KN_API kn_status kn_cache_get_default_dir(char *path, size_t size, kn_error *err);

// Whether contexts would use the programs in the folder `dir`: KN_OK also for a folder that does not exist or
// cannot be read, and KN_ERROR_OUTPUT, with the reason, for one that anyone but the current user and root can
// write to.
KN_API kn_status kn_cache_check_trust(const char *dir, kn_error *err);

// Whether contexts of such a device keep compiled programs in a folder: with KOINE_KEEP_PROGRAMS "yes",
// whenever the driver makes them available; with "no", never; and without it, unless the driver has its own
// cache, as PoCL does, which compiles twice as much when it is asked for its binaries. False for NULL.
KN_API bool kn_cache_keeps(const kn_device_info *device);

// Tests whether programs can be written there and would then be used. Creates the folder, and its parents.
// Errors: KN_ERROR_OUTPUT, with the cause; KN_ERROR_ARGUMENT.
KN_API kn_status kn_cache_try(const char *dir, kn_error *err);

// Removes every file of the cache, valid or not, and nothing else in the folder, whether or not the folder is
// trusted. `removed`: how many; may be NULL. A folder that does not exist is empty. Errors: KN_ERROR_INPUT
// for a folder that cannot be read; KN_ERROR_OUTPUT for a file that cannot be removed, after all others are
// gone; KN_ERROR_ARGUMENT.
KN_API kn_status kn_cache_clear(const char *dir, size_t *removed, kn_error *err);

// What is in a folder.
typedef struct kn_cache_list kn_cache_list;

typedef struct kn_cache_entry {
    char file[80]; // its name in the folder
    uint64_t bytes;
    int64_t used;     // when it was last read or written, seconds since 1970
    char program[64]; // the source's name: "algo/reduce.cl"; "" if the entry is not valid, like the next two
    char device[128];
    char version[32]; // Koine's
    bool valid;
    char why[128]; // why it is not valid, "" if it is
} kn_cache_entry;

// Checks the whole of each file, whether or not the folder is trusted, and removes none. A folder that does
// not exist is empty. The caller frees *list. Errors: KN_ERROR_INPUT for a folder that cannot be read;
// KN_ERROR_ARGUMENT; KN_ERROR_MEMORY. Cost: reads all files.
KN_API kn_status kn_cache_list_create(const char *dir, kn_cache_list **list, kn_error *err);
// NULL is fine.
KN_API void kn_cache_list_free(kn_cache_list *list);
KN_API size_t kn_cache_list_get_count(const kn_cache_list *list);
// An entry of the list, which owns it; NULL past the end.
KN_API const kn_cache_entry *kn_cache_list_get_entry(const kn_cache_list *list, size_t index);

#ifdef __cplusplus
}
#endif
#endif
