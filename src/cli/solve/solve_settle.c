// SPDX-License-Identifier: Apache-2.0
// koine solve: from its options to the problem to solve, and the combinations that are refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <koine/experimental/least_squares.h>

#include "cli/inputs/tomography_files.h"
#include "base/array.h"
#include "base/error.h"
#include "cmd_solve.h"

const char *const solve_precision_names[] = {"auto", "float", "double", NULL};
const char *const solve_method_names[] = {"auto", "cgnr", "printed", "fista", "bb",
                                          "gram", "sirt", "fbp",     "tv",    NULL};
const char *const solve_lambda_by_names[] = {"given", "lcurve", NULL};
const char *const solve_filter_names[] = {"ramp", "shepp-logan", "cosine", "hamming", "hann", NULL};
const char *const solve_stop_names[] = {"auto", "fixed", "residual", "discrepancy", "ncp", NULL};
const char *const solve_preconditioner_names[] = {"none", "jacobi", "ilu", NULL};

// ---- numbers ----

// Reads a number of at least 0, which ends at `end`. A NULL text leaves the value unchanged.
static kn_status read_number(const char *option, const char *text, double *value, kn_error *err)
{
    char *end;
    double number;

    if (!text)
        return KN_OK;
    number = strtod(text, &end);
    if (*end || end == text || !isfinite(number) || number < 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--%s: '%s' is not a number of at least 0", option, text);
    *value = number;
    return KN_OK;
}

// Reads W[,ORDER].
static kn_status read_smooth(struct solve_command *command, kn_error *err)
{
    const char *text = command->arguments->smooth;
    char *end;
    double weight;

    command->task.order = 1;
    if (!text)
        return KN_OK;
    weight = strtod(text, &end);
    if (end == text || !isfinite(weight) || weight < 0 || (*end && *end != ','))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--smooth: '%s' is not W or W,ORDER with W a number of at least 0", text);
    if (*end && strcmp(end, ",1") != 0 && strcmp(end, ",2") != 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--smooth: '%s' asks for differences of an order other than 1 or 2", text);
    command->task.smooth = weight;
    command->task.order = strcmp(end, ",2") == 0 ? 2 : 1;
    return KN_OK;
}

// Reads LO,HI; -inf and inf mean no bound.
static kn_status read_bounds(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    const char *text = arguments->bounds;
    kn_least_squares_options *task = &command->task;
    char *comma, *end;

    if (arguments->nonnegative && text)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--nonnegative is the same as --bounds 0,inf; give only one of them");
    task->bounded = text || arguments->nonnegative;
    task->high = INFINITY;
    if (!text)
        return KN_OK;
    task->low = strtod(text, &comma);
    if (comma == text || *comma != ',')
        return ki_fail(err, KN_ERROR_ARGUMENT, "--bounds: '%s' is not LO,HI; -inf and inf are no bound",
                       text);
    task->high = strtod(comma + 1, &end);
    if (end == comma + 1 || *end || isnan(task->low) || isnan(task->high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--bounds: '%s' is not LO,HI; -inf and inf are no bound",
                       text);
    if (task->low > task->high)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--bounds: '%s' has the greater bound first", text);
    return KN_OK;
}

// Reads W,H[,D] for --method tv.
static kn_status read_shape(struct solve_command *command, kn_error *err)
{
    const char *text = command->arguments->shape;
    size_t sizes[3] = {0, 0, 0};
    unsigned count = text ? options_sizes(text, sizes) : 0;

    if (text && count < 2)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--shape: '%s' is not W,H or W,H,D, the pixels of x along each axis", text);
    for (unsigned i = 0; i < count; i++)
        command->task.shape[i] = sizes[i];
    return KN_OK;
}

static kn_status read_numbers(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    kn_least_squares_options *task = &command->task;
    const struct {
        const char *option, *text;
        double *value;
    } numbers[] = {{"tolerance", arguments->tolerance, &task->tolerance},
                   {"noise", arguments->noise, &task->noise},
                   {"lambda", arguments->lambda, &task->lambda},
                   {"weight", arguments->weight, &task->weight}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(numbers) && !status; i++)
        status = read_number(numbers[i].option, numbers[i].text, numbers[i].value, err);
    if (!status)
        status = read_smooth(command, err);
    if (!status)
        status = read_shape(command, err);
    return status ? status : read_bounds(command, err);
}

// ---- combinations of options ----

// Devices scale the columns of a matrix, once.
const char *solve_host_alone(const struct solve_command *command)
{
    const struct string_list *operands = &command->arguments->tool.common.operands;
    const kn_least_squares_options *task = &command->task;

    if (task->preconditioner == KN_LEAST_SQUARES_ILU)
        return "--preconditioner ilu";
    if (task->preconditioner != KN_LEAST_SQUARES_JACOBI)
        return NULL;
    if (operands->count && geometry_is(operands->items[0]))
        return "--preconditioner jacobi, with beams,";
    return task->lambda > 0 || task->smooth > 0 || task->bounded
               ? "--preconditioner jacobi, with --lambda, --smooth or bounds,"
               : NULL;
}

// Whether the user named the host.
static bool names_host(const struct solve_arguments *arguments)
{
    const struct string_list *devices = &arguments->tool.common.devices;

    return devices->count ? strcmp(devices->items[0], "host") == 0
                          : arguments->precision == SOLVE_PRECISION_DOUBLE;
}

// Formats exist on devices; the host has two of them if it is named.
const char *solve_device_alone(const struct solve_command *command)
{
    const kn_least_squares_options *task = &command->task;
    bool host_has = names_host(command->arguments) &&
                    (task->format == KN_SPARSE_SELL || task->format == KN_SPARSE_SIMPLE);

    if (task->correction)
        return "--correction";
    return task->format != KN_SPARSE_AUTO && !host_has ? "--format" : NULL;
}

const char *solve_single_alone(const kn_least_squares_options *task)
{
    static const char *const methods[] = {
        [KN_LEAST_SQUARES_FISTA] = "--method fista", [KN_LEAST_SQUARES_BB] = "--method bb",
        [KN_LEAST_SQUARES_GRAM] = "--method gram",   [KN_LEAST_SQUARES_SIRT] = "--method sirt",
        [KN_LEAST_SQUARES_FBP] = "--method fbp",     [KN_LEAST_SQUARES_TV] = "--method tv"};

    if (task->stop == KN_LEAST_SQUARES_STOP_NCP)
        return "--stop ncp";
    if (task->format == KN_SPARSE_BACKPROJECTION)
        return "--format backprojection";
    if (task->format == KN_SPARSE_ON_THE_FLY || task->format == KN_SPARSE_ON_THE_FLY_LOCAL)
        return "--format on-the-fly";
    return methods[task->method];
}

bool solve_is_float_of_double(const struct solve_command *command)
{
    return command->arguments->precision == SOLVE_PRECISION_FLOAT &&
           command->task.method != KN_LEAST_SQUARES_CGNR && command->task.method != KN_LEAST_SQUARES_FBP;
}

// Facts about the request that may exclude others.
enum fact {
    ALWAYS,
    TOLERANCE,
    NOISE,
    WEIGHT,
    START,
    CORRECTION,
    BOUNDS,
    NO_TOLERANCE,
    NO_NOISE,
    NOTHING_WEIGHED, // neither a penalty nor a correction
    STOP_AUTO,
    STOP_RESIDUAL,
    STOP_DISCREPANCY,
    GRAM,
    FBP,
    SIRT,
    NO_FBP,
    FILTER, // other than the ramp
    RAYS,   // --angles, --offset or --detector
    STRIPES,
    WEIGHTS,
    LCURVE, // --lambda-by
    LAMBDA,
    NO_CGNR,
    OTHER_TERMS, // than that of lambda
    NO_RAYS,     // A is a file
    CONE,
    COLUMNS, // --rhs, --slice or --resume
    TERMS,   // --lambda or --smooth
    STOPPED, // may stop before all iterations are done
    TV,
    NO_TV,
    NO_LAMBDA,
    SHAPE,
    DOUBLE,
    FLOAT_OF_DOUBLE, // solve_is_float_of_double
    HOST_ALONE,      // something that only the host has
    DEVICE_ALONE,
    NAMED_HOST, // by --device
    NAMED_DEVICE,
    ON_HOST, // the host is named, or is the only place that can solve it
    ON_DEVICE,
    SINGLE_ALONE, // something that devices have only in single precision
    FACTS
};

// A word in a message that depends on the request.
enum blank { NO_WORD, THE_HOST_ALONE, THE_DEVICE_ALONE, THE_NAMED, THE_METHOD, THE_SINGLE_ALONE, BLANKS };

// Combinations that are refused, in the order in which they are checked, with their messages: word, text,
// word, rest.
static const struct {
    enum fact facts[3];
    enum blank first;
    const char *text;
    enum blank second;
    const char *rest;
} refusals[] = {
    {{TOLERANCE, NOISE, STOP_AUTO},
     .text = "--tolerance and --noise both say when to stop; choose one with --stop residual or --stop "
             "discrepancy, and the other is checked at the end"},
    {{STOP_RESIDUAL, NO_TOLERANCE},
     .text = "--stop residual needs --tolerance T: stop when |A x - b| is T |b|"},
    {{STOP_DISCREPANCY, NO_NOISE},
     .text = "--stop discrepancy needs --noise DELTA: stop when |A x - b| is DELTA"},
    {{WEIGHT, NOTHING_WEIGHED},
     .text = "--weight is for a penalty (--nonnegative or --bounds, with --method cgnr) or a --correction"},
    {{CORRECTION, BOUNDS},
     .text = "--correction replaces the penalty for bounds; write both in one expression"},
    {{START, GRAM}, .text = "-x starts iterations, but --method gram has none"},
    {{START, FBP}, .text = "-x starts iterations, but --method fbp has none"},
    {{CONE, NO_FBP},
     .text = "A = cone:... needs --method fbp: there is no projector for cone beams, and so no other method"},
    {{CONE, STRIPES}, .text = "--stripes is for sinograms, of A = parallel:... or fan:..."},
    {{CONE, COLUMNS},
     .text = "--rhs, --slice and --resume are for many columns or slices; A = cone:... has one volume"},
    {{STRIPES, NO_RAYS}, .text = "--stripes is for A = parallel:... or fan:..., whose sinograms have them"},
    {{RAYS, NO_RAYS},
     .text = "--angles, --offset and --detector are for a geometry, A = parallel:..., fan:... or cone:..."},
    {{FBP, NO_RAYS},
     .text = "--method fbp is for A = parallel:..., fan:... or cone:..., whose projections it filters"},
    {{FBP, TERMS}, .text = "--lambda and --smooth are terms that --method fbp does not have; see --filter"},
    {{FBP, BOUNDS}, .text = "--method fbp has no bounds; fista, bb and sirt keep them"},
    {{FBP, STOPPED}, .text = "--method fbp has no iterations to stop"},
    {{LCURVE, LAMBDA}, .text = "--lambda-by lcurve chooses lambda; leave out --lambda"},
    {{LCURVE, OTHER_TERMS},
     .text = "--lambda-by lcurve is for |A x - b|^2 and lambda |x|^2 alone; leave out --smooth, bounds and "
             "--correction"},
    {{LCURVE, NO_CGNR}, .text = "--lambda-by lcurve is for --method cgnr"},
    {{LCURVE, STOPPED},
     .text =
         "--lambda-by lcurve regularises by lambda, not by an early stop; leave out --stop, --tolerance and "
         "--noise"},
    {{WEIGHTS, FBP},
     .text =
         "--weights is for methods that minimise the residual, which --method fbp does not; cgnr, printed, "
         "fista, bb, gram and tv do"},
    {{WEIGHTS, SIRT},
     .text =
         "--weights is not for --method sirt, which has weights of its own; cgnr, printed, fista, bb, gram "
         "and tv have it"},
    {{FILTER, NO_FBP}, .text = "--filter is for --method fbp"},
    {{TV, NO_LAMBDA}, .text = "--method tv needs --lambda L, the weight of the total variation"},
    {{SHAPE, NO_TV}, .text = "--shape is for --method tv; the other methods do not look at it"},
    {{HOST_ALONE, DEVICE_ALONE},
     .first = THE_HOST_ALONE,
     .text = " is only for the host and ",
     .second = THE_DEVICE_ALONE,
     .rest = " only for devices; leave one out"},
    {{HOST_ALONE, NAMED_DEVICE},
     .first = THE_HOST_ALONE,
     .text = " is only for the host, but --device ",
     .second = THE_NAMED,
     .rest = " was asked for; use --device host, or leave it out: devices have every method and stopping "
             "rule without it"},
    {{CORRECTION, NAMED_HOST},
     .text = "--correction is OpenCL C, which the host cannot compile; name a device: --device cpu, or one "
             "that koine devices lists"},
    {{DEVICE_ALONE, NAMED_HOST},
     .first = THE_DEVICE_ALONE,
     .text = " needs a device; --device host has the formats sell and simple"},
    {{ON_HOST, FLOAT_OF_DOUBLE},
     .text = "--method ",
     .second = THE_METHOD,
     .rest = " computes in double precision on the host; leave out --precision float"},
    {{DOUBLE, ON_DEVICE, SINGLE_ALONE},
     .first = THE_SINGLE_ALONE,
     .text = " is in single precision on devices; leave out --precision double, or use --device host"},
};

static kn_status check_together(const struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    const kn_least_squares_options *task = &command->task;
    const struct string_list *devices = &arguments->tool.common.devices;
    const char *named = devices->count ? devices->items[0] : NULL;
    const char *host = solve_host_alone(command), *device = solve_device_alone(command),
               *single = solve_single_alone(task);
    bool named_host = named && strcmp(named, "host") == 0, named_device = named && !named_host;
    bool penalty = task->bounded && !kn_least_squares_method_holds_bounds(task->method);
    const bool holds[FACTS] = {
        [ALWAYS] = true,
        [TOLERANCE] = arguments->tolerance,
        [NOISE] = arguments->noise,
        [WEIGHT] = arguments->weight,
        [START] = arguments->start,
        [CORRECTION] = task->correction,
        [BOUNDS] = task->bounded,
        [NO_TOLERANCE] = !arguments->tolerance,
        [NO_NOISE] = !arguments->noise,
        [NOTHING_WEIGHED] = !penalty && !task->correction,
        [STOP_AUTO] = arguments->stop == KN_LEAST_SQUARES_STOP_AUTO,
        [STOP_RESIDUAL] = task->stop == KN_LEAST_SQUARES_STOP_RESIDUAL,
        [STOP_DISCREPANCY] = task->stop == KN_LEAST_SQUARES_STOP_DISCREPANCY,
        [GRAM] = task->method == KN_LEAST_SQUARES_GRAM,
        [FBP] = task->method == KN_LEAST_SQUARES_FBP,
        [SIRT] = task->method == KN_LEAST_SQUARES_SIRT,
        [NO_FBP] = task->method != KN_LEAST_SQUARES_FBP,
        [FILTER] = task->filter != KN_TOMOGRAPHY_RAMP,
        [RAYS] = arguments->rays.angles || arguments->rays.offset || arguments->rays.detector,
        [STRIPES] = arguments->stripes,
        [WEIGHTS] = arguments->weights,
        [CONE] = !arguments->sweep && geometry_is_cone(arguments->tool.common.operands.items[0]),
        [COLUMNS] = strcmp(arguments->rhs, "all") != 0 || arguments->slice || arguments->tool.common.resume,
        [LCURVE] = arguments->lambda_by == SOLVE_LAMBDA_BY_LCURVE,
        [LAMBDA] = arguments->lambda,
        [NO_CGNR] = task->method != KN_LEAST_SQUARES_CGNR,
        [OTHER_TERMS] = task->smooth > 0 || task->bounded || task->correction,
        [NO_RAYS] = !arguments->sweep && !geometry_is(arguments->tool.common.operands.items[0]),
        [TERMS] = task->lambda > 0 || task->smooth > 0,
        [STOPPED] = task->stop != KN_LEAST_SQUARES_STOP_FIXED,
        [TV] = task->method == KN_LEAST_SQUARES_TV,
        [NO_TV] = task->method != KN_LEAST_SQUARES_TV,
        [NO_LAMBDA] = !arguments->lambda,
        [SHAPE] = arguments->shape,
        [DOUBLE] = arguments->precision == SOLVE_PRECISION_DOUBLE,
        [FLOAT_OF_DOUBLE] = solve_is_float_of_double(command),
        [HOST_ALONE] = host,
        [DEVICE_ALONE] = device,
        [NAMED_HOST] = named_host,
        [NAMED_DEVICE] = named_device,
        [SINGLE_ALONE] = single,
        [ON_HOST] = host || named_host,
        [ON_DEVICE] = device || named_device,
    };
    const char *const words[BLANKS] = {[NO_WORD] = "",
                                       [THE_HOST_ALONE] = host,
                                       [THE_DEVICE_ALONE] = device,
                                       [THE_NAMED] = named,
                                       [THE_METHOD] = solve_method_names[task->method],
                                       [THE_SINGLE_ALONE] = single};

    for (size_t i = 0; i < KI_COUNT(refusals); i++) {
        const enum fact *facts = refusals[i].facts;

        if (holds[facts[0]] && holds[facts[1]] && holds[facts[2]])
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s%s%s%s", words[refusals[i].first], refusals[i].text,
                           words[refusals[i].second], refusals[i].rest ? refusals[i].rest : "");
    }
    return KN_OK;
}

kn_status solve_settle(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    kn_status status;

    command->task = KN_INIT(kn_least_squares_options, .method = (kn_least_squares_method)arguments->method,
                            .stop = (kn_least_squares_stop)arguments->stop,
                            .iterations = arguments->iterations, .correction = arguments->correction,
                            .preconditioner = (kn_least_squares_preconditioner)arguments->preconditioner,
                            .format = (kn_sparse_format)arguments->format,
                            .filter = (kn_tomography_filter)arguments->filter);
    status = read_numbers(command, err);
    if (!status)
        status = kn_least_squares_settle(&command->task, &command->task, err);
    return status ? status : check_together(command, err);
}
