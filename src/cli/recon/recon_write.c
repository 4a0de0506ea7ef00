// SPDX-License-Identifier: Apache-2.0
// koine recon: the image, the pictures and table of --output, and the JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cli/inputs/mri_files.h"
#include "io/array/volume.h"
#include "cmd_recon.h"
#include "convention.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

// ---- files ----

static kn_status write_image(const struct recon_run *run, const kn_recon_solution *solution, const char *path,
                             kn_error *err)
{
    const struct mri_scan *scan = &run->scan;
    const kn_recon_matrix list = {.axes = 0};
    struct npy array;
    kn_status status = mri_image_array(scan->positions ? &list : &scan->matrix, scan->voxels,
                                       (const double complex *)kn_recon_solution_get_image(solution),
                                       scan->coils == 1 || recon_is_joint(run),
                                       kn_recon_solution_get_is_double(solution), &array, err);

    if (status)
        return status;
    interrupt_hold();
    status = volume_write(path, VOLUME_IMAGE, &array, run->arguments->common.force, err);
    interrupt_release();
    npy_free(&array);
    return status;
}

struct npy recon_image_form(const struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;
    struct npy form = {.type = run->options.kernel == KN_RECON_KERNEL_HOST_DOUBLE ? KN_F64 : KN_F32,
                       .is_complex = scan->coils == 1 || recon_is_joint(run),
                       .dims = scan->positions ? 1 : scan->matrix.axes,
                       .shape = {scan->voxels}};

    for (size_t axis = 0; axis < scan->matrix.axes && !scan->positions; axis++)
        form.shape[scan->matrix.axes - 1 - axis] = scan->matrix.size[axis];
    return form;
}

static void add_numbers(struct ki_text *text, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(numbers[i]) || numbers[i] < 0)
            ki_text_add(text, ",");
        else
            ki_text_format(text, ",%.9g", numbers[i]);
    }
}

static kn_status write_csv(const struct recon_run *run, const char *path, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    ki_text_add(&text,
                "variant,error_percent,psnr_db,snr_db,q_seconds,q_gflops,q_pairs,fhd_seconds,fhd_gflops,"
                "fhd_pairs,solver_seconds,gridding_seconds,seconds,ratio\n");
    for (size_t i = 0; i < run->variant_count; i++) {
        const struct recon_variant *variant = &run->variants[i];
        const kn_recon_details *details = kn_recon_solution_get_details(variant->solution);
        const double numbers[] = {
            details->q.seconds,      recon_gflops(&details->q),   details->q.rate.pairs,
            details->fhd.seconds,    recon_gflops(&details->fhd), details->fhd.rate.pairs,
            details->solver.seconds, details->gridding.seconds,   variant->seconds,
            variant->ratio};

        // Decibels may be negative.
        ki_text_format(&text, "%s,%.9g,%.9g,%.9g", variant->name, variant->quality.error_percent,
                       variant->quality.psnr_db, variant->quality.snr_db);
        add_numbers(&text, numbers, sizeof numbers / sizeof *numbers);
        ki_text_add_char(&text, '\n');
    }
    if (text.failed) {
        status = ki_fail_memory(err, 0, "writing the results");
    } else {
        interrupt_hold();
        status = ki_output_write(path, text.data, text.length, run->arguments->common.force, err);
        interrupt_release();
    }
    ki_text_free(&text);
    return status;
}

static kn_status try_file(const struct recon_run *run, const char *path, kn_error *err)
{
    return report_try_file(path, run->arguments->common.force, err);
}

// The names of the pictures in --output: one for every possible variant.
static const char *picture_name(size_t i)
{
    return i < RECON_KERNELS ? kn_recon_kernel_name((kn_recon_kernel)(KN_RECON_KERNEL_NAIVE + i))
                             : recon_method_names[KN_RECON_METHOD_GRIDDING];
}

kn_status recon_try_files(const struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    kn_status status = report_try(common, err);

    if (!status && arguments->out)
        status = volume_try(arguments->out, VOLUME_IMAGE, common->force, err);
    if (!status && arguments->save_q)
        status = try_file(run, arguments->save_q, err);
    if (!status && common->output)
        status = ki_output_folder(common->output, err);
    for (size_t i = 0; common->output && i <= RECON_VARIANTS && !status; i++) {
        struct ki_text path = KI_TEXT_INIT;

        if (i == RECON_VARIANTS)
            ki_text_format(&path, "%s/variants.csv", common->output);
        else
            ki_text_format(&path, "%s/%s.png", common->output, picture_name(i));
        status = path.failed ? ki_fail_memory(err, 0, "naming the files") : try_file(run, path.data, err);
        ki_text_free(&path);
    }
    return status;
}

static kn_status write_folder(const struct recon_run *run, kn_error *err)
{
    const char *folder = run->arguments->common.output;
    kn_status status = KN_OK;

    for (size_t i = 0; i <= run->variant_count && !status; i++) {
        struct ki_text path = KI_TEXT_INIT;

        if (i == run->variant_count)
            ki_text_format(&path, "%s/variants.csv", folder);
        else
            ki_text_format(&path, "%s/%s.png", folder, run->variants[i].name);
        if (path.failed)
            status = ki_fail_memory(err, 0, "naming the files");
        else if (i == run->variant_count)
            status = write_csv(run, path.data, err);
        else
            status = write_image(run, run->variants[i].solution, path.data, err);
        ki_text_free(&path);
    }
    return status;
}

kn_status recon_write_files(const struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    kn_status status = arguments->out ? write_image(run, run->shown, arguments->out, err) : KN_OK;

    return status || !arguments->common.output ? status : write_folder(run, err);
}

void recon_print_files(const struct recon_run *run)
{
    const struct recon_arguments *arguments = run->arguments;
    const char *ending = arguments->out ? strrchr(arguments->out, '.') : NULL;

    if (arguments->out)
        printf("written to %s", arguments->out);
    if (ending && strcmp(ending, ".png") == 0 && run->scan.matrix.axes == 3)
        printf(": slice %zu", run->scan.matrix.size[2] / 2);
    if (arguments->save_q)
        printf("; Q to %s", arguments->save_q);
    if (arguments->out)
        printf("\n");
    if (!arguments->common.output)
        return;
    printf("written to %s: variants.csv", arguments->common.output);
    for (size_t i = 0; i < run->variant_count; i++)
        printf(", %s.png", run->variants[i].name);
    printf("\n");
}

// ---- JSON ----

static json_t *sum_json(const kn_recon_stage *stage)
{
    json_t *object = json_object();

    report_put(&object, "seconds", ki_json_double(stage->seconds));
    report_put(&object, "gflops", ki_json_double(recon_gflops(stage)));
    report_put(&object, "pairs", ki_json_double(stage->rate.pairs));
    report_put(&object, "kernel_seconds", ki_json_double(stage->rate.seconds));
    report_put(&object, "loads", ki_json_double(stage->rate.loads));
    return object;
}

static json_t *stages_json(const kn_recon_details *details)
{
    const struct {
        const char *name;
        const kn_recon_stage *stage;
        bool is_sum;
    } stages[] = {{"density", &details->density, false}, {"q", &details->q, true},
                  {"fhd", &details->fhd, true},          {"gridding", &details->gridding, false},
                  {"solver", &details->solver, false},   {"normal", &details->normal, true}};
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        json_t *stage = NULL;

        if (stages[i].stage->seconds < 0)
            continue;
        if (stages[i].is_sum) {
            stage = sum_json(stages[i].stage);
        } else {
            stage = json_object();
            report_put(&stage, "seconds", ki_json_double(stages[i].stage->seconds));
        }
        report_put(&object, stages[i].name, stage);
    }
    return object;
}

static json_t *numbers_json(const double *numbers, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        report_append(&array, ki_json_double(numbers[i]));
    return array;
}

static json_t *residuals_json(const kn_recon_coil *coil)
{
    return numbers_json(coil->residuals, coil->iterations + 1);
}

// Of each iteration; null for regularizers without one.
static json_t *objectives_json(const kn_recon_solution *solution, size_t coil)
{
    const double *objectives = kn_recon_solution_get_objectives(solution, coil);

    return objectives ? numbers_json(objectives, kn_recon_solution_get_coil(solution, coil).iterations + 1)
                      : json_null();
}

static void put_quality(json_t **object, const struct recon_run *run, kn_recon_method method,
                        const kn_recon_quality *quality)
{
    json_t *factor = json_array();

    report_append(&factor, ki_json_double(quality->factor[0]));
    report_append(&factor, ki_json_double(quality->factor[1]));
    report_put(object, "reference_scale", json_string(recon_is_scaled(run, method) ? "best" : "none"));
    report_put(object, "reference_factor", factor);
    report_put(object, "error_percent", ki_json_double(quality->error_percent));
    report_put(object, "psnr_db", ki_json_double(quality->psnr_db));
    report_put(object, "snr_db", ki_json_double(quality->snr_db));
}

// Puts the residuals of the first coil under the documented key; and those of all coils if there are several.
static void put_solver(json_t **root, const kn_recon_solution *solution,
                       const kn_recon_solve_options *options)
{
    const kn_recon_coil first = kn_recon_solution_get_coil(solution, 0);
    const kn_recon_details *details = kn_recon_solution_get_details(solution);
    size_t count = kn_recon_solution_get_coils(solution);
    json_t *coils;

    report_put(root, "iterations", count ? residuals_json(&first) : json_array());
    if (!count)
        return;
    coils = json_array();
    for (size_t i = 0; i < count; i++) {
        const kn_recon_coil coil = kn_recon_solution_get_coil(solution, i);
        json_t *object = json_object();

        report_put(&object, "iterations", residuals_json(&coil));
        report_put(&object, "objectives", objectives_json(solution, i));
        report_put(&object, "residual", ki_json_double(coil.residual));
        report_put(&object, "converged", json_boolean(coil.stopped == KN_SOLVE_STOPPED_TOLERANCE));
        report_append(&coils, object);
    }
    report_put(root, "coil_results", coils);
    report_put(root, "objectives", objectives_json(solution, 0));
    report_put(root, "residual", ki_json_double(first.residual));
    report_put(root, "lambda", ki_json_double(kn_recon_solution_get_lambda(solution)));
    report_put(root, "regularizer", json_string(kn_recon_regularizer_name(options->regularizer)));
    report_put(root, "boundary",
               options->regularizer == KN_RECON_REGULARIZER_DIFFERENCE
                   ? json_string(kn_recon_boundary_name(options->boundary))
                   : json_null());
    report_put(root, "bound", ki_json_double(details->bound));
    report_put(root, "q_kernel", details->q_kernel ? json_string(details->q_kernel) : json_null());
    report_put(root, "q_loaded", json_boolean(details->q_loaded));
}

static void put_check(json_t **root, const kn_recon_details *details)
{
    json_t *object = json_object();

    report_put(&object, "difference", ki_json_double(details->checked ? details->check : NAN));
    report_put(&object, "bound", ki_json_double(details->checked ? details->check_bound : NAN));
    report_put(&object, "samples", json_integer((json_int_t)details->checked));
    report_put(root, "adjoint_check", object);
    object = json_object();
    report_put(&object, "error", ki_json_double(details->nufft_voxels ? details->nufft_error : NAN));
    report_put(&object, "tolerance", ki_json_double(details->nufft_voxels ? details->nufft_tolerance : NAN));
    report_put(&object, "voxels", json_integer((json_int_t)details->nufft_voxels));
    report_put(root, "nufft", object);
    object = json_object();
    report_put(&object, "host", json_integer((json_int_t)details->memory.host));
    report_put(&object, "device", json_integer((json_int_t)details->memory.device));
    report_put(root, "memory", object);
}

static json_t *variants_json(const struct recon_run *run)
{
    json_t *array = json_array();

    for (size_t i = 0; i < run->variant_count; i++) {
        const struct recon_variant *variant = &run->variants[i];
        json_t *object = json_object();

        report_put(&object, "variant", json_string(variant->name));
        report_put(&object, "density",
                   json_string(run->weights ? "file" : kn_recon_density_name(variant->options.density)));
        put_quality(&object, run, variant->options.method, &variant->quality);
        report_put(&object, "stages", stages_json(kn_recon_solution_get_details(variant->solution)));
        report_put(&object, "seconds", ki_json_double(variant->seconds));
        report_put(&object, "ratio", ki_json_double(variant->ratio));
        report_append(&array, object);
    }
    return array;
}

static void put_scan(json_t **root, const struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;

    report_put(root, "input", ki_json_string(run->input));
    report_put(root, "samples", json_integer((json_int_t)scan->samples));
    recon_put_coils(run, root);
    report_put(root, "voxels", json_integer((json_int_t)scan->voxels));
    report_put(root, "combined", recon_combined(run) ? json_string(recon_combined(run)) : json_null());
    report_put(root, "sense", ki_json_string(recon_sense_name(run)));
    report_put(root, "sense_why", run->sense_why ? json_string(run->sense_why) : json_null());
    report_put(root, "noise_acquisitions", json_integer((json_int_t)scan->noise));
    convention_report(root, &scan->matrix, &scan->range);
    report_put(root, "scale", json_string(run->options.scale == KN_RECON_SCALE_UNITARY ? "unitary" : "none"));
    report_put(root, "density", ki_json_string(recon_density_name(run)));
    report_put(root, "basis", ki_json_string(recon_basis_name(run)));
}

// Adds the magnitude of the image: of a volume, the middle slice; of coils that are not combined, the first.
static kn_status add_picture(json_t **root, const struct recon_run *run, kn_error *err)
{
    const struct mri_scan *scan = &run->scan;
    size_t width = scan->matrix.size[0], height = scan->matrix.size[1],
           slices = width && height ? scan->voxels / (width * height) : 0;
    const double complex *image = (const double complex *)kn_recon_solution_get_image(run->shown);
    double *magnitude;

    if (!run->arguments->common.report || scan->positions || !slices)
        return KN_OK;
    magnitude = malloc(width * height * sizeof *magnitude);
    if (!magnitude)
        return ki_fail_memory(err, width * height * sizeof *magnitude, "a picture");
    for (size_t i = 0; i < width * height; i++)
        magnitude[i] = cabs(image[slices / 2 * width * height + i]);
    report_picture(root, &run->arguments->common, "The magnitude of the image", magnitude, width, height);
    free(magnitude);
    return KN_OK;
}

kn_status recon_write_json(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const kn_recon_details *details = kn_recon_solution_get_details(run->shown);
    struct place host;
    bool on_host = run->options.method != KN_RECON_METHOD_GRIDDING && recon_is_of_host(run->options.kernel);
    json_t *root;

    place_host(&host);
    root = report_begin(
        "recon", on_host ? &host.device : &run->place.device,
        precision_names[kn_recon_solution_get_is_double(run->shown) ? PRECISION_DOUBLE : PRECISION_FLOAT],
        policy_names[arguments->common.policy], &run->seconds);
    estimate_report(&root, &run->place);
    if (run->share.count)
        report_put(&root, "devices", share_json(run->share.places, run->share.taken, run->share.count));
    if (arguments->common.resume)
        report_put(&root, "resumed", json_integer((json_int_t)run->resume.resumed));
    report_put(&root, "image", arguments->out ? ki_json_string(arguments->out) : json_null());
    report_put(&root, "solver", json_string(recon_method_names[run->options.method]));
    report_put(&root, "kernel",
               run->options.method == KN_RECON_METHOD_GRIDDING
                   ? json_null()
                   : json_string(kn_recon_kernel_name(run->options.kernel)));
    report_put(&root, "method", json_string(recon_method(run)));
    report_put(&root, "why", json_string(recon_why(run)));
    put_scan(&root, run);
    report_put(&root, "normal",
               run->options.method == KN_RECON_METHOD_LEAST_SQUARES
                   ? json_string(recon_normal_names[run->options.normal])
                   : json_null());
    put_solver(&root, run->shown, &run->options);
    put_check(&root, details);
    if (run->reference)
        put_quality(&root, run, run->options.method, &run->quality);
    report_put(&root, "stages", stages_json(details));
    if (arguments->variants)
        report_put(&root, "variants", variants_json(run));
    if (add_picture(&root, run, err)) {
        json_decref(root);
        return err->code;
    }
    return report_write(root, &arguments->common, err);
}
