// SPDX-License-Identifier: Apache-2.0
// Tests koine recon: incompatible options, named as on the command line, and the alternatives suggested for a
// device that reports little memory.
#include "support/buffers.h"
#include "support/run.h"

#include "cli/recon/cmd_recon.h"

enum { SAMPLES = 230, VOXELS = 13 * 10 };

static double numbers[3 * SAMPLES];

static struct recon_run run_of(kn_recon_method method, kn_recon_kernel kernel)
{
    static struct recon_arguments arguments;

    return (struct recon_run){
        .arguments = &arguments,
        .scan = {.matrix = {2, {13, 10, 1}}, .samples = SAMPLES, .coils = 2, .voxels = VOXELS},
        .arrays = KN_INIT(kn_recon_scan, .matrix = {2, {13, 10, 1}}, .samples = SAMPLES, .coils = 2,
                          .k = numbers, .data = numbers),
        .options = KN_INIT(kn_recon_solve_options, .method = method, .kernel = kernel, .iterations = 30,
                           .lambda = 40),
        .extras = KN_INIT(kn_recon_extras),
        .place = {.context = context, .queue = queue}};
}

static void refuse(const struct recon_run *run, kn_status status, const char *words)
{
    EXPECT_REFUSED(status, words, recon_try(run, &err));
}

START_TEST(options)
{
    struct recon_run run = run_of(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_TUNED);

    EXPECT_OK(recon_try(&run, &err));
    run.place.queue = NULL;
    refuse(&run, KN_ERROR_UNSUPPORTED, "--kernel tuned runs on a device");
    run.options.method = KN_RECON_METHOD_GRIDDING;
    refuse(&run, KN_ERROR_UNSUPPORTED, "--solver gridding runs on a device");
    run = run_of(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_DOUBLE);
    run.options.density = KN_RECON_DENSITY_PIPE;
    run.place.queue = NULL;
    refuse(&run, KN_ERROR_UNSUPPORTED, "--density pipe runs on a device");
    run = run_of(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_DOUBLE);
    run.start = (double complex *)numbers;
    refuse(&run, KN_ERROR_ARGUMENT, "--warm-start needs --solver ls");
    run.start = NULL;
    run.extras.load_q = "q";
    refuse(&run, KN_ERROR_ARGUMENT, "--load-q: only --solver ls has a Q");
    run.options.method = KN_RECON_METHOD_LEAST_SQUARES;
    refuse(&run, KN_ERROR_ARGUMENT, "the kernel host-double has none");
    run.options.kernel = KN_RECON_KERNEL_TUNED;
    run.options.normal = KN_RECON_NORMAL_FORWARD;
    refuse(&run, KN_ERROR_ARGUMENT, "--load-q: --normal forward has no Q");
    run.extras.load_q = NULL;
    run.options.relative_lambda = true;
    refuse(&run, KN_ERROR_ARGUMENT, "--normal forward has no Q; use --lambda alone");
    run.options.method = KN_RECON_METHOD_GRIDDING;
    refuse(&run, KN_ERROR_ARGUMENT, "--normal forward needs --solver ls");
    run.options.normal = KN_RECON_NORMAL_TOEPLITZ;
    run.basis = (double complex *)numbers;
    refuse(&run, KN_ERROR_ARGUMENT, "--basis needs --solver ls or adjoint");
    run = run_of(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE);
    run.scan.format = MRI_SCAN_PARBOIL;
    refuse(&run, KN_ERROR_ARGUMENT, "compute its Q with --solver adjoint");
    run.options.method = KN_RECON_METHOD_ADJOINT;
    run.weights = numbers;
    refuse(&run, KN_ERROR_ARGUMENT, "--density and --basis: Parboil");
}
END_TEST

START_TEST(host_memory)
{
    struct recon_run run = run_of(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE);

    EXPECT_OK(recon_try_memory(&run, &run.options, &err));
    run.scan.coils = run.arrays.coils = (size_t)1 << 40;
    run.options.sense = KN_RECON_SENSE_NONE;
    EXPECT_REFUSED(KN_ERROR_MEMORY, "of the coils at a time", recon_try_memory(&run, &run.options, &err));
    run.arrays.matrix = (kn_recon_matrix){3, {100000, 100000, 100000}};
    run.scan.coils = run.arrays.coils = 1;
    run.scan.voxels = (size_t)1000000000000000;
    EXPECT_REFUSED(KN_ERROR_MEMORY, "use a smaller --matrix", recon_try_memory(&run, &run.options, &err));
}
END_TEST

START_TEST(device_memory)
{
    struct recon_run run = run_of(KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_TUNED);
    uint64_t *has = &context->device.info.global_memory;
    kn_error why = KN_ERROR_INIT;

    EXPECT_OK(recon_try_memory(&run, &run.options, &err));
    *has = 8192;
    ck_assert_int_eq(recon_try_memory(&run, &run.options, &why), KN_ERROR_MEMORY);
    ck_assert_msg(strstr(why.text, "--oversampling 1.25") || strstr(why.text, "--solver adjoint"), "%s",
                  why.text);
    ck_assert_msg(strstr(why.text, "--kernel host-double and host-single compute on the host"), "%s",
                  why.text);

    // Where gridding is impossible: least squares without a grid, which then fits.
    run.options.method = KN_RECON_METHOD_LEAST_SQUARES;
    run.arrays.basis = numbers;
    for (*has = 1 << 16; recon_try_memory(&run, &run.options, &why) == KN_OK; *has -= 256)
        ;
    ck_assert_msg(strstr(why.text, "--normal forward, which takes long but needs no grid, fits with"), "%s",
                  why.text);
    run.options.normal = KN_RECON_NORMAL_FORWARD;
    EXPECT_OK(recon_try_memory(&run, &run.options, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {options, host_memory, device_memory};

    return test_run("recon refused", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
