// SPDX-License-Identifier: Apache-2.0
// What the preprocessor needs for a device: the macros that its compiler predefines, and those that Koine
// adds.
#ifndef KN_ENGINE_DEVICE_TARGET_H
#define KN_ENGINE_DEVICE_TARGET_H

#include "backend/backend.h"
#include "source/source.h"

struct target {
    struct src_options source;
    kn_define *predefined;
    kn_define *defines;
    char *names; // the names of the extensions, split
    char version[16];
};

// `options` may be NULL. The target borrows its strings and those of `device`.
kn_status ki_target_describe(const struct be_device *device, const kn_program_options *options,
                             struct target *target, kn_error *err);
void ki_target_free(struct target *target);

// A built-in kernel file as the device's compiler gets it; to be freed with ki_src_free.
kn_status ki_target_read_builtin(const struct be_device *device, const char *name, struct src_unit **unit,
                                 kn_error *err);

#endif
