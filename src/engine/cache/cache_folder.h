// SPDX-License-Identifier: Apache-2.0
// Whether the cache's folder and files can be believed: what is kept there is loaded as a program and run, so
// nobody but the user and root may be able to put anything there.
//
// A folder is trusted if it and every folder above it belong to the (effective) user or to root, and nobody
// else can write them. Folders above may be writable by all if they are sticky, as /tmp is. Three details:
// - Group-writable counts as writable by others, unless the group is the user's private one: it has the
// user's name
//   and no other members.
// - Symbolic links on the way are followed if the user or root made them.
// - Whoever owns "/" counts as root for the folders above: in a user namespace without root (Apptainer,
// bubblewrap)
//   that is the uid of all that is not mapped. The cache's own folder and files have to be the user's or
//   root's.
// Access control lists are not looked at.
#ifndef KN_ENGINE_CACHE_CACHE_FOLDER_H
#define KN_ENGINE_CACHE_CACHE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>

#include <koine/error.h>

// Opens a folder, from "/" downwards and each step relative to the one before, so that what was examined is
// what is used. *folder is a descriptor for openat and its like (O_PATH), -1 if the folder is not there;
// `make` makes it and those above it, mode 0700. KN_ERROR_OUTPUT: with a native code if it cannot be opened
// or made, without one if it is not trusted. Cost: a few microseconds for each folder on the way.
kn_status ki_cache_folder_open(const char *dir, bool make, int *folder, kn_error *err);

// What makes an open file, or one that is about to be read, not trusted; NULL if it is.
const char *ki_cache_file_distrust(const struct stat *info);

#endif
