// SPDX-License-Identifier: Apache-2.0
// Roots of unity in double precision, for the transforms on the host and on devices.
#ifndef KN_HOST_FFT_ROOT_OF_UNITY_H
#define KN_HOST_FFT_ROOT_OF_UNITY_H

#include <stdint.h>

// exp(-2 pi i k / n), accurate to the last bit or two.
void ki_fft_root_of_unity(uint64_t k, uint64_t n, double value[2]);

#endif
