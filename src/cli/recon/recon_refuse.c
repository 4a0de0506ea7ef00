// SPDX-License-Identifier: Apache-2.0
// koine recon: refuses incompatible options and what does not fit in memory, in terms of its options.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/saturate.h"
#include "cli/framework/memory.h"
#include "cmd_recon.h"

// ---- incompatible options ----

static kn_status try_parboil(const struct recon_run *run, kn_error *err)
{
    if (run->options.method != KN_RECON_METHOD_ADJOINT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--solver %s: Parboil's mri-q has no data to reconstruct from; compute its Q with "
                       "--solver adjoint",
                       recon_method_names[run->options.method]);
    if (run->options.density != KN_RECON_DENSITY_NONE || run->weights || run->basis)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--density and --basis: Parboil's mri-q comes with the weights |phi|^2; leave them out");
    return KN_OK;
}

static kn_status try_q(const struct recon_run *run, kn_error *err)
{
    const char *option = run->extras.save_q ? "--save-q" : "--load-q";

    if (!run->extras.save_q && !run->extras.load_q)
        return KN_OK;
    if (run->options.method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: only --solver ls has a Q", option);
    if (recon_is_of_host(run->options.kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: a file of Q is for devices, in single precision; the kernel %s has none", option,
                       kn_recon_kernel_name(run->options.kernel));
    return KN_OK;
}

// With --normal forward, refuses methods without F^H F and options that need Q.
static kn_status try_normal(const struct recon_run *run, kn_error *err)
{
    if (run->options.normal != KN_RECON_NORMAL_FORWARD)
        return KN_OK;
    if (run->options.method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--normal forward needs --solver ls; %s has no F^H F",
                       recon_method_names[run->options.method]);
    if (run->extras.save_q || run->extras.load_q)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: --normal forward has no Q; leave out one of the two",
                       run->extras.save_q ? "--save-q" : "--load-q");
    if (run->options.relative_lambda)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--relative-lambda: its unit is Q's greatest eigenvalue, and --normal forward has no "
                       "Q; use --lambda alone, in absolute terms (a run with --normal toeplitz prints both)");
    return KN_OK;
}

static kn_status needs_device(const char *option, const char *word, kn_error *err)
{
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s %s runs on a device, but there is none; name one with --device (koine devices lists "
                   "them), or use --solver ls or adjoint with --kernel host-single or host-double",
                   option, word);
}

static kn_status try_place(const struct recon_run *run, kn_error *err)
{
    if (run->place.queue)
        return KN_OK;
    if (run->options.density == KN_RECON_DENSITY_PIPE)
        return needs_device("--density", "pipe", err);
    if (run->options.method == KN_RECON_METHOD_GRIDDING)
        return needs_device("--solver", "gridding", err);
    if (!recon_is_of_host(run->options.kernel))
        return needs_device("--kernel", kn_recon_kernel_name(run->options.kernel), err);
    return KN_OK;
}

kn_status recon_try(const struct recon_run *run, kn_error *err)
{
    kn_status status = try_q(run, err);

    if (!status)
        status = try_normal(run, err);
    if (!status && run->scan.format == MRI_SCAN_PARBOIL)
        status = try_parboil(run, err);
    if (!status && run->start && run->options.method != KN_RECON_METHOD_LEAST_SQUARES)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--warm-start needs --solver ls");
    if (!status && run->basis && run->options.method == KN_RECON_METHOD_GRIDDING)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--basis needs --solver ls or adjoint");
    return status ? status : try_place(run, err);
}

// ---- too little memory ----

static const double mega = 1e6;

// Bytes among those measured that the command already holds.
static size_t held(const struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;
    const size_t number = sizeof(double complex),
                 sample = 3 * sizeof(double) + scan->coils * number + (run->weights ? sizeof(double) : 0);

    size_t images = (run->start ? recon_is_joint(run) ? 1 : scan->coils : 0) + (run->maps ? scan->coils : 0);

    return saturate_plus(saturate_times(scan->samples, sample),
                         saturate_times(images * scan->voxels, number));
}

// Whether the device uses the host's memory.
static bool is_shared(const struct recon_run *run, const kn_recon_solve_memory *memory)
{
    return memory->device && run->place.device.type == KN_DEVICE_CPU;
}

// "this machine has 16000", or what --memory-limit leaves, and the limit that would be enough.
static void say_has(const struct recon_run *run, const char *own, size_t enough, size_t has, char *text,
                    size_t size)
{
    const double limit = (double)run->arguments->common.memory_limit;

    if (limit > 0 && (double)has <= limit)
        snprintf(text, size, "--memory-limit leaves %.0f (--memory-limit %.0fM is enough)",
                 (double)has / mega, ceil((double)enough / mega) + 1);
    else
        snprintf(text, size, "%s has %.0f", own, (double)has / mega);
}

// Suggests the number of coils for which the host has memory.
static kn_status refuse_host(const struct recon_run *run, const kn_recon_solve_memory *memory, kn_error *err)
{
    const struct mri_scan *scan = &run->scan;
    size_t number = sizeof(double complex);
    size_t coil = saturate_plus(saturate_times(scan->samples, number),
                                saturate_times(scan->voxels, (run->start ? 2 : 1) * number));
    size_t rest = memory->host - saturate_times(scan->coils, coil);
    size_t fit = memory->host < SIZE_MAX && memory->host_has > rest ? (memory->host_has - rest) / coil : 0;
    const size_t shared = is_shared(run, memory) ? memory->device : 0;
    char what[64], has[96];

    say_has(run, "this machine", memory_resident() + MEMORY_BESIDE + memory->host + shared - held(run),
            memory->host_has, has, sizeof has);
    if (fit && !recon_is_joint(run))
        snprintf(what, sizeof what, "reconstruct %zu of the coils at a time", fit);
    else
        snprintf(what, sizeof what, "use a smaller --matrix, or fewer samples");
    return ki_fail(err, KN_ERROR_MEMORY,
                   "%zu voxels, %zu samples and %zu coil%s need about %.0f MB of memory, and %s; %s",
                   scan->voxels, scan->samples, scan->coils, scan->coils == 1 ? "" : "s",
                   (double)memory->host / mega, has, what);
}

// Finds the first alternative that fits on the device.
static void find_alternative(const struct recon_run *run, const kn_recon_solve_options *options, size_t has,
                             char *what, size_t size)
{
    static const struct {
        kn_recon_method method;
        kn_recon_normal_method normal;
        double oversampling;
        const char *text;
    } alternatives[] = {
        {KN_RECON_METHOD_GRIDDING, KN_RECON_NORMAL_TOEPLITZ, 2, "--solver gridding"},
        {KN_RECON_METHOD_GRIDDING, KN_RECON_NORMAL_TOEPLITZ, 1.25, "--solver gridding --oversampling 1.25"},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_NORMAL_FORWARD, 0,
         "--normal forward, which takes long but needs no grid,"},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_NORMAL_TOEPLITZ, 0,
         "--solver adjoint, which processes the voxels in slabs,"}};

    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
        kn_recon_solve_options other = *options;
        kn_recon_solve_memory takes = {0};

        other.method = alternatives[i].method;
        other.normal = alternatives[i].normal;
        other.oversampling = alternatives[i].oversampling;
        other.start = NULL;
        other.relative_lambda = false;
        if (other.method == KN_RECON_METHOD_LEAST_SQUARES && options->method != other.method)
            continue;
        if (kn_recon_solve_measure(run->place.queue, &run->arrays, &other, &takes, NULL) == KN_OK &&
            takes.device <= has) {
            snprintf(what, size, "%s fits with %.0f MB; ", alternatives[i].text, (double)takes.device / mega);
            return;
        }
    }
}

static kn_status refuse_device(const struct recon_run *run, const kn_recon_solve_options *options,
                               const kn_recon_solve_memory *memory, kn_error *err)
{
    char what[96] = "", has[96];

    say_has(run, "it", memory->device, memory->device_has, has, sizeof has);
    find_alternative(run, options, memory->device_has, what, sizeof what);
    return ki_fail(err, KN_ERROR_MEMORY,
                   "%zu voxels and %zu samples need about %.0f MB of the device's memory, and %s; %s--kernel "
                   "host-double and host-single compute on the host",
                   run->scan.voxels, run->scan.samples, (double)memory->device / mega, has, what);
}

kn_status recon_measure(const struct recon_run *run, const kn_recon_solve_options *options,
                        kn_recon_solve_memory *memory, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_status status = kn_recon_solve_measure(run->place.queue, &run->arrays, options, memory, err);
    size_t left;

    if (status || !common->memory_limit)
        return status;
    left = saturate_plus(memory_for_data(common), held(run));
    if (is_shared(run, memory))
        left -= left < memory->device ? left : memory->device;
    memory->host_has = left < memory->host_has ? left : memory->host_has;
    memory->device_has =
        common->memory_limit < memory->device_has ? common->memory_limit : memory->device_has;
    return KN_OK;
}

size_t recon_measure_new(const struct recon_run *run, const kn_recon_solve_memory *memory)
{
    const size_t own = held(run);

    return memory->host - (own < memory->host ? own : memory->host);
}

kn_status recon_try_memory(const struct recon_run *run, const kn_recon_solve_options *options, kn_error *err)
{
    kn_recon_solve_memory memory = {0};

    if (recon_measure(run, options, &memory, NULL))
        return KN_OK; // kn_recon_solve_with refuses what cannot be measured, with its own message
    if (memory.host > memory.host_has)
        return refuse_host(run, &memory, err);
    return memory.device > memory.device_has ? refuse_device(run, options, &memory, err) : KN_OK;
}
