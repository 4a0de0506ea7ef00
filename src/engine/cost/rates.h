// SPDX-License-Identifier: Apache-2.0
// The speeds of devices and the host, as used by the cost model (koine/experimental/cost.h).
#ifndef KN_ENGINE_COST_RATES_H
#define KN_ENGINE_COST_RATES_H

#include <koine/device.h>

struct engine_rates {
    const char *name, *vendor; // of the measured device; "" for the host
    kn_device_type type;
    unsigned compute_units;
    double memory,
        operations;      // bytes and operations per second; of all compute units, or of a host thread
    double copy;         // bytes per second, in either direction
    double start, build; // seconds to start the driver and a context, and to compile a program
    double launch;       // seconds
};

// The rates that koine tune keeps for the device; otherwise those of the measured device of that name, or
// else of the measured device of the same type, and of the same vendor if there is one, with the nearest
// number of compute units. Memory and operations are then scaled by the number of compute units, although
// those of one vendor may have more lanes than another's. A device without a name gets the rates of the first
// one of its type.
struct engine_rates ki_engine_rates(const kn_device_info *device);
// The rates of one thread of the host.
const struct engine_rates *ki_engine_host_rates(void);

#endif
