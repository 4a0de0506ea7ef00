// SPDX-License-Identifier: Apache-2.0
// Two liquids that part: the Cahn-Hilliard equation (cahn_hilliard.cl) from noise on, as numbered PNG frames. The
// distance between their domains grows as t^(1/3), and frame k is taken at t = k^3: so it grows by the same amount
// from a frame to the next, and "koine autocorr DIR --interval 1" finds a straight line.
//
//     cahn_hilliard cahn_hilliard.cl DIR [SIZE [LAST [T]]]
//
// SIZE x SIZE pixels (default 256), frames FIRST to LAST (default 12), into a folder that is there. With T, frame k is
// taken at t = k T instead: a film.
#include <stdio.h>
#include <stdlib.h>

#include <png.h>

#include <koine/koine.h>

enum { FIRST = 4 };

static const float dt = 0.03f; // above 0.04 the smallest waves grow without end
static const float noise = 0.1f;

struct simulation {
    kn_context *ctx;
    kn_queue *q;
    kn_program *program;
    kn_kernel *potential, *advance;
    kn_buffer *u, *mu;
    size_t size;
    float *field;          // a copy of u
    unsigned char *pixels; // and its picture
};

// From -1 to 1; each time the same.
static float chance(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static kn_status begin(struct simulation *sim, const char *kernels, kn_error *err)
{
    size_t count = sim->size * sim->size;
    unsigned state = 2009;

    sim->field = malloc(count * sizeof *sim->field);
    sim->pixels = malloc(count);
    if (!sim->field || !sim->pixels) {
        snprintf(err->text, sizeof err->text, "no memory for %zu pixels", count);
        return err->code = KN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        sim->field[i] = noise * chance(&state);
    if (kn_context_open(NULL, NULL, &sim->ctx, err) ||
        kn_queue_open(sim->ctx, &sim->q, err) ||
        kn_program_from_file(sim->ctx, kernels, NULL, &sim->program, err) ||
        kn_program_get_kernel(sim->program, "potential", &sim->potential, err) ||
        kn_program_get_kernel(sim->program, "advance", &sim->advance, err) ||
        kn_buffer_create(sim->ctx, count * sizeof *sim->field, &sim->u, err) ||
        kn_buffer_create(sim->ctx, count * sizeof *sim->field, &sim->mu, err))
        return err->code;
    return kn_buffer_write(sim->q, sim->u, 0, sim->field, count * sizeof *sim->field, err);
}

static void end(struct simulation *sim)
{
    kn_buffer_free(sim->u);
    kn_buffer_free(sim->mu);
    kn_program_free(sim->program);
    kn_queue_close(sim->q);
    kn_context_close(sim->ctx);
    free(sim->field);
    free(sim->pixels);
}

static kn_status run(struct simulation *sim, size_t steps, kn_error *err)
{
    const kn_range range = {.dims = 2, .global = {sim->size, sim->size}};
    const kn_arg potential[] = {KN_BUFFER(sim->u), KN_BUFFER(sim->mu)};
    const kn_arg advance[] = {KN_VALUE(dt), KN_BUFFER(sim->mu), KN_BUFFER(sim->u)};

    for (size_t i = 0; i < steps; i++)
        if (kn_launch(sim->q, sim->potential, &range, potential, 2, NULL, err) ||
            kn_launch(sim->q, sim->advance, &range, advance, 3, NULL, err))
            return err->code;
    return kn_queue_finish(sim->q, err);
}

// u from -1.2 to 1.2 becomes 0 to 255. What is conserved, the mean, is printed.
static kn_status write_frame(struct simulation *sim, const char *folder, int number, double t, kn_error *err)
{
    size_t count = sim->size * sim->size;
    png_image picture = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_GRAY,
                         .width = (png_uint_32)sim->size, .height = (png_uint_32)sim->size};
    double mean = 0;
    char path[2048];

    if (kn_buffer_read(sim->q, sim->u, 0, sim->field, count * sizeof *sim->field, err))
        return err->code;
    for (size_t i = 0; i < count; i++) {
        float grey = (sim->field[i] + 1.2f) / 2.4f * 255.0f + 0.5f;

        sim->pixels[i] = grey < 0 ? 0 : grey > 255 ? 255 : (unsigned char)grey;
        mean += (double)sim->field[i] / (double)count;
    }
    snprintf(path, sizeof path, "%s/frame-%04d.png", folder, number);
    if (!png_image_write_to_file(&picture, path, 0, sim->pixels, 0, NULL)) {
        snprintf(err->text, sizeof err->text, "%s: %s", path, picture.message);
        return err->code = KN_ERROR_OUTPUT;
    }
    printf("%s: t = %g, mean %.6f\n", path, t, mean);
    return KN_OK;
}

int main(int argc, char **argv)
{
    struct simulation sim = {.size = argc > 3 ? strtoul(argv[3], NULL, 10) : 256};
    int last = argc > 4 ? atoi(argv[4]) : 12;
    double apart = argc > 5 ? strtod(argv[5], NULL) : 0;
    kn_error err = KN_ERROR_INIT;
    size_t done = 0;

    if (argc < 3 || argc > 6 || sim.size < 1 || sim.size > 32768) {
        fprintf(stderr, "cahn_hilliard: expected cahn_hilliard.cl DIR [SIZE [LAST [T]]]\n");
        return 2;
    }
    if (!begin(&sim, argv[1], &err))
        for (int k = FIRST; k <= last && !err.code; k++) {
            double t = apart > 0 ? k * apart : (double)k * k * k;
            size_t steps = (size_t)(t / (double)dt + 0.5);

            if (!run(&sim, steps - done, &err))
                write_frame(&sim, argv[2], k, t, &err);
            done = steps;
        }
    if (err.code)
        fprintf(stderr, "cahn_hilliard: %s\n", err.text);
    end(&sim);
    return (int)err.code;
}
