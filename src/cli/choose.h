// SPDX-License-Identifier: Apache-2.0
// From --device and KOINE_DEVICE to the places where work is done: devices, or the host.
#ifndef KN_CLI_CHOOSE_H
#define KN_CLI_CHOOSE_H

#include <koine/context.h>

#include "cli/framework/options.h"

struct place {
    kn_context *context;   // NULL: the host itself
    kn_queue *queue;       // NULL: the host itself
    kn_device_info device; // for the host, only `spec`, `name`, `backend`, `fp64` and the memory
    char why[192];         // why it was chosen, if no place was named; otherwise ""
    bool borrows;          // the context belongs to another place, which closes it
};

// Where to work, in order.
struct places {
    struct place_spec {
        char spec[128]; // "" is the best device
        bool from_all;  // it was not named itself, but is part of `all`
    } * specs;
    size_t count;
    bool named; // by --device or KOINE_DEVICE
};

// `all` becomes every usable device. KN_ERROR_NO_DEVICE if there is none for `all`.
kn_status choose_places(const struct string_list *devices, struct places *places, kn_error *err);
// The same, but `all` also includes the other paths to a device, and is the default; if it finds nothing, the
// host is used, with a message on standard error (which begins with `command`).
kn_status choose_paths(const struct string_list *devices, const char *command, struct places *places,
                       kn_error *err);
// Adds all usable GPUs. None is no error.
kn_status choose_gpus(struct places *places, kn_error *err);
// Adds the host, if it is not among them. On failure the places are freed.
kn_status choose_host_too(struct places *places, kn_error *err);
void choose_free(struct places *places);

// Opens one of these. "" becomes the host if no device is found, with a message on standard error (which
// begins with `command`), unless `must_be_device`.
kn_status place_open(const char *spec, bool must_be_device, const char *command, struct place *place,
                     kn_error *err);
// The same, with a numeric policy for the kernels there.
kn_status place_open_with(const char *spec, int policy, bool must_be_device, const char *command,
                          struct place *place, kn_error *err);
// The same for one of several places that were chosen. If it came from `all` and cannot be opened, it is left
// out with a message, and `*opened` is false without an error.
kn_status place_open_chosen(const struct place_spec *spec, int policy, bool must_be_device,
                            const char *command, struct place *place, bool *opened, kn_error *err);
// A second queue in the context of a place: programs are compiled once for both.
kn_status place_open_beside(const struct place *first, struct place *place, kn_error *err);
void place_close(struct place *place);

// The host as a place: its processor's name.
void place_host(struct place *place);

#endif
