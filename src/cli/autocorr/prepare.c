// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "io/image/png.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

const char *const prepare_endings[] = {".png", ".tif", ".tiff", ".npy", NULL};

static const char *const step_names[KN_AUTOCORR_STEPS] = {"1-grey",   "2-stabilised", "3-flattened",
                                                          "4-mended", "5-contrast",   "6-cropped"};

// ---- options ----

kn_status prepare_region(const char *option, const char *text, kn_autocorr_region *region, kn_error *err)
{
    size_t *const numbers[] = {&region->x, &region->y, &region->width, &region->height};
    const char *at = text;
    bool right = true;

    for (size_t i = 0; i < 4 && right; i++) {
        char *end = (char *)at;

        errno = 0;
        *numbers[i] = *at >= '0' && *at <= '9' ? (size_t)strtoumax(at, &end, 10) : 0;
        right = end != at && !errno && *end == (i < 3 ? ',' : '\0') && (i < 2 || *numbers[i]);
        at = end + 1;
    }
    return right
               ? KN_OK
               : ki_fail(err, KN_ERROR_ARGUMENT,
                         "--%s: '%s' is not X,Y,W,H: four whole numbers, the last two from 1", option, text);
}

static kn_status read_contrast(const char *text, kn_autocorr_preparation_options *options, kn_error *err)
{
    char *end;

    options->contrast = true;
    options->contrast_auto = strcmp(text, "auto") == 0;
    if (options->contrast_auto)
        return KN_OK;
    options->low = strtod(text, &end);
    if (end != text && *end == ',') {
        const char *second = end + 1;

        options->high = strtod(second, &end);
        if (end != second && !*end && isfinite(options->low) && isfinite(options->high) &&
            options->low < options->high)
            return KN_OK;
    }
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--contrast: '%s' is neither auto nor LO,HI: two levels, the first less than the second",
                   text);
}

kn_status prepare_settle(const struct prepare_arguments *arguments, const struct common_arguments *common,
                         struct prepare_plan *plan, kn_error *err)
{
    kn_autocorr_preparation_options *options = &plan->options;
    kn_status status = KN_OK;

    *options = KN_INIT(kn_autocorr_preparation_options, .stabilise = arguments->stabilise,
                       .flatten = (double)arguments->flatten,
                       .find_dust = arguments->dust && strcmp(arguments->dust, "auto") == 0,
                       .show = arguments->steps);
    if (arguments->contrast)
        status = read_contrast(arguments->contrast, options, err);
    if (!status && arguments->crop) {
        status = prepare_region("crop", arguments->crop, &plan->crop, err);
        options->crop = &plan->crop;
    }
    if (!status && arguments->steps && !common->output)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--steps writes pictures; it needs --output DIR");
    plan->asked = arguments->stabilise || arguments->flatten || arguments->dust || arguments->contrast ||
                  arguments->crop || arguments->steps;
    return status;
}

kn_status prepare_open(const struct prepare_arguments *arguments, struct frames *frames,
                       struct prepare_plan *plan, kn_error *err)
{
    const kn_autocorr_source source = frames_source(frames);
    kn_status status = KN_OK;

    if (arguments->dust && !plan->options.find_dust) {
        status = frames_read_grey(arguments->dust, &plan->dust, err);
        plan->options.dust = &plan->dust;
    }
    if (!status && plan->asked)
        status = ki_error_unname(
            kn_autocorr_preparation_create(&source, &plan->options, &plan->preparation, err), err);
    return status;
}

void prepare_close(struct prepare_plan *plan)
{
    kn_autocorr_preparation_free(plan->preparation);
    free(plan->dust.pixels);
}

// ---- files ----

kn_status prepare_list(const struct inputs *files, const char *const others[], size_t other_count,
                       struct image_bytes *input, struct frames *frames, kn_error *err)
{
    size_t named = 0;
    kn_status status = KN_OK;

    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->paths[i], "-") == 0 && !named++)
            status = image_read_input(input, err);
    for (size_t i = 0; i < other_count; i++)
        named += others[i] && strcmp(others[i], "-") == 0;
    if (!status && named > 1)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "standard input (-) is named twice, but can be read only once");
    return status ? status : frames_list(files->paths, files->count, input, frames, err);
}

char *prepare_name(const struct frame_source *source)
{
    const char *slash = strrchr(source->file, '/'), *base = slash ? slash + 1 : source->file;
    const char *dot = strrchr(base, '.');
    struct ki_text name = KI_TEXT_INIT;

    if (strcmp(base, "-") == 0)
        ki_text_add(&name, "stdin");
    else
        ki_text_add_bytes(&name, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    if (source->pages > 1)
        ki_text_format(&name, "-p%zu", source->page + 1);
    return ki_text_take(&name);
}

char *prepare_path(const char *folder, const char *name, const char *ending)
{
    struct ki_text path = KI_TEXT_INIT;

    ki_text_format(&path, "%s/%s%s", folder, name, ending);
    return ki_text_take(&path);
}

struct named {
    const char *name, *file;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

kn_status prepare_check_names(char *const *names, const struct frames *frames, const char *ending,
                              kn_error *err)
{
    const struct frame_source *sources = frames->sources;
    size_t count = frames->count;
    struct named *sorted = malloc(count * sizeof *sorted);
    kn_status status = KN_OK;

    if (!sorted)
        return ki_fail_memory(err, count * sizeof *sorted, "naming the files");
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct named){names[i], sources[i].file};
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count && !status; i++)
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            status = ki_fail(err, KN_ERROR_ARGUMENT,
                             "--output: %s and %s would both be written to %s%s; give them different names, "
                             "or separate folders",
                             sorted[i - 1].file, sorted[i].file, sorted[i].name, ending);
    free(sorted);
    return status;
}

kn_status prepare_write_png(const char *path, const kn_autocorr_grey *grey, bool force, kn_error *err)
{
    const struct ki_picture picture = {grey->width, grey->height, grey->type == KN_U8 ? 8 : 16, grey->pixels};
    kn_status status;

    interrupt_hold();
    status = ki_png_write(path, &picture, force, err);
    interrupt_release();
    return status;
}

static char *step_path(const char *folder, const char *name, size_t step)
{
    struct ki_text ending = KI_TEXT_INIT;
    char *path = NULL;

    ki_text_format(&ending, ".%s.png", step_names[step]);
    if (!ending.failed)
        path = prepare_path(folder, name, ending.data);
    ki_text_free(&ending);
    return path;
}

kn_status prepare_write_steps(const struct prepare_plan *plan, const char *folder, const char *name,
                              const kn_autocorr_prepared *prepared, bool force, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t step = 0; plan->options.show && step < KN_AUTOCORR_STEPS && !status; step++) {
        char *path;

        if (!prepared->pictures[step].pixels)
            continue;
        path = step_path(folder, name, step);
        status = path ? prepare_write_png(path, &prepared->pictures[step], force, err)
                      : ki_fail_memory(err, 0, "naming the files");
        free(path);
    }
    return status;
}

kn_status prepare_try_steps(const struct prepare_plan *plan, const char *folder, const char *name, bool force,
                            kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t step = 0; plan->options.show && step < KN_AUTOCORR_STEPS && !status; step++) {
        char *path = step_path(folder, name, step);

        status = path ? report_try_file(path, force, err) : ki_fail_memory(err, 0, "naming the files");
        free(path);
    }
    return status;
}

bool prepare_list_steps(const struct prepare_plan *plan, const char *folder, const char *name,
                        const kn_autocorr_prepared *prepared, void (*each)(void *data, const char *path),
                        void *data)
{
    bool named = true;

    for (size_t step = 0; plan->options.show && step < KN_AUTOCORR_STEPS && named; step++) {
        char *path;

        if (!prepared->pictures[step].pixels)
            continue;
        path = step_path(folder, name, step);
        named = path;
        if (path)
            each(data, path);
        free(path);
    }
    return named;
}

// ---- JSON ----

static json_t *pair(double first, double second)
{
    json_t *array = json_array();

    report_append(&array, ki_json_double(first));
    report_append(&array, ki_json_double(second));
    return array;
}

json_t *prepare_json(const struct prepare_plan *plan, const kn_autocorr_prepared *prepared)
{
    const kn_autocorr_preparation_options *options = &plan->options;
    json_t *object = json_object();

    if (options->stabilise) {
        report_put(&object, "shift", pair(prepared->x, prepared->y));
        report_put(&object, "certainty", ki_json_double(prepared->certainty));
    }
    if (options->find_dust || options->dust)
        report_put(&object, "dust_pixels", json_integer((json_int_t)prepared->dust));
    if (options->contrast)
        report_put(&object, "contrast", pair(prepared->low, prepared->high));
    return object;
}
