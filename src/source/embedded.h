// SPDX-License-Identifier: Apache-2.0
// Koine's own kernels, compiled into the library; scripts/embed writes the table from cl/.
#ifndef KN_SOURCE_EMBEDDED_H
#define KN_SOURCE_EMBEDDED_H

#include "source.h"

extern const struct src_embedded src_embedded_kernels[]; // ends in {NULL, NULL}

#endif
