// SPDX-License-Identifier: Apache-2.0
// koine solve: sparse least squares, with a correction term and within bounds.
#include "cmd_solve.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/inputs/tomography_files.h"
#include "base/error.h"
#include "io/array/volume.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct solve_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, tool.out), .writes = true, .metavar = "FILE",
     .help = "write the solutions here: .npy, .mtx, or a single one as a square picture, .png; - is standard "
             "output, as .npy"},
    {"start", 'x', FIELD(OPTION_PATH, start), .metavar = "FILE",
     .help = "initial x, one column or as many as B has, in a .npy or .mtx (default: 0)"},
    {"weights", FIELD(OPTION_PATH, weights), .metavar = "FILE",
     .help = "a weight from 0 on for each measurement, in a .npy or .mtx: minimise the sum of w (a x - b)^2; "
             "measurements of the weight 0 are ignored, and may be NaN (default: 1)"},
    {"iterations", 'n', FIELD(OPTION_COUNT, iterations), .metavar = "N", .fallback = "400",
     .help = "at most"},
    {"tolerance", 't', FIELD(OPTION_PATH, tolerance), .metavar = "T",
     .help = "stop when |A x - b| is at most T |b|; exit status 1 if this is not reached, or if single "
             "precision is not enough for x"},
    {"stop", FIELD(OPTION_CHOICE, stop), .choices = solve_stop_names, .fallback = "auto",
     .help = "stopping rule: after all iterations, by --tolerance, by --noise, or when A x - b is closest to "
             "white noise; auto: by what is given"},
    {"noise", FIELD(OPTION_PATH, noise), .metavar = "DELTA",
     .help = "stop when |A x - b| is at most DELTA, the norm of the noise in b; exit status 1 if this is not "
             "reached"},
    {"lambda", 'l', FIELD(OPTION_PATH, lambda), .metavar = "L",
     .help =
         "add L |x|^2 / 2 to |A x - b|^2 / 2 (default: 0); with --method tv, L times the total variation"},
    {"lambda-by", FIELD(OPTION_CHOICE, lambda_by), .choices = solve_lambda_by_names, .fallback = "given",
     .help =
         "given: by --lambda; lcurve: for cgnr, the corner of the L-curve of log |x| against log |A x - b|"},
    {"smooth", FIELD(OPTION_PATH, smooth), .metavar = "W[,ORDER]",
     .help =
         "add W |D x|^2 / 2, where D takes differences of neighbouring columns, of order 1 (default) or 2"},
    {"nonnegative", FIELD(OPTION_FLAG, nonnegative), .help = "x >= 0"},
    {"bounds", FIELD(OPTION_PATH, bounds), .metavar = "LO,HI",
     .help = "LO <= x <= HI; -inf and inf are no bounds"},
    {"correction", FIELD(OPTION_PATH, correction), .metavar = "SNIPPET",
     .help = "on devices: F(x, d), an OpenCL C expression in the floats x, d and weight and the column i, "
             "linear in d; F(x, x) is added to the gradient"},
    {"weight", FIELD(OPTION_PATH, weight), .metavar = "W",
     .help = "weight of the penalty for violating bounds with cgnr (default: 50 times the square of the "
             "longest column's norm), or weight of --correction (default: 1)"},
    {"method", 'm', FIELD(OPTION_CHOICE, method), .choices = solve_method_names, .fallback = "auto",
     .help = "auto: fista with bounds, otherwise cgnr"},
    {"filter", FIELD(OPTION_CHOICE, filter), .choices = solve_filter_names, .fallback = "ramp",
     .help = "for fbp: the window that the ramp is multiplied by; hann suppresses most noise"},
    {"shape", FIELD(OPTION_PATH, shape), .metavar = "W,H[,D]",
     .help = "for tv: the pixels of x along each axis (default: of parallel:... its picture, of a matrix a "
             "square)"},
    {"preconditioner", FIELD(OPTION_CHOICE, preconditioner), .choices = solve_preconditioner_names,
     .fallback = "none",
     .help = "for cgnr: the diagonal of A^T A (jacobi), or on the host its incomplete LU factors (ilu)"},
    {"format", FIELD(OPTION_CHOICE, format), .metavar = "NAME", .choices = sparse_format_names,
     .fallback = "auto",
     .help = "how a device stores the matrix: auto, simple, memory-layout, local-memory, "
             "memory-layout+local-memory, on-the-fly, on-the-fly+local-memory, backprojection, ell, "
             "csr-vector, coo, hyb, sell, merge; the host has sell and simple"},
    {"rhs", FIELD(OPTION_PATH, rhs), .metavar = "all|K", .fallback = "all",
     .help = "solve for all columns of B, or for column K from 1"},
    {"stripes", FIELD(OPTION_FLAG, stripes),
     .help = "of beams: first remove stripes from the sinogram, which are rings in the picture, by "
             "sorting (Vo and others 2018)"},
    {"slice", FIELD(OPTION_PATH, slice), .metavar = "K|FIRST-LAST|all",
     .help = "slices of measured tomography (.h5), from 0; of several, the result is a volume: .npy (slices "
             "first), .tif, .nii, .cfl, or its middle slice, .png (default: 0)"},
    {"angles", FIELD(OPTION_PATH, rays.angles), .metavar = "FILE",
     .help =
         "of beams: the angle of each projection in degrees, in a .npy, a .mtx or a column of text (default: "
         "as the .h5 has them, or evenly over 180 degrees, for a fan or a cone over 360)"},
    {"offset", FIELD(OPTION_PATH, rays.offset), .metavar = "PIXELS",
     .help = "of beams: shift the line of detectors by so many of them, relative to the axis of "
             "rotation (default: 0)"},
    {"detector", FIELD(OPTION_PATH, rays.detector), .metavar = "flat|curved", .choices = geometry_detectors,
     .help = "of a fan beam: detectors are a line, or an arc around the source (default: flat)"},
    {"precision", FIELD(OPTION_CHOICE, precision), .choices = solve_precision_names, .fallback = "auto",
     .help = "auto: double if host or device has it for these options"},
    {"sweep", FIELD(OPTION_FLAG, sweep),
     .help = "measure time against nonzeros, on the host and on devices, with systems that it makes; with "
             "--output also a plot"},
    {.name = NULL},
};

static kn_status write_solutions(const struct solve_command *command, kn_error *err)
{
    const struct tool_arguments *arguments = &command->arguments->tool;
    const struct solve_columns *x = &command->x;
    const struct npy volume = solve_volume(command);
    kn_status status;

    interrupt_hold();
    if (solve_is_volume(command))
        status = volume_write(arguments->out, VOLUME_IMAGE, &volume, arguments->common.force, err);
    else
        status = sparse_write_solutions(arguments->out, x->rows, x->count, x->values, arguments->common.force,
                                        err);
    interrupt_release();
    return status;
}

// Warns if single precision did not reach the answer; counts as a failed check if a goal was set.
static void judge_precision(struct solve_command *command)
{
    struct common_arguments *common = &command->arguments->tool.common;
    const kn_least_squares_solution *least = solve_farthest(command);
    size_t count = 0;

    for (size_t i = 0; i < command->x.count; i++)
        count += !solve_solution(command, i)->precision_reached;
    if (!count)
        return;
    fprintf(stderr, "%s: warning: single precision is not enough for the answer", common->command);
    if (command->x.count > 1)
        fprintf(stderr, " in %zu of %zu %ss", count, command->x.count, solve_side(command));
    fprintf(stderr,
            ": the estimated relative error of x is %.2g; --precision double has more digits (--device host "
            "always has it), and --lambda, --smooth or an earlier stop need fewer\n",
            least->error_estimate);
    common->check_failed = common->check_failed || command->task.tolerance > 0 || command->task.noise > 0;
}

// Reports results that were computed but miss what was requested.
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
        fprintf(stderr, "%s: the adjoint check failed: %.3g, but rounding explains at most %.3g\n",
                common->command, adjoint, bound);
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

// Keeps finished columns if several places share them, even without --resume.
static kn_status keep_pieces(struct solve_command *command, kn_error *err)
{
    const struct tool_arguments *arguments = &command->arguments->tool;
    struct resume *resume = &command->tool.resume;

    if (arguments->common.ranks) // which keep nothing
        return KN_OK;
    resume_plan(resume, &command_solve, command->arguments);
    resume_plan_number(resume, command->b.count);
    resume_plan_number(resume, command->together);
    resume_plan_number(resume, (size_t)command->task.type);
    resume_plan_number(resume, command->corner);
    return resume_open(resume, &arguments->common, arguments->out, command->tool.share.count > 0, err);
}

// Without --sweep.
static kn_status solve_one(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    kn_status status = KN_OK;

    if (arguments->tool.common.output)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--output is for the plot of --sweep; use -o X for the solutions");
    status = solve_read(command, err);
    if (!status)
        status = solve_open(command, err);
    if (!status)
        status = solve_divide(command, err);
    if (!status)
        status = solve_choose_lambda(command, err);
    if (!status)
        status = keep_pieces(command, err);
    if (!status && arguments->tool.common.dry_run)
        return solve_dry_run(command, err);
    if (!status)
        status = solve_compute(command, err);
    if (!ranks_writes(arguments->tool.common.ranks))
        return status;
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
        status = arguments->sweep                                             ? solve_sweep(&command, err)
                 : geometry_is_cone(arguments->tool.common.operands.items[0]) ? solve_cone(&command, err)
                                                                              : solve_one(&command, err);
    status = resume_close(&command.tool.resume, status, err);
    for (size_t i = 0; command.results && i < command.pieces; i++)
        free(command.results[i].bytes);
    free(command.results);
    kn_sparse_free(command.matrix);
    free(command.theta);
    free(command.b.values);
    free(command.x.values);
    free(command.weights);
    free(command.lcurve);
    tool_end(&command.tool);
    return status;
}

const struct command command_solve = {
    .name = "solve",
    .summary = "Solves sparse ill-posed systems A x = b by least squares",
    .operands = "A.mtx|A.npz|parallel:...|fan:...|cone:... B",
    .description =
        "A is a Matrix Market file (.mtx, .mtx.gz), one that SciPy's save_npz wrote, or tomography with "
        "parallel beams, parallel:ANGLES,DETECTORS,N[,AXIS], or a fan beam, "
        "fan:ANGLES,DETECTORS,N,SOURCE,DETECTOR[,AXIS]: Joseph's projector of an image of N x N, by lines, "
        "and its exact transpose, which devices compute on the fly. Angles are evenly spaced over 180 "
        "degrees (a fan: over 360), or those of --angles; AXIS is the detector, from 0, at the axis of "
        "rotation, by default (DETECTORS - 1) / 2 less --offset; with parallel:..., AXIS may be auto: it is "
        "found from opposite projections of the first right-hand side, or of the middle one of several "
        "slices, and by the least residual; SOURCE and DETECTOR are distances from the axis in pixels (see "
        "koine-project(1)). B has the right-hand sides, the columns of a .mtx or .npy; with beams it may be "
        "a sinogram (.npy) with a row for each angle, as koine project writes it; or it is measured "
        "tomography (.h5, Data Exchange), from which --slice takes one or several, each a right-hand side, "
        "with their flat and dark fields and angles, detectors binned to the DETECTORS of A. The result is "
        "the x that minimises |A x - b|^2 / 2, plus what --lambda, --smooth, bounds and --correction add.\n\n"
        "--lambda-by lcurve solves for 21 values of lambda, from |A|^2 down over 10 decades (in single "
        "precision 6), and takes the one where the curve of log |x| against log |A x - b| turns most sharply "
        "(Hansen 1992): less would mostly add noise to x, more would mostly worsen the fit. It takes as long "
        "as 21 solutions, of --iterations each at most, and one lambda for all columns of B. It suits white "
        "noise of about a hundredth of b; for little noise and a smooth x it is known to give too little "
        "lambda. A curve without a corner, as of a system that needs no lambda, is an error (exit status "
        "3).\n\n"
        "--weights gives each measurement, a row a of A with its b, a weight w: the sum of w (a x - b)^2 "
        "takes the place of |A x - b|^2. The best weights are 1 / s^2, where s is the standard deviation of "
        "the error of b, so for counts n about 1 / n, and 0 for dead detectors, whose b is ignored and may "
        "be NaN (in a .npy). There are as many weights as rows of A, or with beams an array with a row for "
        "each angle; all columns of B have the same. |A x - b| and |b| are then weighted too, the roots of "
        "the weighted sums: in --tolerance, --noise (with weights 1 / s^2 it is about the root of the number "
        "of measurements), --stop ncp, the residuals and their history.\n\n"
        "cgnr is the method of Stock and Koch's A Fast GPU Implementation for Solving Sparse Ill-Posed "
        "Linear Equation Systems: conjugate gradients on A^T A with a correction term F. The factor in its "
        "printed alpha is a misprint; here the step minimises along the direction. Each iteration has one "
        "product with A and one with A^T; printed applies both twice, as the article prints it, for "
        "comparison, and always does all iterations. fista and bb (projected gradients, accelerated, and "
        "with the steps of Barzilai and Borwein) keep bounds exactly; so does sirt, simultaneous iterative "
        "reconstruction, which needs an A without negative elements and is offered for comparison. With "
        "cgnr, bounds are a penalty, and x may violate them a little. tv minimises |A x - b|^2 / 2 + L TV(x) "
        "with or without bounds, where L is --lambda and TV the total variation of a picture or volume, the "
        "sum of the lengths of its differences from pixel to pixel: edges stay, noise and the streaks of few "
        "views go. It is the primal-dual method of Chambolle and Pock (2011), over-relaxed; the objective is "
        "printed, and more iterations bring it closer to the least. gram factors A^T A once, for many "
        "right-hand sides and a matrix with few columns; it has half the digits on ill-conditioned systems. "
        "On a device, which multiplies by the inverse, it uses single precision.\n\n"
        "fbp, filtered back-projection, is for beams: a picture at once, good where there are many angles "
        "and little noise. Each projection is multiplied by --filter in its Fourier transform (Kak and "
        "Slaney, Principles of Computerized Tomographic Imaging); then each pixel sums the projections where "
        "it is seen, interpolated between two detectors, times half the angle to their neighbours. "
        "Projections count as 0 beyond the detectors. Projections of a fan are first multiplied by the "
        "cosines of their rays, sums are weighted by the pixel's distance from the source, and angles have "
        "to be all around. It minimises nothing: the residual is printed for comparison.\n\n"
        "cone:ANGLES,ROWSxCOLUMNS,N[xNxSLICES],SOURCE,DETECTOR[,AXIS] is a cone beam with a flat panel of "
        "ROWS x COLUMNS detectors, for --method fbp alone: a volume of N x N x N voxels, or of N x N x "
        "SLICES, by the method of Feldkamp, Davis and Kress (1984), which is exact in the middle slice and "
        "an approximation elsewhere. B is a .npy of ANGLES x ROWS x COLUMNS numbers, row 0 on the side of "
        "slice 0; the volume is written as .npy (slices first), .tif (a page for each), .nii, .cfl or its "
        "middle slice as .png, in the precision of the computation. Otherwise the geometry is that of "
        "fan:.... There is no projector for cone beams, and so no other method and no residual.\n\n"
        "Iterations on ill-posed systems have to be stopped early: with 2 % of noise, the best x may be that "
        "of iteration 12, and that of iteration 400 three times worse. --noise stops by the discrepancy "
        "principle; --stop ncp needs no number, and stops where the residual's periodogram is that of white "
        "noise; it checks in every iteration, on a device by Fourier transforms there. Without any of these "
        "all iterations are done, unless the gradient reaches the floor of the precision. The line \"stopped "
        "by\" says which rule applied. Every run checks that <A x, y> equals <x, A^T y> for the products "
        "that it used, and recomputes the residual in double precision from the x that is written.\n\n"
        "Host and devices solve in double precision, or with --precision float in single precision, which is "
        "the default on devices without double precision, for beams, whose matrix devices then do not store, "
        "and for fista, bb, sirt, tv, gram and --stop ncp, which devices have only in single precision. "
        "Devices solve for many right-hand sides together in single precision, and one after another in "
        "double. Without --device, conjugate gradients that host and device offer in the same precision run "
        "where they are faster; the results may differ in the last digits, and --device or KOINE_DEVICE "
        "fixes the choice. Other methods run on the host in double precision, and on a device with "
        "--precision float.\n\n"
        "Results in single precision come with an estimate of the relative difference between x and the "
        "result of double precision by the same stopping rule. A least-squares solution (\"floor\", "
        "\"direct\") is refined once with its gradient in double precision, and the estimate is the "
        "resulting change. An iterate that was stopped by the number of iterations is compared with those of "
        "exact arithmetic, behind which rounding makes it lag: lost search directions show in the lengths of "
        "its steps and gradients, and the estimate is the distance that x moved in as many iterations. There "
        "is a warning if the estimate exceeds one tenth; for an iterate only if the lost iterations would "
        "also have reduced |A x - b|^2 by more than is left: an early iterate of an ill-posed system is no "
        "worse for lagging. With --tolerance or --noise the exit status is then 1.\n\n"
        "Several devices (--device all, or --device given more than once) share the columns of B, some at a "
        "time each. So do the runs of --resume: where there are several parts, those that are finished are "
        "kept in OUT.parts until the solutions are written, and after an interruption the same command with "
        "--resume computes only the others. It has to be the same version of Koine, with the same options "
        "and unchanged input files; devices may differ. The columns are also shared among the processes that "
        "mpirun or srun starts, in a koine built with MPI (see koine(1)); nothing is kept then.\n\n"
        "--memory-limit bounds the memory of the process once A and B are read, and separately the buffers "
        "on a GPU. As many columns of B are solved at a time as fit, and with --format auto a device "
        "computes the weights of rays on the fly if stored formats do not fit; otherwise the system is "
        "refused, and the message names a limit that is enough.\n\n"
        "--sweep makes systems like those of the article (segments of parallel rays through an image of 64 x "
        "48, up to 81,545 rows and 860,000 nonzeros) and solves them on the host and on the named devices, "
        "or the best one, in single precision: it measures the seconds of all iterations, without and with "
        "preparing the matrix. For timing, iterations continue past the floor of the precision, so that the "
        "residual of a system that is solved earlier is meaningless.\n\n"
        "In the JSON, lcurve has lambda, |A x - b| and |x| of each point, with --lambda-by; weighted says "
        "whether there were --weights, and left_out how many of them are 0; iterations, residual, "
        "normal_residual, stopped_by and history are those of the column with the greatest residual; "
        "true_residual and true_normal_residual are the same two, null if a --correction hides the second "
        "from the host. error_estimate (null in double precision) and precision_reached are those of the "
        "column with the greatest estimate; \"solutions\" has all columns. history has the residual before "
        "and after each iteration, on a device the normal residual.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_REPORT | COMMON_OUTPUT | COMMON_FORCE |
              COMMON_MEMORY | COMMON_RESUME | COMMON_DRY_RUN | COMMON_RANKS | COMMON_SHARES_RANKS,
    .options = options,
    .examples = {{"koine solve system.mtx b.mtx --noise 3.5 -o x.npy",
                  "in double precision on the host, until the residual reaches the noise"},
                 {"koine solve parallel:60,96,64 b.npy -m tv -l 0.05 --nonnegative -o x.png",
                  "a picture from few views, by total variation"}},
    .arguments_size = sizeof(struct solve_arguments),
    .run = run_solve,
};
