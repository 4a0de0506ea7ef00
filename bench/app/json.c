// SPDX-License-Identifier: Apache-2.0
// Times the writing of results: a tree of rows of random numbers between 0 and 1, as doubles and as floats,
// and its text.
//
//     bench/json [ROWS [COLUMNS]]     (1,000 rows of 900 numbers)
//
// Columns: MB of text; milliseconds for the tree and for the text, the least of five; MB of text a second.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "bench/bench.h"

enum { REPETITIONS = 5 };

static json_t *make_tree(size_t rows, size_t columns, bool single)
{
    uint64_t state = 1;
    json_t *tree = json_array();

    for (size_t i = 0; i < rows; i++) {
        json_t *row = json_array();

        for (size_t k = 0; k < columns; k++) {
            double number = (double)(bench_random(&state) >> 11) * 0x1p-53;
            json_array_append_new(row, single ? ki_json_float((float)number) : ki_json_double(number));
        }
        json_array_append_new(tree, row);
    }
    return tree;
}

static void measure(size_t rows, size_t columns, bool single)
{
    double tree_seconds = INFINITY, text_seconds = INFINITY;
    size_t bytes = 0;

    for (int i = 0; i < REPETITIONS; i++) {
        double start = bench_seconds(), made, written;
        json_t *tree = make_tree(rows, columns, single);
        char *text;

        made = bench_seconds();
        text = ki_json_text(tree);
        written = bench_seconds();
        if (!text) {
            fprintf(stderr, "bench: no memory\n");
            exit(3);
        }
        bytes = strlen(text);
        tree_seconds = fmin(tree_seconds, made - start);
        text_seconds = fmin(text_seconds, written - made);
        free(text);
        json_decref(tree);
    }
    printf("%-7s %8.2f %8.1f %8.1f %8.0f\n", single ? "floats" : "doubles", (double)bytes * 1e-6,
           tree_seconds * 1e3, text_seconds * 1e3, (double)bytes * 1e-6 / text_seconds);
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    size_t columns = argc > 2 ? strtoull(argv[2], NULL, 10) : 900;

    printf("%-7s %8s %8s %8s %8s\n", "numbers", "MB", "tree, ms", "text, ms", "MB/s");
    measure(rows, columns, false);
    measure(rows, columns, true);
    return 0;
}
