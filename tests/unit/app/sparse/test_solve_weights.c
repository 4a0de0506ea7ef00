// SPDX-License-Identifier: Apache-2.0
// Tests weights of measurements in least squares, on the host and on a device: against weighted normal
// equations in double precision, for matrices and for rays that are computed on the fly; dead detectors;
// refusals.
#include "sparse_support.h"
#include "least_squares_support.h"
#include "support/sparse_inputs.h"

#include "app/sparse/api/operator_internal.h"

enum { ROWS = 45, COLUMNS = 49, DEAD = 5 }; // as many as parallel:5,9,7 has

// A system with weights from 1/4 to 4, and of DEAD measurements 0; with a lambda it is well posed.
struct weighted {
    struct sparse_matrix matrix;
    kn_tomography_geometry geometry; // of which it is the matrix, if it is one of rays
    double b[ROWS], weights[ROWS];
};

static const double lambda = 7;

static void draw(struct weighted *system, uint64_t *state)
{
    for (size_t i = 0; i < ROWS; i++) {
        const bool dead = i % (ROWS / DEAD) == 4;

        system->weights[i] = dead ? 0 : 0.25 + 3.75 * test_uniform(state);
        system->b[i] = dead ? NAN : (double)test_signed(state);
    }
}

static struct weighted make_matrix(uint64_t *state)
{
    struct weighted system = {.matrix = test_sparse(ROWS, COLUMNS, 6, SKEW_NONE, state)};

    draw(&system, state);
    return system;
}

static struct weighted make_rays(const char *text, uint64_t *state)
{
    struct weighted system;
    struct sparse_parallel geometry;

    EXPECT_OK(geometry_parse(text, &system.geometry, &err));
    EXPECT_OK(ki_sparse_read_geometry("make_rays", &system.geometry, &geometry, &err));
    EXPECT_OK(ki_sparse_parallel_matrix(&geometry, &system.matrix, &err));
    ck_assert_uint_eq(system.matrix.rows, ROWS);
    ck_assert_uint_eq(system.matrix.columns, COLUMNS);
    ki_sparse_parallel_free(&geometry);
    draw(&system, state);
    return system;
}

static struct solved solve_weighted(kn_queue *where, const struct weighted *system, bool rays,
                                    const double *weights, kn_least_squares_options options)
{
    const kn_sparse view = {system->matrix};
    struct solved solved = solve_task(where,
                                      (kn_least_squares_task){.matrix = rays ? NULL : &view,
                                                              .geometry = rays ? &system->geometry : NULL,
                                                              .b = system->b,
                                                              .count = 1,
                                                              .weights = weights},
                                      COLUMNS, options);

    ck_assert_double_le(solved.result->adjoint, solved.result->adjoint_bound);
    return solved;
}

// ---- the reference ----

// Solves G x = right by elimination with pivots; G and right are overwritten.
static void eliminate(double g[COLUMNS][COLUMNS], double right[COLUMNS], double x[COLUMNS])
{
    for (size_t k = 0; k < COLUMNS; k++) {
        size_t best = k;

        for (size_t i = k; i < COLUMNS; i++)
            best = fabs(g[i][k]) > fabs(g[best][k]) ? i : best;
        for (size_t j = 0; j < COLUMNS; j++) {
            const double kept = g[k][j];

            g[k][j] = g[best][j];
            g[best][j] = kept;
        }
        const double kept = right[k];
        right[k] = right[best];
        right[best] = kept;
        for (size_t i = k + 1; i < COLUMNS; i++) {
            const double factor = g[i][k] / g[k][k];

            for (size_t j = k; j < COLUMNS; j++)
                g[i][j] -= factor * g[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (size_t k = COLUMNS; k-- > 0;) {
        double sum = right[k];

        for (size_t j = k + 1; j < COLUMNS; j++)
            sum -= g[k][j] * x[j];
        x[k] = sum / g[k][k];
    }
}

// The least sum of w (a x - b)^2 / 2 + lambda |x|^2 / 2 over the rows that have a weight. Returns a bound of
// the condition of its matrix, whose eigenvalues are at least lambda and at most a row's sum of moduli.
static double solve_densely(const struct weighted *system, double x[COLUMNS])
{
    static double g[COLUMNS][COLUMNS];
    const struct sparse_matrix *matrix = &system->matrix;
    double right[COLUMNS] = {0}, greatest = 0;

    memset(g, 0, sizeof g);
    for (size_t row = 0; row < ROWS; row++) {
        const double w = system->weights[row];

        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1] && w > 0; i++) {
            const double part = w * matrix->values[i];

            right[matrix->indices[i]] += part * system->b[row];
            for (size_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
                g[matrix->indices[i]][matrix->indices[k]] += part * matrix->values[k];
        }
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double sum = 0;

        g[i][i] += lambda;
        for (size_t k = 0; k < COLUMNS; k++)
            sum += fabs(g[i][k]);
        greatest = fmax(greatest, sum);
    }
    eliminate(g, right, x);
    return greatest / lambda;
}

// The root of the sum of w (a x - b)^2, as a part of that of w b^2.
static double residual_of(const struct weighted *system, const double *x)
{
    const struct sparse_matrix *matrix = &system->matrix;
    double sum = 0, whole = 0;

    for (size_t row = 0; row < ROWS; row++) {
        double ax = 0;

        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            ax += matrix->values[i] * x[matrix->indices[i]];
        if (!(system->weights[row] > 0))
            continue;
        sum += system->weights[row] * (ax - system->b[row]) * (ax - system->b[row]);
        whole += system->weights[row] * system->b[row] * system->b[row];
    }
    return sqrt(sum / whole);
}

// The gradient ends at a floor, as a part of the first one, |A^T b|, which is at most the greatest eigenvalue
// times |x|; its own roundings are those of a row and a column, times that. Divided by the least eigenvalue,
// this is the condition.
static void expect_solution(const struct solved *found, const struct weighted *system, double floor,
                            double epsilon, const char *what)
{
    double wanted[COLUMNS], condition = solve_densely(system, wanted),
                            most = condition * (floor + (ROWS + COLUMNS) * epsilon),
                            off = test_relative_distance(found->x, wanted, COLUMNS);

    ck_assert_msg(off <= most, "%s: off by %g; at most %g", what, off, most);
    ck_assert_double_eq_tol(found->solutions->residual, residual_of(system, found->x), 1e-12);
    ck_assert(found->solutions->precision_reached);
}

// ---- the host ----

static const kn_least_squares_options on_host[] = {
    {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64},
    {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F32},
    {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64, .preconditioner = KN_LEAST_SQUARES_JACOBI},
    {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64, .preconditioner = KN_LEAST_SQUARES_ILU},
    {.method = KN_LEAST_SQUARES_PRINTED},
    {.method = KN_LEAST_SQUARES_FISTA},
    {.method = KN_LEAST_SQUARES_BB},
    {.method = KN_LEAST_SQUARES_GRAM},
};

static kn_least_squares_options with_lambda(kn_least_squares_options options)
{
    options.lambda = lambda;
    options.iterations = options.method == KN_LEAST_SQUARES_PRINTED ? 100 : 2000;
    return options;
}

static void expect_on_host(const struct weighted *system, bool rays)
{
    for (size_t i = 0; i < sizeof on_host / sizeof *on_host; i++) {
        const kn_least_squares_options options = with_lambda(on_host[i]);
        struct solved found = solve_weighted(NULL, system, rays, system->weights, options);
        const bool single = options.type == KN_F32;

        expect_solution(&found, system, single ? 1e-7 : 1e-12, single ? 0x1p-24 : 0x1p-53,
                        kn_least_squares_method_name(options.method));
        solved_free(&found);
    }
}

START_TEST(host)
{
    uint64_t state = test_seed("host");
    struct weighted matrix = make_matrix(&state), rays = make_rays("parallel:5,9,7,3.3", &state);

    expect_on_host(&matrix, false);
    expect_on_host(&rays, true);
    ki_sparse_free(&matrix.matrix);
    ki_sparse_free(&rays.matrix);
}
END_TEST

// Without the rows of dead detectors; and by multiplying A and b, which has the same bits, also for a total
// variation, and for a penalty with its own weight.
START_TEST(other_ways)
{
    static const kn_least_squares_options tried[] = {
        {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64, .lambda = 7, .iterations = 60},
        {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64, .bounded = true, .iterations = 60},
        {.method = KN_LEAST_SQUARES_FISTA, .bounded = true, .high = 1, .iterations = 60},
        {.method = KN_LEAST_SQUARES_TV, .lambda = 0.3, .shape = {7, 7}, .iterations = 60}};
    uint64_t state = test_seed("other_ways");
    struct weighted system = make_matrix(&state), scaled = system, alive = system;
    struct solved found, wanted;

    alive.matrix.values = calloc(system.matrix.nonzeros + 1, sizeof(double));
    scaled.matrix.values = calloc(system.matrix.nonzeros + 1, sizeof(double));
    ck_assert(alive.matrix.values && scaled.matrix.values);
    for (size_t row = 0; row < ROWS; row++) {
        const double factor = sqrt(system.weights[row]);

        for (size_t i = system.matrix.starts[row]; i < system.matrix.starts[row + 1]; i++) {
            scaled.matrix.values[i] = factor * system.matrix.values[i];
            alive.matrix.values[i] = factor > 0 ? system.matrix.values[i] : 0;
        }
        scaled.b[row] = factor > 0 ? factor * system.b[row] : 0;
        alive.b[row] = factor > 0 ? system.b[row] : 0;
        alive.weights[row] = factor > 0 ? system.weights[row] : 1;
    }
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        found = solve_weighted(NULL, &system, false, system.weights, tried[i]);
        wanted = solve_weighted(NULL, &scaled, false, NULL, tried[i]);
        ck_assert_mem_eq(found.x, wanted.x, COLUMNS * sizeof *found.x);
        ck_assert_double_eq(found.solutions->residual, wanted.solutions->residual);
        ck_assert_mem_eq(&found.solutions->objective, &wanted.solutions->objective, sizeof(double)); // or NaN
        solved_free(&wanted);
        wanted = solve_weighted(NULL, &alive, false, alive.weights, tried[i]);
        ck_assert_mem_eq(found.x, wanted.x, COLUMNS * sizeof *found.x);
        solved_free(&wanted);
        solved_free(&found);
    }
    free(alive.matrix.values);
    free(scaled.matrix.values);
    ki_sparse_free(&system.matrix);
}
END_TEST

// Weights of 1 change no bit.
START_TEST(of_one)
{
    uint64_t state = test_seed("of_one");
    struct weighted matrix = make_matrix(&state), rays = make_rays("fan:5,9,7,20,10", &state);
    double ones[ROWS];

    for (size_t i = 0; i < ROWS; i++) {
        ones[i] = 1;
        matrix.b[i] = rays.b[i] = (double)test_signed(&state);
    }
    for (size_t i = 0; i < sizeof on_host / sizeof *on_host; i++)
        for (int of_rays = 0; of_rays < 2; of_rays++) {
            const struct weighted *system = of_rays ? &rays : &matrix;
            const kn_least_squares_options options = with_lambda(on_host[i]);
            struct solved found = solve_weighted(NULL, system, of_rays, ones, options),
                          wanted = solve_weighted(NULL, system, of_rays, NULL, options);

            ck_assert_mem_eq(found.x, wanted.x, COLUMNS * sizeof *found.x);
            ck_assert_uint_eq(found.solutions->iterations, wanted.solutions->iterations);
            ck_assert_double_eq(found.solutions->residual, wanted.solutions->residual);
            solved_free(&found);
            solved_free(&wanted);
        }
    ki_sparse_free(&matrix.matrix);
    ki_sparse_free(&rays.matrix);
}
END_TEST

// The noise and the tolerance are weighted.
START_TEST(stops)
{
    uint64_t state = test_seed("stops");
    struct weighted system = make_matrix(&state);
    double right = 0;

    for (size_t i = 0; i < ROWS; i++)
        right += system.weights[i] > 0 ? system.weights[i] * system.b[i] * system.b[i] : 0;
    for (int by_noise = 0; by_noise < 2; by_noise++) {
        const kn_least_squares_options options = {.iterations = 2000,
                                                  .type = KN_F64,
                                                  .noise = by_noise ? 0.5 * sqrt(right) : 0,
                                                  .tolerance = by_noise ? 0 : 0.5};
        struct solved found = solve_weighted(NULL, &system, false, system.weights, options);
        size_t count, last = found.solutions->iterations;
        const double *history = kn_least_squares_get_history(found.result, 0, &count);

        ck_assert_str_eq(stopped_by(found.solutions), by_noise ? "discrepancy" : "residual");
        ck_assert(is_reached(found.solutions));
        ck_assert_uint_eq(count, last + 1);
        ck_assert_double_le(residual_of(&system, found.x), 0.5 * (1 + 1e-9));
        ck_assert_double_gt(history[last - 1], 0.5);
        ck_assert_double_eq_tol(history[last], residual_of(&system, found.x), 1e-9);
        ck_assert_double_eq_tol(*history, 1, 1e-12);
        solved_free(&found);
    }
    ki_sparse_free(&system.matrix);
}
END_TEST

// ---- the device ----

static void expect_on_device(const struct weighted *system, bool rays, kn_least_squares_options options)
{
    const bool is_double = options.type == KN_F64;
    struct solved found = solve_weighted(queue, system, rays, system->weights, with_lambda(options));
    char what[64];

    snprintf(what, sizeof what, "%s, %s, %s", kn_least_squares_method_name(options.method),
             kn_sparse_format_name(options.format), is_double ? "double" : "single");
    expect_solution(&found, system, is_double ? 1e-12 : 1e-7, is_double ? 0x1p-53 : 0x1p-24, what);
    if (rays)
        ck_assert_msg(strstr(found.result->code, kn_sparse_format_name(options.format)) != NULL, "%s",
                      found.result->code);
    solved_free(&found);
}

START_TEST(stored_on_device)
{
    uint64_t state = test_seed("stored_on_device");
    struct weighted system = make_matrix(&state), rays = make_rays("fan:5,9,7,20,10", &state);
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));

    expect_on_device(&system, false,
                     (kn_least_squares_options){.method = KN_LEAST_SQUARES_CGNR,
                                                .format = KN_SPARSE_SIMPLE,
                                                .type = info->fp64 ? KN_F64 : KN_F32});
    expect_on_device(&system, false,
                     (kn_least_squares_options){.method = KN_LEAST_SQUARES_GRAM, .type = KN_F32});
    expect_on_device(&rays, true,
                     (kn_least_squares_options){
                         .method = KN_LEAST_SQUARES_FISTA, .format = KN_SPARSE_SIMPLE, .type = KN_F32});
    ki_sparse_free(&system.matrix);
    ki_sparse_free(&rays.matrix);
}
END_TEST

// No matrix is stored: launches between A and A^T multiply the rows.
START_TEST(on_the_fly)
{
    uint64_t state = test_seed("on_the_fly");
    const bool fan = test_random(&state) % 2;
    struct weighted rays = make_rays(fan ? "fan:5,9,7,20,10" : "parallel:5,9,7,3.3", &state);
    kn_least_squares_options options = {
        .method = KN_LEAST_SQUARES_CGNR, .format = KN_SPARSE_ON_THE_FLY, .type = KN_F32};

    expect_on_device(&rays, true, options);
    options.method = KN_LEAST_SQUARES_FISTA;
    if (!fan)
        options.format = KN_SPARSE_ON_THE_FLY_LOCAL;
    expect_on_device(&rays, true, options);
    ki_sparse_free(&rays.matrix);
}
END_TEST

// ---- refusals, memory ----

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct weighted rays = make_rays("parallel:5,9,7,3.3", &state);
    double weights[ROWS] = {0}, x[COLUMNS], kept[COLUMNS];
    kn_least_squares_task task = KN_INIT(kn_least_squares_task, .geometry = &rays.geometry, .b = rays.b,
                                         .count = 1, .weights = weights);
    kn_least_squares_options options =
        KN_INIT(kn_least_squares_options, .method = KN_LEAST_SQUARES_CGNR, .iterations = 3);
    const char *words[] = {"all weights are 0", "weights[7] is -1", "weights[7] is nan", "weights[7] is inf",
                           "b[4] is nan; expected finite numbers, or a weight of 0"};
    const double seventh[] = {0, -1, NAN, INFINITY, 1};

    for (size_t i = 0; i < COLUMNS; i++)
        x[i] = kept[i] = 0.5;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        weights[7] = seventh[i];
        weights[4] = seventh[i] == 1; // the first dead one
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, words[i], kn_least_squares(NULL, &task, x, &options, NULL, &err));
    }
    task.weights = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, words[4], kn_least_squares(NULL, &task, x, &options, NULL, &err));
    task.weights = rays.weights;
    options.method = KN_LEAST_SQUARES_SIRT;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sirt has no weights of measurements; cgnr",
                   kn_least_squares(NULL, &task, x, &options, NULL, &err));
    options.method = KN_LEAST_SQUARES_FBP;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "fbp has no weights of measurements; cgnr",
                   kn_least_squares(NULL, &task, x, &options, NULL, &err));
    options.method = KN_LEAST_SQUARES_CGNR;
    rays.weights[0] = 1e300;
    rays.b[0] = 1e200;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "b 0 is beyond double precision",
                   kn_least_squares(NULL, &task, x, &options, NULL, &err));
    ck_assert_mem_eq(x, kept, sizeof x);
    ki_sparse_free(&rays.matrix);
}
END_TEST

// The roots of the weights, b, and the values of a matrix; of rays on the fly, which an iteration multiplies,
// two vectors for A^T and one for A on the device.
START_TEST(memory)
{
    uint64_t state = test_seed("memory");
    struct weighted rays = make_rays("parallel:5,9,7,3.3", &state);
    const kn_sparse view = {rays.matrix};
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 3,
                                                     .format = KN_SPARSE_ON_THE_FLY, .type = KN_F32),
                                   host_options = KN_INIT(kn_least_squares_options, .iterations = 3);
    kn_least_squares_task of_rays = KN_INIT(kn_least_squares_task, .geometry = &rays.geometry, .count = 1),
                          of_matrix = KN_INIT(kn_least_squares_task, .matrix = &view, .count = 2);
    kn_sparse_memory with, without;

    EXPECT_OK(kn_least_squares_estimate_memory(NULL, &of_matrix, &without, &host_options, &err));
    of_matrix.weights = rays.weights;
    EXPECT_OK(kn_least_squares_estimate_memory(NULL, &of_matrix, &with, &host_options, &err));
    ck_assert_uint_eq(with.host - without.host, (3 * ROWS + rays.matrix.nonzeros) * sizeof(double));
    EXPECT_OK(kn_least_squares_estimate_memory(queue, &of_rays, &without, &options, &err));
    of_rays.weights = rays.weights;
    EXPECT_OK(kn_least_squares_estimate_memory(queue, &of_rays, &with, &options, &err));
    ck_assert_uint_eq(with.device - without.device, 3 * ROWS * sizeof(float));
    ck_assert_uint_eq(with.host - without.host, // what is uploaded is first in the host's memory
                      2 * ROWS * sizeof(double) + (with.device - without.device));
    ki_sparse_free(&rays.matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {host,       other_ways, of_one, stops, stored_on_device,
                                  on_the_fly, refused,    memory};

    return test_run("solve_weights", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
