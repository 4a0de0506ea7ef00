// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <config.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "cli/page/result.h"
#include "interrupt.h"

bool report_shows_text(const struct common_arguments *common)
{
    return !common->json || strcmp(common->json, "-") != 0;
}

kn_status report_try_file(const char *path, bool force, kn_error *err)
{
    kn_status status;

    interrupt_hold();
    status = ki_output_try(path, force, err);
    interrupt_release();
    return status;
}

kn_status report_try(const struct common_arguments *common, kn_error *err)
{
    kn_status status = common->report && strcmp(common->report, "-") == 0
                           ? ki_fail(err, KN_ERROR_ARGUMENT, "--report needs a file, not standard output")
                       : common->json ? report_try_file(common->json, common->force, err)
                                      : KN_OK;

    return status || !common->report ? status : report_try_file(common->report, common->force, err);
}

json_t *report_begin(const char *command, const kn_device_info *device, const char *precision,
                     const char *policy, const struct ki_json_seconds *seconds)
{
    struct ki_json_head head = {
        .version = PACKAGE_VERSION,
        .command = command,
        .precision = precision,
        .policy = policy,
        .seconds = *seconds,
    };

    if (device) {
        head.device_spec = device->spec;
        head.device_name = device->name;
        head.device_backend = device->backend;
        head.device_driver = *device->driver ? device->driver : NULL;
    }
    return ki_json_result(&head);
}

bool report_wanted(const struct common_arguments *common)
{
    return common->json || common->report;
}

// Adds a picture or figures, or NULL if memory ran out.
static void add_picture(json_t **root, json_t *picture)
{
    json_t *pictures = json_object_get(*root, PAGE_PICTURES);

    if (!pictures) {
        pictures = json_array();
        report_put(root, PAGE_PICTURES, pictures);
    }
    if (!*root) {
        json_decref(picture);
    } else if (json_array_append_new(pictures, picture)) {
        json_decref(*root);
        *root = NULL;
    }
}

void report_picture(json_t **root, const struct common_arguments *common, const char *caption,
                    const double *values, size_t width, size_t height)
{
    if (common->report && *root)
        add_picture(root, page_picture(caption, values, width, height));
}

void report_figures(json_t **root, const struct common_arguments *common, struct ki_text *figures)
{
    char *text = ki_text_take(figures);

    if (common->report && *root)
        add_picture(root, text ? json_string(text) : NULL);
    free(text);
}

static kn_status write_page(const json_t *root, const struct common_arguments *common, kn_error *err)
{
    char *page = NULL;
    kn_status status =
        root ? page_result(root, common, &page, err) : ki_fail_memory(err, 0, "writing the page");

    interrupt_hold();
    if (!status)
        status = ki_output_write(common->report, page, strlen(page), common->force, err);
    interrupt_release();
    free(page);
    return status;
}

kn_status report_write(json_t *root, const struct common_arguments *common, kn_error *err)
{
    kn_status status = KN_OK;

    if (common->report)
        status = write_page(root, common, err);
    json_object_del(root, PAGE_PICTURES);
    if (common->json && !status) {
        interrupt_hold();
        status = ki_json_write(root, common->json, common->force, err);
        interrupt_release();
    }
    json_decref(root);
    return status;
}

json_t *report_text(const char *string)
{
    return *string ? ki_json_string(string) : json_null();
}

void report_put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

void report_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}
