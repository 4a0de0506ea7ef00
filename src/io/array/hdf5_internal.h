// SPDX-License-Identifier: Apache-2.0
// What the readers of HDF5 files share. Only where HAVE_HDF5.
#ifndef KN_IO_ARRAY_HDF5_INTERNAL_H
#define KN_IO_ARRAY_HDF5_INTERNAL_H

#include <hdf5.h>

#include <koine/error.h>

#include "base/text/text.h"

// Between these two calls libhdf5 does not print its errors; messages contain them.
struct hdf5_hush {
    H5E_auto2_t print;
    void *data;
};
void hdf5_hush(struct hdf5_hush *hush);
void hdf5_unhush(const struct hdf5_hush *hush);

// KN_ERROR_INPUT: `what` cannot be read, with libhdf5's innermost error message.
kn_status hdf5_failed(const char *path, const char *what, kn_error *err);

// Opens a file, of `kind` for messages; `bytes` gets its size.
kn_status hdf5_open_plain(const char *path, const char *kind, hid_t *file, size_t *bytes, kn_error *err);

// The first few names in a group, quoted; "nothing" if it is empty.
void hdf5_list_names(hid_t group, struct ki_text *names);

#endif
