// SPDX-License-Identifier: Apache-2.0
// koine recon: what was asked for (cmd_recon.c, recon_settle.c), what is said of it (recon_print.c), the
// tables of all variants (recon_variants.c), and what is written (recon_write.c).
#ifndef KN_CLI_RECON_CMD_RECON_H
#define KN_CLI_RECON_CMD_RECON_H

#include "app/mri/recon/recon.h"
#include "io/json.h"
#include "io/array/npy.h"
#include "scan_files.h"
#include "cli/estimate.h"
#include "cli/framework/options.h"
#include "cli/framework/progress.h"

struct recon_arguments {
    struct common_arguments common;
    const char *out, *matrix, *trajectory, *kernel, *tolerance, *lambda, *density, *basis, *oversampling;
    const char *save_q, *load_q, *reference, *warm_start;
    size_t iterations, width;
    bool relative_lambda, variants;
    int solver, normal, regularizer, boundary, scale, unit, parboil, precision, reference_scale;
};

struct recon_run {
    struct recon_arguments *arguments;
    const char *input;
    struct mri_scan_request request;
    struct mri_scan scan;
    struct mri_recon_options options;
    double *weights;                           // of --density FILE
    double complex *basis, *start, *reference; // of the options' files
    struct place place;
    bool kernel_chosen; // by us
    struct progress progress;
    struct mri_recon_result result; // of one reconstruction
    struct mri_variants variants;   // or of all
    struct mri_recon_result *shown; // which of them is the image: `result`, or a variant's
    struct mri_quality quality;     // of `shown`, with --reference
    double start_time;
    struct ki_json_seconds seconds;
};

extern const char *const recon_basis_names[];     // "delta", "box"
extern const char *const recon_precision_names[]; // "auto", "float", "double"

// What can be refused before anything is read, then what is read: the scan, and the options' files.
kn_status recon_check_arguments(struct recon_run *run, kn_error *err);
kn_status recon_read(struct recon_run *run, kn_error *err);
// The device, and the kernel if none was named.
kn_status recon_open(struct recon_run *run, kn_error *err);
void recon_free(struct recon_run *run);

// Before it is computed: scan, convention, memory. After: checks, stages, solver, quality, device, files.
void recon_print_scan(const struct recon_run *run);
bool recon_print_result(const struct recon_run *run);
// "delta" and the like, for text and JSON.
const char *recon_density_name(const struct recon_run *run);
const char *recon_basis_name(const struct recon_run *run);
// Whether an image of this solver was compared after the best factor.
bool recon_is_scaled(const struct recon_run *run, enum mri_recon_solver solver);
const char *recon_method(const struct recon_run *run);
const char *recon_why(const struct recon_run *run);

// Both tables. False if memory ran out.
bool recon_print_variants(const struct recon_run *run);

// Whether all files can be written; writing them; naming them.
kn_status recon_try_files(const struct recon_run *run, kn_error *err);
kn_status recon_write_files(const struct recon_run *run, kn_error *err);
void recon_print_files(const struct recon_run *run);
kn_status recon_write_json(struct recon_run *run, kn_error *err);

#endif
