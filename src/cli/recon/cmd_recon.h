// SPDX-License-Identifier: Apache-2.0
// koine recon: what was asked for (cmd_recon.c, recon_settle.c) and may be refused (recon_refuse.c), what is
// said of it (recon_print.c), how coils become one image (recon_sense.c), what becomes of them before
// (recon_coils.c), all variants and their tables (recon_variants.c), and what is written (recon_write.c).
#ifndef KN_CLI_RECON_CMD_RECON_H
#define KN_CLI_RECON_CMD_RECON_H

#include <koine/experimental/recon.h>

#include "io/json.h"
#include "io/array/npy.h"
#include "scan_files.h"
#include "cli/estimate.h"
#include "cli/share.h"
#include "cli/framework/options.h"
#include "cli/framework/progress.h"

struct recon_arguments {
    struct common_arguments common;
    const char *out, *matrix, *trajectory, *kernel, *nufft_tolerance, *tolerance, *lambda, *density, *basis,
        *oversampling;
    const char *save_q, *load_q, *reference, *warm_start, *sense, *noise_scan, *noise_covariance;
    size_t iterations, width, coils;
    bool relative_lambda, variants;
    int solver, adjoint, normal, regularizer, boundary, scale, unit, parboil, precision, reference_scale;
};

enum { RECON_KERNELS = KN_RECON_KERNEL_HOST_SINGLE, RECON_VARIANTS = RECON_KERNELS + 1 };

// One of the lecture's comparison: a kernel, or gridding.
struct recon_variant {
    const char *name; // the kernel's, or "gridding"
    kn_recon_solve_options options;
    kn_recon_solution *solution;
    kn_recon_quality quality;
    double seconds, ratio; // how often they go into host-double's
};

struct recon_run {
    struct recon_arguments *arguments;
    const char *input;
    struct mri_scan_request request;
    struct mri_scan scan;
    kn_recon_scan arrays; // `scan` and the weights and basis of the options, as the library takes it
    kn_recon_solve_options options;
    kn_recon_extras extras;
    double *weights;                                  // of --density FILE
    double complex *basis, *start, *reference, *maps; // of the options' files
    size_t measured;                                  // coils, before they are compressed
    double complex *whitener, *compression;           // what became of them; NULL: nothing
    double energy;                                    // the part that compressed ones keep
    struct place place;
    struct share share;     // where several devices share the coils and Q; of zeros: one has all
    struct resume resume;   // of these parts
    bool kernel_chosen;     // by us
    char why[KN_RECON_WHY]; // the method of the adjoint was chosen; "": nobody was asked
    const char *sense_why;  // and the combination of coils; NULL: --sense says it
    struct progress progress;
    kn_recon_solution *solution;                   // of one reconstruction
    struct recon_variant variants[RECON_VARIANTS]; // or of all, host-double first
    size_t variant_count;
    const kn_recon_solution *shown; // which of them is the image
    kn_recon_quality quality;       // of `shown`, with --reference
    double start_time;
    struct ki_json_seconds seconds;
};

extern const char *const recon_basis_names[];     // "delta", "box"
extern const char *const recon_precision_names[]; // "auto", "float", "double"
extern const char *const recon_method_names[];    // these as in koine/recon.h
extern const char *const recon_adjoint_names[];
extern const char *const recon_scale_names[];
extern const char *const recon_normal_names[];
extern const char *const recon_regularizer_names[];
extern const char *const recon_boundary_names[];
extern const char *const recon_reference_scale_names[]; // "auto", "best", "none"

// What can be refused before anything is read, then what is read: the scan, and the options' files.
kn_status recon_check_arguments(struct recon_run *run, kn_error *err);
kn_status recon_read(struct recon_run *run, kn_error *err);
// The device, and the kernel if none was named.
kn_status recon_open(struct recon_run *run, kn_error *err);
// How the adjoint is computed if nobody said so, after recon_try.
kn_status recon_choose_adjoint(struct recon_run *run, kn_error *err);
void recon_free(struct recon_run *run);
bool recon_is_of_host(kn_recon_kernel kernel);
// Whether none of it but density compensation runs on a device.
bool recon_is_on_host(const struct recon_run *run, const kn_recon_solve_options *options);

// The option --sense, and its maps: KN_ERROR_INPUT for others than of these coils and voxels, for what is no
// number, and where all are 0. Whether all coils have one image together; and how coils are combined, in
// words, NULL of a single one.
kn_status recon_check_sense(struct recon_run *run, kn_error *err);
// Of a scan that was read, what it is without the option; and its name, or that of the maps' file.
kn_status recon_choose_sense(struct recon_run *run, kn_error *err);
const char *recon_sense_name(const struct recon_run *run);
kn_status recon_read_maps(struct recon_run *run, kn_error *err);
bool recon_is_joint(const struct recon_run *run);
const char *recon_combined(const struct recon_run *run);

// What becomes of coils before they are reconstructed, of a scan that was read: whitened, compressed. The
// same of their maps. What is said of it.
kn_status recon_check_coils(const struct recon_run *run, kn_error *err);
kn_status recon_prepare_coils(struct recon_run *run, kn_error *err);
kn_status recon_mix_maps(struct recon_run *run, kn_error *err);
void recon_print_coils(const struct recon_run *run);
void recon_put_coils(const struct recon_run *run, json_t **root);

// Whether options and scan go together, before anything is computed; and whether there is memory for it,
// KN_ERROR_MEMORY with what would fit.
kn_status recon_try(const struct recon_run *run, kn_error *err);
// What it takes, and what there is of it: of the host and the device, or within --memory-limit.
kn_status recon_measure(const struct recon_run *run, const kn_recon_solve_options *options,
                        kn_recon_solve_memory *memory, kn_error *err);
kn_status recon_try_memory(const struct recon_run *run, const kn_recon_solve_options *options, kn_error *err);

// One reconstruction with these options; and how far its image is from run->reference, or from `reference`
// without that.
kn_status recon_solve(const struct recon_run *run, const kn_recon_solve_options *options,
                      kn_recon_solution **solution, kn_error *err);
// The same by the devices that share it.
kn_status recon_share_solve(struct recon_run *run, kn_recon_solution **solution, kn_error *err);
kn_status recon_compare(const struct recon_run *run, kn_recon_method method,
                        const kn_recon_solution *solution, const double *reference, kn_recon_quality *quality,
                        kn_error *err);

// Before it is computed: scan, convention, memory. After: checks, stages, solver, quality, device, files.
void recon_print_scan(const struct recon_run *run);
bool recon_print_result(const struct recon_run *run);
// "delta" and the like, for text and JSON.
const char *recon_density_name(const struct recon_run *run);
const char *recon_basis_name(const struct recon_run *run);
// Whether an image of this solver was compared after the best factor.
bool recon_is_scaled(const struct recon_run *run, kn_recon_method method);
const char *recon_method(const struct recon_run *run);
const char *recon_why(const struct recon_run *run);

// Thousands of millions of operations a second of what a caller waited for; 0 of a stage that did not run.
double recon_gflops(const kn_recon_stage *stage);

// All variants, each compared with the reference or else with host-double's image; run->shown is that of the
// options' kernel. Both tables of them: false if memory ran out.
kn_status recon_run_variants(struct recon_run *run, kn_error *err);
bool recon_print_variants(const struct recon_run *run);

// Whether all files can be written; writing them; naming them.
kn_status recon_try_files(const struct recon_run *run, kn_error *err);
kn_status recon_write_files(const struct recon_run *run, kn_error *err);
void recon_print_files(const struct recon_run *run);
kn_status recon_write_json(struct recon_run *run, kn_error *err);

#endif
