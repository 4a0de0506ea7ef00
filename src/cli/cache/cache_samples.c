// SPDX-License-Identifier: Apache-2.0
#include "cache_samples.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/npy.h"
#include "io/image/png.h"

enum {
    NUMBERS = 1 << 21,
    FEW_NUMBERS = 1000,
    SPECTRUM = 512,
    TABLE_ROWS = 1 << 18,
    FRAME = 1024,
    BLOB = 16, // pixels
    PICTURE = 256,
    ROWS = 20000,
    COLUMNS = 4000,
    ROW_NONZEROS = 10
};

// splitmix64, from the same state every time.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// From -1 to 1.
static double next_number(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-52 - 1;
}

static void join(const char *folder, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static kn_status write_array(const char *folder, const char *name, struct npy *array, kn_error *err)
{
    size_t bytes = array->count * npy_element_size(array),
           numbers = array->count * (array->is_complex ? 2 : 1);
    uint64_t state = 1;
    char path[PATH_MAX];
    kn_status status;

    array->data = malloc(bytes);
    if (!array->data)
        return ki_fail_memory(err, bytes, name);
    for (size_t i = 0; i < numbers; i++) {
        double number = next_number(&state);

        if (array->type == KN_F32)
            ((float *)array->data)[i] = (float)number;
        else if (array->type == KN_F64)
            ((double *)array->data)[i] = number;
        else
            ((int64_t *)array->data)[i] = (int64_t)next_random(&state);
    }
    join(folder, name, path);
    status = npy_write(path, array, true, err);
    npy_free(array);
    return status;
}

static kn_status write_column(const char *folder, const char *name, kn_type type, size_t count, kn_error *err)
{
    struct npy array = {.type = type, .dims = 1, .shape = {count}, .count = count};

    return write_array(folder, name, &array, err);
}

static kn_status write_square(const char *folder, const char *name, kn_type type, bool is_complex,
                              size_t side, kn_error *err)
{
    struct npy array = {
        .type = type, .is_complex = is_complex, .dims = 2, .shape = {side, side}, .count = side * side};

    return write_array(folder, name, &array, err);
}

// Squares of one brightness each: their correlation has a length.
static kn_status write_frame(const char *folder, kn_error *err)
{
    unsigned char *pixels = malloc((size_t)FRAME * FRAME);
    const struct ki_picture picture = {FRAME, FRAME, 8, pixels};
    char path[PATH_MAX];
    kn_status status;

    if (!pixels)
        return ki_fail_memory(err, (size_t)FRAME * FRAME, "a frame");
    for (size_t y = 0; y < FRAME; y++)
        for (size_t x = 0; x < FRAME; x++) {
            uint64_t state = y / BLOB * FRAME + x / BLOB;
            pixels[y * FRAME + x] = (unsigned char)next_random(&state);
        }
    join(folder, "frame.png", path);
    status = ki_png_write(path, &picture, true, err);
    free(pixels);
    return status;
}

static void print_table(FILE *file)
{
    uint64_t state = 2;

    fputs("x,y,z\n", file);
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        double x = next_number(&state), y = next_number(&state), z = next_number(&state);
        fprintf(file, "%.3f,%.3f,%.3f\n", x, y, z);
    }
}

static void print_matrix(FILE *file)
{
    uint64_t state = 3;

    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ROWS, COLUMNS,
            ROWS * ROW_NONZEROS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < ROW_NONZEROS; k++) // columns of a row differ
            fprintf(file, "%zu %zu %.3f\n", i + 1,
                    1 + k * (COLUMNS / ROW_NONZEROS) +
                        (size_t)(next_random(&state) % (COLUMNS / ROW_NONZEROS)),
                    next_number(&state));
}

static kn_status write_text(const char *folder, const char *name, void (*print)(FILE *file), kn_error *err)
{
    char path[PATH_MAX];
    FILE *file;
    bool failed;

    join(folder, name, path);
    file = fopen(path, "w");
    if (!file)
        return ki_fail_at(err, KN_ERROR_OUTPUT, path, 0, "%s", strerror(errno));
    print(file);
    failed = ferror(file) != 0;
    if (fclose(file) || failed)
        return ki_fail_at(err, KN_ERROR_OUTPUT, path, 0, "cannot be written whole: %s", strerror(errno));
    return KN_OK;
}

kn_status cache_samples_write(const char *folder, kn_error *err)
{
    kn_status status = write_column(folder, "floats.npy", KN_F32, NUMBERS, err);

    if (!status)
        status = write_column(folder, "doubles.npy", KN_F64, NUMBERS, err);
    if (!status)
        status = write_column(folder, "few-floats.npy", KN_F32, FEW_NUMBERS, err);
    if (!status)
        status = write_column(folder, "few-doubles.npy", KN_F64, FEW_NUMBERS, err);
    if (!status)
        status = write_column(folder, "longs.npy", KN_I64, NUMBERS, err);
    if (!status)
        status = write_column(folder, "right.npy", KN_F64, ROWS, err);
    if (!status)
        status = write_square(folder, "complex.npy", KN_F32, true, SPECTRUM, err);
    if (!status)
        status = write_square(folder, "picture.npy", KN_F64, false, PICTURE, err);
    if (!status)
        status = write_frame(folder, err);
    if (!status)
        status = write_text(folder, "table.csv", print_table, err);
    return status ? status : write_text(folder, "matrix.mtx", print_matrix, err);
}
