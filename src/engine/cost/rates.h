// SPDX-License-Identifier: Apache-2.0
// How fast devices and the host are: the rates of the cost model (koine/experimental/cost.h).
#ifndef KN_ENGINE_COST_RATES_H
#define KN_ENGINE_COST_RATES_H

#include <koine/device.h>

struct engine_rates {
    const char *name, *vendor; // of the device that was measured; "" of the host
    kn_device_type type;
    unsigned compute_units;
    double memory,
        operations;      // a second: bytes, operations; of all compute units, or of a thread of the host
    double copy;         // bytes a second, either way
    double start, build; // seconds: of the driver and a context, of a program that is not compiled
    double launch;       // seconds
};

// Those that koine tune keeps of the device; else those of the measured device of that name, else of the one
// of the same type whose number of compute units is nearest, of the same vendor if there is one, with memory
// and operations by the number of compute units, whatever those are: a vendor's of many lanes are compared
// with one's of few. A device without a name: as the first one of its type.
struct engine_rates ki_engine_rates(const kn_device_info *device);
// A thread of the host's.
const struct engine_rates *ki_engine_host_rates(void);

#endif
