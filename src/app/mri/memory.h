// SPDX-License-Identifier: Apache-2.0
// The most bytes that the parts of a reconstruction take at a time: each part states its own, next to its
// allocations. SIZE_MAX if there are more than addresses.
#ifndef KN_APP_MRI_MEMORY_H
#define KN_APP_MRI_MEMORY_H

#include "base/saturate.h"

enum { MRI_PAIR = 2 * sizeof(float), MRI_COMPLEX = 2 * sizeof(double), MRI_POSITION = 3 * sizeof(double) };

struct mri_bytes {
    size_t host, device;
};

// For parts that exist at the same time.
static inline struct mri_bytes mri_bytes_both(struct mri_bytes a, struct mri_bytes b)
{
    return (struct mri_bytes){saturate_plus(a.host, b.host), saturate_plus(a.device, b.device)};
}

// For parts that exist one after the other.
static inline struct mri_bytes mri_bytes_either(struct mri_bytes a, struct mri_bytes b)
{
    return (struct mri_bytes){a.host > b.host ? a.host : b.host, a.device > b.device ? a.device : b.device};
}

#endif
