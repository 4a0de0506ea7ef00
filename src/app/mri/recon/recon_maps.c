// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: maps of sensitivities without a reconstruction, and the choice of their method.
#include "app/mri/api/plan_internal.h"
#include "base/error.h"
#include "base/sized.h"
#include "recon_internal.h"

static kn_status read_scan(const char *function, const kn_recon_scan *scan, struct recon *recon,
                           kn_error *err)
{
    kn_status status;

    if (!scan)
        return ki_fail(err, KN_ERROR_ARGUMENT, "scan is NULL");
    status = KI_SIZED_READ(function, kn_recon_scan, scan, &recon->scan, err);
    if (!status)
        status = ki_recon_check_scan(recon, err);
    if (!status && !scan->k)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "k is NULL");
    return status;
}

static kn_status choose(const char *function, const kn_recon_scan *scan, kn_recon_method method,
                        kn_recon_sense *sense, const char **why, kn_error *err)
{
    struct recon recon = {.queue = NULL};
    const char *words;
    kn_status status = read_scan(function, scan, &recon, err);

    if (!status && (unsigned)method > KN_RECON_METHOD_GRIDDING)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see kn_recon_method", (int)method);
    if (!status && !sense)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "sense is NULL");
    if (!status)
        status = ki_mri_sense_choose(&recon.scan, method, sense, &words, err);
    if (!status && why)
        *why = words;
    return status;
}

kn_status kn_recon_sense_choose(const kn_recon_scan *scan, kn_recon_method method, kn_recon_sense *sense,
                                const char **why, kn_error *err)
{
    return ki_error_name(__func__, choose(__func__, scan, method, sense, why, err), err);
}

static kn_status make(const char *function, const kn_recon_scan *scan, kn_recon_sense sense, double *maps,
                      const kn_recon_maps_options *given, kn_error *err)
{
    struct recon recon = {.queue = NULL};
    kn_recon_maps_options options;
    struct ki_ask ask;
    kn_status status = read_scan(function, scan, &recon, err);

    if (!status)
        status = KI_SIZED_READ(function, kn_recon_maps_options, given, &options, err);
    if (!status && (!scan->data || !maps))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", maps ? "data" : "maps");
    if (!status && sense != KN_RECON_SENSE_LOWRES && sense != KN_RECON_SENSE_ESPIRIT)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "maps are made by KN_RECON_SENSE_LOWRES or KN_RECON_SENSE_ESPIRIT, not by %d",
                         (int)sense);
    if (!status)
        status = ki_recon_check_arrays(&recon.scan.matrix, recon.scan.k, recon.scan.samples,
                                       recon.scan.weights, recon.scan.basis, err);
    if (status)
        return status;
    ask = (struct ki_ask){.go_on = options.progress, .data = options.progress_data, .to = 1};
    return ki_mri_maps_make(&recon.scan, sense, &ask, (double complex *)maps, err);
}

kn_status kn_recon_sense_maps(const kn_recon_scan *scan, kn_recon_sense sense, double *maps,
                              const kn_recon_maps_options *options, kn_error *err)
{
    return ki_error_name(__func__, make(__func__, scan, sense, maps, options, err), err);
}
