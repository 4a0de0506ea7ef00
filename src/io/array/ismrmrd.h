// SPDX-License-Identifier: Apache-2.0
// Raw MRI data in ISMRMRD's format (ismrmrd.org): an HDF5 file with a group that contains a table of
// acquisitions, each with a head, a trajectory and the samples of all coils. Members are found by their
// names, wherever writers put them. Needs libhdf5; a build without it refuses these files by name.
#ifndef KN_IO_ARRAY_ISMRMRD_H
#define KN_IO_ARRAY_ISMRMRD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

// The counters in the head's `idx`.
enum ismrmrd_index {
    ISMRMRD_STEP_1, // kspace_encode_step_1: the line in its plane
    ISMRMRD_STEP_2, // kspace_encode_step_2: the plane
    ISMRMRD_AVERAGE,
    ISMRMRD_SLICE,
    ISMRMRD_CONTRAST,
    ISMRMRD_PHASE,
    ISMRMRD_REPETITION,
    ISMRMRD_SET,
    ISMRMRD_SEGMENT,
    ISMRMRD_INDICES
};

struct ismrmrd_acquisition {
    uint64_t flags; // the format's flag n is bit n - 1
    size_t samples, coils;
    size_t axes;           // of the trajectory; 0 if it has none
    size_t centre;         // the sample at k = 0, according to the writer
    double sample_time_us; // between two samples, in microseconds
    unsigned index[ISMRMRD_INDICES];
    float *trajectory; // samples x axes numbers, the axes of a sample together; the writer chooses their unit
    float *data;       // coils x samples complex numbers, a coil's samples together
};

struct ismrmrd {
    char *xml; // the header, "" if there is none
    struct ismrmrd_acquisition *acquisitions;
    size_t count;
};

// Whether it is a measurement of noise, not part of the image (ACQ_IS_NOISE_MEASUREMENT, flag 19).
bool ismrmrd_is_noise(const struct ismrmrd_acquisition *acquisition);

// Reads a file. `group` contains the data; NULL stands for the format's own "dataset". Only one thread at a
// time may call it, as libhdf5 requires. Memory: the samples once, and those of 256 acquisitions twice.
// Errors, with the file, what was found and what was expected: KN_ERROR_INPUT for a file that is missing, not
// HDF5, without the group or with a different table, damaged, or with heads that contradict the data;
// KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5. On failure `scan` is empty.
kn_status ismrmrd_read(const char *path, const char *group, struct ismrmrd *scan, kn_error *err);

void ismrmrd_free(struct ismrmrd *scan);

#endif
