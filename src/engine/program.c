// SPDX-License-Identifier: Apache-2.0
// Programs: source layer, cache, compiler, and the kernels that come out.
#include <config.h>

#include "engine.h"
#include "engine/watch/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/os/env.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text/text.h"
#include "base/words.h"
#include "source/cuda/cuda.h"
#include "engine/cache/build_log.h"
#include "engine/cache/cache.h"
#include "engine/device/target.h"

// What is compiled, and what the compiler gets: the text, its options, and the key of both on this device.
struct recipe {
    const char *name;
    const struct src_unit *unit;
    const struct src_options *reading; // how the unit was read
    kn_policy policy;
    unsigned max_registers;
    bool contract_off; // an option for CUDA only
    struct ki_text source;
    struct ki_text options;
    struct cache_key key;
};

static void opencl_text(const kn_context *context, struct recipe *recipe)
{
    if (context->quirks.calls_wrong)
        ki_text_add(&recipe->source,
                    "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n");
    if (recipe->policy == KN_POLICY_STRICT)
        ki_text_add(&recipe->source, "#pragma OPENCL FP_CONTRACT OFF\n");
    ki_text_add_bytes(&recipe->source, recipe->unit->opencl, recipe->unit->opencl_length);
    if (context->quirks.calls_wrong)
        ki_text_add(&recipe->source, "\n#pragma clang attribute pop\n");
}

static kn_status cuda_text(struct recipe *recipe, kn_error *err)
{
    struct src_cuda *cuda = NULL;
    kn_status status = ki_src_cuda_program(recipe->unit, recipe->reading, &cuda, err);

    if (!status) {
        ki_text_add_bytes(&recipe->source, cuda->text, cuda->length);
        recipe->contract_off = cuda->contract_off;
        for (size_t i = 0; i < recipe->unit->kernel_count; i++)
            recipe->unit->kernels[i].cuda = cuda->kernels[i];
    }
    ki_src_cuda_free(cuda);
    return status;
}

// The text as the device's compiler takes it.
static kn_status engine_device_text(const kn_context *context, struct recipe *recipe, kn_error *err)
{
    if (context->backend->language == BE_LANGUAGE_CUDA)
        return cuda_text(recipe, err);
    opencl_text(context, recipe);
    return KN_OK;
}

static void compiler_options(kn_context *context, struct recipe *recipe)
{
    ki_text_add(&recipe->options,
                context->backend->policy_options(context->native, recipe->policy, recipe->contract_off));
    // Warnings about our own kernels are for us (scripts/resources, tests/e2e/house/kernels.sh); PoCL prints
    // them to users.
    if (recipe->reading->builtin && context->backend->language == BE_LANGUAGE_OPENCL)
        ki_text_add(&recipe->options, " -w");
    if (context->quirks.build_options[0])
        ki_text_format(&recipe->options, " %s", context->quirks.build_options);
    if (recipe->max_registers && context->backend->language == BE_LANGUAGE_CUDA)
        ki_text_format(&recipe->options, " --maxrregcount=%u -DKN_MAX_REGISTERS=%u", recipe->max_registers,
                       recipe->max_registers);
    else if (recipe->max_registers && ki_words_have(context->device.extensions, "cl_nv_compiler_options"))
        ki_text_format(&recipe->options, " -cl-nv-maxrregcount=%u", recipe->max_registers);
    if (context->explained)
        ki_text_add(&recipe->options, ki_engine_report_options(context));
}

static kn_status make_recipe(kn_context *context, struct recipe *recipe, kn_error *err)
{
    const kn_device_info *info = &context->device.info;
    kn_status status = engine_device_text(context, recipe, err);

    if (status)
        return status;
    compiler_options(context, recipe);
    if (recipe->source.failed || recipe->options.failed)
        return ki_fail_memory(err, 0, "compiling a program");

    const char *const parts[] = {
        PACKAGE_VERSION, info->backend,  info->platform, info->name, info->vendor,
        info->version,   info->language, info->driver,   info->uuid, ki_text_string(&recipe->options)};
    struct ki_field fields[KI_COUNT(parts) + 1];
    for (size_t i = 0; i < KI_COUNT(parts); i++)
        fields[i] = (struct ki_field){parts[i], strlen(parts[i])};
    fields[KI_COUNT(parts)] = (struct ki_field){ki_text_string(&recipe->source), recipe->source.length};
    recipe->key.hash = ki_hash_fields(fields, KI_COUNT(fields));
    recipe->key.program = recipe->name;
    recipe->key.device = info->name;
    return KN_OK;
}

static void refuse_cached(kn_context *context, const struct recipe *recipe, const char *why)
{
    ki_engine_log(context, KN_LOG_WARNING, "%s: cached program not used: %s", recipe->name, why);
    ki_cache_remove(context->cache_dir, &recipe->key);
}

static bool keeps_programs(const kn_context *context)
{
    return context->cache_dir && !context->explained && ki_engine_keeps_programs(&context->quirks);
}

static bool load_cached(kn_context *context, const struct recipe *recipe, struct be_program **native)
{
    void *binary = NULL;
    size_t bytes = 0;
    char why[128];
    kn_error reason = KN_ERROR_INIT;
    bool loaded;

    if (!keeps_programs(context))
        return false;
    if (!ki_cache_read(context->cache_dir, &recipe->key, &binary, &bytes, why)) {
        if (why[0])
            ki_engine_log(context, KN_LOG_WARNING, "%s: cached program not used: %s", recipe->name, why);
        return false;
    }
    loaded = !context->backend->program_load(context->native, binary, bytes, ki_text_string(&recipe->options),
                                             native, &reason);
    free(binary);
    if (!loaded)
        refuse_cached(context, recipe, reason.text);
    return loaded;
}

static void store_cached(kn_context *context, const struct recipe *recipe, struct be_program *native)
{
    void *binary = NULL;
    size_t bytes = 0;
    kn_error reason = KN_ERROR_INIT;

    if (!keeps_programs(context))
        return;
    if (context->backend->program_binary(native, &binary, &bytes, &reason) ||
        ki_cache_write(context->cache_dir, &recipe->key, binary, bytes, &reason))
        ki_engine_log(context, KN_LOG_WARNING, "%s: not cached: %s; KOINE_CACHE_DIR may name another folder",
                      recipe->name, reason.text);
    free(binary);
}

static kn_status compile(kn_context *context, const struct src_unit *unit, const struct recipe *recipe,
                         char **log, struct be_program **native, kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    struct ki_text explained = KI_TEXT_INIT;
    struct build_location location;
    kn_status status =
        context->backend->program_build(context->native, ki_text_string(&recipe->source),
                                        ki_text_string(&recipe->options), native, log, &reason);

    if (context->quirks.flat_name && *log) {
        char *original =
            ki_build_log_original(ki_text_string(&recipe->source), context->quirks.flat_name, *log);
        if (original) {
            free(*log);
            *log = original;
        }
    }
    if (!status)
        return KN_OK;
    ki_build_log_explain(unit, *log ? *log : "", &explained, &location);
    if (explained.length < sizeof reason.text / 2)
        location.begin = 0;
    if (status == KN_ERROR_BUILD)
        ki_fail_at(err, status, location.file[0] ? location.file : recipe->name, location.line,
                   "does not compile for %s (%s)\n%s", context->device.info.spec, context->device.info.name,
                   ki_text_string(&explained) + location.begin);
    else
        ki_fail_at(err, status, recipe->name, 0, "%s", reason.text);
    ki_error_native(err, reason.native, reason.native_name);
    ki_text_free(&explained);
    return status;
}

// The first clone of a kernel, and the device's limits for it.
static kn_status prepare_kernel(kn_program *program, struct kn_kernel *kernel, const kn_source_kernel *source,
                                kn_error *err)
{
    kn_context *context = program->context;
    struct engine_clone clone = {NULL, NULL};
    struct be_kernel_limits limits = {0, 0, 0};
    kn_kernel_limits *kept = &kernel->limits;
    size_t required = source->required_group[0] * source->required_group[1] * source->required_group[2];
    kn_status status = context->backend->kernel_get(program->native, source, &clone.native, err);

    if (status)
        return status;
    kernel->program = program;
    kernel->source = source;
    kernel->label = ki_flight_label(source->name, source->file);
    kernel->serial = atomic_fetch_add(&context->serials, 1) + 1;
    if (!KI_ARRAY_PUSH(kernel->clones, kernel->clone_count, kernel->clone_capacity, clone)) {
        context->backend->kernel_free(clone.native);
        return ki_fail_memory(err, 0, "a kernel");
    }
    status = context->backend->kernel_limits(clone.native, &limits, err);
    if (status)
        return status;
    kept->work_group =
        context->quirks.group_answer_wrong ? (size_t)context->device.info.max_work_group : limits.work_group;
    // A kernel compiled for a work-group takes it, whatever the driver answers (NVIDIA's: 256 at most).
    if (required > kept->work_group && required <= context->device.info.max_work_group)
        kept->work_group = required;
    kept->preferred_multiple = limits.preferred_multiple;
    kept->local_bytes = context->quirks.local_answer_doubled ? limits.local_bytes / 2 : limits.local_bytes;
    kept->local_bytes_left = context->device.info.local_memory > kept->local_bytes
                                 ? (size_t)context->device.info.local_memory - kept->local_bytes
                                 : 0;
    memcpy(kept->required_group, source->required_group, sizeof kept->required_group);
    return KN_OK;
}

static void free_kernels(kn_program *program)
{
    for (size_t i = 0; i < program->kernel_count; i++) {
        for (size_t c = 0; c < program->kernels[i].clone_count; c++)
            program->context->backend->kernel_free(program->kernels[i].clones[c].native);
        free(program->kernels[i].clones);
    }
    free(program->kernels);
    program->kernels = NULL;
    program->kernel_count = 0;
}

static kn_status prepare_kernels(kn_program *program, kn_error *err)
{
    kn_status status = KN_OK;

    if (program->unit->kernel_count == 0)
        return KN_OK;
    program->kernels = calloc(program->unit->kernel_count, sizeof *program->kernels);
    if (!program->kernels)
        return ki_fail_memory(err, 0, "a program's kernels");
    program->kernel_count = program->unit->kernel_count;
    for (size_t i = 0; i < program->kernel_count && !status; i++)
        status = prepare_kernel(program, &program->kernels[i], &program->unit->kernels[i], err);
    return status;
}

// Loads from the cache, unless the driver refuses the entry: some do so only when asked for the kernels.
static bool take_cached(kn_context *context, const struct recipe *recipe, kn_program *program)
{
    kn_error reason = KN_ERROR_INIT;

    if (!load_cached(context, recipe, &program->native))
        return false;
    if (prepare_kernels(program, &reason) == KN_OK)
        return true;
    refuse_cached(context, recipe, reason.text);
    free_kernels(program);
    context->backend->program_free(program->native);
    program->native = NULL;
    return false;
}

static kn_status check_capabilities(const kn_context *context, const struct src_unit *unit, kn_error *err)
{
    if (unit->double_line && !context->device.info.fp64)
        return ki_fail_at(err, KN_ERROR_UNSUPPORTED, unit->double_file, unit->double_line,
                          "uses double precision, which %s (%s) does not have", context->device.info.spec,
                          context->device.info.name);
    return KN_OK;
}

static kn_status build(kn_context *context, const char *name, struct src_unit *unit,
                       const struct src_options *reading, const kn_program_options *options,
                       kn_program **program, kn_error *err)
{
    struct recipe recipe = {.name = name, .unit = unit, .reading = reading};
    struct flight_task *task;
    char *log = NULL;
    kn_program *made = calloc(1, sizeof *made);
    kn_status status = made ? KN_OK : ki_fail_memory(err, sizeof *made, "a program");

    if (!status) {
        made->context = ki_engine_hold(context);
        made->unit = unit;
        recipe.policy = options->policy;
        recipe.max_registers = options->max_registers;
        status = make_recipe(context, &recipe, err);
    }
    task = ki_flight_begin("compiling %s for %s (%s)", name, context->device.info.spec,
                           context->device.info.name);
    if (!status && !(made->cached = take_cached(context, &recipe, made))) {
        status = compile(context, unit, &recipe, &log, &made->native, err);
        if (!status)
            status =
                prepare_kernels(made, err); // before the binary is read: some drivers complete it only then
        if (!status)
            store_cached(context, &recipe, made->native);
    }
    ki_flight_end(task);
    if (!status)
        ki_engine_log(context, KN_LOG_DEBUG, "%s: %s for %s", name,
                      made->cached ? "from the cache" : "compiled", context->device.info.spec);
    if (!status && context->explained)
        status = ki_engine_explain_keep(made, ki_text_string(&recipe.source), ki_text_string(&recipe.options),
                                        log, err);
    ki_text_free(&recipe.source);
    ki_text_free(&recipe.options);
    if (options->build_log)
        options->build_log(options->build_log_user, log ? log : "");
    free(log);
    if (status) {
        if (made)
            made->unit = NULL; // it stays with the caller on failure
        kn_program_free(made);
        return status;
    }
    pthread_mutex_lock(&context->clones_lock);
    made->next = context->programs;
    made->link = &context->programs;
    if (made->next)
        made->next->link = &made->next;
    context->programs = made;
    pthread_mutex_unlock(&context->clones_lock);
    *program = made;
    return KN_OK;
}

static void pass_warnings(const kn_context *context, const struct src_unit *unit)
{
    size_t length;

    for (const char *line = unit->warnings; *line; line += length + 1) {
        length = strcspn(line, "\n");
        ki_engine_log(context, KN_LOG_WARNING, "%.*s", (int)length, line);
    }
}

static kn_status create(const char *function, kn_context *context, const char *name, const char *text,
                        bool builtin, const kn_program_options *options, kn_program **program, kn_error *err)
{
    struct src_unit *unit = NULL;
    struct target target;
    kn_program_options how;
    double start = ki_clock_seconds();
    kn_status status = KI_SIZED_READ(function, kn_program_options, options, &how, err);

    if (status)
        return status;
    if (!context || !name || !program)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: a program needs a context, a name (and a text), and a place for its handle",
                       function);
    status = ki_target_describe(&context->device, &how, &target, err);
    if (status)
        return status;
    target.source.builtin = builtin;
    status = ki_src_read(name, text, &target.source, &unit, err);
    if (!status)
        pass_warnings(context, unit);
    if (!status)
        status = check_capabilities(context, unit, err);
    if (!status)
        status = build(context, name, unit, &target.source, &how, program, err);
    ki_target_free(&target);
    if (status)
        ki_src_free(unit);
    atomic_fetch_add(&context->build_nanoseconds, (unsigned long long)((ki_clock_seconds() - start) * 1e9));
    return status;
}

kn_status kn_program_from_text(kn_context *context, const char *text, const char *name,
                               const kn_program_options *options, kn_program **program, kn_error *err)
{
    return create("kn_program_from_text", context, text ? name : NULL, text, false, options, program, err);
}

kn_status kn_program_from_file(kn_context *context, const char *path, const kn_program_options *options,
                               kn_program **program, kn_error *err)
{
    return create("kn_program_from_file", context, path, NULL, false, options, program, err);
}

kn_status kn_program_from_builtin(kn_context *context, const char *name, const kn_program_options *options,
                                  kn_program **program, kn_error *err)
{
    return create("kn_program_from_builtin", context, name, NULL, true, options, program, err);
}

void kn_program_free(kn_program *program)
{
    if (!program)
        return;
    if (program->link) {
        pthread_mutex_lock(&program->context->clones_lock);
        *program->link = program->next;
        if (program->next)
            program->next->link = program->link;
        pthread_mutex_unlock(&program->context->clones_lock);
    }
    free_kernels(program);
    if (program->native)
        program->context->backend->program_free(program->native);
    ki_src_free(program->unit);
    ki_engine_explain_free(program);
    if (!program->is_builtin)
        ki_engine_release(program->context);
    free(program);
}

// ---- kernels ----

kn_status kn_program_get_kernel(kn_program *program, const char *name, kn_kernel **kernel, kn_error *err)
{
    struct ki_text names = KI_TEXT_INIT;
    kn_status status;

    if (!program || !name || !kernel)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_program_get_kernel: program, name or kernel is NULL");
    for (size_t i = 0; i < program->kernel_count; i++)
        if (strcmp(program->kernels[i].source->name, name) == 0) {
            *kernel = &program->kernels[i];
            return KN_OK;
        }
    for (size_t i = 0; i < program->kernel_count; i++)
        ki_text_format(&names, "%s%s", i ? ", " : "", program->kernels[i].source->name);
    status = ki_fail(err, KN_ERROR_ARGUMENT, "no kernel '%s'; there %s %s", name,
                     program->kernel_count == 1 ? "is" : "are",
                     program->kernel_count ? ki_text_string(&names) : "none");
    ki_text_free(&names);
    return status;
}

size_t kn_program_get_kernel_count(const kn_program *program)
{
    return program ? program->kernel_count : 0;
}

kn_kernel *kn_program_get_kernel_at(kn_program *program, size_t index)
{
    return program && index < program->kernel_count ? &program->kernels[index] : NULL;
}

bool kn_program_get_cached(const kn_program *program)
{
    return program && program->cached;
}

const char *kn_kernel_get_name(const kn_kernel *kernel)
{
    return kernel ? kernel->source->name : "";
}

size_t kn_kernel_get_param_count(const kn_kernel *kernel)
{
    return kernel ? kernel->source->param_count : 0;
}

const kn_param *kn_kernel_get_param(const kn_kernel *kernel, size_t index)
{
    return kernel && index < kernel->source->param_count ? &kernel->source->params[index] : NULL;
}

const kn_kernel_limits *kn_kernel_get_limits(const kn_kernel *kernel)
{
    return kernel ? &kernel->limits : NULL;
}

// ---- Koine's own kernels, built once a context ----

static void add_number(struct ki_text *key, unsigned number)
{
    ki_text_add_char(key, ' ');
    do // the digits backwards, which distinguish numbers as well
        ki_text_add_char(key, (char)('0' + number % 10));
    while (number /= 10);
}

// The key by which a program is found. It is written without a format, because every call of an algorithm
// looks up its kernels.
static void write_key(const char *file, const kn_program_options *options, struct ki_text *key)
{
    ki_text_clear(key);
    ki_text_add(key, file);
    add_number(key, (unsigned)options->policy);
    add_number(key, options->max_registers);
    for (size_t i = 0; i < options->define_count; i++) {
        ki_text_add_char(key, '\n');
        ki_text_add(key, options->defines[i].name);
        ki_text_add_char(key, '=');
        ki_text_add(key, options->defines[i].value ? options->defines[i].value : "1");
    }
}

static bool has_key(const struct engine_builtin *entry, const struct ki_text *key)
{
    return entry->key_length == key->length && memcmp(entry->key, key->data, key->length) == 0;
}

static kn_status builtin_program(kn_context *context, const struct ki_text *key, const char *file,
                                 const kn_program_options *options, kn_program **program, kn_error *err)
{
    struct engine_builtin entry = {NULL, key->length, NULL};
    kn_status status;

    for (size_t i = 0; i < context->builtin_count; i++)
        if (has_key(&context->builtins[i], key)) {
            *program = context->builtins[i].program;
            return KN_OK;
        }
    status = kn_program_from_builtin(context, file, options, &entry.program, err);
    if (status)
        return status;
    entry.program->is_builtin = true;
    ki_engine_release(context); // the caller still holds it
    entry.key = strdup(ki_text_string(key));
    if (!entry.key ||
        !KI_ARRAY_PUSH(context->builtins, context->builtin_count, context->builtin_capacity, entry)) {
        free(entry.key);
        kn_program_free(entry.program);
        return ki_fail_memory(err, 0, "a program");
    }
    *program = entry.program;
    return KN_OK;
}

kn_status ki_engine_builtin_kernel_with(kn_context *context, const char *file,
                                        const kn_program_options *options, const char *name,
                                        kn_kernel **kernel, kn_error *err)
{
    struct ki_text *key = &context->builtin_key;
    kn_program_options how = *options;
    kn_program *program = NULL;
    kn_status status;

    if (how.policy == KN_POLICY_DEFAULT)
        how.policy = context->options.policy;
    pthread_mutex_lock(&context->builtins_lock);
    write_key(file, &how, key);
    status = key->failed ? ki_fail_memory(err, 0, "a program")
                         : builtin_program(context, key, file, &how, &program, err);
    pthread_mutex_unlock(&context->builtins_lock);
    return status ? status : kn_program_get_kernel(program, name, kernel, err);
}

kn_status ki_engine_builtin_kernel(kn_context *context, const char *file, const kn_define *defines,
                                   size_t define_count, kn_policy policy, const char *name,
                                   kn_kernel **kernel, kn_error *err)
{
    const kn_program_options options =
        KN_INIT(kn_program_options, .defines = defines, .define_count = define_count, .policy = policy);

    return ki_engine_builtin_kernel_with(context, file, &options, name, kernel, err);
}
