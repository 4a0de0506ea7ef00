// SPDX-License-Identifier: Apache-2.0
// koine recon --sense: how several coils become one image, and the maps of their sensitivities.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "cli/inputs/mri_files.h"
#include "cmd_recon.h"

kn_status recon_check_sense(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const char *word = arguments->sense;

    run->options.sense = word ? KN_RECON_SENSE_MAPS : KN_RECON_SENSE_AUTO;
    for (int i = KN_RECON_SENSE_NONE; i <= KN_RECON_SENSE_ESPIRIT && word; i++)
        if (i != KN_RECON_SENSE_MAPS && strcmp(word, kn_recon_sense_name((kn_recon_sense)i)) == 0)
            run->options.sense = (kn_recon_sense)i;
    if (run->options.sense <= KN_RECON_SENSE_NONE)
        return KN_OK;
    if (arguments->variants)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--sense: --variants reconstructs coils one by one; leave it out");
    if (run->options.method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--sense %s needs --solver ls", word);
    return KN_OK;
}

kn_status recon_choose_sense(struct recon_run *run, kn_error *err)
{
    if (run->options.sense != KN_RECON_SENSE_AUTO)
        return KN_OK;
    if (!run->arguments->variants)
        return ki_error_unname(kn_recon_sense_choose(&run->arrays, run->options.method, &run->options.sense,
                                                     &run->sense_why, err),
                               err);
    run->options.sense = KN_RECON_SENSE_NONE;
    run->sense_why = "variants reconstruct coils one by one";
    return KN_OK;
}

const char *recon_sense_name(const struct recon_run *run)
{
    return run->options.sense == KN_RECON_SENSE_MAPS ? run->arguments->sense
                                                     : kn_recon_sense_name(run->options.sense);
}

bool recon_is_joint(const struct recon_run *run)
{
    return run->options.sense != KN_RECON_SENSE_NONE;
}

// The sizes other than 1, which a file may have in any position, as "(4, 32, 32)".
static size_t find_sizes(const size_t *sizes, size_t count, size_t *found, struct ki_text *text)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (sizes[i] != 1)
            found[kept++] = sizes[i];
    for (size_t i = 0; i < kept; i++)
        ki_text_format(text, "%s%zu", i ? ", " : "", found[i]);
    return kept;
}

static kn_status check_shape(const struct recon_run *run, const struct npy *shape, kn_error *err)
{
    const struct mri_scan *scan = &run->scan;
    const size_t *size = scan->matrix.size,
                 wanted[] = {run->measured, scan->matrix.axes > 2 ? size[2] : 1, size[1], size[0]};
    size_t here[NPY_DIMS_MAX], there[4], dims, expected;
    struct ki_text found = KI_TEXT_INIT, due = KI_TEXT_INIT;
    kn_status status = KN_OK;

    dims = find_sizes(shape->shape, shape->dims, here, &found);
    expected = find_sizes(wanted, sizeof wanted / sizeof *wanted, there, &due);
    if (dims != expected || memcmp(here, there, dims * sizeof *here) != 0)
        status = ki_fail_at(
            err, KN_ERROR_INPUT, run->arguments->sense, 0,
            "has the shape (%s), but %zu coil%s and this matrix want maps of (%s): coils, then the "
            "voxels (.cfl: [x, y, z, coils])",
            ki_text_string(&found), run->measured, run->measured == 1 ? "" : "s", ki_text_string(&due));
    ki_text_free(&found);
    ki_text_free(&due);
    return status;
}

static kn_status check_values(const struct recon_run *run, kn_error *err)
{
    const char *path = run->arguments->sense;
    bool sees = false;

    for (size_t i = 0; i < run->measured * run->scan.voxels; i++) {
        double complex s = run->maps[i];

        if (!isfinite(creal(s)) || !isfinite(cimag(s)))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "number %zu is %g%+gi, expected numbers", i,
                              creal(s), cimag(s));
        sees = sees || s != 0;
    }
    return sees ? KN_OK
                : ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                             "is 0 throughout: by these maps no coil sees anything of the image");
}

kn_status recon_read_maps(struct recon_run *run, kn_error *err)
{
    struct npy shape;
    kn_status status;

    if (run->options.sense != KN_RECON_SENSE_MAPS)
        return KN_OK;
    status = mri_values_read(run->arguments->sense, false, &shape, &run->maps, err);
    if (!status)
        status = check_shape(run, &shape, err);
    if (!status)
        status = check_values(run, err);
    if (!status)
        status = recon_mix_maps(run, err);
    run->options.maps = (const double *)run->maps;
    return status;
}

const char *recon_combined(const struct recon_run *run)
{
    if (recon_is_joint(run))
        return "sensitivities";
    return run->scan.coils > 1 ? "root of the sum of squares" : NULL;
}
