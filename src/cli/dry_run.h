// SPDX-License-Identifier: Apache-2.0
// --dry-run: a command reads what it has to know, settles options and place as for a real run, and instead of
// the work states what it would take: place, memory, time, and files.
//
//     struct dry_run plan;
//     dry_run_begin(&plan, common, &place, &share, seconds_of_reading);
//     dry_run_memory(&plan, host, device);
//     dry_run_work(&plan, &work);
//     dry_run_file(&plan, "x.npy", bytes);
//     return dry_run_tell(&plan, err);
#ifndef KN_CLI_DRY_RUN_H
#define KN_CLI_DRY_RUN_H

#include <koine/experimental/cost.h>

#include "io/array/npy.h"
#include "io/json.h"
#include "share.h"
#include "cli/framework/options.h"

struct dry_run_file {
    char *name;
    double bytes; // NAN: not known before it is written
};

struct dry_run {
    const struct common_arguments *common;
    const struct place *place;
    const struct share *share; // places that share the work; NULL, or none: `place` does all of it
    const char *precision;     // as in the result's JSON; NULL: null
    double host;               // bytes of the process, with the buffers of devices that use the host's memory
    double device;             // bytes of buffers on each device; 0 on the host
    double shared;             // bytes of buffers of devices that use the host's memory
    double temporary;          // bytes of temporary files
    double start, copy;        // seconds
    struct ki_json_seconds seconds; // those of `total` that the cost model knows; NAN: none
    struct dry_run_file *files;
    size_t file_count, file_capacity;
    bool failed; // memory ran out
};

// `read`: seconds of reading so far, which a run takes as well.
void dry_run_begin(struct dry_run *plan, const struct common_arguments *common, const struct place *place,
                   const struct share *share, double read);
// Bytes that a place takes in addition to what the process holds now: of the host's memory, and of buffers on
// a device.
void dry_run_memory(struct dry_run *plan, size_t host, size_t device);
// Adds the time of this work, by the cost model that also chooses the place. NULL: the model does not know
// it, and there is no estimate of the whole.
void dry_run_work(struct dry_run *plan, const kn_work *work);
// A file that would be written, with its bytes; "-" is standard output. NULL is no file.
void dry_run_file(struct dry_run *plan, const char *name, double bytes);
// The file or the pair of files of volume_write, for an array without data.
void dry_run_array(struct dry_run *plan, const char *name, const struct npy *array);
// Prints it, or writes the JSON, and frees it. KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status dry_run_tell(struct dry_run *plan, kn_error *err);

#endif
