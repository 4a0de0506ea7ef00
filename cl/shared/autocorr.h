// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels of autocorrelations (cl/app/autocorr) and their hosts.
#ifndef KN_SHARED_AUTOCORR_H
#define KN_SHARED_AUTOCORR_H

// Sectors of the half plane, 15 degrees each, and the numbers kept for a ring: five, and two for each sector.
#define AUTOCORR_SECTORS 12
#define AUTOCORR_RING_NUMBERS (5 + 2 * AUTOCORR_SECTORS)

// Columns of a group of autocorr_prefixes.
#define AUTOCORR_PREFIX_COLUMNS 16

// The primes of number-theoretic transforms: 15 * 2^27 + 1 and 63 * 2^25 + 1.
#define NTT_PRIME_0 2013265921u
#define NTT_PRIME_1 2113929217u

#endif
