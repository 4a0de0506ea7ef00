// SPDX-License-Identifier: Apache-2.0
// The azimuthal average of a correlation, and the characteristic lengths in it.
#ifndef KN_APP_AUTOCORR_RADIAL_H
#define KN_APP_AUTOCORR_RADIAL_H

#include "shared/autocorr.h"
#include "autocorr.h"

enum autocorr_binning {
    AUTOCORR_LINEAR,  // an offset at r = k + f counts 1 - f in ring k and f in ring k + 1
    AUTOCORR_NEAREST, // 1 in the ring nearest to r; like FLOOR it creates false maxima, and is here to
                      // reproduce other results
    AUTOCORR_FLOOR    // 1 in ring floor(r)
};

// In which of them an offset with Y0 >= 0 lies: how many of the directions 15, 30, ... 165 degrees it has
// reached. The half plane's end, X0 < 0 and Y0 = 0, is its beginning. Whole numbers lie on such a direction
// at 45, 90 and 135 degrees alone, and there the cotangents are exact.
static inline size_t autocorr_sector(ptrdiff_t x0, size_t y0)
{
    static const double cotangents[AUTOCORR_SECTORS - 1] = {
        3.7320508075688773,   1.7320508075688773,   1,  0.57735026918962576, 0.26794919243112271, 0,
        -0.26794919243112271, -0.57735026918962576, -1, -1.7320508075688773, -3.7320508075688773};
    size_t sector = 0;

    for (size_t s = 0; s < AUTOCORR_SECTORS - 1; s++)
        sector += y0 > 0 && (double)x0 <= (double)y0 * cotangents[s];
    return sector;
}

// In the order in which cl/app/autocorr/autocorr_radial.cl has them, all of 8 bytes.
struct autocorr_ring {
    double radius;  // the weighted mean of its offsets' distances, in pixels
    double value;   // the weighted mean of the correlation
    double error;   // its standard error, from the spread in the ring
    double weight;  // offsets in it, of the whole plane; with AUTOCORR_LINEAR shares of them
    uint64_t count; // offsets of the half plane that have a share in it
    double sums[AUTOCORR_SECTORS], weights[AUTOCORR_SECTORS]; // of value times weight, and of weight
};

// The form for programs.
static inline kn_autocorr_ring autocorr_public_ring(const struct autocorr_ring *ring)
{
    return (kn_autocorr_ring){ring->radius, ring->value, ring->error, ring->weight, ring->count};
}

// What a ring counted joins what another one did; radius and value, which are sums or means, are the
// caller's.
static inline void autocorr_ring_join(struct autocorr_ring *sum, const struct autocorr_ring *ring)
{
    sum->error += ring->error;
    sum->weight += ring->weight;
    sum->count += ring->count;
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
        sum->sums[s] += ring->sums[s];
        sum->weights[s] += ring->weights[s];
    }
}

// The R + 1 rings of a correlation over the offsets. Offsets farther than R are left out, since their rings
// are not complete; so ring R has the inner half of its own. What is not-a-number is left out. An offset with
// Y0 > 0 stands for two, as half a turn makes another of it. A ring without offsets has its number as radius,
// and the value not-a-number. Reads the array once.
void ki_autocorr_radial(const double *values, size_t max_offset, enum autocorr_binning binning,
                        struct autocorr_ring *rings);

// Its two parts, for averages over other offsets: adds an offset's shares to two rings, which begin as zeros;
// and completes a ring from the sums of its offsets.
void ki_autocorr_ring_add(struct autocorr_ring *rings, size_t max_offset, size_t sector, double r,
                          double value, double weight);
void ki_autocorr_ring_finish(struct autocorr_ring *ring, size_t number);

// A trough is one, and a maximum, when the curve has risen from it or fallen from it by more than
// `prominence` standard errors of a ring (the greater of the two). Where it is, and how high, say a parabola
// through it and its neighbours; its error, the jackknife over the sectors: how far it
// moves when one of them is left out, that is, how much directions disagree. A ring's spread comes mostly
// from structure that its neighbours have, too, and so tells much less of their difference than of their
// level: bumps that binning makes were seen up to 0.11 errors high, the lowest true maximum of a photograph
// 0.38. Hence the default.
#define AUTOCORR_PROMINENCE 0.25

void ki_autocorr_find_lengths(const struct autocorr_ring *rings, size_t max_offset, double prominence,
                              kn_autocorr_lengths *lengths);

#endif
