// SPDX-License-Identifier: Apache-2.0
// A leaf of the fixed tree with vectors of WIDE doubles (`real`), AT_A_TIME of them side by side: as many as there are
// registers for; memory is asked for AHEAD bytes before. Included after the file's own words: load_doubles, load_floats, set, add, subtract, multiply_add, store,
// fetch.

VECTOR_WORD void add_columns(const void *x, const bool single, double shift, const bool wants_squares, size_t first,
                             double *sums, double *squares)
{
    const reals centre = set(shift);
    reals sum[AT_A_TIME], square[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) {
        sum[i] = load_doubles(sums + first + i * WIDE);
        square[i] = load_doubles(squares + first + i * WIDE);
    }
    for (size_t row = first; row < HOST_LEAF; row += HOST_LANES) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) {
            size_t at = row + i * WIDE;
            fetch((const char *)x + at * (single ? sizeof(float) : sizeof(double)) + AHEAD);
            reals d = subtract(single ? load_floats((const float *)x + at) : load_doubles((const double *)x + at), centre);
            sum[i] = add(sum[i], d);
            if (wants_squares)
                square[i] = multiply_add(d, d, square[i]);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) {
        store(sums + first + i * WIDE, sum[i]);
        store(squares + first + i * WIDE, square[i]);
    }
}

VECTOR_CODE static void add_leaf(const void *x, bool single, double shift, bool wants_squares, double sums[HOST_LANES],
                                 double squares[HOST_LANES])
{
    for (size_t first = 0; first < HOST_LANES; first += AT_A_TIME * WIDE)
        if (single && wants_squares)
            add_columns(x, true, shift, true, first, sums, squares);
        else if (single)
            add_columns(x, true, shift, false, first, sums, squares);
        else if (wants_squares)
            add_columns(x, false, shift, true, first, sums, squares);
        else
            add_columns(x, false, shift, false, first, sums, squares);
}
