// SPDX-License-Identifier: Apache-2.0
// Frames in memory as a source (koine/autocorr.h) that can fail.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_SOURCE_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_SOURCE_SUPPORT_H

#include "support/support.h"
#include "support/run.h"

#include <koine/autocorr.h>

// The behaviour of frame `at` of a film.
enum fault { FILM_FINE, FILM_FAILS, FILM_MUTE, FILM_NO_PIXELS, FILM_FLOATS, FILM_LARGER };

struct film {
    size_t count, width, height;
    kn_type type;
    unsigned char *pixels; // of all frames
    enum fault fault;
    size_t at;
};

static inline struct film make_film(size_t count, size_t width, size_t height, kn_type type, uint64_t *state)
{
    size_t bytes = count * width * height * kn_type_size(type);
    struct film film = {count, width, height, type, test_allocate(bytes), FILM_FINE, 0};

    for (size_t i = 0; i < bytes; i++)
        film.pixels[i] = (unsigned char)test_random(state);
    return film;
}

static inline const unsigned char *film_frame(const struct film *film, size_t i)
{
    return film->pixels + i * film->width * film->height * kn_type_size(film->type);
}

static kn_status film_fetch(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *why)
{
    const struct film *film = data;
    size_t bytes = film->width * film->height * kn_type_size(film->type);
    enum fault fault = i == film->at ? film->fault : FILM_FINE;

    if (!*kept)
        *kept = malloc(1);
    *grey = (kn_autocorr_grey){.width = film->width, .height = film->height, .type = film->type};
    if (fault == FILM_MUTE)
        return KN_ERROR_DEVICE;
    if (fault == FILM_FAILS) {
        *why = (kn_error){.code = KN_ERROR_INPUT, .text = "the film is torn"};
        return KN_ERROR_INPUT;
    }
    if (fault == FILM_NO_PIXELS)
        return KN_OK;
    grey->pixels = test_allocate(2 * bytes);
    memcpy(grey->pixels, film_frame(film, i), bytes);
    if (fault == FILM_FLOATS)
        grey->type = KN_F32;
    if (fault == FILM_LARGER)
        grey->height++;
    return KN_OK;
}

static void film_release(void *data, void *kept)
{
    (void)data;
    free(kept);
}

static inline kn_autocorr_source film_source(struct film *film)
{
    return KN_INIT(kn_autocorr_source, .count = film->count, .fetch = film_fetch, .release = film_release,
                   .data = film);
}

#endif
