// SPDX-License-Identifier: Apache-2.0
#include "stripes.h"

#include <stdlib.h>

#include "base/error.h"

// The number that a detector measured in a projection.
struct seen {
    double value;
    size_t projection;
};

static int by_value(const void *a, const void *b)
{
    const struct seen *first = a, *second = b;

    if (first->value != second->value)
        return first->value < second->value ? -1 : 1;
    return (first->projection > second->projection) - (first->projection < second->projection);
}

// Sorts the numbers of each detector, one detector after another.
static void sort_detectors(size_t angles, size_t detectors, const double *sinogram, struct seen *sorted)
{
    for (size_t k = 0; k < detectors; k++) {
        for (size_t t = 0; t < angles; t++)
            sorted[k * angles + t] = (struct seen){sinogram[t * detectors + k], t};
        qsort(sorted + k * angles, angles, sizeof *sorted, by_value);
    }
}

// The median of `count` sorted numbers.
static double median_of(double *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && numbers[j] < numbers[j - 1]; j--) {
            const double greater = numbers[j - 1];

            numbers[j - 1] = numbers[j];
            numbers[j] = greater;
        }
    return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

kn_status ki_sparse_remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                   kn_error *err)
{
    struct seen *sorted = malloc(angles * detectors * sizeof *sorted);
    double *window = malloc((width < detectors ? width : detectors) * sizeof *window);

    if (!sorted || !window) {
        free(sorted);
        free(window);
        return ki_fail_memory(err, angles * detectors * sizeof *sorted, "a sinogram's stripes");
    }
    sort_detectors(angles, detectors, sinogram, sorted);
    for (size_t k = 0; k < detectors; k++) {
        const size_t first = k > width / 2 ? k - width / 2 : 0,
                     last = detectors - 1 - k > width / 2 ? k + width / 2 : detectors - 1;

        for (size_t rank = 0; rank < angles; rank++) {
            for (size_t i = first; i <= last; i++)
                window[i - first] = sorted[i * angles + rank].value;
            sinogram[sorted[k * angles + rank].projection * detectors + k] =
                median_of(window, last - first + 1);
        }
    }
    free(sorted);
    free(window);
    return KN_OK;
}
