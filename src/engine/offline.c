// SPDX-License-Identifier: Apache-2.0
// Compiling for devices that need not be present (koine/experimental/offline.h): the backend's compilers,
// with their messages explained like those of a device.
#include <stdlib.h>

#include "backend/offline/offline.h"
#include "base/error.h"
#include "engine/cache/build_log.h"
#include "source/api.h"

static kn_status explain(const struct src_unit *unit, kn_offline_result *result, kn_error *err)
{
    struct ki_text log = KI_TEXT_INIT;
    struct build_location location;

    ki_build_log_explain(unit, result->log, &log, &location);
    ki_text_add(&log, "");
    free(result->log);
    result->log = ki_text_take(&log);
    return result->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
}

kn_status kn_offline_compile(const kn_offline_target *target, const kn_source *source, kn_policy policy,
                             kn_offline_result **result, kn_error *err)
{
    kn_offline_result *made;
    kn_status status;

    if (!result)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_compile: result is NULL");
    *result = NULL;
    if (!target || !source)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_compile: %s is NULL",
                       target ? "source" : "target");
    if (policy != KN_POLICY_DEFAULT && policy != KN_POLICY_STRICT && policy != KN_POLICY_FAST)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_compile: %d is not a kn_policy", (int)policy);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a compilation");
    status = ki_offline_compile(target, source->unit, &source->reading, policy, made, err);
    if (!status)
        status = explain(source->unit, made, err);
    if (status)
        kn_offline_result_free(made);
    else
        *result = made;
    return status;
}

void kn_offline_result_free(kn_offline_result *result)
{
    if (result)
        ki_offline_result_clear(result);
    free(result);
}
