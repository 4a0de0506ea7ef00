// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in plain C, in `number`. Included by a file of each type.

static double csr(const struct sparse_lines *lines, size_t first, size_t last, const void *from, void *to)
{
    const number *values = lines->values, *x = from;
    number *y = to;
    double squares = 0;

    for (size_t row = first; row < last; row++) {
        number sum = 0;

        for (size_t i = lines->starts[row]; i < lines->starts[row + 1]; i++)
            sum += values[i] * x[lines->indices[i]];
        y[row] = sum;
        squares += (double)sum * (double)sum;
    }
    return squares;
}

static double sell(const struct sparse_lines *lines, size_t first, size_t last, const void *from, void *to)
{
    const number *values = lines->values, *x = from;
    number *y = to;
    double squares = 0;

    for (size_t line = first; line < last; line++) {
        number sums[SPARSE_LANES] = {0};

        for (size_t i = lines->starts[line]; i < lines->starts[line + 1]; i += SPARSE_LANES)
            for (size_t lane = 0; lane < SPARSE_LANES; lane++)
                sums[lane] += values[i + lane] * x[lines->indices[i + lane]];
        for (size_t lane = 0; lane < SPARSE_LANES; lane++) {
            y[line * SPARSE_LANES + lane] = sums[lane];
            squares += (double)sums[lane] * (double)sums[lane];
        }
    }
    return squares;
}

static double add(void *to, const void *from, double factor, size_t count)
{
    const number *x = from;
    number *y = to;
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        y[i] += (number)factor * x[i];
        squares += (double)y[i] * (double)y[i];
    }
    return squares;
}

static void turn(void *to, const void *from, double factor, size_t count)
{
    const number *x = from;
    number *y = to;

    for (size_t i = 0; i < count; i++)
        y[i] = x[i] + (number)factor * y[i];
}

static double dot(const void *a, const void *b, size_t count)
{
    const number *x = a, *y = b;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}
