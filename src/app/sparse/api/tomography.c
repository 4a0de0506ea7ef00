// SPDX-License-Identifier: Apache-2.0
// koine/tomography.h: converts its structs to those of src/app/sparse/tomography, and refuses invalid ones.
#include <koine/tomography.h>

#include <math.h>
#include <stdlib.h>

#include "app/sparse/solver/axis.h"
#include "app/sparse/tomography/fan.h"
#include "app/sparse/tomography/phantom.h"
#include "app/sparse/tomography/sinogram.h"
#include "app/sparse/tomography/stripes.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "operator_internal.h"
#include "sparse_internal.h"

enum {
    MOST_OVERSAMPLE = 64,
    NARROWEST = 5 // the fewest detectors in which stripes are searched
};

// ---- geometries ----

static kn_status check_cone(const kn_tomography_geometry *geometry, kn_error *err)
{
    if (geometry->beam != KN_TOMOGRAPHY_CONE && (geometry->lines || geometry->slices))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu lines of detectors and %zu slices are for a cone; expected 0 of both",
                       geometry->lines, geometry->slices);
    return KN_OK;
}

kn_status ki_sparse_read_beam(const char *function, const kn_tomography_geometry *given,
                              struct sparse_parallel *out, kn_error *err)
{
    kn_tomography_geometry read;
    struct sparse_parallel sizes;
    kn_status status;

    *out = (struct sparse_parallel){.angles = 0};
    if (!given)
        return ki_fail(err, KN_ERROR_ARGUMENT, "geometry is NULL");
    status = KI_SIZED_READ(function, kn_tomography_geometry, given, &read, err);
    if (!status)
        status = check_cone(&read, err);
    if (status)
        return status;
    sizes = (struct sparse_parallel){.angles = read.angles,
                                     .detectors = read.detectors,
                                     .size = read.size,
                                     .axis = ((double)read.detectors - 1) / 2 + read.axis_offset,
                                     .beam = read.beam,
                                     .source = read.source_distance,
                                     .detector = read.detector_distance,
                                     .lines = read.lines,
                                     .slices = read.slices ? read.slices : read.size};
    status = ki_sparse_parallel_check(&sizes, err); // before the angles are read
    if (status)
        return status;
    sizes.theta = (double *)read.theta; // which the copy only reads
    status = ki_sparse_parallel_copy(&sizes, out, err);
    if (!status)
        status = ki_sparse_parallel_check(out, err);
    if (status)
        ki_sparse_parallel_free(out);
    return status;
}

kn_status ki_sparse_read_geometry(const char *function, const kn_tomography_geometry *given,
                                  struct sparse_parallel *out, kn_error *err)
{
    kn_status status = ki_sparse_read_beam(function, given, out, err);

    if (status || !ki_sparse_is_cone(out))
        return status;
    ki_sparse_parallel_free(out);
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "there is no projector for cone beams; they have filtered back-projection "
                   "(kn_tomography_fbp_plan_create)");
}

static kn_status create_operator(const char *function, kn_queue *queue, const kn_tomography_geometry *given,
                                 const kn_sparse_operator_options *options, kn_operator **made, kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status;

    if (!made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "made is NULL");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status)
        status = ki_sparse_make_operator(function, queue, &(struct sparse_source){.geometry = &geometry},
                                         options, made, err);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_operator_create(kn_queue *queue, const kn_tomography_geometry *geometry,
                                        const kn_sparse_operator_options *options, kn_operator **made,
                                        kn_error *err)
{
    return ki_error_name(__func__, create_operator(__func__, queue, geometry, options, made, err), err);
}

static kn_status estimate(const char *function, kn_queue *queue, const kn_tomography_geometry *given,
                          kn_sparse_memory *memory, const kn_sparse_operator_options *options, kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status;

    if (!memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status)
        status = ki_sparse_estimate_operator(function, queue, &(struct sparse_source){.geometry = &geometry},
                                             options, memory, err);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_estimate_memory(kn_queue *queue, const kn_tomography_geometry *geometry,
                                        kn_sparse_memory *memory, const kn_sparse_operator_options *options,
                                        kn_error *err)
{
    return ki_error_name(__func__, estimate(__func__, queue, geometry, memory, options, err), err);
}

static kn_status count_nonzeros(const char *function, const kn_tomography_geometry *given, size_t *nonzeros,
                                kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status;

    if (!nonzeros)
        return ki_fail(err, KN_ERROR_ARGUMENT, "nonzeros is NULL");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status)
        status = ki_sparse_parallel_nonzeros(&geometry, nonzeros, err);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_count_nonzeros(const kn_tomography_geometry *geometry, size_t *nonzeros,
                                       kn_error *err)
{
    return ki_error_name(__func__, count_nonzeros(__func__, geometry, nonzeros, err), err);
}

static kn_status create_matrix(const char *function, const kn_tomography_geometry *given, kn_sparse **made,
                               kn_error *err)
{
    struct sparse_parallel geometry;
    struct sparse_matrix matrix;
    kn_status status;

    if (!made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "made is NULL");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status)
        status = ki_sparse_parallel_matrix(&geometry, &matrix, err);
    ki_sparse_parallel_free(&geometry);
    return status ? status : ki_sparse_wrap(&matrix, made, err);
}

kn_status kn_tomography_matrix_create(const kn_tomography_geometry *geometry, kn_sparse **made, kn_error *err)
{
    return ki_error_name(__func__, create_matrix(__func__, geometry, made, err), err);
}

// ---- projections ----

static kn_status check_projection(const kn_queue *queue, const double *from, const double *to,
                                  kn_sparse_format format, kn_error *err)
{
    if (!from || !to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", from ? "to" : "from");
    if (from == to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "from and to are the same array");
    if ((unsigned)format >= SPARSE_FORMATS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no format %d; see kn_sparse_format", (int)format);
    if (!queue && format != KN_SPARSE_AUTO && format != KN_SPARSE_ON_THE_FLY)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s needs a queue: the host projects on the fly",
                       ki_sparse_format_names[format]);
    return KN_OK;
}

static kn_status project(kn_queue *queue, const kn_tomography_geometry *given, bool adjoint,
                         const double *from, double *to, kn_sparse_format format, kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status = check_projection(queue, from, to, format, err);

    if (!status)
        status = ki_sparse_read_geometry("kn_tomography_project", given, &geometry, err);
    if (status)
        return status;
    status = ki_sparse_project(queue, &geometry, adjoint, format, from, to, err);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_project(kn_queue *queue, const kn_tomography_geometry *geometry, bool adjoint,
                                const double *from, double *to, kn_sparse_format format, kn_error *err)
{
    return ki_error_name(__func__, project(queue, geometry, adjoint, from, to, format, err), err);
}

// ---- the phantom ----

static kn_status draw_phantom(size_t size, size_t oversample, double *picture, kn_error *err)
{
    if (!picture)
        return ki_fail(err, KN_ERROR_ARGUMENT, "picture is NULL");
    if (size < 1 || size > SPARSE_PARALLEL_SIZE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a picture of %zu x %zu pixels; expected from 1 to %d", size,
                       size, SPARSE_PARALLEL_SIZE);
    if (oversample < 1 || oversample > MOST_OVERSAMPLE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu x %zu points a pixel; expected from 1 to %d", oversample,
                       oversample, MOST_OVERSAMPLE);
    ki_sparse_phantom(size, oversample, picture);
    return KN_OK;
}

kn_status kn_tomography_phantom(size_t size, size_t oversample, double *picture, kn_error *err)
{
    return ki_error_name(__func__, draw_phantom(size, oversample, picture, err), err);
}

static kn_status project_phantom(const char *function, const kn_tomography_geometry *given, double *sinogram,
                                 kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status;

    if (!sinogram)
        return ki_fail(err, KN_ERROR_ARGUMENT, "sinogram is NULL");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status)
        ki_sparse_phantom_sinogram(&geometry, sinogram);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_phantom_sinogram(const kn_tomography_geometry *geometry, double *sinogram,
                                         kn_error *err)
{
    return ki_error_name(__func__, project_phantom(__func__, geometry, sinogram, err), err);
}

// ---- measured sinograms ----

static kn_status check_frames(const char *what, const double *frames, size_t count, size_t detectors,
                              kn_error *err)
{
    if (count > SIZE_MAX / sizeof *frames / detectors)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu x %zu numbers of %s are more than the address space holds",
                       count, detectors, what);
    for (size_t i = 0; frames && i < count * detectors; i++)
        if (!isfinite(frames[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: detector %zu of frame %zu (from 0) is %g", what,
                           i % detectors, i / detectors, frames[i]);
    return KN_OK;
}

static kn_status check_counts(const kn_tomography_counts *counts, kn_error *err)
{
    kn_status status;

    if (!counts->angles || !counts->detectors)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu projections of %zu detectors; expected at least 1 each",
                       counts->angles, counts->detectors);
    if (counts->bin > counts->detectors)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a bin of %zu detectors, but there are %zu", counts->bin,
                       counts->detectors);
    if (counts->dark && !counts->white)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a dark field without a white one; what is -log has neither");
    if (!counts->counts)
        return ki_fail(err, KN_ERROR_ARGUMENT, "counts are NULL");
    status = check_frames("counts", counts->counts, counts->angles, counts->detectors, err);
    if (!status)
        status = check_frames("white", counts->white, counts->white_frames, counts->detectors, err);
    if (!status)
        status = check_frames("dark", counts->dark, counts->dark_frames, counts->detectors, err);
    return status;
}

static kn_status make_sinogram(const char *function, const kn_tomography_counts *given, double *sinogram,
                               kn_error *err)
{
    kn_tomography_counts counts;
    kn_status status;

    if (!given || !sinogram)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", given ? "sinogram" : "counts");
    status = KI_SIZED_READ(function, kn_tomography_counts, given, &counts, err);
    if (status)
        return status;
    counts.white_frames = counts.white_frames ? counts.white_frames : 1;
    counts.dark_frames = counts.dark_frames ? counts.dark_frames : 1;
    counts.bin = counts.bin ? counts.bin : 1;
    status = check_counts(&counts, err);
    return status ? status : ki_sparse_take_logs(&counts, sinogram, err);
}

kn_status kn_tomography_sinogram_from_counts(const kn_tomography_counts *counts, double *sinogram,
                                             kn_error *err)
{
    return ki_error_name(__func__, make_sinogram(__func__, counts, sinogram, err), err);
}

// ---- stripes ----

static kn_status remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                kn_error *err)
{
    kn_status status;

    if (!sinogram)
        return ki_fail(err, KN_ERROR_ARGUMENT, "sinogram is NULL");
    if (!angles || !detectors)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu projections of %zu detectors; expected at least 1 each",
                       angles, detectors);
    if (width && width % 2 == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a width of %zu detectors; expected an odd one", width);
    if (width > detectors)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a width of %zu detectors, of which there are %zu", width,
                       detectors);
    if (angles > SIZE_MAX / 16 / detectors)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu x %zu numbers are more than the address space holds", angles,
                       detectors);
    status = check_frames("sinogram", sinogram, angles, detectors, err);
    if (!width)
        width = detectors / 100 > NARROWEST ? detectors / 100 | 1 : NARROWEST;
    return status ? status : ki_sparse_remove_stripes(angles, detectors, width, sinogram, err);
}

kn_status kn_tomography_remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                       kn_error *err)
{
    return ki_error_name(__func__, remove_stripes(angles, detectors, width, sinogram, err), err);
}

// ---- the axis of rotation ----

static kn_status find_axis(const char *function, const kn_tomography_geometry *given, const double *sinogram,
                           kn_tomography_axis *found, kn_error *err)
{
    struct sparse_parallel geometry;
    kn_status status;

    if (!sinogram || !found)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", sinogram ? "found" : "sinogram");
    status = ki_sparse_read_geometry(function, given, &geometry, err);
    if (!status && geometry.beam != KN_TOMOGRAPHY_PARALLEL)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "the axis is found for parallel beams, and this is a fan");
    if (!status)
        status = check_frames("sinogram", sinogram, geometry.angles, geometry.detectors, err);
    if (!status)
        status = ki_sparse_find_axis(&geometry, sinogram, found, err);
    ki_sparse_parallel_free(&geometry);
    return status;
}

kn_status kn_tomography_find_axis(const kn_tomography_geometry *geometry, const double *sinogram,
                                  kn_tomography_axis *found, kn_error *err)
{
    return ki_error_name(__func__, find_axis(__func__, geometry, sinogram, found, err), err);
}
