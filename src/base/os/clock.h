// SPDX-License-Identifier: Apache-2.0
// How long things take.
#ifndef KN_BASE_CLOCK_H
#define KN_BASE_CLOCK_H

// Seconds of a clock that only goes forward; their differences have a meaning.
double ki_clock_seconds(void);

#endif
