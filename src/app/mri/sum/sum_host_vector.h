// SPDX-License-Identifier: Apache-2.0
// A block of voxels with vectors of WIDE lanes, AT_A_TIME of them side by side. Included after a file's own
// words: reals, number, set, add, subtract, multiply, multiply_add, rounded, load, and what adds a vector to
// doubles, add_to; SINE and COSINE, the polynomials of sum_host.h.

static const number sine_terms[] = {SINE}, cosine_terms[] = {COSINE};
enum {
    SINE_TERMS = sizeof sine_terms / sizeof *sine_terms,
    COSINE_TERMS = sizeof cosine_terms / sizeof *cosine_terms
};

// Sine and cosine of t turns, |t| <= 1/2, from those of half the angle.
VECTOR_WORD void sine_and_cosine(reals t, reals *sine, reals *cosine)
{
    reals h = multiply(t, t), s = set(sine_terms[0]), c = set(cosine_terms[0]), twice;

    _Pragma("GCC unroll 16") for (size_t i = 1; i < SINE_TERMS; i++) s =
        multiply_add(s, h, set(sine_terms[i]));
    _Pragma("GCC unroll 16") for (size_t i = 1; i < COSINE_TERMS; i++) c =
        multiply_add(c, h, set(cosine_terms[i]));
    s = multiply(s, t);
    twice = add(s, s);
    *sine = multiply(twice, c);
    *cosine = subtract(set(1), multiply(twice, s));
}

// A sample's term of each lane, mu (c + i s).
VECTOR_WORD void add_term(const number *real, const number *imaginary, size_t m, reals t, reals *re,
                          reals *im)
{
    reals s, c, mu = set(real[m]);

    sine_and_cosine(t, &s, &c);
    *re = multiply_add(c, mu, *re);
    *im = multiply_add(s, mu, *im);
    if (imaginary) {
        *re = subtract_product(s, set(imaginary[m]), *re);
        *im = multiply_add(c, set(imaginary[m]), *im);
    }
}

VECTOR_WORD void add_vectors(const struct sum_samples *samples, const number *const places[3], size_t first,
                             const number *imaginary, double *sums_re, double *sums_im)
{
    const number *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    reals re[AT_A_TIME], im[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) re[i] = im[i] = set(0);
    for (size_t m = 0; m < samples->count; m++) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
        {
            size_t at = first + i * WIDE;
            reals t = multiply(set(x[m]), load(places[0] + at));

            t = multiply_add(set(y[m]), load(places[1] + at), t);
            t = multiply_add(set(z[m]), load(places[2] + at), t);
            add_term(samples->real, imaginary, m, subtract(t, rounded(t)), &re[i], &im[i]);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        add_to(sums_re + first + i * WIDE, re[i]);
        add_to(sums_im + first + i * WIDE, im[i]);
    }
}

VECTOR_CODE static void add_block(const struct sum_samples *samples, const number *const places[3],
                                  double *re, double *im)
{
    for (size_t first = 0; first < SUM_HOST_BLOCK; first += AT_A_TIME * WIDE)
        if (samples->imaginary)
            add_vectors(samples, places, first, samples->imaginary, re, im);
        else
            add_vectors(samples, places, first, NULL, re, im);
}

#ifdef FRACTIONS
// The same with fractions of a turn, which lose whole turns by overflowing.
VECTOR_WORD void add_fractions(const struct sum_samples *samples, const int32_t *const places[3],
                               size_t first, const number *imaginary, double *sums_re, double *sums_im)
{
    const int32_t *x = samples->k[0], *y = samples->k[1], *z = samples->k[2];
    reals re[AT_A_TIME], im[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++) re[i] = im[i] = set(0);
    for (size_t m = 0; m < samples->count; m++) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
        {
            size_t at = first + i * WIDE;
            integers t = integer_product(x[m], load_integers(places[0] + at));

            t = integer_sum(t, integer_product(y[m], load_integers(places[1] + at)));
            if (z[m] != 0)
                t = integer_sum(t, integer_product(z[m], load_integers(places[2] + at)));
            add_term(samples->real, imaginary, m, turns(t), &re[i], &im[i]);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        add_to(sums_re + first + i * WIDE, re[i]);
        add_to(sums_im + first + i * WIDE, im[i]);
    }
}

VECTOR_CODE static void add_block_fractions(const struct sum_samples *samples, const int32_t *const places[3],
                                            double *re, double *im)
{
    for (size_t first = 0; first < SUM_HOST_BLOCK; first += AT_A_TIME * WIDE)
        if (samples->imaginary)
            add_fractions(samples, places, first, samples->imaginary, re, im);
        else
            add_fractions(samples, places, first, NULL, re, im);
}
#endif
