// SPDX-License-Identifier: Apache-2.0
// The data of Parboil's benchmark mri-q: a .bin with two 32-bit counts, K samples and N voxels, followed by
// eight arrays of floats; a .out with Q. All are little-endian.
#ifndef KN_IO_ARRAY_PARBOIL_H
#define KN_IO_ARRAY_PARBOIL_H

#include "npy.h"

// The order of the arrays. Parboil's own program reads them in another order than they were written, and its
// published results are those of its reading.
enum parboil_order {
    PARBOIL_PUBLISHED, // kx, ky, kz (K each), x, y, z (N each), phi's real and imaginary part (K each)
    PARBOIL_TRUE // kx, ky, kz, phi's two parts (K each), x, y, z (N each): voxels on a grid, phi a box's
                 // transform
};

struct parboil {
    size_t samples, voxels;
    const float *k[3];   // `samples` each, in cycles per the unit of r
    const float *phi[2]; // `samples` each: the voxel basis' transform, real and imaginary part
    const float *r[3];   // `voxels` each
    void *numbers;       // all of them
};

// Reads a .bin. KN_ERROR_INPUT, with the file, what was found and what was expected, if it is missing, has
// counts below 1, or is shorter or longer than they say, which is checked before memory is allocated;
// KN_ERROR_MEMORY. On failure `data` is empty.
kn_status parboil_read(const char *path, enum parboil_order order, struct parboil *data, kn_error *err);

void parboil_free(struct parboil *data);

// Reads a .out, a 32-bit count N, the real parts and the imaginary parts of Q, as complex64 of shape (N).
// Errors as above.
kn_status parboil_read_result(const char *path, struct npy *q, kn_error *err);

#endif
