// SPDX-License-Identifier: Apache-2.0
// Whether the cache's folder and files can be trusted: their contents are loaded as programs and run, so only
// the user and root may be able to write there.
//
// A folder is trusted if it and every folder above it belong to the (effective) user or to root, and nobody
// else can write to them. Parent folders may be writable by all if they have the sticky bit, as /tmp has.
// Three details:
// - Group-writable counts as writable by others, unless the group is the user's private group, which has the
//   user's name and no other members.
// - Symbolic links on the way are followed if the user or root created them.
// - The owner of "/" counts as root for parent folders: in a user namespace without root (Apptainer,
//   bubblewrap) it is the uid to which all unmapped users belong. The cache's own folder and files must
//   belong to the user or to root.
// Access control lists are not checked.
#ifndef KN_ENGINE_CACHE_CACHE_FOLDER_H
#define KN_ENGINE_CACHE_CACHE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#include <koine/error.h>

// Opens a folder, from "/" downwards, each step relative to the previous one, so that the folder that was
// checked is the one that is used. *folder is a descriptor for openat and similar calls (O_PATH), -1 if the
// folder does not exist; with `make` it is created with its parents, mode 0700. KN_ERROR_OUTPUT: with a
// native code if it cannot be opened or created, without one if it is not trusted. Cost: a few microseconds
// for each folder on the way.
kn_status ki_cache_folder_open(const char *dir, bool make, int *folder, kn_error *err);

// Why a file that is open, or about to be read, is not trusted; NULL if it is.
const char *ki_cache_file_distrust(const struct stat *info);

#endif
