// SPDX-License-Identifier: Apache-2.0
// Tests kn_recon_solve_measure and kn_recon_measure against the peak of the memory in use, with every method,
// on the host and on a device.
#include "recon_support.h"

#include "support/memory/peak.h"

enum { SIZE = 72, MANY = 6000, BOTH = 2 };

// What goes by no size of the problem; and on devices the rows of sums where groups share the samples of few
// voxels, which an estimate has at their most: they go by the device.
static const size_t small = 32768;
static const double pairs_a_unit = 1 << 15;
static const double most_over = 3;

static void expect_between(const char *name, const char *what, size_t estimate, size_t peak)
{
    fprintf(stderr, "%-40s%-8s%12zu of %12zu\n", name, what, peak, estimate);
    ck_assert_msg(peak <= estimate + small, "%s, %s: %zu bytes, of %zu estimated", name, what, peak,
                  estimate);
    ck_assert_msg((double)estimate <= most_over * (double)peak + (double)small +
                                          8 * pairs_a_unit * kn_context_get_device(context)->compute_units,
                  "%s, %s: %zu bytes, of %zu estimated", name, what, peak, estimate);
}

// A scan with arbitrary numbers.
static kn_recon_scan make_large(void)
{
    const size_t count = (size_t)2 * BOTH * MANY;
    static double k[3 * MANY], data[2 * BOTH * MANY];
    uint64_t state = test_seed("large");

    for (size_t m = 0; m < MANY; m++)
        for (size_t axis = 0; axis < 2; axis++)
            k[3 * m + axis] = SIZE * (test_uniform(&state) - 0.5);
    for (size_t i = 0; i < count; i++)
        data[i] = test_uniform(&state) - 0.5;
    return KN_INIT(kn_recon_scan, .matrix = {2, {SIZE, SIZE, 1}}, .samples = MANY, .coils = BOTH, .k = k,
                   .data = data);
}

// Bytes of the scan's arrays, which the estimate includes but the call does not allocate.
static const size_t given = (size_t)MANY * (3 + 2 * BOTH) * sizeof(double);

START_TEST(reconstructions)
{
    static const struct {
        kn_recon_method method;
        kn_recon_kernel kernel;
        kn_recon_density density;
        kn_recon_normal_method normal;
        bool joint;
        kn_recon_adjoint_method adjoint;
    } all[] = {
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_DOUBLE, KN_RECON_DENSITY_RAMP, 0, false, 0},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_TUNED, KN_RECON_DENSITY_RAMP, 0, false, 0},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_NAIVE, KN_RECON_DENSITY_RAMP, 0, false, 0},
        {KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_AUTO, KN_RECON_DENSITY_RAMP, 0, false, 0},
        {KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_AUTO, KN_RECON_DENSITY_PIPE, 0, false, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE, 0, KN_RECON_NORMAL_TOEPLITZ, false, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_SINGLE, 0, KN_RECON_NORMAL_FORWARD, false, 0},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_SINGLE, 0, 0, false, KN_RECON_ADJOINT_NUFFT},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE, 0, 0, false, KN_RECON_ADJOINT_NUFFT},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED, 0, KN_RECON_NORMAL_TOEPLITZ, false, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED, 0, KN_RECON_NORMAL_FORWARD, false, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE, 0, KN_RECON_NORMAL_TOEPLITZ, true, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED, 0, KN_RECON_NORMAL_TOEPLITZ, true, 0},
    };
    static double maps[2 * BOTH * SIZE * SIZE];
    const kn_recon_scan scan = make_large();

    maps[0] = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kn_recon_solve_options options = make_options(all[i].method, all[i].kernel);
        kn_recon_solve_memory estimate;
        kn_recon_solution *solution = NULL;
        kn_queue *fresh = NULL; // which has no kept memory yet
        struct peak peak;
        char name[64];

        options.density = all[i].density;
        options.normal = all[i].normal;
        options.adjoint = all[i].adjoint;
        options.iterations = 2;
        options.sense = all[i].joint ? KN_RECON_SENSE_MAPS : KN_RECON_SENSE_NONE;
        options.maps = all[i].joint ? maps : NULL;
        EXPECT_OK(kn_recon_solve(queue, &scan, &options, &solution, &err)); // compiles
        kn_recon_solution_free(solution);
        EXPECT_OK(kn_recon_solve_measure(queue, &scan, &options, &estimate, &err));
        EXPECT_OK(kn_queue_open(context, &fresh, &err));
        peak_begin();
        EXPECT_OK(kn_recon_solve(fresh, &scan, &options, &solution, &err));
        peak = peak_end();
        kn_recon_solution_free(solution);
        kn_queue_close(fresh);
        snprintf(name, sizeof name, "%s, %s, %s%s", kn_recon_method_name(all[i].method),
                 kn_recon_kernel_name(all[i].kernel),
                 all[i].density == KN_RECON_DENSITY_PIPE ? "pipe"
                                                         : kn_recon_normal_method_name(all[i].normal),
                 all[i].joint                               ? ", maps"
                 : all[i].adjoint == KN_RECON_ADJOINT_NUFFT ? ", nufft"
                                                            : "");
        expect_between(name, "host", estimate.host - given - (all[i].joint ? sizeof maps : 0), peak.host);
        expect_between(name, "device", estimate.device, peak.device);
    }
}
END_TEST

// The calls of a plan, each with a new plan.
START_TEST(plans)
{
    typedef kn_status call(kn_recon_plan *, const double *, double *, kn_error *);
    static const struct {
        const char *name;
        call *run;
        kn_recon_normal_method normal;
    } all[] = {{"forward", kn_recon_forward, 0},
               {"adjoint", kn_recon_adjoint, 0},
               {"convolution", kn_recon_normal, KN_RECON_NORMAL_TOEPLITZ},
               {"both sums", kn_recon_normal, KN_RECON_NORMAL_FORWARD},
               {"gridding", kn_recon_gridding_adjoint, 0}};
    static double from[2 * (MANY + SIZE * SIZE)], to[2 * (MANY + SIZE * SIZE)];
    const kn_recon_scan scan = make_large();

    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all) - 1; i++) {
        const kn_recon_options options = KN_INIT(kn_recon_options, .normal = all[i / 2].normal);
        bool on_device = i % 2 == 0;
        kn_recon_memory estimate;
        size_t operation;

        for (int measured = 0; measured < 2; measured++) { // the first run compiles
            kn_recon_plan *plan = NULL;
            kn_queue *fresh = NULL;
            struct peak peak;

            EXPECT_OK(kn_queue_open(context, &fresh, &err));
            EXPECT_OK(
                kn_recon_measure(on_device ? fresh : NULL, &scan.matrix, MANY, &options, &estimate, &err));
            peak_begin();
            EXPECT_OK(kn_recon_plan_create(on_device ? fresh : NULL, &scan.matrix, scan.k, MANY, &options,
                                           &plan, &err));
            EXPECT_OK(all[i / 2].run(plan, from, to, &err));
            peak = peak_end();
            operation = i / 2 == 4 ? estimate.gridding : i / 2 >= 2 ? estimate.normal : estimate.sums;
            if (measured && on_device)
                expect_between(all[i / 2].name, "device", operation, peak.device);
            else if (measured)
                expect_between(all[i / 2].name, "host", estimate.plan + operation, peak.host);
            kn_recon_plan_free(plan);
            kn_queue_close(fresh);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reconstructions, plans};

    return test_run("mri recon memory", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
