// SPDX-License-Identifier: Apache-2.0
// koine recon --noise-scan, --noise-covariance and --coils: whitening and compression of coils before the
// reconstruction.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/inputs/mri_files.h"
#include "cmd_recon.h"
#include "cli/framework/report.h"

kn_status recon_check_coils(const struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;

    if (arguments->noise_scan && arguments->noise_covariance)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--noise-scan and --noise-covariance say the same thing; leave one of them out");
    return KN_OK;
}

static bool asks(const struct recon_arguments *arguments)
{
    return arguments->noise_scan || arguments->noise_covariance || arguments->coils;
}

// ---- applying a matrix to coils ----

// Replaces the coils by the linear combinations in the matrix. `values` has `numbers` values for each coil.
static kn_status mix(const double complex *matrix, size_t rows, size_t coils, size_t numbers,
                     double complex **values, kn_error *err)
{
    double complex *mixed = malloc(rows * numbers * sizeof *mixed);
    kn_status status = mixed ? kn_recon_coils_mix((const double *)matrix, rows, coils,
                                                  (const double *)*values, numbers, (double *)mixed, err)
                             : ki_fail_memory(err, rows * numbers * sizeof *mixed, "the coils");

    if (status) {
        free(mixed);
        return status;
    }
    free(*values);
    *values = mixed;
    return KN_OK;
}

static kn_status make_matrix(size_t coils, double complex **matrix, kn_error *err)
{
    *matrix = malloc(coils * coils * sizeof **matrix);
    return *matrix ? KN_OK : ki_fail_memory(err, coils * coils * sizeof **matrix, "the coils' covariance");
}

// ---- whitening ----

// Whether the first size other than 1 is the number of coils: (coils, spokes, samples[, 1]).
static bool is_of_coils(const struct npy *shape, size_t coils)
{
    size_t i = 0;

    while (i < shape->dims && shape->shape[i] == 1 && coils != 1)
        i++;
    return shape->dims > 0 && i < shape->dims && shape->shape[i] == coils;
}

static kn_status read_noise(struct recon_run *run, double complex *covariance, kn_error *err)
{
    const char *path = run->arguments->noise_scan;
    size_t coils = run->scan.coils;
    double complex *noise = NULL;
    struct npy shape;
    kn_status status = mri_values_read(path, true, &shape, &noise, err);

    if (!status && (!is_of_coils(&shape, coils) || shape.count == 0))
        status =
            ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                       "has %zu numbers, and not those of %zu coil%s, as the scan has; expected an array "
                       "(coils, samples) (.cfl: [1, samples, 1, coils])",
                       shape.count, coils, coils == 1 ? "" : "s");
    if (!status)
        status = kn_recon_coils_covariance((const double *)noise, shape.count / coils, coils,
                                           (double *)covariance, err);
    free(noise);
    return status;
}

static kn_status read_covariance(struct recon_run *run, double complex *covariance, kn_error *err)
{
    const char *path = run->arguments->noise_covariance;
    size_t coils = run->scan.coils;
    double complex *values = NULL;
    struct npy shape;
    kn_status status = mri_values_read(path, false, &shape, &values, err);

    if (!status && (shape.count != coils * coils || !is_of_coils(&shape, coils)))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "has %zu numbers, and the scan %zu coil%s; expected a matrix (coils, coils)",
                            shape.count, coils, coils == 1 ? "" : "s");
    if (!status)
        memcpy(covariance, values, coils * coils * sizeof *covariance);
    free(values);
    return status;
}

static const char *noise_file(const struct recon_run *run)
{
    return run->arguments->noise_scan ? run->arguments->noise_scan : run->arguments->noise_covariance;
}

static kn_status whiten(struct recon_run *run, double complex *covariance, kn_error *err)
{
    size_t coils = run->scan.coils;
    kn_status status =
        run->arguments->noise_scan ? read_noise(run, covariance, err) : read_covariance(run, covariance, err);

    if (status)
        return status;
    status = make_matrix(coils, &run->whitener, err);
    if (!status)
        status = ki_error_unname(
            kn_recon_coils_whiten((const double *)covariance, coils, (double *)run->whitener, err), err);
    if (status == KN_ERROR_ARGUMENT) {
        const kn_error why = *err;

        return ki_fail_at(err, KN_ERROR_INPUT, noise_file(run), 0, "%s", why.text);
    }
    return status ? status : mix(run->whitener, coils, coils, run->scan.samples, &run->scan.data, err);
}

// ---- compression ----

static kn_status compress(struct recon_run *run, double complex *covariance, kn_error *err)
{
    struct mri_scan *scan = &run->scan;
    size_t coils = scan->coils, kept = run->arguments->coils;
    kn_status status = kept > coils
                           ? ki_fail(err, KN_ERROR_ARGUMENT,
                                     "--coils %zu: the scan has %zu; expected at most as many", kept, coils)
                           : make_matrix(coils, &run->compression, err);

    if (!status)
        status = kn_recon_coils_covariance((const double *)scan->data, scan->samples, coils,
                                           (double *)covariance, err);
    if (!status)
        status = kn_recon_coils_compress((const double *)covariance, coils, kept, (double *)run->compression,
                                         &run->energy, err);
    if (!status)
        status = mix(run->compression, kept, coils, scan->samples, &scan->data, err);
    if (!status)
        scan->coils = kept;
    return status;
}

// ---- both ----

kn_status recon_prepare_coils(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    double complex *covariance = NULL;
    kn_status status;

    run->measured = run->scan.coils;
    if (!asks(arguments))
        return KN_OK;
    if (!run->scan.data)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--noise-scan, --noise-covariance and --coils: Parboil's mri-q has no data of coils");
    status = make_matrix(run->scan.coils, &covariance, err);
    if (!status && noise_file(run))
        status = whiten(run, covariance, err);
    if (!status && arguments->coils)
        status = compress(run, covariance, err);
    free(covariance);
    return status;
}

kn_status recon_mix_maps(struct recon_run *run, kn_error *err)
{
    size_t voxels = run->scan.voxels;
    kn_status status =
        run->whitener ? mix(run->whitener, run->measured, run->measured, voxels, &run->maps, err) : KN_OK;

    return status || !run->compression
               ? status
               : mix(run->compression, run->scan.coils, run->measured, voxels, &run->maps, err);
}

void recon_print_coils(const struct recon_run *run)
{
    if (run->whitener)
        printf("coils are whitened by the noise of %s\n", noise_file(run));
    if (run->compression)
        printf("%zu coils are compressed to %zu, with %.4g %% of their energy\n", run->measured,
               run->scan.coils, 100 * run->energy);
}

void recon_put_coils(const struct recon_run *run, json_t **root)
{
    report_put(root, "coils", json_integer((json_int_t)run->measured));
    report_put(root, "coils_reconstructed", json_integer((json_int_t)run->scan.coils));
    report_put(root, "coils_energy", run->compression ? ki_json_double(run->energy) : json_null());
    report_put(root, "noise", run->whitener ? ki_json_string(noise_file(run)) : json_null());
}
