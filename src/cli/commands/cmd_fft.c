// SPDX-License-Identifier: Apache-2.0
// koine fft: the discrete Fourier transform of an array, as numpy's fftn, ifftn, rfftn and irfftn.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

static const char *const library_names[] = {"auto", "own", "clfft", "cufft", NULL}; // as kn_fft_library

struct fft_arguments {
    struct tool_arguments tool;
    bool inverse, real;
    size_t axes, last;
    int library;
};

#define FIELD(type, field) OPTION_FIELD(type, struct fft_arguments, field)

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct fft_arguments),
    {"inverse", FIELD(OPTION_FLAG, inverse),
     .help = "the inverse transform, divided by the number of points"},
    {"real", FIELD(OPTION_FLAG, real),
     .help =
         "transform real numbers to half of their spectrum (numpy's rfftn), or with --inverse back (irfftn)"},
    {"axes", FIELD(OPTION_COUNT, axes), .metavar = "N",
     .help = "transform the last N dimensions, 1 to 3 (default: all); those before are a batch"},
    {"last", FIELD(OPTION_COUNT, last), .metavar = "N",
     .help = "with --real --inverse: the length of the last dimension of the result (default: even)"},
    {"library", FIELD(OPTION_CHOICE, library), .choices = library_names, .fallback = "auto",
     .help = "whose kernels transform"},
    {.name = NULL},
};

struct transform {
    const struct fft_arguments *arguments;
    struct tool tool;
    struct npy in, out;
    kn_fft_shape shape;
    kn_fft_plan *plan;
    kn_buffer *buffers[2];
};

// Complex numbers from real ones, for transforms of complex numbers.
static kn_status widen(struct npy *array, kn_error *err)
{
    size_t size = kn_type_size(array->type);
    char *data = calloc(array->count + 1, 2 * size);

    if (!data)
        return ki_fail_memory(err, 2 * size * array->count, "the transform's input");
    for (size_t i = 0; i < array->count; i++)
        memcpy(data + 2 * size * i, (const char *)array->data + size * i, size);
    free(array->data);
    array->data = data;
    array->is_complex = true;
    return KN_OK;
}

static kn_status check_input(struct transform *transform, kn_error *err)
{
    const struct fft_arguments *arguments = transform->arguments;
    const char *path = arguments->tool.common.operands.items[0];
    struct npy *in = &transform->in;
    size_t axes = arguments->axes ? arguments->axes : in->dims;

    if (in->type != KN_F32 && in->type != KN_F64)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "is of %s, expected float32, float64, complex64 or complex128", npy_type_name(in));
    if (axes < 1 || axes > 3 || axes > in->dims)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "has %zu dimensions; 1 to 3 of them can be transformed: say how many with --axes N",
                          in->dims);
    if (in->count == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "is an array without elements");
    if (arguments->real && in->is_complex != arguments->inverse)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "is of %s, but --real%s takes %s numbers",
                          npy_type_name(in), arguments->inverse ? " --inverse" : "",
                          arguments->inverse ? "complex" : "real");
    return arguments->real || in->is_complex ? KN_OK : widen(in, err);
}

// The shape of the transform and of its result.
static kn_status lay_out(struct transform *transform, kn_error *err)
{
    const struct fft_arguments *arguments = transform->arguments;
    const struct npy *in = &transform->in;
    kn_fft_shape *shape = &transform->shape;
    struct npy *out = &transform->out;
    size_t last = in->shape[in->dims - 1], points = 1;

    *out = *in;
    out->data = NULL;
    out->is_complex = !(arguments->real && arguments->inverse);
    if (arguments->real && arguments->inverse) {
        out->shape[in->dims - 1] = arguments->last ? arguments->last : 2 * (last - 1);
        if (out->shape[in->dims - 1] / 2 + 1 != last)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "--last: half of the spectrum of %zu numbers has %zu numbers, but the input has %zu",
                out->shape[in->dims - 1], out->shape[in->dims - 1] / 2 + 1, last);
    } else if (arguments->real) {
        out->shape[in->dims - 1] = last / 2 + 1;
    }
    *shape = KN_INIT(kn_fft_shape, .rank = (unsigned)(arguments->axes ? arguments->axes : in->dims),
                     .batch = 1, .type = in->type,
                     .kind = !arguments->real     ? KN_FFT_COMPLEX
                             : arguments->inverse ? KN_FFT_COMPLEX_TO_REAL
                                                  : KN_FFT_REAL_TO_COMPLEX);
    out->count = 1;
    for (size_t d = 0; d < in->dims; d++) {
        size_t length = arguments->real && arguments->inverse ? out->shape[d] : in->shape[d];

        out->count *= out->shape[d];
        if (d < in->dims - shape->rank)
            shape->batch *= length;
        else
            points *= shape->dims[in->dims - 1 - d] = length;
    }
    shape->scale = arguments->inverse ? 1 / (double)points : 1;
    out->data = calloc(out->count + 1, npy_element_size(out));
    return out->data ? KN_OK : ki_fail_memory(err, out->count * npy_element_size(out), "the transform");
}

// N log2 N of this many bytes, fewer on a device, which does several steps between two reads. Naming a
// library implies a device.
static kn_status open_place(struct transform *transform, kn_error *err)
{
    const struct fft_arguments *arguments = transform->arguments;
    const struct npy *in = &transform->in, *out = &transform->out;
    const double points = (double)(in->count > out->count ? in->count : out->count),
                 bits = points * log2(points + 1) * (in->type == KN_F64 ? 2 : 1);
    const kn_work work = KN_INIT(kn_work, .host.bytes = 4.8 * bits, .device.bytes = 1.5 * bits,
                                 .copied = (double)in->count * (double)npy_element_size(in) +
                                           (double)out->count * (double)npy_element_size(out),
                                 .program = "algo/fft/fft.cl", .programs = transform->shape.rank);

    return tool_open(&transform->tool, TOOL_DEVICE_OR_HOST, arguments->library == KN_FFT_AUTO ? &work : NULL,
                     err);
}

static kn_status compute_on_host(struct transform *transform, kn_error *err)
{
    struct tool *tool = &transform->tool;
    kn_fft_direction direction = transform->arguments->inverse ? KN_FFT_INVERSE : KN_FFT_FORWARD;

    if (transform->arguments->library != KN_FFT_AUTO)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "--library %s: this would run on the host, which has its own code; name a device, such as cpu",
            library_names[transform->arguments->library]);
    tool_compute(tool);
    return tool_computed(
        tool, kn_host_fft(&transform->shape, direction, transform->in.data, transform->out.data, NULL, err),
        err);
}

static kn_status compute(struct transform *transform, kn_error *err)
{
    const kn_fft_options how =
        KN_INIT(kn_fft_options, .library = (kn_fft_library)transform->arguments->library);
    struct tool *tool = &transform->tool;
    kn_fft_direction direction = transform->arguments->inverse ? KN_FFT_INVERSE : KN_FFT_FORWARD;
    kn_status status;

    if (!tool->place.queue)
        return compute_on_host(transform, err);
    status = tool_upload(tool, &transform->in, &transform->buffers[0], err);
    if (!status)
        status = tool_upload(tool, &transform->out, &transform->buffers[1], err);
    if (status)
        return status;
    tool_compute(tool);
    status = kn_fft_plan_create(tool->place.queue, &transform->shape, &how, &transform->plan, err);
    if (!status)
        status = kn_fft_execute(tool->place.queue, transform->plan, direction, transform->buffers[0],
                                transform->buffers[1], err);
    status = tool_computed(tool, status, err);
    return status ? status : tool_download(tool, transform->buffers[1], &transform->out, err);
}

static void print_shape(const struct npy *array)
{
    for (size_t d = 0; d < array->dims; d++)
        printf("%s%zu", d ? " x " : "", array->shape[d]);
    printf(" %s", npy_type_name(array));
}

static kn_status report(struct transform *transform, kn_error *err)
{
    const kn_fft_plan *plan = transform->plan;
    const char *library = plan ? library_names[kn_fft_plan_get_library(plan)] : "host";
    json_t *root = tool_report(&transform->tool, transform->in.type), *shape = json_array();

    for (size_t d = 0; d < transform->out.dims; d++)
        report_append(&shape, json_integer((json_int_t)transform->out.shape[d]));
    report_put(&root, "shape", shape);
    report_put(&root, "type", json_string(npy_type_name(&transform->out)));
    report_put(&root, "library", json_string(library));
    report_put(&root, "plan", plan ? json_string(kn_fft_plan_get_text(plan)) : json_null());
    if (tool_shows_text(&transform->tool)) {
        print_shape(&transform->in);
        printf(" to ");
        print_shape(&transform->out);
        if (plan)
            printf(" (%s: %s)", library, kn_fft_plan_get_text(plan));
        printf(" ");
        tool_print_place(&transform->tool);
    }
    return tool_report_write(&transform->tool, root, err);
}

static kn_status run_fft(void *given, kn_error *err)
{
    const struct fft_arguments *arguments = given;
    struct transform transform = {.arguments = arguments};
    kn_status status = tool_begin(&transform.tool, &arguments->tool, 1, "IN.npy", true, err);

    if (!status && arguments->last && !(arguments->real && arguments->inverse))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--last needs --real --inverse");
    if (!status)
        status = tool_check_library(&transform.tool, library_names, arguments->library, err);
    if (!status)
        status = tool_read(&transform.tool, arguments->tool.common.operands.items[0], &transform.in, err);
    if (!status)
        status = check_input(&transform, err);
    if (!status)
        status = lay_out(&transform, err);
    if (!status)
        status = open_place(&transform, err);
    if (!status)
        status = compute(&transform, err);
    if (!status)
        status = tool_write(&transform.tool, &transform.out, err);
    if (!status)
        status = report(&transform, err);
    kn_fft_plan_free(transform.plan);
    kn_buffer_free(transform.buffers[0]);
    kn_buffer_free(transform.buffers[1]);
    npy_free(&transform.in);
    npy_free(&transform.out);
    tool_end(&transform.tool);
    return status;
}

const struct command command_fft = {
    .name = "fft",
    .summary = "Computes the discrete Fourier transform (FFT) of an array, or its inverse",
    .operands = "IN.npy",
    .description =
        "The result is that of numpy's fftn, ifftn, rfftn and irfftn, in the precision of the input (numpy's "
        "own is double). Any length is supported; lengths with small prime factors are faster. --library "
        "chooses the project's own kernels, clFFT on OpenCL devices, or cuFFT on CUDA; a library that is not "
        "installed is refused. The host's own code, with vectors and all threads, is used with --device "
        "host, and without --library if it is faster.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine fft image.npy --real -o spectrum.npy", "half of the spectrum of a real image"},
                 {"koine fft frames.npy --axes 2 --library own -o spectra.npy",
                  "a batch of frames, by Koine's own kernels"}},
    .arguments_size = sizeof(struct fft_arguments),
    .run = run_fft,
};
