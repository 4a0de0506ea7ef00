// SPDX-License-Identifier: Apache-2.0
// koine solve: sparse least squares, with a correction term and within bounds.
#include "cmd_solve.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/inputs/tomography_files.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct solve_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, tool.out), .metavar = "FILE",
     .help = "write the solutions here: .npy, .mtx, or one as a square picture, .png; - is standard "
             "output, as .npy"},
    {"start", 'x', FIELD(OPTION_PATH, start), .metavar = "FILE",
     .help = "begin with this column, or with these, of .npy or .mtx (default: 0)"},
    {"iterations", 'n', FIELD(OPTION_COUNT, iterations), .metavar = "N", .fallback = "400",
     .help = "at most"},
    {"tolerance", 't', FIELD(OPTION_PATH, tolerance), .metavar = "T",
     .help = "stop when |A x - b| is T of |b|; not to get there is exit status 1, and so is an x that "
             "single precision has not reached"},
    {"stop", FIELD(OPTION_CHOICE, stop), .choices = solve_stop_names, .fallback = "auto",
     .help = "when: after all iterations, by --tolerance, by --noise, or when A x - b is as white as it "
             "gets; auto: what is given"},
    {"noise", FIELD(OPTION_PATH, noise), .metavar = "DELTA",
     .help = "stop when |A x - b| is DELTA, the length of the noise in b; not to get there is exit status 1"},
    {"lambda", 'l', FIELD(OPTION_PATH, lambda), .metavar = "L",
     .help = "add L |x|^2 / 2 to |A x - b|^2 / 2 (default: 0)"},
    {"smooth", FIELD(OPTION_PATH, smooth), .metavar = "W[,ORDER]",
     .help = "add W |D x|^2 / 2, of D the differences of neighbouring columns of order 1 (default) or 2"},
    {"nonnegative", FIELD(OPTION_FLAG, nonnegative), .help = "x >= 0"},
    {"bounds", FIELD(OPTION_PATH, bounds), .metavar = "LO,HI",
     .help = "LO <= x <= HI; -inf and inf are none"},
    {"correction", FIELD(OPTION_PATH, correction), .metavar = "SNIPPET",
     .help = "on devices: F(x, d), an OpenCL C expression of floats x, d and weight and of the column i, "
             "linear in d; F(x, x) is added to the gradient"},
    {"weight", FIELD(OPTION_PATH, weight), .metavar = "W",
     .help = "of the penalty for what is beyond bounds with cgnr (default: 50 times the longest column's "
             "square), or of --correction (default: 1)"},
    {"method", 'm', FIELD(OPTION_CHOICE, method), .choices = solve_method_names, .fallback = "auto",
     .help = "auto: fista within bounds, else cgnr"},
    {"preconditioner", FIELD(OPTION_CHOICE, preconditioner), .choices = solve_preconditioner_names,
     .fallback = "none", .help = "of cgnr on the host: the diagonal of A^T A, or its incomplete LU factors"},
    {"format", FIELD(OPTION_CHOICE, format), .metavar = "NAME", .choices = sparse_format_names,
     .fallback = "auto",
     .help = "how a device keeps the matrix: auto, simple, memory-layout, local-memory, "
             "memory-layout+local-memory, on-the-fly, on-the-fly+local-memory, backprojection, ell, "
             "csr-vector, coo, hyb, sell, merge; the host has sell and simple"},
    {"rhs", FIELD(OPTION_PATH, rhs), .metavar = "all|K", .fallback = "all",
     .help = "solve for all columns of B, or for column K from 1"},
    {"slice", FIELD(OPTION_PATH, slice), .metavar = "K",
     .help = "of measured tomography (.h5), from 0 (default: 0)"},
    {"precision", FIELD(OPTION_CHOICE, precision), .choices = solve_precision_names, .fallback = "auto",
     .help = "auto: double where the place has it for what is asked"},
    {"sweep", FIELD(OPTION_FLAG, sweep),
     .help = "time against nonzeros, on the host and on devices, of systems of its own; with --output a "
             "plot, too"},
    {.name = NULL},
};

static kn_status write_solutions(const struct solve_command *command, kn_error *err)
{
    const struct tool_arguments *arguments = &command->arguments->tool;
    const struct solve_columns *x = &command->x;
    kn_status status;

    interrupt_hold();
    status =
        sparse_write_solutions(arguments->out, x->rows, x->count, x->values, arguments->common.force, err);
    interrupt_release();
    return status;
}

// Where single precision has not reached the answer; a failure where a goal was set.
static void judge_precision(struct solve_command *command)
{
    struct common_arguments *common = &command->arguments->tool.common;
    const kn_least_squares_solution *least = solve_farthest(command);
    size_t count = 0;

    for (size_t i = 0; i < command->x.count; i++)
        count += !solve_solution(command, i)->precision_reached;
    if (!count)
        return;
    fprintf(stderr, "%s: warning: single precision has not reached the answer", common->command);
    if (command->x.count > 1)
        fprintf(stderr, " in %zu of %zu columns", count, command->x.count);
    fprintf(stderr,
            ": by estimate x is off by %.2g of itself; --precision double has more digits (--device host "
            "everywhere), and "
            "--lambda, --smooth or an earlier stop want fewer digits\n",
            least->error_estimate);
    common->check_failed = common->check_failed || command->task.tolerance > 0 || command->task.noise > 0;
}

// What was computed, and yet is not what was asked for.
static void judge(struct solve_command *command)
{
    struct common_arguments *common = &command->arguments->tool.common;
    const kn_least_squares_solution *short_of = NULL;
    double bound, adjoint = solve_adjoint(command, &bound);

    for (size_t i = 0; i < command->x.count; i++) {
        const kn_least_squares_solution *solution = solve_solution(command, i);

        if (!solve_reached(solution) && (!short_of || solution->residual > short_of->residual))
            short_of = solution;
    }
    if (!(adjoint <= bound)) {
        fprintf(stderr, "%s: the adjoint check failed: %.3g, and rounding allows %.3g\n", common->command,
                adjoint, bound);
        common->check_failed = true;
    }
    if (short_of) {
        fprintf(
            stderr,
            "%s: the %s was not reached: the residual is %.6g of |b| after %zu iterations, stopped by %s\n",
            common->command, short_of->tolerance_reached ? "noise" : "tolerance", short_of->residual,
            short_of->iterations, kn_least_squares_stopped_name(short_of->stopped));
        common->check_failed = true;
    }
    judge_precision(command);
}

// Without --sweep.
static kn_status solve_one(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    kn_status status = KN_OK;

    if (arguments->tool.common.output)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--output is for the plot of --sweep; -o X has the solutions");
    status = solve_read(command, err);
    if (!status)
        status = solve_open(command, err);
    if (!status)
        status = solve_divide(command, err);
    if (!status)
        status = solve_compute(command, err);
    if (!status)
        status = write_solutions(command, err);
    if (!status && tool_shows_text(&command->tool) && !solve_print(command))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status)
        judge(command);
    return status ? status : solve_write_json(command, err);
}

static kn_status run_solve(void *given, kn_error *err)
{
    struct solve_arguments *arguments = given;
    struct solve_command command = {.arguments = arguments, .tool.shares = true};
    kn_status status = KN_OK;

    if (!arguments->sweep)
        status = tool_begin(&command.tool, &arguments->tool, 2, "A and B, a matrix and right-hand sides",
                            true, err);
    if (!status)
        status = solve_settle(&command, err);
    if (!status)
        status = arguments->sweep ? solve_sweep(&command, err) : solve_one(&command, err);
    for (size_t i = 0; command.results && i < command.pieces; i++)
        free(command.results[i].bytes);
    free(command.results);
    kn_sparse_free(command.matrix);
    free(command.theta);
    free(command.b.values);
    free(command.x.values);
    tool_end(&command.tool);
    return status;
}

const struct command command_solve = {
    .name = "solve",
    .summary = "Solves sparse ill-posed systems A x = b by least squares",
    .operands = "A.mtx|A.npz|parallel:... B",
    .description =
        "A is a Matrix Market file (.mtx, .mtx.gz), one that SciPy's save_npz wrote, or tomography with "
        "parallel rays, "
        "parallel:ANGLES,DETECTORS,N[,AXIS]: Joseph's projector of an image of N x N, by lines, and its "
        "exact transpose, "
        "which devices compute on the fly. Angles are evenly over half a turn; AXIS is where the detectors, "
        "from 0, see "
        "the axis of rotation. B has right-hand sides, the columns of a .mtx or .npy; with parallel rays it "
        "may be "
        "a sinogram (.npy) with a row for each angle, as koine project writes it; or it is measured "
        "tomography (.h5, "
        "Data Exchange), of which one --slice is taken with its flat and dark fields and angles, its "
        "detectors binned "
        "to the DETECTORS of A. "
        "The x is written that makes |A x - b|^2 / 2 least, plus what --lambda, "
        "--smooth, "
        "bounds and --correction add.\n\n"
        "cgnr is the method of Stock and Koch's A Fast GPU Implementation for Solving Sparse Ill-Posed "
        "Linear "
        "Equation Systems: conjugate gradients on A^T A with a correction term F. The factor of its printed "
        "alpha is "
        "a misprint; the step minimises along the direction. One A and one A^T an iteration; printed applies "
        "both "
        "twice, as the source prints it, for comparison, and does all its iterations. fista and bb "
        "(projected gradients, accelerated, and "
        "with "
        "the steps of Barzilai and Borwein) hold bounds exactly; so does sirt, simultaneous iterative "
        "reconstruction, which wants an A without negative elements and is there for comparison. With cgnr "
        "bounds are a penalty, which x may violate a little. gram factors A^T A once, for many right-hand "
        "sides of a matrix with few columns; "
        "it has half "
        "the digits on ill-conditioned systems. On a device, which multiplies by the inverse, it is in "
        "single.\n\n"
        "Ill-posed systems want to be stopped early: with 2 % of noise the best x may be that of iteration "
        "12, and "
        "that of iteration 400 three times worse. --noise stops by the discrepancy principle; --stop ncp "
        "needs "
        "no number, and stops where the residual's periodogram is that of white noise; it looks in every "
        "iteration, on a "
        "device by Fourier transforms there. Without any of them "
        "all iterations are done, unless the gradient reaches the precision's floor. The line \"stopped by\" "
        "says which "
        "rule it was. Every run checks that <A x, y> is <x, A^T y> with the products that it used, and the "
        "residual "
        "is computed anew, in double precision, from the x that is written.\n\n"
        "Host and devices solve in double precision, with --precision float in single, which is the default "
        "on "
        "devices that have no other, for rays, whose matrix devices do not keep then, and for fista, bb, "
        "sirt, "
        "gram and --stop ncp, which devices have in single alone. Many right-hand sides are solved side by "
        "side "
        "there in single, one after the other in double. Without --device, conjugate gradients that both "
        "have "
        "in the same precision are done where they end first; host and device may differ in the last digits, "
        "and --device or KOINE_DEVICE pins the choice. Other methods are the host's in double precision, and "
        "a device's with --precision float.\n\n"
        "What is computed in single precision comes with an estimate of how far x is from what double "
        "precision would have given by the same rule, as a part of itself. A least-squares solution "
        "(\"floor\", "
        "\"direct\") is refined once with its gradient in double precision, and the estimate is what that "
        "changes. An iterate that was ended by its number is compared with those of exact arithmetic, behind "
        "which rounding makes it lag: the directions that were lost show in the lengths of its steps and "
        "gradients, and the estimate is the way that x went in as many iterations. There is a warning where "
        "a "
        "solution is off by more than a tenth; of an iterate only if the lost iterations would also have "
        "taken "
        "more of |A x - b|^2 away than is left: an early iterate of an ill-posed system is no worse for "
        "lagging. With --tolerance or --noise it is exit status 1, too.\n\n"
        "Several devices, of --device all or several --device, share the columns of B, some at a time "
        "each.\n\n"
        "--memory-limit counts what the process holds once A and B are read, and of a GPU its buffers for "
        "themselves. "
        "As many columns of B are solved at a time as fit, and with --format auto a device computes the "
        "weights of rays "
        "on the fly where its formats do not fit; else the system is refused with a limit that is enough.\n\n"
        "--sweep makes systems like the source's (pieces of parallel rays through an image of 64 x 48, up to "
        "81,545 "
        "rows and 860,000 nonzeros) and solves them on the host and on the devices named, or the best there "
        "is, in "
        "single precision: seconds of all iterations, and with getting the matrix there. For the time alone "
        "they go on "
        "past the precision's floor: a system that is solved before has a residual of no meaning.\n\n"
        "The JSON's iterations, residual, normal_residual, stopped_by and history are those of the column "
        "whose "
        "residual is the greatest; true_residual and true_normal_residual are the same two, null where a "
        "--correction hides the second from the host. error_estimate (null in double precision) and "
        "precision_reached are those of the column that is off most; \"solutions\" has all columns. history "
        "has the residual before and after "
        "each "
        "iteration, of a device the normal residual.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE | COMMON_MEMORY,
    .options = options,
    .examples = {{"koine solve system.mtx b.mtx --noise 3.5 -o x.npy",
                  "in double precision on the host, until the "
                  "residual is the noise"},
                 {"koine solve system.npz b.npy --device gpu --lambda 0.1 -o x.npy",
                  "400 iterations on a device, regularised"}},
    .arguments_size = sizeof(struct solve_arguments),
    .run = run_solve,
};
