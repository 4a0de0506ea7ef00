// SPDX-License-Identifier: Apache-2.0
// koine run: the arguments (run_args.c, run_image.c) and their initial contents (run_fill.c); the comparison
// of two devices' results, and their contents (run_compare.c); the output (run_print.c).
#ifndef KN_CLI_RUN_CMD_RUN_H
#define KN_CLI_RUN_CMD_RUN_H

#include <koine/launch.h>

#include "io/array/npy.h"
#include "cli/choose.h"
#include "cli/defines.h"
#include "cli/framework/options.h"
#include "run_type.h"

struct run_arguments {
    struct common_arguments common;
    struct build_options build;
    struct string_list args; // SPEC
    const char *kernel;
    const char *global;
    const char *local;
    const char *compare;
    const char *ulp;
    const char *tolerance;
    size_t repeat;
};

enum run_kind { RUN_BUFFER, RUN_VALUE, RUN_LOCAL, RUN_IMAGE, RUN_SAMPLER };

// An argument of the kernel.
struct run_arg {
    const char *spec; // as it was given
    enum run_kind kind;
    bool has_type;        // struct:, local: and sampler: have no type
    struct run_type type; // of an image: its texels as numbers in memory
    size_t count;         // elements of a buffer, texels of an image
    size_t bytes;         // of the buffer, the image, the value, the local memory
    kn_image_kind image;
    kn_image_format format;
    size_t size[3]; // of an image
    unsigned sampler;
    unsigned char *data; // the initial contents; NULL: poison
    bool is_random;
    uint64_t seed;
    char *out_path;   // .npy; NULL: the result is not saved
    struct npy shape; // for inout:, whose shape is kept; dims is 0 for others. Without data.
    const char *name; // its name in the kernel
};

struct run_args {
    struct run_arg *items;
    size_t count;
};

// Reads all SPECs, and the files they name. KN_ERROR_ARGUMENT with the SPEC and what is wrong with it;
// KN_ERROR_INPUT.
kn_status run_args_read(const struct string_list *specs, struct run_args *args, kn_error *err);
// Fits them to the kernel: count, kinds and types. KN_ERROR_ARGUMENT.
kn_status run_args_bind(struct run_args *args, const kn_kernel *kernel, kn_error *err);
void run_args_free(struct run_args *args);
// Whether it has contents to show and compare: a buffer or an image.
bool run_has_contents(const struct run_arg *arg);
// image2d: and the like, sampler:. False if the SPEC is something else; otherwise `status` is the outcome.
bool run_image_read(struct run_arg *arg, size_t index, kn_status *status, kn_error *err);

// A buffer's initial contents: [zero|iota|random[:SEED]|value=V|file=PATH]; "" leaves it poisoned.
kn_status run_fill(struct run_arg *arg, const char *fill, uint64_t seed, kn_error *err);
// What poisoned memory is filled with: NaN, or a large number.
unsigned char run_poison(const struct run_type *type);

// A summary of a buffer's contents.
struct run_summary {
    size_t nan;           // number of components that are NaN
    size_t unwritten;     // number of components that still hold the poison
    double min, max, sum; // over the others; NAN if there are none
};
void run_summarize(const struct run_arg *arg, const unsigned char *data, struct run_summary *summary);

struct run_bound {
    uint64_t ulp;
    double tolerance;
};

struct run_difference {
    size_t compared; // components
    size_t beyond;   // how many of them differ by more than allowed
    uint64_t worst_ulp;
    double worst; // the largest absolute difference
    size_t first; // the first component beyond
    char value[RUN_NUMBER_TEXT], other[RUN_NUMBER_TEXT];
};
void run_compare(const struct run_arg *arg, const unsigned char *data, const unsigned char *other,
                 const struct run_bound *bound, struct run_difference *difference);

// A device's results.
struct run_outcome {
    struct place place;
    kn_program *program;
    kn_kernel *kernel;
    kn_buffer **buffers;  // NULL for other arguments
    kn_image **images;    // likewise
    unsigned char **data; // the final contents
    double *seconds;      // of each repetition, measured by the device's clock
    double build, upload, download;
};

struct run_run {
    const struct run_arguments *arguments;
    struct run_args args;
    kn_range range;
    struct run_bound bound;
    struct run_outcome outcomes[2]; // the second one with --compare
    size_t outcome_count;
    struct run_difference *differences; // of each argument, with --compare
    char *text;                         // of a kernel file read from standard input, else NULL
    double read, total;
};

// The parts of the command, for koine compare --explain: the options, the text and the arguments; the
// program, its kernel and memory at an open place; one launch from the initial contents; outcome->data.
// run_end frees everything, including the places.
kn_status run_begin(struct run_run *run, kn_error *err);
kn_status run_open(struct run_run *run, struct run_outcome *outcome, kn_error *err);
kn_status run_once(const struct run_run *run, struct run_outcome *outcome, double *seconds, kn_error *err);
kn_status run_read(const struct run_run *run, struct run_outcome *outcome, kn_error *err);
void run_end(struct run_run *run);

bool run_print(const struct run_run *run);
kn_status run_write_json(const struct run_run *run, kn_error *err);
// Whether all buffers agree.
bool run_agrees(const struct run_run *run);
// Smallest, middle and largest of the repetitions.
void run_times(const struct run_run *run, const struct run_outcome *outcome, double times[3]);

#endif
