// SPDX-License-Identifier: Apache-2.0
// Sentences that a paper may use to describe a result; each applies to a command, or to a value in its JSON.
#include <string.h>

#include "base/array.h"
#include "cli/commit.h"
#include "page.h"
#include "result.h"

static const struct sentence {
    const char *command, *key, *value; // key NULL: always; value NULL: if the key is not null
    const char *text;
} sentences[] = {
    {"stats", NULL, NULL,
     "Mean, standard deviation (divided by n), coefficient of variation, median and median absolute "
     "deviation from the "
     "median (MAD) were computed; sums are those of x - s and (x - s)^2 for a typical element s, in double "
     "precision and "
     "in a fixed tree, and median and MAD are exact."},
    {"stats", "method", "sort",
     "The column was sorted (Batcher, Sorting networks and their applications, 1968)."},
    {"stats", "method", "select", "Median and MAD were found by selection."},
    {"stats", "method", "fused",
     "All of them come from one pass, with two brackets around the median and the MAD."},
    {"autocorr", NULL, NULL,
     "The correlation C(X0, Y0) sums I(x, y) I(x + X0, y + Y0) over the overlap, in whole numbers; R_max is "
     "the first "
     "maximum after the first minimum of its azimuthal average, and its error is the jackknife's over twelve "
     "sectors. "
     "The task is that of Lu et al., 2009."},
    {"autocorr", "normalize", "pearson", "Values are Pearson's coefficients of the two windows."},
    {"autocorr", "normalize", "energy", "Values are divided by the energy of the whole image."},
    {"autocorr", "normalize", "lu2009",
     "Values are divided by the energy of the shifted image over the overlap."},
    {"autocorr", "normalize", "symavg", "Values are normalised by Schaetzel's symmetric average."},
    {"autocorr", "method", "fft", "Sums were computed by Fourier transforms."},
    {"autocorr", "method", "direct", "Sums were computed term by term."},
    {"recon", "solver", "ls",
     "The image minimises |W^(1/2) (F x - d)|^2 + lambda R(x) by conjugate gradients (Hestenes and Stiefel, "
     "1952), with F "
     "the Fourier sums at the positions in k-space as in Stone et al., Accelerating advanced MRI "
     "reconstructions on GPUs, "
     "J. Parallel Distrib. Comput. 68, 2008."},
    {"recon", "solver", "adjoint", "The image is the adjoint sum, F^H W d (Stone et al., 2008)."},
    {"recon", "solver", "gridding",
     "The image was gridded with a Kaiser-Bessel window with the parameter of Beatty, Nishimura and Pauly, "
     "IEEE TMI 24, "
     "2005."},
    {"recon", "normal", "toeplitz",
     "The normal operator is a convolution on a grid of twice the matrix (Fessler et al., IEEE TSP 53, "
     "2005)."},
    {"solve", NULL, NULL, "The system A x = b was solved in the sense of least squares."},
    {"solve", "method", "cgnr",
     "The method is conjugate gradients on the normal equations (Hestenes and Stiefel, 1952), as in Stock "
     "and Koch, A "
     "Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems."},
    {"solve", "method", "fista",
     "The method is accelerated projected gradients (Beck and Teboulle, 2009) with restarts (O'Donoghue and "
     "Candes, 2015)."},
    {"solve", "method", "bb",
     "The method is projected gradients with the steps of Barzilai and Borwein, 1988."},
    {"solve", "method", "sirt", "The method is simultaneous iterative reconstruction (Gilbert, 1972)."},
    {NULL, "policy", "strict", "Arithmetic was that of IEEE 754, without contraction."},
};

// Looks in the result, or in the first of its parts.
static const char *find(const json_t *root, const char *key)
{
    static const char *const parts[] = {"results", "frames"};
    const char *found = json_string_value(json_object_get(root, key));

    for (size_t i = 0; i < KI_COUNT(parts) && !found; i++)
        found = json_string_value(json_object_get(json_array_get(json_object_get(root, parts[i]), 0), key));
    return found;
}

void page_method(struct ki_text *page, const json_t *root)
{
    const char *command = json_string_value(json_object_get(root, "command"));

    ki_text_add(page, "<p>");
    for (size_t i = 0; i < KI_COUNT(sentences) && command; i++) {
        const struct sentence *sentence = &sentences[i];
        const char *value = sentence->key ? find(root, sentence->key) : NULL;

        if (sentence->command && strcmp(sentence->command, command) != 0)
            continue;
        if (sentence->key && (!value || strcmp(sentence->value, value) != 0))
            continue;
        page_text(page, sentence->text);
        ki_text_add_char(page, ' ');
    }
    ki_text_add(page, "Computed with Koine ");
    page_text(page, find(root, "koine") ? find(root, "koine") : "");
    if (*cli_commit) {
        ki_text_add(page, ", commit ");
        page_text(page, cli_commit);
    }
    ki_text_add(page, ".</p>\n");
}
