// SPDX-License-Identifier: Apache-2.0
// koine autocorr: correlations of images, their azimuthal averages, and how the lengths in them grow.
#include "autocorr_share.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/output.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct autocorr_arguments, field)

static const struct option_row options[] = {
    {"max-offset", 'r', FIELD(OPTION_COUNT, max_offset), .metavar = "R",
     .help = "the largest offset in pixels (default: a quarter of the first frame's shorter side, at most "
             "250)"},
    {"method", 'm', FIELD(OPTION_CHOICE, method), .choices = autocorr_method_names, .fallback = "auto",
     .help = "how the sums are computed; auto takes what is fastest"},
    {"exact", FIELD(OPTION_FLAG, exact),
     .help = "every sum is exact: fft in double precision or whole numbers; the others always are"},
    {"sums", FIELD(OPTION_PATH, sums), .metavar = "FILE.npy",
     .help = "write the exact sums here, as int64; of several frames one after another"},
    {"verify", FIELD(OPTION_COUNT, verify), .metavar = "N",
     .help = "recompute N random offsets of each frame term by term; exit status 1 if one differs"},
    {"with", FIELD(OPTION_PATH, with), .metavar = "IMAGE",
     .help = "correlate with this image, which is the shifted one, instead of each with itself"},
    {"normalize", 'n', FIELD(OPTION_CHOICE, normalization), .choices = autocorr_normalization_names,
     .fallback = "pearson", .help = "from sums to a correlation; see the manual page for the formulas"},
    {"region", FIELD(OPTION_PATH, region), .metavar = "X,Y,W,H",
     .help = "only the W x H pixels whose upper left one is (X, Y)"},
    {"mask", FIELD(OPTION_PATH, mask), .metavar = "IMAGE",
     .help = "only pixels that are not black in this image, which has the frames' size"},
    {"interval", FIELD(OPTION_PATH, interval), .metavar = "SECONDS",
     .help = "from a frame to the next: they are a series, and R_max(t) is fitted by lines"},
    {"lag", FIELD(OPTION_COUNT, lag), .metavar = "K",
     .help = "correlate each frame also with those 1 to K frames later: how fast a series forgets itself"},
    {"pixel", FIELD(OPTION_PATH, pixel), .metavar = "SIZE,UNIT",
     .help = "how large a pixel is, such as 0.5,um: lengths are in that unit"},
    {"periodic", FIELD(OPTION_FLAG, periodic),
     .help = "images and volumes go on beyond their sides as they began, as simulations do; always exact"},
    {"volume", FIELD(OPTION_FLAG, volume),
     .help = "all frames are the slices of one volume: offsets in three directions, a spherical average"},
    {"variants", FIELD(OPTION_FLAG, variants),
     .help = "one image by every method, for R = 16, 32 and so on: tables of times and speed-ups"},
    {"decoders", FIELD(OPTION_COUNT, decoders), .metavar = "N",
     .help = "threads that decode frames (default: as many as there are processors)"},
    PREPARE_OPTIONS(struct autocorr_arguments, prepare),
    {.name = NULL},
};

// R_max(t), where an interval was given.
static kn_status fit(struct autocorr_run *run, kn_error *err)
{
    double *times, *lengths;
    size_t count = 0;
    kn_status status;

    if (run->interval <= 0)
        return KN_OK;
    times = malloc(2 * run->row_count * sizeof *times);
    if (!times)
        return ki_fail_memory(err, 2 * run->row_count * sizeof *times, "the growth law");
    lengths = times + run->row_count;
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i].error) {
            times[count] = (double)i * run->interval;
            lengths[count++] = run->rows[i].lengths.r_max;
        }
    status = kn_autocorr_fit_growth(times, lengths, count, &run->growth, err);
    run->has_growth = !status;
    free(times);
    return status;
}

static kn_status execute(struct autocorr_run *run, kn_error *err)
{
    const kn_autocorr_source source = frames_source(&run->frames);
    kn_status status;

    if (run->share.count)
        return autocorr_share_execute(run, err);
    status = kn_autocorr_series_execute(run->series, &source, autocorr_take, run, err);
    run->pipeline = kn_autocorr_series_get_pipeline(run->series);
    run->lags = status ? NULL : kn_autocorr_series_get_lags(run->series);
    return status;
}

static kn_status compute(struct autocorr_run *run, kn_error *err)
{
    const kn_autocorr_pipeline *pipeline = &run->pipeline;
    double start = ki_clock_seconds();
    bool on_device = run->place.queue != NULL;
    kn_status status;

    progress_begin(&run->progress, run->arguments->common.quiet);
    status = execute(run, err);
    progress_end(&run->progress);
    if (run->lags)
        run->bound = fmax(run->bound, run->lags->bound);
    run->seconds.read += pipeline->wait;
    run->seconds.build = on_device ? pipeline->build : -1;
    run->seconds.upload = on_device ? pipeline->upload : -1;
    run->seconds.download = on_device ? pipeline->download : -1;
    run->seconds.compute = pipeline->compute + pipeline->analyse;
    run->seconds.total = ki_clock_seconds() - start + run->seconds.read - pipeline->wait;
    return status ? status : fit(run, err);
}

// What was computed, and yet is not right: sums that are not those of the definition.
static void judge(struct autocorr_run *run)
{
    struct common_arguments *common = &run->arguments->common;

    for (size_t i = 0; i < run->row_count; i++) {
        const kn_autocorr_verified *verified = &run->rows[i].verified;

        if (!verified->wrong)
            continue;
        fprintf(stderr,
                "%s: %s: %zu of %zu recomputed sums differ; at (%td, %zu) %s found %" PRIu64
                ", and the definition gives %" PRIu64 "\n",
                common->command, run->rows[i].source.file, verified->wrong, verified->count, verified->x0,
                verified->y0, autocorr_method_names[run->rows[i].method], verified->found,
                verified->expected);
        common->check_failed = true;
    }
    for (size_t m = 0; m < run->variants.count; m++)
        for (size_t r = 0; r < run->variants.offset_count; r++)
            if (run->variants.items[m].differ[r]) {
                fprintf(stderr, "%s: at R = %zu %zu sums by %s are not those by %s\n", common->command,
                        run->variants.offsets[r], run->variants.items[m].differ[r],
                        run->variants.items[m].name, run->variants.items[0].name);
                common->check_failed = true;
            }
}

static kn_status report(struct autocorr_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_status status = autocorr_write_files(run, err);

    if (!status && common->json)
        status = autocorr_write_json(run, err);
    if (!status && report_shows_text(common) && run->pipeline.failed < run->frames.count) {
        if (!autocorr_print(run) || (run->arguments->variants && !autocorr_print_variants(run)))
            status = ki_fail_memory(err, 0, "printing the results");
        else
            autocorr_print_files(run);
    }
    judge(run);
    if (!status && run->pipeline.failed)
        status = ki_fail(err, KN_ERROR_INPUT, "%zu of %zu frames could not be done, and are named above",
                         run->pipeline.failed, run->frames.count);
    return status;
}

static kn_status run_autocorr(void *given, kn_error *err)
{
    struct autocorr_run run = {.arguments = given};
    const char *folder = run.arguments->common.output;
    const size_t there = folder ? ki_output_folder_there(folder) : 0;
    kn_status status = autocorr_settle(&run, err);

    if (!status)
        status = autocorr_read(&run, err);
    if (!status)
        status = autocorr_try_files(&run, err);
    if (!status)
        status = autocorr_open(&run, err);
    if (!status)
        status = run.arguments->volume ? autocorr_run_volume(&run, err) : compute(&run, err);
    if (!status && run.arguments->variants)
        status = autocorr_run_variants(&run, err);
    if (!status)
        status = report(&run, err);
    autocorr_free(&run);
    if (status && folder)
        ki_output_folder_undo(folder, there);
    return status;
}

const struct command command_autocorr = {
    .name = "autocorr",
    .summary = "Correlates images with themselves, and finds the characteristic length and its growth",
    .operands = "IMAGE|DIR...",
    .description =
        "Reads PNG and TIFF images and NumPy arrays (.npy: rows and columns, or pages, rows and columns of a "
        "stack; all pages of a stack; of a folder the files that end in .png, .tif, .tiff or .npy, in the "
        "order of "
        "their names; - is standard input) and computes, for all offsets |X0| <= R "
        "and 0 <= Y0 <= R, C2D: "
        "the sum of I(x,y) I(x+X0,y+Y0) over the overlap. The other half plane is the same turned by half a "
        "turn. With --with the second image is the shifted one. Colour "
        "becomes grey (0.299 red + 0.587 green + 0.114 blue); transparency is not looked at.\n\n"
        "The methods: naive is four nested loops on the host, simd its vectors and threads; direct is the "
        "fastest kernel of sums on a device, and texture-style, two-kernel and two-line are those of Lu et "
        "al. "
        "(an offset a work-item; two lines in local memory, without and with atomic additions); fft runs in "
        "both places and takes a time that hardly depends on R. auto takes what should be fastest: on a "
        "device "
        "direct or fft by their numbers of terms and the device's speeds, which are measured once and "
        "remembered, and why is said; where "
        "the best device is the processor itself and none is named, the host's own code. All sums are exact "
        "whole numbers, but those of fft without --exact, --precision double or --sums, which are rounded "
        "from "
        "single precision: the bound of their error is printed.\n\n"
        "The sums become a correlation by --normalize. With P the sum, n the number of pairs, S1, S2 and Q1, "
        "Q2 the sums of the overlap's pixels and of their squares: pearson is (P - S1 S2 / n) / sqrt((Q1 - "
        "S1^2 / n)(Q2 - S2^2 / n)); energy is P / sqrt(E1 E2) with the whole images' sums of squares "
        "(equation "
        "1 of Lu et al. 2009 as printed); lu2009 is P / Q2; geo is P / sqrt(Q1 Q2); zero takes the images' "
        "means off, is 0 outside, and is divided by their variance; unbiased is zero N / n; symavg is P n / "
        "(S1 S2). Where a formula divides by 0, as pearson does in an image of one level, the correlation is "
        "not a number: such a frame has no lengths.\n\n"
        "C1D is the azimuthal average in rings of one pixel, to both neighbours of which each offset counts "
        "by "
        "its distance; rounding it to one of them makes false maxima. R_max is the first maximum behind the "
        "first trough (R_min), by a parabola through three rings; bumps lower than a quarter of a ring's "
        "standard error are passed over. Its error says how much directions disagree (jackknife over twelve "
        "sectors). Walls, scale bars and dark floors have correlations of their own: leave them out with "
        "--region or --mask.\n\n"
        "With --interval the frames are a series, all of one size, the first at t = 0; R_max(t) is fitted by "
        "a "
        "line through the origin and by a free one. Without it each frame is for itself, and may have a size "
        "of its own. A frame that cannot be read is named, the others are done, and the exit status is 3; "
        "the others keep their times. Frames are decoded by several threads while others are copied to the "
        "device "
        "and others computed there; without a mask their rings are made there, too, and of a frame only "
        "those "
        "come back, and what --sums, --output or --verify want.\n\n"
        "With --lag K each frame is also correlated with those 1 to K frames later (all of one size and "
        "type), as "
        "exactly, over the same offsets, region and mask: I is the frame, I' the later one. Of each lag k = "
        "0 to "
        "K the correlation is the mean over its pairs, which is the spatio-temporal correlation of Hebert, "
        "Costantino and Wiseman (2005): that at the offset (0, 0), with its standard deviation over the "
        "pairs, "
        "tells how much of a picture is left k frames later (time-resolved correlation, Cipelletti et al. "
        "2003), and R_max is found in the mean of the azimuthal averages. The decorrelation time is the lag, "
        "times the interval, at which that correlation has fallen to 1/e of lag 0's, on the straight line "
        "between two lags; of symavg to 1/e of its distance from 1. Use pearson, zero, unbiased or symavg: "
        "energy, lu2009 and geo take no mean off, and hardly fall. --sums and --verify are of the frames "
        "themselves. A lag costs what --with does.\n\n"
        "With --output the folder receives for each frame NAME.c2d.npy (float64, rows Y0 = 0 to R, columns "
        "X0 "
        "= -R to R), NAME.c1d.csv and NAME.c2d.png (from the least correlation, black, to the greatest, "
        "white), and for all c1d.svg and with --interval growth.svg. Pages of a stack are called NAME-p1, "
        "NAME-p2 and so on. --variants adds variants.svg, --lag lag.csv (of each lag the pairs, the "
        "correlation, R_max), lag-c1d.csv, "
        "lag-c2d.npy (float64: lags, rows, columns), lag-pairs.npy (float64: lags, first frames; the "
        "correlation "
        "of each pair at (0, 0)) and lag.svg. In the JSON `lag` has `decorrelation` (in frames), "
        "`decorrelation_seconds` and, in `lags`, of each lag `pairs`, `correlation`, `deviation`, the "
        "lengths, "
        "`c1d` and `correlations`, those of the pairs.\n\n"
        "With --periodic positions are modulo the sides, every overlap is the whole image, and all sums are "
        "exact. With --volume all frames, one after another, are the slices of one volume: C3D for |X0|, "
        "|Y0| "
        "<= R and 0 <= Z0 <= R, exact for 8 and 16 bits, and C1D its average over spherical shells, in which "
        "the lengths are found as in rings; R is by default a quarter of the shortest side, at most 64. "
        "Slices of floats are scaled together. The folder receives NAME.c3d.npy (float64, planes Z0 = 0 to "
        "R, "
        "rows Y0 = -R to R, columns X0 = -R to R) and NAME.c1d.csv. Both are computed by fft, without a "
        "mask.\n\n"
        "Several devices, of --device all or several --device, share the frames, but with --lag, --volume "
        "and "
        "--variants; exact sums are the same whoever computed them.\n\n"
        "--memory-limit counts what the process holds, and of a GPU its buffers for themselves. Fewer frames "
        "are decoded "
        "ahead and computed together, and auto adds term by term where transforms would take more; a frame "
        "that "
        "does not fit by itself is refused with what it takes. With --lag K the last K + 1 frames and "
        "the means over pairs are held too, however long the series is. It does not go with --volume, which "
        "is transformed as a whole, nor with --variants, which times each method with the memory that this "
        "takes.\n\n"
        "--grey, --stabilise, --flatten, --dust, --contrast and --crop prepare the frames first, as koine "
        "prepare "
        "does (see there); regions and masks are those of the prepared frames.\n\n"
        "--variants is the comparison of Lu et al.: naive (four nested loops), simd (the host's vectors and "
        "threads) and the kernels on the device, for growing R. Their times are what a caller waits, without "
        "reading and compiling; all sums have to be the same.",
    .common = COMMON_DEVICE | COMMON_PRECISION | COMMON_POLICY | COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE |
              COMMON_MEMORY,
    .precision = "float",
    .options = options,
    .examples =
        {{"koine autocorr foam_1.tif --region 60,10,640,350 --max-offset 60",
          "the distance between bubbles in a part of a photograph"},
         {"koine autocorr frames/ --interval 3600 --lag 10 --pixel 12,um --output results",
          "how that distance grows over a series of photographs, and how fast they change, with plots"}},
    .arguments_size = sizeof(struct autocorr_arguments),
    .run = run_autocorr,
};
