// SPDX-License-Identifier: Apache-2.0
// Which place ends first, where nobody names one: the host's own code, or the best GPU with what it needs
// before it computes: its driver's start, programs that are not compiled yet, and copies.
#ifndef KN_CLI_ESTIMATE_H
#define KN_CLI_ESTIMATE_H

#include <jansson.h>

#include "cli/choose.h"
#include "io/array/npy.h"

// What a command is about to compute. Times are those of a processor core and of a GPU as they were measured
// (the rates below); a choice needs no more than a factor of two or three, except near where both are even.
struct estimate {
    double host;         // seconds of the host's code on one core
    bool scales;         // more cores divide them, which memory does not limit
    double device;       // seconds of kernels on a GPU of 132 compute units
    double bytes;        // copied to the device and back
    const char *program; // one that the kernels need, "algo/sort/sort_radix.cl": if the cache does not have
                         // it for the device, it has none of them
    unsigned programs;   // how many they need
};

// Measured on an EPYC of 2 cores and on an H100 of 132 compute units; seconds.
#define ESTIMATE_SORT_HOST      1.05e-9 // a byte of keys and values
#define ESTIMATE_SORT_DEVICE    1e-11   // likewise
#define ESTIMATE_STATS_HOST     2.5e-9  // a number
#define ESTIMATE_STATS_DEVICE   2e-11   // likewise
#define ESTIMATE_SELECT_HOST    1.5e-9  // a byte
#define ESTIMATE_REDUCE_HOST    2.5e-10 // a byte
#define ESTIMATE_REDUCE_DEVICE  1e-12   // a byte, of a select too
#define ESTIMATE_PIXEL_HOST     7e-9    // of a frame, with decoding it
#define ESTIMATE_PIXEL_DEVICE   3e-11   // likewise, without decoding
#define ESTIMATE_PAIR_HOST      3.7e-10 // a sample and a voxel
#define ESTIMATE_PAIR_DEVICE    1e-12   // likewise
#define ESTIMATE_FFT_HOST       1.2e-9  // a point and a bit of their number, floats, decoding aside
#define ESTIMATE_FFT_DEVICE     5e-13   // likewise
#define ESTIMATE_NONZERO_HOST   1.5e-9  // of a product with a sparse matrix
#define ESTIMATE_NONZERO_DEVICE 1e-11   // likewise

// Of one pass over an array by one program; rates are seconds a byte.
struct estimate estimate_of_array(const struct npy *array, double host, double device, const char *program);

// Opens the place of `places`: the named one as place_open_with does; where none was named, what ends first,
// which place->why says in words. `estimate` NULL, and KN_POLICY_FAST: the best device, or the host where
// there is none.
kn_status estimate_open(const struct places *places, const struct estimate *estimate, int policy,
                        const char *command, struct place *place, kn_error *err);

// Prints "AMD EPYC (host)", with the reason where there is one: "AMD EPYC (host: about 0.004 s, less ...)".
void estimate_print_place(const struct place *place);
// The reason as device.why of a JSON result, where there is one.
void estimate_report(json_t **root, const struct place *place);

#endif
