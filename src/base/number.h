// SPDX-License-Identifier: Apache-2.0
// Arithmetic that host and device paths must do alike, to the bit.
#ifndef KN_BASE_NUMBER_H
#define KN_BASE_NUMBER_H

// The mean of the two middle elements, without overflow; 0 for -0.
double kn_middle(double lower, double upper);

#endif
