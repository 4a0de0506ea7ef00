// SPDX-License-Identifier: Apache-2.0
// koine/experimental/recon.h: a reconstruction in parts, which several devices compute: some of the
// differences of F^H W F at a time, single coils, and solutions as bytes.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/api/plan_internal.h"
#include "base/error.h"
#include "recon_internal.h"

// ---- the differences ----

kn_status kn_recon_measure_differences(const kn_recon_matrix *matrix, size_t *differences, size_t *plane,
                                       kn_error *err)
{
    kn_recon_matrix read;
    struct mri_toeplitz_size size;
    size_t voxels;
    kn_status status;

    if (!matrix || !differences || !plane)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__,
                       !matrix        ? "matrix"
                       : !differences ? "differences"
                                      : "plane");
    status = ki_recon_read_matrix(matrix, &read, &voxels, err);
    if (!status)
        status = ki_mri_toeplitz_measure(&read, &size, err);
    if (status)
        return ki_error_name(__func__, status, err);
    *differences = size.differences;
    *plane = read.size[2] > 1 ? 4 * read.size[0] * read.size[1] : 2 * read.size[0];
    return KN_OK;
}

static kn_status check_request(const struct recon *recon, const float *values, size_t first, size_t count,
                               kn_error *err)
{
    struct mri_toeplitz_size size;
    kn_status status;

    if (!values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "values is NULL");
    if (recon->on_host || recon->options.method != KN_RECON_METHOD_LEAST_SQUARES ||
        recon->options.normal == KN_RECON_NORMAL_FORWARD)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "there are differences with least squares on a device, by KN_RECON_NORMAL_TOEPLITZ");
    if (mri_kernel_is_cartesian(recon->kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "Q of samples on the grid has no differences; it is made at once");
    if (recon->kernel == MRI_NUFFT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "differences by a NUFFT are not computed in parts; take another adjoint");
    status = ki_mri_toeplitz_measure(&recon->scan.matrix, &size, err);
    if (!status && (first > size.differences || count > size.differences - first))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%zu differences from number %zu on; there are %zu", count,
                         first, size.differences);
    return status;
}

static kn_status compute(struct recon *recon, size_t first, size_t count, float *values,
                         kn_recon_stage *stage, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct recon_clock clock;
    kn_recon_stage own = {.seconds = 0};
    kn_buffer *buffer = NULL;
    kn_status status = ki_recon_make_weights(recon, err);

    clock = ki_recon_start(recon);
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(recon->queue), count * MRI_PAIR, &buffer, err);
    if (!status)
        status = ki_mri_toeplitz_differences(recon->queue, &scan->matrix, scan->k, scan->samples,
                                             recon->normal_weights, recon->kernel, first, count, buffer,
                                             &own.rate, err);
    if (!status)
        status = kn_buffer_read(recon->queue, buffer, 0, values, count * MRI_PAIR, err);
    kn_buffer_free(buffer);
    ki_recon_stop(recon, &clock, &own);
    if (!status && stage)
        *stage = own;
    return status;
}

static kn_status compute_differences(const char *function, kn_queue *queue, const kn_recon_scan *scan,
                                     const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                     size_t first, size_t count, float *values, kn_recon_stage *stage,
                                     kn_error *err)
{
    struct recon recon = {.queue = queue};
    kn_status status = ki_recon_request(function, queue, scan, options, extras, &recon, err);

    if (!status)
        status = check_request(&recon, values, first, count, err);
    if (!status)
        status = ki_recon_check_scan_arrays(&recon, err);
    if (status || count == 0)
        return status;
    recon.result = ki_recon_solution_make(&recon);
    status = recon.result ? compute(&recon, first, count, values, stage, err)
                          : ki_fail_memory(err, sizeof *recon.result, "a reconstruction");
    free(recon.weights);
    free(recon.normal_weights);
    kn_recon_solution_free(recon.result);
    return status;
}

kn_status kn_recon_compute_differences(kn_queue *queue, const kn_recon_scan *scan,
                                       const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                       size_t first, size_t count, float *values, kn_recon_stage *stage,
                                       kn_error *err)
{
    return ki_error_name(
        __func__,
        compute_differences(__func__, queue, scan, options, extras, first, count, values, stage, err), err);
}

// ---- solutions as bytes ----

// Followed by the image, the coils, and the residuals of each coil, and with them its objectives. The
// kernel's name points to this library's own string after unpacking; the reason for the combination of coils
// is not kept.
struct packed {
    size_t size;
    kn_recon_solution solution; // without what its pointers point to
    char q_kernel[32];          // "": none
};

static size_t residuals_of(const struct mri_solver_result *coil)
{
    return coil->residuals ? coil->iterations + 1 : 0;
}

static size_t objectives_of(const struct mri_solver_result *coil)
{
    return coil->objectives ? coil->iterations + 1 : 0;
}

static size_t packed_size(const kn_recon_solution *solution)
{
    size_t size = sizeof(struct packed) + solution->voxels * sizeof *solution->image +
                  solution->coil_count * sizeof *solution->coils;

    for (size_t i = 0; i < solution->coil_count; i++)
        size += (residuals_of(&solution->coils[i]) + objectives_of(&solution->coils[i])) * sizeof(double);
    return size;
}

static char *append(char *to, const void *bytes, size_t size)
{
    if (size)
        memcpy(to, bytes, size);
    return to + size;
}

static void pack(const kn_recon_solution *solution, char *to)
{
    struct packed head = {.size = packed_size(solution), .solution = *solution};
    const char *q_kernel = solution->details.q_kernel;

    head.solution.image = NULL;
    head.solution.coils = NULL;
    head.solution.details.q_kernel = NULL;
    head.solution.sense_why = NULL;
    if (q_kernel)
        strncpy(head.q_kernel, q_kernel, sizeof head.q_kernel - 1);
    to = append(to, &head, sizeof head);
    to = append(to, solution->image, solution->voxels * sizeof *solution->image);
    to = append(to, solution->coils, solution->coil_count * sizeof *solution->coils);
    for (size_t i = 0; i < solution->coil_count; i++) {
        const struct mri_solver_result *coil = &solution->coils[i];

        to = append(to, coil->residuals, residuals_of(coil) * sizeof(double));
        to = append(to, coil->objectives, objectives_of(coil) * sizeof(double));
    }
}

kn_status kn_recon_solution_pack(const kn_recon_solution *solution, void *bytes, size_t room, size_t *size,
                                 kn_error *err)
{
    if (!solution || !size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, solution ? "size" : "solution");
    *size = packed_size(solution);
    if (!bytes)
        return KN_OK;
    if (room < *size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: room for %zu bytes; a solution has %zu", __func__, room,
                       *size);
    pack(solution, bytes);
    return KN_OK;
}

static const char *kernel_named(const char *name)
{
    for (size_t i = 0; *name && ki_mri_kernel_names[i]; i++)
        if (strcmp(name, ki_mri_kernel_names[i]) == 0)
            return ki_mri_kernel_names[i];
    return *name ? "unknown" : NULL;
}

// Allocates the coils, whose own pointers are still NULL.
static kn_status make_arrays(kn_recon_solution *made, kn_error *err)
{
    made->image = malloc(made->voxels * sizeof *made->image);
    made->coils = made->coil_count ? calloc(made->coil_count, sizeof *made->coils) : NULL;
    if (made->image && (made->coils || !made->coil_count))
        return KN_OK;
    made->coil_count = made->coils ? made->coil_count : 0;
    return ki_fail_memory(err, made->voxels * sizeof *made->image, "a solution");
}

static kn_status copy_coil(const struct mri_solver_result *from, const void *residuals,
                           const void *objectives, struct mri_solver_result *to, kn_error *err)
{
    const size_t bytes = residuals_of(from) * sizeof *to->residuals,
                 more = objectives_of(from) * sizeof *to->objectives;

    *to = *from;
    to->residuals = bytes ? malloc(bytes) : NULL;
    to->objectives = more ? malloc(more) : NULL;
    if ((bytes && !to->residuals) || (more && !to->objectives))
        return ki_fail_memory(err, bytes + more, "a solution");
    append((char *)to->residuals, residuals, bytes);
    append((char *)to->objectives, objectives, more);
    return KN_OK;
}

static kn_status unpack(const char *from, kn_recon_solution *made, kn_error *err)
{
    const char *coils = from + made->voxels * sizeof *made->image,
               *residuals = coils + made->coil_count * sizeof *made->coils, *objectives;
    kn_status status = make_arrays(made, err);

    if (status)
        return status;
    memcpy(made->image, from, made->voxels * sizeof *made->image);
    for (size_t i = 0; i < made->coil_count && !status; i++) {
        struct mri_solver_result coil;

        memcpy(&coil, coils + i * sizeof coil, sizeof coil);
        objectives = residuals + residuals_of(&coil) * sizeof(double);
        status = copy_coil(&coil, residuals, objectives, &made->coils[i], err);
        residuals = objectives + objectives_of(&coil) * sizeof(double);
    }
    return status;
}

kn_status kn_recon_solution_unpack(const void *bytes, size_t size, kn_recon_solution **solution,
                                   kn_error *err)
{
    struct packed head;
    kn_recon_solution *made;
    kn_status status;

    if (!bytes || !solution)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, bytes ? "solution" : "bytes");
    if (size >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (size < sizeof head || head.size != size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu bytes, which are no solution", __func__, size);
    made = malloc(sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a solution");
    *made = head.solution;
    made->details.q_kernel = kernel_named(head.q_kernel);
    status = unpack((const char *)bytes + sizeof head, made, err);
    if (status)
        kn_recon_solution_free(made);
    else
        *solution = made;
    return status;
}

// ---- of all coils ----

static void add_stage(kn_recon_stage *all, const kn_recon_stage *one)
{
    if (one->seconds < 0)
        return;
    all->seconds = fmax(all->seconds, 0) + one->seconds;
    ki_recon_add_rate(all, &one->rate);
}

static void add_details(kn_recon_details *all, const kn_recon_details *one)
{
    add_stage(&all->density, &one->density);
    add_stage(&all->q, &one->q);
    add_stage(&all->fhd, &one->fhd);
    add_stage(&all->gridding, &one->gridding);
    add_stage(&all->solver, &one->solver);
    add_stage(&all->forward, &one->forward);
    add_stage(&all->normal, &one->normal);
    if (!(one->check <= all->check)) { // NaN is the worst
        all->check = one->check;
        all->check_bound = one->check_bound;
    }
}

// Adds to the sum of squares, coils in their order.
static void add_image(const kn_recon_solution *one, bool first, kn_recon_solution *all)
{
    for (size_t n = 0; n < all->voxels; n++) {
        const double real = creal(one->image[n]), imaginary = cimag(one->image[n]);
        const double before = first ? 0 : creal(all->image[n]);

        all->image[n] = before + (real * real + imaginary * imaginary);
    }
}

static kn_status join(const kn_recon_solution *const *coils, size_t count, const kn_recon_stage *q,
                      kn_recon_solution *made, kn_error *err)
{
    kn_status status = make_arrays(made, err);

    for (size_t i = 0; i < count && !status; i++) {
        if (i > 0)
            add_details(&made->details, &coils[i]->details);
        if (count == 1)
            memcpy(made->image, coils[i]->image, made->voxels * sizeof *made->image);
        else
            add_image(coils[i], i == 0, made);
        if (made->coil_count)
            status = copy_coil(coils[i]->coils, coils[i]->coils->residuals, coils[i]->coils->objectives,
                               &made->coils[i], err);
    }
    for (size_t n = 0; n < made->voxels && count > 1 && !status; n++)
        made->image[n] = sqrt(creal(made->image[n]));
    if (q)
        add_stage(&made->details.q, q);
    return status;
}

static kn_status check_coils(const kn_recon_solution *const *coils, size_t count, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!coils[i])
            return ki_fail(err, KN_ERROR_ARGUMENT, "coil %zu is NULL", i);
        if (coils[i]->voxels != coils[0]->voxels || coils[i]->coil_count != coils[0]->coil_count ||
            coils[i]->coil_count > 1)
            return ki_fail(err, KN_ERROR_ARGUMENT, "coil %zu is not of one coil, or of another matrix", i);
    }
    return KN_OK;
}

kn_status kn_recon_solution_join(const kn_recon_solution *const *coils, size_t count, const kn_recon_stage *q,
                                 kn_recon_solution **solution, kn_error *err)
{
    kn_recon_solution *made;
    kn_status status;

    if (!coils || !count || !solution)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there are no coils, or solution is NULL", __func__);
    status = ki_error_name(__func__, check_coils(coils, count, err), err);
    if (status)
        return status;
    made = malloc(sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a solution");
    *made = *coils[0];
    made->coil_count = coils[0]->coil_count ? count : 0;
    status = join(coils, count, q, made, err);
    if (status)
        kn_recon_solution_free(made);
    else
        *solution = made;
    return status;
}
