// SPDX-License-Identifier: Apache-2.0
// koine recon: reading the request (cmd_recon.c, recon_settle.c), refusing what is impossible
// (recon_refuse.c), printing (recon_print.c), combining coils into one image (recon_sense.c), whitening and
// compressing coils (recon_coils.c), all variants and their tables (recon_variants.c), and writing files
// (recon_write.c).
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

// A variant of the lecture's comparison: a kernel, or gridding.
struct recon_variant {
    const char *name; // the kernel's name, or "gridding"
    kn_recon_solve_options options;
    kn_recon_solution *solution;
    kn_recon_quality quality;
    double seconds, ratio; // ratio: the time of host-double divided by `seconds`
};

struct recon_run {
    struct recon_arguments *arguments;
    const char *input;
    struct mri_scan_request request;
    struct mri_scan scan;
    kn_recon_scan arrays; // `scan` with the weights and basis of the options, in the form that the library
                          // takes
    kn_recon_solve_options options;
    kn_recon_extras extras;
    double *weights;                                  // from --density FILE
    double complex *basis, *start, *reference, *maps; // from the files of the options
    size_t measured;                                  // number of coils before compression
    double complex *whitener, *compression;           // the matrices applied to the coils; NULL: none
    double energy;                                    // the fraction that the compressed coils keep
    struct place place;
    struct share share;     // if several devices share the coils and Q; all zero: one device does everything
    struct resume resume;   // for the parts of that work
    bool kernel_chosen;     // by the command
    char why[KN_RECON_WHY]; // why this method of the adjoint was chosen; "": it was named
    const char *sense_why;  // why this combination of coils was chosen; NULL: --sense names it
    struct progress progress;
    kn_recon_solution *solution;                   // of a single reconstruction
    struct recon_variant variants[RECON_VARIANTS]; // or of all variants, host-double first
    size_t variant_count;
    const kn_recon_solution *shown; // the one whose image is the result
    kn_recon_quality quality;       // of `shown`, with --reference
    double start_time;
    struct ki_json_seconds seconds;
};

extern const char *const recon_basis_names[];     // "delta", "box"
extern const char *const recon_precision_names[]; // "auto", "float", "double"
extern const char *const recon_method_names[];    // these are in the order of koine/recon.h
extern const char *const recon_adjoint_names[];
extern const char *const recon_scale_names[];
extern const char *const recon_normal_names[];
extern const char *const recon_regularizer_names[];
extern const char *const recon_boundary_names[];
extern const char *const recon_reference_scale_names[]; // "auto", "best", "none"

// Refuses what can be refused before any file is read; then reads the scan and the files of the options.
kn_status recon_check_arguments(struct recon_run *run, kn_error *err);
kn_status recon_read(struct recon_run *run, kn_error *err);
// Opens the device, and chooses the kernel if none was named.
kn_status recon_open(struct recon_run *run, kn_error *err);
// The work of the cost model: of a direct sum or of Fourier transforms, before the device is chosen; and once
// everything is settled.
kn_work recon_work(const struct recon_run *run, bool cartesian);
kn_work recon_work_settled(const struct recon_run *run);
// Chooses how the adjoint is computed if the user did not; called after recon_try.
kn_status recon_choose_adjoint(struct recon_run *run, kn_error *err);
void recon_free(struct recon_run *run);
bool recon_is_of_host(kn_recon_kernel kernel);
// Whether nothing but density compensation runs on a device.
bool recon_is_on_host(const struct recon_run *run, const kn_recon_solve_options *options);

// The option --sense and its maps. KN_ERROR_INPUT if the maps do not match the coils and voxels, if a value
// is not a number, or if all are 0. Then: whether all coils have one common image; and how coils are
// combined, in words, or NULL for a single coil.
kn_status recon_check_sense(struct recon_run *run, kn_error *err);
// The default for a scan that was read; and the name of the combination, or of the file with the maps.
kn_status recon_choose_sense(struct recon_run *run, kn_error *err);
const char *recon_sense_name(const struct recon_run *run);
kn_status recon_read_maps(struct recon_run *run, kn_error *err);
bool recon_is_joint(const struct recon_run *run);
const char *recon_combined(const struct recon_run *run);

// Preparation of the coils of a scan that was read: whitening and compression, the same for their maps, and
// the lines that report it.
kn_status recon_check_coils(const struct recon_run *run, kn_error *err);
kn_status recon_prepare_coils(struct recon_run *run, kn_error *err);
kn_status recon_mix_maps(struct recon_run *run, kn_error *err);
void recon_print_coils(const struct recon_run *run);
void recon_put_coils(const struct recon_run *run, json_t **root);

// Checks before anything is computed that options and scan are compatible, and that there is enough memory;
// KN_ERROR_MEMORY names an alternative that would fit.
kn_status recon_try(const struct recon_run *run, kn_error *err);
// Measures the memory that the reconstruction takes and the memory available, on the host and the device, or
// within --memory-limit.
kn_status recon_measure(const struct recon_run *run, const kn_recon_solve_options *options,
                        kn_recon_solve_memory *memory, kn_error *err);
kn_status recon_try_memory(const struct recon_run *run, const kn_recon_solve_options *options, kn_error *err);

// Of these bytes of the host, those that the command does not hold yet.
size_t recon_measure_new(const struct recon_run *run, const kn_recon_solve_memory *memory);
// What it would do, with --dry-run.
kn_status recon_dry_run(struct recon_run *run, kn_error *err);

// Runs one reconstruction with these options; then compares its image with run->reference, or with
// `reference` if there is none.
kn_status recon_solve(const struct recon_run *run, const kn_recon_solve_options *options,
                      kn_recon_solution **solution, kn_error *err);
// The same on the devices that share the work.
kn_status recon_share_solve(struct recon_run *run, kn_recon_solution **solution, kn_error *err);
kn_status recon_compare(const struct recon_run *run, kn_recon_method method,
                        const kn_recon_solution *solution, const double *reference, kn_recon_quality *quality,
                        kn_error *err);

// Before the computation: scan, convention, memory. Afterwards: checks, stages, solver, quality, device,
// files.
void recon_print_scan(const struct recon_run *run);
bool recon_print_result(const struct recon_run *run);
// "delta" and so on, for text and JSON.
const char *recon_density_name(const struct recon_run *run);
const char *recon_basis_name(const struct recon_run *run);
// Whether an image from this solver is compared after scaling by the best factor.
bool recon_is_scaled(const struct recon_run *run, kn_recon_method method);
const char *recon_method(const struct recon_run *run);
const char *recon_why(const struct recon_run *run);

// Billions of operations per second of elapsed time; 0 for a stage that did not run.
double recon_gflops(const kn_recon_stage *stage);

// Lists the variants, and refuses what they do not have.
kn_status recon_list_variants(struct recon_run *run, kn_error *err);
// Runs all variants, each compared with the reference or else with the image of host-double; run->shown
// becomes the one with the kernel of the options. Then prints both tables; false if memory ran out.
kn_status recon_run_variants(struct recon_run *run, kn_error *err);
bool recon_print_variants(const struct recon_run *run);

// The form of the image, as it is written.
struct npy recon_image_form(const struct recon_run *run);
// Checks that all files can be written; writes them; prints their names.
kn_status recon_try_files(const struct recon_run *run, kn_error *err);
kn_status recon_write_files(const struct recon_run *run, kn_error *err);
void recon_print_files(const struct recon_run *run);
kn_status recon_write_json(struct recon_run *run, kn_error *err);

#endif
