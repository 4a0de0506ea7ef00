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
     .help = "how the sums are computed; auto takes the fastest method"},
    {"exact", FIELD(OPTION_FLAG, exact),
     .help = "make every sum exact: fft in double precision or integers; the other methods always are"},
    {"sums", FIELD(OPTION_PATH, sums), .writes = true, .metavar = "FILE.npy",
     .help = "write the exact sums here, as int64; those of several frames one after another"},
    {"verify", FIELD(OPTION_COUNT, verify), .metavar = "N",
     .help = "recompute N random offsets of each frame term by term; exit status 1 if one differs"},
    {"with", FIELD(OPTION_PATH, with), .metavar = "IMAGE",
     .help = "cross-correlate each frame with this image, which is shifted, instead of with itself"},
    {"normalize", 'n', FIELD(OPTION_CHOICE, normalization), .choices = autocorr_normalization_names,
     .fallback = "pearson", .help = "from sums to a correlation; see the manual page for the formulas"},
    {"region", FIELD(OPTION_PATH, region), .metavar = "X,Y,W,H",
     .help = "use only the W x H pixels whose upper left one is (X, Y)"},
    {"mask", FIELD(OPTION_PATH, mask), .metavar = "IMAGE",
     .help = "use only pixels that are not black in this image, which has the frames' size"},
    {"interval", FIELD(OPTION_PATH, interval), .metavar = "SECONDS",
     .help = "time between frames: they are a series, and lines are fitted to R_max(t)"},
    {"lag", FIELD(OPTION_COUNT, lag), .metavar = "K",
     .help = "also correlate each frame with those 1 to K frames later, for the decorrelation time"},
    {"pixel", FIELD(OPTION_PATH, pixel), .metavar = "SIZE,UNIT",
     .help = "size of a pixel, such as 0.5,um: lengths are in that unit"},
    {"periodic", FIELD(OPTION_FLAG, periodic),
     .help = "periodic boundaries, as in simulations; always exact"},
    {"volume", FIELD(OPTION_FLAG, volume),
     .help = "all frames are the slices of one volume: offsets in three dimensions, a spherical average"},
    {"variants", FIELD(OPTION_FLAG, variants),
     .help = "run one image by every method, for R = 16, 32 and so on: tables of times and speed-ups"},
    {"decoders", FIELD(OPTION_COUNT, decoders), .metavar = "N",
     .help = "threads that decode frames (default: one per processor)"},
    PREPARE_OPTIONS(struct autocorr_arguments, prepare),
    {.name = NULL},
};

// R_max(t), if an interval was given.
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
    return status || !ranks_writes(run->arguments->common.ranks) ? status : fit(run, err);
}

// Results that were computed but are wrong: sums that differ from the definition.
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
                fprintf(stderr, "%s: at R = %zu, %zu sums by %s differ from those by %s\n", common->command,
                        run->variants.offsets[r], run->variants.items[m].differ[r],
                        run->variants.items[m].name, run->variants.items[0].name);
                common->check_failed = true;
            }
}

// The folder, or a file, beside which finished frames are kept.
static const char *result_of(const struct autocorr_run *run)
{
    const struct common_arguments *common = &run->arguments->common;

    return common->output ? common->output : common->json ? common->json : run->arguments->sums;
}

// Where several places share the frames, also without --resume.
static kn_status keep_frames(struct autocorr_run *run, kn_error *err)
{
    struct resume *resume = &run->resume;

    if (!ranks_writes(run->arguments->common.ranks))
        return KN_OK;
    resume_plan(resume, &command_autocorr, run->arguments);
    for (size_t i = 0; i < run->files.count; i++)
        resume_plan_file(resume, run->files.paths[i]);
    resume_plan_number(resume, run->frames.count);
    return resume_open(resume, &run->arguments->common, result_of(run),
                       run->share.count > 0 && !run->share.ranks, err);
}

// Frames' files of a run that was interrupted are written again.
static void overwrite_own(struct autocorr_run *run)
{
    struct common_arguments *common = &run->arguments->common;

    common->force = common->force || (common->resume && resume_is_there(result_of(run)));
}

static kn_status report(struct autocorr_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_status status = autocorr_write_files(run, err);

    if (!status && report_wanted(common))
        status = autocorr_write_json(run, err);
    if (!status)
        status = resume_close(&run->resume, KN_OK, err); // also if frames failed
    if (!status && report_shows_text(common) && run->pipeline.failed < run->frames.count) {
        if (!autocorr_print(run) || (run->arguments->variants && !autocorr_print_variants(run)))
            status = ki_fail_memory(err, 0, "printing the results");
        else
            autocorr_print_files(run);
    }
    judge(run);
    if (!status && run->pipeline.failed)
        status = ki_fail(err, KN_ERROR_INPUT, "%zu of %zu frames failed; they are named above",
                         run->pipeline.failed, run->frames.count);
    return status;
}

static kn_status work(struct autocorr_run *run, kn_error *err)
{
    kn_status status = run->arguments->volume ? autocorr_run_volume(run, err) : compute(run, err);

    if (!status && run->arguments->variants)
        status = autocorr_run_variants(run, err);
    return status || !ranks_writes(run->arguments->common.ranks) ? status : report(run, err);
}

static kn_status run_autocorr(void *given, kn_error *err)
{
    struct autocorr_run run = {.arguments = given};
    const bool writes = ranks_writes(run.arguments->common.ranks), dry = run.arguments->common.dry_run;
    const char *folder = run.arguments->common.output;
    const size_t there = folder ? ki_output_folder_there(folder) : 0;
    kn_status status = autocorr_settle(&run, err);

    if (!status)
        status = autocorr_read(&run, err);
    overwrite_own(&run);
    if (!status && writes)
        status = autocorr_try_files(&run, err);
    if (!status)
        status = autocorr_open(&run, err);
    if (!status)
        status = keep_frames(&run, err);
    if (!status)
        status = dry ? autocorr_dry_run(&run, err) : work(&run, err);
    status = resume_close(&run.resume, status, err);
    autocorr_free(&run);
    if ((status || dry) && folder && writes)
        ki_output_folder_undo(folder, there);
    return status;
}

const struct command command_autocorr = {
    .name = "autocorr",
    .summary = "Computes the autocorrelation of images, and finds the characteristic length and its growth",
    .operands = "IMAGE|DIR...",
    .description =
        "Reads PNG and TIFF images and NumPy arrays (.npy: rows and columns, or pages, rows and columns of a "
        "stack; all pages of a stack; in a folder the files that end in .png, .tif, .tiff or .npy, in the "
        "order of their names; - is standard input) and computes, for all offsets |X0| <= R and 0 <= Y0 <= "
        "R, C2D: the sum of I(x,y) I(x+X0,y+Y0) over the overlap. The other half plane is the same, rotated "
        "by 180 degrees. With --with the second image is the shifted one. Colour is converted to grey (0.299 "
        "red + 0.587 green + 0.114 blue); transparency is ignored.\n\n"
        "The methods: naive is four nested loops on the host, simd uses the host's vectors and threads; "
        "direct is the fastest kernel of direct sums on a device, and texture-style, two-kernel and two-line "
        "are those of Lu et al. (one offset per work-item; two lines in local memory, without and with "
        "atomic additions); fft runs on host and devices and takes a time that hardly depends on R. auto "
        "takes the method that should be fastest, and says why: on a device, direct or fft by their numbers "
        "of terms and the device's speeds, which are measured once and remembered; if the best device is the "
        "processor itself and none is named, the host's own code. All sums are exact integers, except those "
        "of fft without --exact, --precision double or --sums, which are rounded from single precision: the "
        "bound of their error is printed.\n\n"
        "The sums become a correlation by --normalize. With P the sum, n the number of pairs, S1, S2 and Q1, "
        "Q2 the sums of the overlap's pixels and of their squares: pearson is (P - S1 S2 / n) / sqrt((Q1 - "
        "S1^2 / n)(Q2 - S2^2 / n)); energy is P / sqrt(E1 E2) with the sums of squares of the whole images "
        "(equation 1 of Lu et al. 2009 as printed); lu2009 is P / Q2; geo is P / sqrt(Q1 Q2); zero subtracts "
        "the means of the images, is 0 outside, and is divided by their variance; unbiased is zero N / n; "
        "symavg is P n / (S1 S2). Where a formula divides by 0, as pearson does in an image of a single "
        "level, the correlation is NaN, and such a frame has no lengths.\n\n"
        "C1D is the azimuthal average in rings of one pixel; each offset contributes to the two nearest "
        "rings by its distance, since rounding to one of them makes false maxima. R_max is the first maximum "
        "after the first minimum (R_min), by a parabola through three rings; bumps lower than a quarter of a "
        "ring's standard error are ignored. Its error says how much directions disagree (jackknife over "
        "twelve sectors). Walls, scale bars and dark floors have correlations of their own: exclude them "
        "with --region or --mask.\n\n"
        "With --interval the frames are a series, all of one size, the first at t = 0; a line through the "
        "origin and a free line are fitted to R_max(t). Without it the frames are independent, and may "
        "differ in size. A frame that cannot be read is named, the others are processed and keep their "
        "times, and the exit status is 3. Several threads decode frames while others are copied to the "
        "device and others computed there; without a mask their rings are computed there as well, and only "
        "these are copied back, with what --sums, --output or --verify need.\n\n"
        "With --lag K each frame is also correlated with those 1 to K frames later (all of one size and "
        "type), equally exactly, over the same offsets, region and mask: I is the frame, I' the later one. "
        "The correlation of each lag k = 0 to K is the mean over its pairs, which is the spatio-temporal "
        "correlation of Hebert, Costantino and Wiseman (2005): its value at the offset (0, 0), with its "
        "standard deviation over the pairs, says how much of a picture is left k frames later (time-resolved "
        "correlation, Cipelletti et al. 2003), and R_max is found in the mean of the azimuthal averages. The "
        "decorrelation time is the lag, times the interval, at which that value has fallen to 1/e of its "
        "value at lag 0, interpolated linearly between lags; symavg has to fall to 1/e of its distance from "
        "1. Use pearson, zero, unbiased or symavg: energy, lu2009 and geo do not subtract means, and hardly "
        "decrease. --sums and --verify apply to the frames themselves. Each lag costs as much as --with.\n\n"
        "With --output the folder receives NAME.c2d.npy (float64, rows Y0 = 0 to R, columns X0 = -R to R), "
        "NAME.c1d.csv and NAME.c2d.png (from the least correlation, black, to the greatest, white) for each "
        "frame, and c1d.svg and, with --interval, growth.svg for all frames. Pages of a stack are called "
        "NAME-p1, NAME-p2 and so on. --variants adds variants.svg, --lag adds lag.csv (the pairs, the "
        "correlation and R_max of each lag), lag-c1d.csv, lag-c2d.npy (float64: lags, rows, columns), "
        "lag-pairs.npy (float64: lags, first frames; the correlation of each pair at (0, 0)) and lag.svg. In "
        "the JSON `lag` has `decorrelation` (in frames), `decorrelation_seconds` and `lags`, which has "
        "`pairs`, `correlation`, `deviation`, the lengths, `c1d` and `correlations` (of the pairs) for each "
        "lag.\n\n"
        "With --periodic, positions are taken modulo the sides, every overlap is the whole image, and all "
        "sums are exact. With --volume all frames, one after another, are the slices of one volume: C3D for "
        "|X0|, |Y0| <= R and 0 <= Z0 <= R, exact for 8 and 16 bits, and C1D is its average over spherical "
        "shells, in which the lengths are found as in rings; R is by default a quarter of the shortest side, "
        "at most 64. Slices of floats are scaled together. The folder receives NAME.c3d.npy (float64, planes "
        "Z0 = 0 to R, rows Y0 = -R to R, columns X0 = -R to R) and NAME.c1d.csv. Both are computed by fft, "
        "without a mask.\n\n"
        "Several devices (--device all, or --device given more than once) share the frames, except with "
        "--lag, --volume and --variants; exact sums are identical whichever device computed them. Finished "
        "frames, but for the first, are kept in NAME.parts beside the folder of --output, or else the file "
        "of --json or --sums, until the results are written, as they are of one device with --resume; after "
        "an interruption the same command with --resume computes only the others, and writes the files of "
        "all again. It has to be the same version of Koine, with the same options and unchanged images; "
        "devices may differ.\n\n"
        "--memory-limit bounds the memory of the process, and separately the buffers on a GPU. To keep it, "
        "fewer frames are decoded ahead and computed together, and auto adds term by term where transforms "
        "would take more; a frame that does not fit by itself is refused with the memory that it needs. With "
        "--lag K the last K + 1 frames and the means over pairs are held as well, however long the series "
        "is. It cannot be combined with --volume, which is transformed as a whole, nor with --variants, "
        "which times each method with the memory that it takes.\n\n"
        "--grey, --stabilise, --flatten, --dust, --contrast and --crop prepare the frames first, as koine "
        "prepare does (see there); regions and masks apply to the prepared frames.\n\n"
        "--variants is the comparison of Lu et al.: naive (four nested loops), simd (the host's vectors and "
        "threads) and the kernels on the device, for growing R. Times are what a caller waits, without "
        "reading and compiling; all sums have to be the same.",
    .common = COMMON_DEVICE | COMMON_PRECISION | COMMON_POLICY | COMMON_JSON | COMMON_REPORT | COMMON_OUTPUT |
              COMMON_FORCE | COMMON_MEMORY | COMMON_RESUME | COMMON_DRY_RUN | COMMON_RANKS |
              COMMON_SHARES_RANKS,
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
