// SPDX-License-Identifier: Apache-2.0
// The method of a scan's maps: the caller's, or the choice of KN_RECON_SENSE_AUTO.
#include "calibration.h"

// ESPIRiT takes only seconds up to this many rows of its matrix.
enum { MOST_ROWS = 1024 };

struct choice {
    kn_recon_sense sense;
    const char *why;
};

static struct choice choose_maps(const kn_recon_scan *scan, size_t radius)
{
    size_t rows = scan->coils;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = scan->matrix.size[axis], few = n < 2 * radius ? n : 2 * radius;

        if (few < MRI_ESPIRIT_LEAST && n > 1)
            return (struct choice){KN_RECON_SENSE_LOWRES,
                                   "samples are dense within fewer than the 8 cycles that ESPIRiT needs"};
        rows = saturate_times(rows, n < MRI_ESPIRIT_KERNEL ? n : MRI_ESPIRIT_KERNEL);
    }
    if (rows > MOST_ROWS)
        return (struct choice){KN_RECON_SENSE_LOWRES, "ESPIRiT of that many coils and axes takes long"};
    return (struct choice){KN_RECON_SENSE_ESPIRIT, "the centre of k-space is dense"};
}

kn_status ki_mri_sense_choose(const kn_recon_scan *scan, kn_recon_method method, kn_recon_sense *sense,
                              const char **why, kn_error *err)
{
    struct choice choice = {KN_RECON_SENSE_NONE, "there is one coil"};
    size_t radius = MRI_CALIBRATION / 2;
    kn_status status = KN_OK;

    if (scan->coils > 1 && method != KN_RECON_METHOD_LEAST_SQUARES) {
        choice.why = "only least squares has one image of all coils";
    } else if (scan->coils > 1) {
        if (scan->k)
            status = ki_mri_calibration_radius(scan, MRI_CALIBRATION, &radius, err);
        choice = radius ? choose_maps(scan, radius)
                        : (struct choice){KN_RECON_SENSE_NONE,
                                          "no centre of k-space is dense enough to estimate maps from"};
    }
    *sense = choice.sense;
    *why = choice.why;
    return status;
}

kn_status ki_mri_maps_make(const kn_recon_scan *scan, kn_recon_sense sense, struct ki_ask *ask,
                           double complex *maps, kn_error *err)
{
    return sense == KN_RECON_SENSE_ESPIRIT ? ki_mri_maps_espirit(scan, ask, maps, err)
                                           : ki_mri_maps_lowres(scan, ask, maps, err);
}
