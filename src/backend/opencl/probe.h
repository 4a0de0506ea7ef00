// SPDX-License-Identifier: Apache-2.0
// What koine-probe (src/probe/main.c) and its callers agree on.
#ifndef KN_BACKEND_OPENCL_PROBE_H
#define KN_BACKEND_OPENCL_PROBE_H

#define PROBE_NAME "koine-probe"
#define PROBE_FINE "koine-probe: fine" // the last line, when every driver was opened

#endif
