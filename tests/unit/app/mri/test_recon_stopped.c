// SPDX-License-Identifier: Apache-2.0
// Tests that reconstructions and plans can be stopped at every call of the progress function: nothing is
// launched and no further call is made, and the next reconstruction is right. Progress does not decrease, and
// there are few launches between two calls.
#include "recon_support.h"

#include <koine/recon.h>

#include "base/threads.h"

enum {
    AHEAD = 16,     // launches between two calls at most (src/engine/watch/asking.c)
    FIRST_ALL = 12, // stop at every call up to this one, then at some
};

struct told {
    size_t count, most; // number of calls, and the one that stops
    size_t launches, between, between_most, after;
    double last;
};

static bool tell(void *given, double done)
{
    struct told *told = given;

    ck_assert_msg(done >= told->last && done < 1, "%g after %g", done, told->last);
    ck_assert_uint_lt(told->count, told->most);
    told->last = done;
    told->between = 0;
    return ++told->count < told->most;
}

static void notice(void *given, const kn_launch_notice *launch)
{
    struct told *told = given;

    (void)launch;
    told->launches++;
    told->between++;
    told->between_most = told->between > told->between_most ? told->between : told->between_most;
    told->after += told->count == told->most;
}

// The work that is stopped: `run` computes the result anew with this function.
struct stopped {
    kn_status (*run)(const void *data, struct told *told, double complex *result);
    const void *data;
};

static void expect_stops(const char *what, const struct stopped *s)
{
    double complex result[SAMPLES], again[SAMPLES];
    struct told whole = {.most = SIZE_MAX};
    kn_status status = KN_ERROR_INTERRUPTED;

    EXPECT_OK(kn_queue_watch(queue, notice, &whole, &err));
    ck_assert_msg(s->run(s->data, &whole, result) == KN_OK, "%s: %s", what, err.text);
    ck_assert_uint_ge(whole.count, 1);
    ck_assert_msg(whole.between_most <= AHEAD, "%s: %zu launches between two questions", what,
                  whole.between_most);
    for (size_t most = 1; status == KN_ERROR_INTERRUPTED; most += most < FIRST_ALL ? 1 : most / 4) {
        struct told told = {.most = most};

        EXPECT_OK(kn_queue_watch(queue, notice, &told, &err));
        status = s->run(s->data, &told, again);
        ck_assert_uint_eq(told.after, 0);
        if (!status)
            break;
        ck_assert_msg(status == KN_ERROR_INTERRUPTED && told.count == most, "%s: at question %zu: %s", what,
                      most, err.text);
        ck_assert_ptr_nonnull(strstr(err.text, "stopped"));
    }
    EXPECT_OK(kn_queue_watch(queue, NULL, NULL, &err));
    ck_assert_mem_eq(again, result, sizeof result);
}

// ---- reconstructions ----

struct reconstruction {
    kn_recon_method method;
    kn_recon_kernel kernel;
    kn_recon_density density;
    kn_recon_normal_method normal;
    double tolerance;
};

struct scanned {
    const struct recon_scan *scan;
    const struct reconstruction *how;
};

static kn_status reconstruct(const void *data, struct told *told, double complex *result)
{
    const struct scanned *scanned = data;
    kn_recon_solve_options options = make_options(scanned->how->method, scanned->how->kernel);
    kn_recon_solution *solution = NULL;
    kn_status status;

    options.density = scanned->how->density;
    options.normal = scanned->how->normal;
    options.tolerance = scanned->how->tolerance;
    options.iterations = 5;
    options.progress = tell;
    options.progress_data = told;
    status = kn_recon_solve(queue, &scanned->scan->given, &options, &solution, &err);
    memset(result, 0, SAMPLES * sizeof *result);
    if (!status)
        memcpy(result, kn_recon_solution_get_image(solution), VOXELS * sizeof *result);
    else
        ck_assert_ptr_null(solution);
    kn_recon_solution_free(solution);
    return status;
}

START_TEST(reconstructions)
{
    static const struct reconstruction all[] = {
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_TUNED, KN_RECON_DENSITY_RAMP, 0, 0},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_CONSTANT, KN_RECON_DENSITY_PIPE, 0, 0},
        {KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_SINGLE, KN_RECON_DENSITY_PIPE, 0, 0},
        {KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_AUTO, KN_RECON_DENSITY_PIPE, 0, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED, 0, KN_RECON_NORMAL_TOEPLITZ, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_REGISTER, 0, KN_RECON_NORMAL_TOEPLITZ, 1e-3},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED, 0, KN_RECON_NORMAL_FORWARD, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE, 0, KN_RECON_NORMAL_TOEPLITZ, 0},
        {KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_SINGLE, 0, KN_RECON_NORMAL_FORWARD, 0},
    };
    struct recon_scan scan = make_scan(2);

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct scanned scanned = {&scan, &all[i]};
        char what[64];

        snprintf(what, sizeof what, "%s, %s", kn_recon_method_name(all[i].method),
                 kn_recon_kernel_name(all[i].kernel));
        expect_stops(what, &(struct stopped){reconstruct, &scanned});
    }
    free_scan(&scan);
}
END_TEST

// ---- density compensation ----

static kn_status weigh(const void *data, struct told *told, double complex *result)
{
    const struct scanned *scanned = data;
    const kn_recon_scan *scan = &scanned->scan->given;
    const kn_recon_weights_options options =
        KN_INIT(kn_recon_weights_options, .progress = tell, .progress_data = told);

    memset(result, 0, SAMPLES * sizeof *result);
    return kn_recon_weights(queue, &scan->matrix, scan->k, SAMPLES, scanned->how->density, (double *)result,
                            &options, &err);
}

START_TEST(densities)
{
    struct recon_scan scan = make_scan(1);

    for (kn_recon_density density = KN_RECON_DENSITY_NONE; density <= KN_RECON_DENSITY_PIPE; density++) {
        const struct reconstruction how = {.density = density};
        const struct scanned scanned = {&scan, &how};

        expect_stops(kn_recon_density_name(density), &(struct stopped){weigh, &scanned});
    }
    free_scan(&scan);
}
END_TEST

// ---- plans ----

typedef kn_status kn_recon_call(kn_recon_plan *plan, const double *from, double *to, kn_error *err);

struct operation {
    const char *name;
    kn_recon_call *call; // NULL: with an operator
    kn_recon_operator_kind kind;
    bool adjoint;
    kn_recon_normal_method normal;
};

struct planned {
    const struct recon_scan *scan;
    const struct operation *operation;
    bool on_host;
};

static kn_status apply_on_device(const struct planned *p, const kn_operator *a, double *to)
{
    size_t bytes = SAMPLES * 2 * sizeof(float);
    float *pairs = test_allocate(bytes);
    kn_buffer *from, *made = NULL;
    kn_status status;

    for (size_t i = 0; i < 2 * (size_t)SAMPLES; i++)
        pairs[i] = (float)p->scan->given.data[i];
    from = test_upload_with_room(pairs, bytes, 0);
    EXPECT_OK(kn_buffer_create(context, bytes, &made, &err));
    EXPECT_OK(kn_buffer_write(queue, made, 0, pairs, bytes, &err));
    status = kn_operator_apply(queue, a, p->operation->adjoint, from, made, &err);
    if (!status)
        status = kn_buffer_read(queue, made, 0, pairs, bytes, &err);
    for (size_t i = 0; i < 2 * (size_t)VOXELS; i++)
        to[i] = (double)pairs[i];
    kn_buffer_free(from);
    kn_buffer_free(made);
    free(pairs);
    return status;
}

static kn_status apply(const struct planned *p, kn_recon_plan *plan, double *to)
{
    kn_operator *a = NULL;
    kn_status status = kn_recon_operator_create(plan, p->operation->kind, &a, &err);

    if (!status)
        status = p->on_host ? kn_operator_apply_host(a, p->operation->adjoint, p->scan->data, to, &err)
                            : apply_on_device(p, a, to);
    kn_operator_free(a);
    return status;
}

static kn_status operate(const void *data, struct told *told, double complex *result)
{
    const struct planned *p = data;
    const kn_recon_scan *scan = &p->scan->given;
    const kn_recon_options options =
        KN_INIT(kn_recon_options, .normal = p->operation->normal, .progress = tell, .progress_data = told);
    kn_recon_plan *plan = NULL;
    kn_status status;

    EXPECT_OK(kn_recon_plan_create(p->on_host ? NULL : queue, &scan->matrix, scan->k, SAMPLES, &options,
                                   &plan, &err));
    memset(result, 0, SAMPLES * sizeof *result);
    if (p->operation->call)
        status = p->operation->call(plan, scan->data, (double *)result, &err);
    else
        status = apply(p, plan, (double *)result);
    kn_recon_plan_free(plan);
    return status;
}

START_TEST(plans)
{
    static const struct operation all[] = {
        {"forward", kn_recon_forward, 0, false, KN_RECON_NORMAL_TOEPLITZ},
        {"adjoint", kn_recon_adjoint, 0, false, KN_RECON_NORMAL_TOEPLITZ},
        {"convolution", kn_recon_normal, 0, false, KN_RECON_NORMAL_TOEPLITZ},
        {"both sums", kn_recon_normal, 0, false, KN_RECON_NORMAL_FORWARD},
        {"encoding operator", NULL, KN_RECON_OPERATOR_ENCODING, false, KN_RECON_NORMAL_TOEPLITZ},
        {"its adjoint", NULL, KN_RECON_OPERATOR_ENCODING, true, KN_RECON_NORMAL_TOEPLITZ},
        {"normal operator", NULL, KN_RECON_OPERATOR_NORMAL, false, KN_RECON_NORMAL_TOEPLITZ},
        {"normal operator by both sums", NULL, KN_RECON_OPERATOR_NORMAL, false, KN_RECON_NORMAL_FORWARD},
        // Only on a device.
        {"gridding forward", kn_recon_gridding_forward, 0, false, KN_RECON_NORMAL_TOEPLITZ},
        {"gridding adjoint", kn_recon_gridding_adjoint, 0, false, KN_RECON_NORMAL_TOEPLITZ},
        {"gridding operator", NULL, KN_RECON_OPERATOR_GRIDDING, true, KN_RECON_NORMAL_TOEPLITZ},
    };
    struct recon_scan scan = make_scan(1);

    for (size_t i = 0; i < 2 * 11; i++) {
        const struct planned planned = {&scan, &all[i / 2], i % 2};

        if (i < 2 * 8 || !planned.on_host)
            expect_stops(planned.operation->name, &(struct stopped){operate, &planned});
    }
    free_scan(&scan);
}
END_TEST

// A plan can be used again after a call was stopped.
START_TEST(plan_goes_on)
{
    struct recon_scan scan = make_scan(1);

    for (size_t i = 0; i < 2; i++) {
        struct told told = {.most = 2};
        const kn_recon_options options = KN_INIT(kn_recon_options, .progress = tell, .progress_data = &told);
        kn_recon_plan *plan = NULL;
        double found[2 * VOXELS], expected[2 * VOXELS];

        EXPECT_OK(kn_recon_plan_create(i ? NULL : queue, &scan.given.matrix, scan.k, SAMPLES, &options, &plan,
                                       &err));
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "stopped", kn_recon_normal(plan, scan.given.data, found, &err));
        ck_assert_uint_eq(told.count, 2);
        told = (struct told){.most = SIZE_MAX};
        EXPECT_OK(kn_recon_normal(plan, scan.given.data, found, &err));
        ck_assert_uint_gt(told.count, 0);
        told = (struct told){.most = SIZE_MAX};
        EXPECT_OK(kn_recon_normal(plan, scan.given.data, expected, &err));
        ck_assert_mem_eq(found, expected, sizeof found);
        kn_recon_plan_free(plan);
    }
    free_scan(&scan);
}
END_TEST

// ---- pieces ----

// A sum that takes long is computed in pieces of at most 2^24 pairs of a voxel and a sample for each thread
// or compute unit of a CPU, and may be stopped at each; pieces on a GPU are fewer.
START_TEST(pieces)
{
    enum { SIZE = 128, MANY = 1 << 14 };
    kn_recon_trajectory golden = KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_GOLDEN,
                                         .extent = SIZE, .samples = 128, .spokes = MANY / 128);
    const kn_recon_matrix matrix = {2, {SIZE, SIZE, 1}};
    double *k = test_allocate(3 * MANY * sizeof *k), *image = test_allocate(2 * SIZE * SIZE * sizeof *image),
           *data = test_allocate(2 * MANY * sizeof *data);
    double pairs = (double)SIZE * SIZE * MANY;

    EXPECT_OK(kn_recon_trajectory_fill(&golden, MANY, k, &err));
    for (size_t i = 0; i < 2 * (size_t)MANY; i++)
        data[i] = 1;
    for (size_t i = 0; i < 2 * 2 && !test_is_slow(); i++) {
        bool on_host = i % 2, adjoint = i / 2;
        struct told told = {.most = SIZE_MAX};
        const kn_recon_options options =
            KN_INIT(kn_recon_options, .kernel = on_host ? KN_RECON_KERNEL_HOST_SINGLE : KN_RECON_KERNEL_TUNED,
                    .progress = tell, .progress_data = &told);
        const kn_device_info *info = kn_context_get_device(context);
        unsigned units = on_host ? ki_threads(0) : info->compute_units;
        double least = !on_host && !engine_is_cpu(info) ? 1 : pairs / 0x1p24 / units;
        kn_recon_plan *plan = NULL;
        kn_status status;
        size_t all;

        EXPECT_OK(kn_recon_plan_create(on_host ? NULL : queue, &matrix, k, MANY, &options, &plan, &err));
        EXPECT_OK(kn_queue_watch(queue, notice, &told, &err));
        EXPECT_OK((adjoint ? kn_recon_adjoint(plan, data, image, &err)
                           : kn_recon_forward(plan, image, data, &err)));
        all = told.count;
        ck_assert_double_ge((double)(on_host ? all : told.launches), least);
        ck_assert_double_ge((double)all, least / 4); // fast launches do not each cause a call
        told = (struct told){.most = all / 2 + 1};
        status =
            adjoint ? kn_recon_adjoint(plan, data, image, &err) : kn_recon_forward(plan, image, data, &err);
        ck_assert_int_eq(status, KN_ERROR_INTERRUPTED);
        ck_assert_uint_eq(told.count, all / 2 + 1);
        ck_assert_uint_eq(told.after, 0);
        kn_recon_plan_free(plan);
    }
    EXPECT_OK(kn_queue_watch(queue, NULL, NULL, &err));
    free(k);
    free(image);
    free(data);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reconstructions, densities, plans, plan_goes_on, pieces};

    return test_run("mri recon stopped", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
