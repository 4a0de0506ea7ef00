// SPDX-License-Identifier: Apache-2.0
// A scan from an ISMRMRD file: its acquisitions one after the other, without those of noise.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/ismrmrd.h"
#include "scan_files.h"

static const struct {
    enum ismrmrd_index index;
    const char *name;
} images[] = {
    {ISMRMRD_SLICE, "slice"},           {ISMRMRD_CONTRAST, "contrast"}, {ISMRMRD_PHASE, "phase"},
    {ISMRMRD_REPETITION, "repetition"}, {ISMRMRD_SET, "set"},
};

// Acquisitions of several images would be summed into one, so they are refused.
static kn_status check_image(const char *path, size_t i, const struct ismrmrd_acquisition *first,
                             const struct ismrmrd_acquisition *acquisition, kn_error *err)
{
    for (size_t n = 0; n < sizeof images / sizeof *images; n++) {
        unsigned found = acquisition->index[images[n].index], expected = first->index[images[n].index];

        if (found != expected)
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                              "acquisition %zu is of %s %u, and those before of %s %u: several images in one "
                              "file; expected one, so copy the acquisitions of each into a file of its own",
                              i, images[n].name, found, images[n].name, expected);
    }
    return KN_OK;
}

// Counts acquisitions, samples and coils, and checks that they are consistent.
static kn_status survey(const char *path, const struct ismrmrd *file, struct mri_scan *scan, kn_error *err)
{
    const struct ismrmrd_acquisition *first = NULL;
    kn_status status = KN_OK;

    for (size_t i = 0; i < file->count && !status; i++) {
        const struct ismrmrd_acquisition *acquisition = &file->acquisitions[i];

        if (ismrmrd_is_noise(acquisition)) {
            scan->noise++;
            continue;
        }
        first = first ? first : acquisition;
        if (acquisition->axes != 2 && acquisition->axes != SCAN_AXES)
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                              "acquisition %zu has a trajectory of %zu dimensions, expected 2 or 3%s", i,
                              acquisition->axes,
                              acquisition->axes ? "" : "; is it a Cartesian scan, which has none?");
        if (acquisition->coils != first->coils)
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                              "acquisition %zu has %zu channels, and those before %zu", i, acquisition->coils,
                              first->coils);
        status = check_image(path, i, first, acquisition, err);
        scan->samples += acquisition->samples;
    }
    scan->coils = first ? first->coils : 0;
    if (!status && (!scan->samples || !scan->coils))
        status =
            ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has no samples: %zu acquisitions, %zu of them of noise",
                       file->count, scan->noise);
    return status;
}

static void take(const struct ismrmrd_acquisition *acquisition, size_t at, struct mri_scan *scan)
{
    for (size_t j = 0; j < acquisition->samples; j++) {
        for (size_t axis = 0; axis < acquisition->axes; axis++)
            scan->k[SCAN_AXES * (at + j) + axis] =
                (double)acquisition->trajectory[acquisition->axes * j + axis];
        for (size_t coil = 0; coil < scan->coils; coil++) {
            const float *sample = acquisition->data + 2 * (coil * acquisition->samples + j);

            double *parts = (double *)&scan->data[coil * scan->samples + at + j];

            parts[0] = (double)sample[0];
            parts[1] = (double)sample[1];
        }
    }
}

// The integer in <word>N</word> within part of an XML text; 0 if there is none.
static size_t element(const char *text, const char *end, const char *word)
{
    char tag[32];
    const char *at;
    unsigned long long number;

    snprintf(tag, sizeof tag, "<%s>", word);
    at = strstr(text, tag);
    if (!at || at >= end)
        return 0;
    errno = 0;
    number = strtoull(at + strlen(tag), NULL, 10);
    return errno ? 0 : (size_t)number;
}

// Takes reconSpace/matrixSize from the header, if it is there and is valid.
static void find_matrix(const char *xml, struct mri_scan *scan)
{
    const char *space = strstr(xml, "<reconSpace>"), *begin = space ? strstr(space, "<matrixSize>") : NULL;
    const char *end = begin ? strstr(begin, "</matrixSize>") : NULL;
    size_t size[SCAN_AXES];

    if (!end)
        return;
    for (size_t axis = 0; axis < SCAN_AXES; axis++) {
        const char word[] = {"xyz"[axis], '\0'};

        size[axis] = element(begin, end, word);
        if (!size[axis])
            return;
    }
    scan->matrix = (kn_recon_matrix){size[2] > 1 ? 3 : 2, {size[0], size[1], size[2]}};
    scan->matrix_from = "its header";
}

kn_status mri_scan_ismrmrd(const char *path, struct mri_scan *scan, kn_error *err)
{
    struct ismrmrd file;
    kn_status status = ismrmrd_read(path, NULL, &file, err);
    size_t at = 0;

    if (!status)
        status = survey(path, &file, scan, err);
    if (!status) {
        scan->k = calloc(scan->samples, SCAN_AXES * sizeof *scan->k);
        scan->data = malloc(scan->samples * scan->coils * sizeof *scan->data);
        if (!scan->k || !scan->data)
            status = ki_fail_memory(err, scan->samples * scan->coils * sizeof *scan->data, path);
    }
    for (size_t i = 0; i < file.count && !status; i++) {
        if (ismrmrd_is_noise(&file.acquisitions[i]))
            continue;
        take(&file.acquisitions[i], at, scan);
        at += file.acquisitions[i].samples;
    }
    if (!status)
        find_matrix(file.xml, scan);
    ismrmrd_free(&file);
    return status;
}
