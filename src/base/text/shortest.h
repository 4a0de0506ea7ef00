// SPDX-License-Identifier: Apache-2.0
// The shortest decimal text of a number: of all texts with the fewest digits that read back as the same
// number, the nearest to it.
// Source: R. Giulietti, The Schubfach way to render doubles, 2020.
#ifndef KN_BASE_TEXT_SHORTEST_H
#define KN_BASE_TEXT_SHORTEST_H

#include <stddef.h>
#include <stdint.h>

// 10^exponent times `digits`, which has at most 17 digits and does not end in 0 unless it is 0.
struct ki_decimal {
    uint64_t digits;
    int exponent;
};

// For a positive finite number, or 0. The first call is slower, because it computes a table of powers of ten.
struct ki_decimal ki_shortest_double(double value);
struct ki_decimal ki_shortest_float(float value);

enum { KI_SHORTEST_TEXT = 32 };

// Writes such a decimal: "12.5", "0.001", "3.0", "1e-5", "1.5e300", without an exponent from 1e-4 to below
// 1e17. There is always a '.' or an 'e', so that it does not look like an integer. Returns the length without
// the '\0'.
size_t ki_shortest_write(struct ki_decimal decimal, char text[KI_SHORTEST_TEXT]);

#endif
