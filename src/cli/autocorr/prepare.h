// SPDX-License-Identifier: Apache-2.0
// The options of image preparation, which koine prepare and koine autocorr share.
#ifndef KN_CLI_AUTOCORR_PREPARE_H
#define KN_CLI_AUTOCORR_PREPARE_H

#include <koine/autocorr.h>

#include "io/json.h"
#include "cli/inputs.h"
#include "cli/inputs/frames.h"
#include "cli/framework/options.h"

// The fields that these options fill.
struct prepare_arguments {
    bool grey, stabilise, steps;
    size_t flatten;
    const char *dust, *contrast, *crop;
};

// `arguments`: the type of the command's arguments; `field`: the struct prepare_arguments in them.
#define PREPARE_OPTIONS(arguments, field)                                                                    \
    {"grey", OPTION_FIELD(OPTION_FLAG, arguments, field.grey),                                               \
     .help = "make grey of colour; it is done without this option too, but remarked on"},                    \
        {"stabilise", OPTION_FIELD(OPTION_FLAG, arguments, field.stabilise),                                 \
         .help = "move each frame back to where the first one is, by parts of a pixel (phase correlation); " \
                 "refuse one whose shift is not certain"},                                                   \
        {"flatten", OPTION_FIELD(OPTION_COUNT, arguments, field.flatten), .metavar = "RADIUS",               \
         .help = "even out light that varies over more than RADIUS pixels"},                                 \
        {"dust", OPTION_FIELD(OPTION_PATH, arguments, field.dust), .metavar = "MASK|auto",                   \
         .help = "fill dust from around it: where this image is not black, or what stands out by far"},      \
        {"contrast", OPTION_FIELD(OPTION_PATH, arguments, field.contrast), .metavar = "LO,HI|auto",          \
         .help = "stretch levels LO to HI from black to white; auto: of the first frame, but for "           \
                 "0.1 % at both ends"},                                                                      \
        {"crop", OPTION_FIELD(OPTION_PATH, arguments, field.crop), .metavar = "X,Y,W,H",                     \
         .help = "keep the W x H pixels whose upper left one is (X, Y)"},                                    \
    {                                                                                                        \
        "steps", OPTION_FIELD(OPTION_FLAG, arguments, field.steps),                                          \
            .help = "write a picture of each step too: NAME.1-grey.png, NAME.2-stabilised.png and so on"     \
    }

// What the options ask for, and the files they need.
struct prepare_plan {
    bool asked; // whether they ask for anything
    kn_autocorr_preparation_options options;
    kn_autocorr_region crop;
    kn_autocorr_grey dust;
    kn_autocorr_preparation *preparation; // NULL: nothing is to be done
};

// "X,Y,W,H" of the option of that name. KN_ERROR_ARGUMENT.
kn_status prepare_region(const char *option, const char *text, kn_autocorr_region *region, kn_error *err);

// Checks that can be made before anything is read. KN_ERROR_ARGUMENT.
kn_status prepare_settle(const struct prepare_arguments *arguments, const struct common_arguments *common,
                         struct prepare_plan *plan, kn_error *err);
// Reads the dust's mask and the first frame, as far as they are needed. Errors of
// kn_autocorr_preparation_create.
kn_status prepare_open(const struct prepare_arguments *arguments, struct frames *frames,
                       struct prepare_plan *plan, kn_error *err);
void prepare_close(struct prepare_plan *plan);

// The endings of the names of frames in a folder, then NULL.
extern const char *const prepare_endings[];

// All pages of the files (frames.h); "-" is standard input, which is read into `input`, whose data the caller
// frees. The `others` are names that are read as well, some of which may be NULL. KN_ERROR_ARGUMENT if
// standard input is named twice; the errors of image_read_input; KN_ERROR_MEMORY.
kn_status prepare_list(const struct inputs *files, const char *const others[], size_t other_count,
                       struct image_bytes *input, struct frames *frames, kn_error *err);

// The name of a frame's files, without folder and ending: the file's own, and the page of a stack. The caller
// frees it; NULL: out of memory.
char *prepare_name(const struct frame_source *source);
// The same, in a folder.
char *prepare_path(const char *folder, const char *name, const char *ending);
// Two frames with the same name would write the same files: KN_ERROR_ARGUMENT. `names` may contain NULL.
kn_status prepare_check_names(char *const *names, const struct frames *frames, const char *ending,
                              kn_error *err);
// Writes the existing pictures, or checks that those to come can be written.
kn_status prepare_write_steps(const struct prepare_plan *plan, const char *folder, const char *name,
                              const kn_autocorr_prepared *prepared, bool force, kn_error *err);
kn_status prepare_try_steps(const struct prepare_plan *plan, const char *folder, const char *name, bool force,
                            kn_error *err);
// Calls `each` with the names of those pictures. False if memory ran out.
bool prepare_list_steps(const struct prepare_plan *plan, const char *folder, const char *name,
                        const kn_autocorr_prepared *prepared, void (*each)(void *data, const char *path),
                        void *data);
kn_status prepare_write_png(const char *path, const kn_autocorr_grey *grey, bool force, kn_error *err);

// What was done to a frame, as JSON: "shift" and "certainty", "dust_pixels", "contrast".
json_t *prepare_json(const struct prepare_plan *plan, const kn_autocorr_prepared *prepared);

#endif
