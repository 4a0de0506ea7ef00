// SPDX-License-Identifier: Apache-2.0
// The file of a normal operator's eigenvalues. Little-endian, as on the supported machines: 8 bytes
// "KOINE-Q\1"; a header of 64-bit numbers (axes, the matrix, the grid, samples), the SHA-256 of k and of the
// weights, and the kernel's name in 32 bytes; the eigenvalues as floats, x fastest; the SHA-256 of the header
// and the eigenvalues.
#include "toeplitz.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/os/input.h"
#include "base/os/output.h"
#include "toeplitz_internal.h"

static const char magic[8] = "KOINE-Q\1";

struct head {
    char magic[sizeof magic];
    uint64_t axes, matrix[MRI_AXES], length[MRI_AXES], samples;
    struct ki_hash k, weights;
    char kernel[TOEPLITZ_KERNEL_NAME];
};
_Static_assert(sizeof(struct head) == 8 + 8 * 8 + 2 * KI_HASH_BYTES + TOEPLITZ_KERNEL_NAME, "no gaps");

static struct ki_hash hash_numbers(const double *numbers, size_t count)
{
    const struct ki_field field = {numbers, numbers ? count * sizeof *numbers : 0};

    return ki_hash_fields(&field, 1);
}

static struct head head_of(const struct toeplitz_origin *origin, const struct mri_toeplitz_size *size,
                           const double *k, const double *weights)
{
    struct head head = {.axes = origin->matrix.axes,
                        .samples = origin->samples,
                        .k = hash_numbers(k, MRI_AXES * origin->samples),
                        .weights = hash_numbers(weights, origin->samples)};

    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.kernel, origin->kernel, sizeof head.kernel);
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        head.matrix[axis] = origin->matrix.size[axis];
        head.length[axis] = size->length[axis];
    }
    return head;
}

static struct ki_hash hash_of(const struct head *head, const void *eigenvalues, size_t bytes)
{
    const struct ki_field fields[] = {{head, sizeof *head}, {eigenvalues, bytes}};

    return ki_hash_fields(fields, KI_COUNT(fields));
}

kn_status ki_mri_toeplitz_save(kn_queue *queue, const struct mri_toeplitz *toeplitz, const double *k,
                               const double *weights, const char *path, bool force, kn_error *err)
{
    const struct head head = head_of(&toeplitz->origin, &toeplitz->size, k, weights);
    size_t bytes = toeplitz->size.points * sizeof(float);
    void *eigenvalues = malloc(bytes);
    struct ki_output *out = NULL;
    struct ki_hash hash;
    kn_status status = eigenvalues ? kn_buffer_read(queue, toeplitz->eigenvalues, 0, eigenvalues, bytes, err)
                                   : ki_fail_memory(err, bytes, path);

    if (!status)
        status = ki_output_open(path, force, &out, err);
    if (!status) {
        hash = hash_of(&head, eigenvalues, bytes);
        fwrite(&head, sizeof head, 1, ki_output_stream(out));
        fwrite(eigenvalues, bytes, 1, ki_output_stream(out));
        fwrite(&hash, sizeof hash, 1, ki_output_stream(out));
        status = ki_output_close(out, err);
    }
    free(eigenvalues);
    return status;
}

// ---- reading ----

static kn_status refuse_hash(const char *path, const char *what, const struct ki_hash *found,
                             const struct ki_hash *wanted, kn_error *err)
{
    char found_hex[2 * KI_HASH_BYTES + 1], wanted_hex[2 * KI_HASH_BYTES + 1];

    ki_hash_hex(found, found_hex);
    ki_hash_hex(wanted, wanted_hex);
    return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                      "Q of other %s: their SHA-256 begins %.16s, that of these %.16s; compute Q anew", what,
                      found_hex, wanted_hex);
}

// Whether the file is for this problem.
static kn_status check_head(const char *path, const struct head *found, const struct head *wanted,
                            kn_error *err)
{
    // For samples on the grid, the grid is the matrix.
    const uint64_t *length =
        strncmp(found->kernel, ki_mri_kernel_names[MRI_CARTESIAN], sizeof found->kernel) == 0
            ? wanted->matrix
            : wanted->length;

    if (memcmp(found->magic, wanted->magic, sizeof magic) != 0)
        return ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "is not a file of Q, or of another version: it does not begin with \"KOINE-Q\" and 1");
    if (memcmp(found->matrix, wanted->matrix, sizeof found->matrix) != 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "Q for a matrix of %llu x %llu x %llu voxels; this one has %llu x %llu x %llu",
                          (unsigned long long)found->matrix[0], (unsigned long long)found->matrix[1],
                          (unsigned long long)found->matrix[2], (unsigned long long)wanted->matrix[0],
                          (unsigned long long)wanted->matrix[1], (unsigned long long)wanted->matrix[2]);
    if (memcmp(found->length, length, sizeof found->length) != 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "Q on a grid of %llu x %llu x %llu points; expected %llu x %llu x %llu",
                          (unsigned long long)found->length[0], (unsigned long long)found->length[1],
                          (unsigned long long)found->length[2], (unsigned long long)length[0],
                          (unsigned long long)length[1], (unsigned long long)length[2]);
    if (found->samples != wanted->samples)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "Q of %llu samples; these are %llu",
                          (unsigned long long)found->samples, (unsigned long long)wanted->samples);
    if (memcmp(&found->k, &wanted->k, sizeof found->k) != 0)
        return refuse_hash(path, "places in k-space", &found->k, &wanted->k, err);
    if (memcmp(&found->weights, &wanted->weights, sizeof found->weights) != 0)
        return refuse_hash(path, "weights", &found->weights, &wanted->weights, err);
    if (!memchr(found->kernel, '\0', sizeof found->kernel))
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "the name of the kernel does not end");
    return KN_OK;
}

// Reads the eigenvalues, of `*bytes`, followed by the hash. The caller frees them.
static kn_status read_file(FILE *file, const char *path, const struct head *wanted, struct head *head,
                           size_t *bytes, void **eigenvalues, kn_error *err)
{
    size_t all, have = 0, begun = fread(head, 1, sizeof *head, file);
    struct ki_hash hash;
    kn_status status;

    *eigenvalues = NULL;
    if (ferror(file))
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    if (begun < sizeof *head && memcmp(head, magic, begun < sizeof magic ? begun : sizeof magic) == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "ends after %zu bytes; the head of Q has %zu", begun,
                          sizeof *head);
    if (begun < sizeof *head)
        memset(head, 0, sizeof *head);
    status = check_head(path, head, wanted, err);
    *bytes = (size_t)(head->length[0] * head->length[1] * head->length[2]) * sizeof(float);
    all = *bytes + KI_HASH_BYTES;
    if (!status)
        status = ki_input_read(file, path, all, eigenvalues, &have, err);
    if (!status && (have < all || fgetc(file) != EOF))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %s than the %zu bytes that its head promises",
                            have < all ? "less" : "more", all + sizeof *head);
    if (status)
        return status;
    hash = hash_of(head, *eigenvalues, *bytes);
    if (memcmp(&hash, (char *)*eigenvalues + *bytes, sizeof hash) != 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "is damaged: its contents do not have the SHA-256 that stands at its end");
    return KN_OK;
}

kn_status ki_mri_toeplitz_load(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, const char *path,
                               struct mri_toeplitz **toeplitz, kn_error *err)
{
    struct mri_toeplitz_size size;
    struct toeplitz_origin origin = {.samples = samples};
    struct mri_toeplitz *made = NULL;
    struct head head, wanted;
    void *eigenvalues = NULL;
    size_t bytes = 0;
    FILE *file;
    kn_status status = ki_mri_toeplitz_measure(matrix, &size, err);

    if (status)
        return status;
    origin.matrix = *matrix;
    wanted = head_of(&origin, &size, k, weights);
    file = fopen(path, "rb");
    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    status = read_file(file, path, &wanted, &head, &bytes, &eigenvalues, err);
    fclose(file);
    if (!status) {
        memcpy(origin.kernel, head.kernel, sizeof origin.kernel);
        status = ki_toeplitz_create(queue, &origin, &made, err);
    }
    if (!status)
        status = kn_buffer_write(queue, made->eigenvalues, 0, eigenvalues, bytes, err);
    if (!status)
        status = ki_toeplitz_find_bound(queue, made, err);
    free(eigenvalues);
    if (status)
        ki_mri_toeplitz_free(made);
    else
        *toeplitz = made;
    return status;
}
