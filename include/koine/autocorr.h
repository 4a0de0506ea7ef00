// SPDX-License-Identifier: Apache-2.0
// Correlations of images and volumes with themselves or with one another: exact sums over all offsets up to
// R, normalised correlations, azimuthal averages, and the characteristic lengths in these, as `koine
// autocorr` has them (Lu et al. 2009). On the host or on a device. Before that, photographs made ready for
// it, as `koine prepare` does; after it, the law by which a length grows.
//
// Images I and I' are of W x H whole numbers, x runs fastest, y down; in an autocorrelation they are the
// same. With R the largest offset in pixels,
//
//     C(X0, Y0) = sum I(x, y) I'(x + X0, y + Y0)    for |X0| <= R, 0 <= Y0 <= R,
//
// over the overlap: those (x, y) for which both pixels are in the image, and in the mask if there is one. An
// array over the offsets has R + 1 rows, Y0 = 0 to R, of 2R + 1 columns, X0 = -R to R: offset (X0, Y0) is
// element Y0 * (2R + 1) + R + X0. An autocorrelation's other half is the same turned by half a turn. Where R
// reaches beyond a side, overlaps are empty, and their sums are 0.
//
// Of volumes of W x H x D voxels, slices of rows, |X0|, |Y0| <= R and 0 <= Z0 <= R: an array over the offsets
// has R + 1 planes of 2R + 1 rows of 2R + 1 columns, and an azimuthal average is a spherical one, over
// shells.
//
//     kn_autocorr_plan *plan = NULL;
//     kn_autocorr_lengths lengths;
//     const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = 640, .height = 480, .type = KN_U8);
//     const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = pixels);
//     const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &lengths);
//
//     kn_autocorr_plan_create(NULL, &shape, NULL, &plan, &err);
//     kn_autocorr_execute(plan, &frames, 1, &results, &err);
//     kn_autocorr_plan_free(plan);
#ifndef KOINE_AUTOCORR_H
#define KOINE_AUTOCORR_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_autocorr_plan kn_autocorr_plan;

// How the sums are computed. What is named runs or is refused, and nothing else takes its place.
typedef enum kn_autocorr_method {
    // On a device direct sums or transforms, by a cost model with one number of the device, which is measured
    // once and remembered in the cache on disk. On the host transforms. Where these cannot be exact, or lines
    // are too long for them, direct sums.
    KN_AUTOCORR_AUTO = 0,
    KN_AUTOCORR_DIRECT = 1, // a device: each sum term by term, in whole numbers
    KN_AUTOCORR_FFT = 2,    // both: Fourier transforms; on a device number-theoretic ones where those in
                            // double precision would not be exact
    KN_AUTOCORR_NAIVE = 3,  // the host: four nested loops, one thread, no vectors
    KN_AUTOCORR_SIMD = 4,   // the host: term by term, with vectors and threads
    // A device: the kernels of Lu et al. (2009), whom it may interest.
    KN_AUTOCORR_TEXTURE_STYLE = 5,
    KN_AUTOCORR_TWO_LINE = 6,
    KN_AUTOCORR_TWO_KERNEL = 7
} kn_autocorr_method;

// From sums to a correlation. With n, S1, S2, Q1, Q2 the pairs of an overlap, the sums of its pixels in I and
// I' and those of their squares, N, T1, T2, E1, E2 the same of offset (0, 0), m = T1 / N and m' = T2 / N.
// Differences are formed in whole numbers of 128 bits: on the host a value is right to a unit or two of 1e-16
// of its own. Not-a-number where a formula has 0 in its denominator (pearson: a window of one level; zero and
// unbiased: an image of one level; the others: one that is black) and where the overlap is empty, but 0 in
// energy and zero.
typedef enum kn_autocorr_normalization {
    KN_AUTOCORR_PEARSON = 0,  // (C - S1 S2 / n) / sqrt((Q1 - S1^2 / n) (Q2 - S2^2 / n))
    KN_AUTOCORR_ENERGY = 1,   // C / sqrt(E1 E2): equation 1 of Lu et al. as printed; falls off with n
    KN_AUTOCORR_LU2009 = 2,   // C / Q2: the same with the overlap's energy; half a turn changes it
    KN_AUTOCORR_GEO = 3,      // C / sqrt(Q1 Q2)
    KN_AUTOCORR_ZERO = 4,     // sum (I - m) (I' - m') / sqrt((E1 - N m^2) (E2 - N m'^2)); falls off with n
    KN_AUTOCORR_UNBIASED = 5, // that times N / n
    KN_AUTOCORR_SYMAVG = 6    // C n / (S1 S2): Schaetzel's symmetric average; tends to 1
} kn_autocorr_normalization;

// What frames are.
typedef struct kn_autocorr_shape {
    size_t struct_size; // KN_INIT sets it
    size_t width, height;
    kn_type type;      // of a pixel: KN_U8, KN_U16 or KN_F32
    size_t max_offset; // R, less than the longest side; 0: a quarter of the shortest side, at most 250 (of a
                       // volume 64), and at least 1 where there are two pixels
    size_t depth;      // slices of a volume; 0: frames are images
} kn_autocorr_shape;

typedef struct kn_autocorr_options {
    size_t struct_size; // KN_INIT sets it
    kn_autocorr_method method;
    kn_autocorr_normalization normalization; // of values, rings and lengths
    // Transforms compute in single precision: they take half the time or less, and each sum is off by
    // kn_autocorr_plan_get_bound at most, usually by hundreds of times less. All other methods stay exact.
    bool single;
    // Images and volumes go on beyond their sides as they began, as simulations do: positions are modulo the
    // sides, every overlap is the whole, and nothing is padded where sides have no prime factor above 7.
    // Always exact; without a mask; by KN_AUTOCORR_AUTO and KN_AUTOCORR_FFT.
    bool periodic;
} kn_autocorr_options;

// Frames in ordinary memory, rows from top to bottom, of a volume the slices' one after another. Strides are
// in elements: `stride` from a row to the next, 0 for the width; `frame_stride` from a frame to the next.
//
// KN_F32: each image is made one of 16 bits first, and sums are those of these levels. If all its numbers are
// whole and from 0 to 65535 they are the levels; otherwise its least number becomes 0, its greatest 65535,
// and what lies between is scaled and rounded, each image (a second one, too) by its own range, with the
// pixels outside of a mask. An image of one number that is not such a level becomes black. pearson, zero and
// unbiased hardly notice that; the other normalisations depend on where 0 is. Takes memory:
// 2 bytes a pixel of all images, and 6 of one.
typedef struct kn_autocorr_frames {
    size_t struct_size; // KN_INIT sets it
    const void *first;  // I
    size_t stride;
    size_t frame_stride; // 0: one frame after another, height * stride, of a volume depth times that
    const void *second;  // I', the one that is shifted, of the same shape; NULL: the first
    size_t second_stride;
    size_t second_frame_stride; // 0: the same for all frames
    const uint8_t *mask;        // a byte a pixel; where it is 0 neither image counts; NULL: all do
    size_t mask_stride;
    size_t mask_frame_stride; // 0: the same for all frames
} kn_autocorr_frames;

// Ring k of an azimuthal average, k = 0 to R: an offset at the distance r = k + f counts 1 - f in ring k and
// f in ring k + 1, and one with Y0 > 0 stands for two. Offsets farther than R are left out, and values that
// are not-a-number. A ring without offsets has its number as radius, and the value not-a-number.
typedef struct kn_autocorr_ring {
    double radius;  // the weighted mean of its offsets' distances, in pixels
    double value;   // the weighted mean of the correlation
    double error;   // its standard error, from the spread in the ring
    double weight;  // shares of offsets in it, of the whole plane
    uint64_t count; // offsets of the half plane that have a share in it
} kn_autocorr_ring;

// Lengths in pixels, from the azimuthal average; what is not there is not-a-number. A trough or a maximum is
// one when the curve has left it by more than a quarter of a ring's standard error; where it is, and how
// high, say a parabola through it and its neighbours.
typedef struct kn_autocorr_lengths {
    double r_max;       // the first maximum behind the first trough
    double r_max_error; // its standard error: the jackknife over 12 sectors, how much directions disagree
    double maximum;     // the correlation there
    double r_min;       // that trough
    double minimum;
    double r_zero; // where the correlation first falls through 0
} kn_autocorr_lengths;

// Where results go, one frame's after another's, each in the caller's memory; NULL is not wanted. What is not
// wanted is not computed as far as possible, and not brought from a device.
typedef struct kn_autocorr_results {
    size_t struct_size;           // KN_INIT sets it
    uint64_t *sums;               // over the offsets: C
    double *values;               // over the offsets: the correlation
    kn_autocorr_ring *rings;      // R + 1 a frame
    kn_autocorr_lengths *lengths; // one a frame
} kn_autocorr_results;

// Prepares correlations of frames of a shape: on `queue`, which is borrowed and open at every call, or, where
// that is NULL, on the host, whose threads are as many as OMP_NUM_THREADS says. `options` may be NULL: exact,
// AUTO, pearson. Kernels are compiled, and memory is taken, by the first call, and kept
// for the next. A plan is to be used by one thread at a time; two plans may be used by two threads, on queues
// of their own. Errors: KN_ERROR_ARGUMENT for NULL, no pixels or more than 2^31, an R that leaves no overlap,
// a method of the host alone with a queue, a context of KN_POLICY_FAST, with which whole numbers are not
// promised; KN_ERROR_UNSUPPORTED for other types, for a method of devices without a queue, and for one that
// has no sums of volumes or of periodic images where these are asked for; KN_ERROR_LIMIT for more offsets
// than memory has addresses.
KN_API kn_status kn_autocorr_plan_create(kn_queue *queue, const kn_autocorr_shape *shape,
                                         const kn_autocorr_options *options, kn_autocorr_plan **plan,
                                         kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_plan_free(kn_autocorr_plan *plan);

// Correlates `count` frames (0 is fine) and waits. Of a batch on the host each thread has a frame; a device
// has up to 64 frames, or 64 MiB of their pixels or sums, at a time, and the next ones are copied meanwhile.
// Sums are the definition's to the last integer unless `single` was asked for, the same with every method.
// Rings are made on the device where it can: it has double precision or sums in single precision are enough,
// and there is no mask, or one for all frames and the device is a GPU whose local memory holds lines of W + R
// and H + R numbers of 4 bytes. They are then the host's to 1e-13 of their own (single precision: 1e-6), and
// the sums need not be copied back; those of volumes and periodic images are the host's. Cost: term by term
// about 2 R^2 W H products, by transforms about 5 (W + R) (H + R) log2((W + R) (H + R)) operations; values
// and rings of the host read the image once more. With a mask an overlap's sums are transforms too, of whole
// numbers: on a device, of the mask once and of each frame and second frame three times (16 bits: four),
// there and back; on the host some ten times what a frame's transforms take. Memory of the host's transforms:
// 8 bytes a padded pixel and image, with a mask and values some ten times that; of a device: pixels and 8
// bytes an offset of up to two batches, the transforms' spectra, and for rings 64 (R + 1)^2 bytes for each
// frame that is computed at a time. Volumes and periodic images: transforms in double precision of levels cut
// into pieces of 8 or 4 bits, so that each sum's error is proven to be below 1/4; memory 8 bytes a number of
// the padded volume for each piece, twice with a second image, and twice more on the host; single is not
// looked at. A device needs double precision. Their shells' errors are as those of rings, and r_max_error is
// the jackknife over twelve sectors of the half space. Errors: KN_ERROR_UNSUPPORTED for a mask of volumes and
// periodic images, and a device without double precision for them; KN_ERROR_ARGUMENT for NULL, strides less
// than the width, floats that are not finite (their place is told), before anything is written;
// KN_ERROR_UNSUPPORTED where KN_AUTOCORR_FFT on the host cannot be exact (from some tens of millions of
// pixels on; SIMD is); KN_ERROR_LIMIT for rows or offsets beyond a device's 32-bit numbers or local memory;
// KN_ERROR_MEMORY. After any but KN_ERROR_ARGUMENT results are undefined.
KN_API kn_status kn_autocorr_execute(kn_autocorr_plan *plan, const kn_autocorr_frames *frames, size_t count,
                                     const kn_autocorr_results *results, kn_error *err);

// The same of frames that are in the memory of the plan's device, `count` one after another without gaps, of
// KN_U8 or KN_U16; `second` has as many, or is NULL. They are read where they are, after what the plan's
// queue was given before; nothing but results is copied. Waits. All are one batch, for whose sums the device
// has to have room. The bound of single precision is that of the worst image of this size and type, since
// nobody looks at the pixels. Errors: KN_ERROR_ARGUMENT also for a plan of the host, a buffer of another
// context or one that is too small; KN_ERROR_UNSUPPORTED for KN_F32, which the host scales; KN_ERROR_LIMIT
// also for buffers held in parts.
KN_API kn_status kn_autocorr_execute_buffers(kn_autocorr_plan *plan, const kn_buffer *first,
                                             const kn_buffer *second, size_t count,
                                             const kn_autocorr_results *results, kn_error *err);

// The sums alone of frames on the device, to `sums` there: `count` arrays over the offsets of uint64_t, one
// frame's after another's. Asynchronous, but for what the first call of a plan prepares, one of another
// `count`, and the measurement of KN_AUTOCORR_AUTO. Values, rings and lengths, which the host makes or
// completes, wait (kn_autocorr_execute_buffers). Errors: those of kn_autocorr_execute_buffers;
// KN_ERROR_UNSUPPORTED for volumes and periodic images, whose sums come to the host; KN_ERROR_ARGUMENT also
// for sums that are one of the frames' buffers.
KN_API kn_status kn_autocorr_sums_to_buffer(kn_autocorr_plan *plan, const kn_buffer *first,
                                            const kn_buffer *second, size_t count, kn_buffer *sums,
                                            kn_error *err);

// ---- frames some lags apart ----

// The pairs of a lag k are frames i (I) and i + k (I'), of all i for which both are there; of lag 0 a frame
// and itself. Each is correlated as any first and second image, and what is made of a lag are means over its
// pairs: the spatio-temporal correlation of Hebert, Costantino and Wiseman (2005), and, pair by pair, the
// time-resolved one of Cipelletti et al. (2003) or two-time one of others. A pair without a value at the
// offset (0, 0), as where an image has one level, is left out.
typedef struct kn_autocorr_lag {
    size_t pairs;     // that counted; 0: all below is not-a-number
    double value;     // the correlation at (0, 0): pearson is how much of an image is left k frames later
    double deviation; // the standard deviation of that over the pairs, by pairs - 1
    kn_autocorr_lengths lengths; // in the mean azimuthal average
} kn_autocorr_lag;

// Where results go, each in the caller's memory; NULL is not wanted. Lags follow one another, 0 to max_lag.
typedef struct kn_autocorr_lag_results {
    size_t struct_size;      // KN_INIT sets it
    kn_autocorr_lag *lags;   // one a lag
    kn_autocorr_ring *rings; // R + 1 a lag: means over pairs; `error` is the mean of the pairs' own errors
    double *values;          // over the offsets, of each lag: the mean; not-a-number where one pair's is
    double
        *correlations; // `count` a lag: at (0, 0) of the pair whose first frame is i; not-a-number for none
} kn_autocorr_lag_results;

// Correlates frames with themselves and with those 1 to max_lag frames later, by the plan's method and
// normalization, and waits. `frames` have no second image, and one mask for all or none. A pair's sums are
// those of kn_autocorr_execute, as exact; means are sums in the order of frames, so that a lag has the same
// bits whatever computed it where rings are the host's. Rings are the device's where kn_autocorr_execute has
// them there. Cost: (max_lag + 1) count frames with a second image; memory of these as of a batch, and on a
// device the frames, as many as fit into an eighth of it: each of these is sent once. `value` and `deviation`
// of energy, lu2009 and geo hardly fall, since they do not take means off. Errors: KN_ERROR_ARGUMENT for
// max_lag >= count and for a second image; KN_ERROR_UNSUPPORTED for volumes and for masks of single frames;
// and those of kn_autocorr_execute.
KN_API kn_status kn_autocorr_execute_lags(kn_autocorr_plan *plan, const kn_autocorr_frames *frames,
                                          size_t count, size_t max_lag,
                                          const kn_autocorr_lag_results *results, kn_error *err);
// The same of frames on the device of the plan's queue, without gaps, and without a mask: the same results to
// the bit. They are read into the host's memory, which makes windows' sums, and are not sent again. Errors
// also those of kn_autocorr_execute_buffers.
KN_API kn_status kn_autocorr_execute_lags_buffer(kn_autocorr_plan *plan, const kn_buffer *frames,
                                                 size_t count, size_t max_lag,
                                                 const kn_autocorr_lag_results *results, kn_error *err);

// The lag at which `value` has fallen to 1/e of that of lag 0, between two lags on the straight line through
// them: times the interval it is the decorrelation time. symavg, which tends to 1, falls to 1/e of its
// distance from there. Not-a-number where it is not reached. NULL has no lags.
KN_API double kn_autocorr_find_decorrelation(const kn_autocorr_lag *lags, size_t count,
                                             kn_autocorr_normalization normalization);

// ---- what a plan tells ----

// Of a plan that is NULL these are 0, "" and KN_AUTOCORR_AUTO.
KN_API size_t kn_autocorr_plan_get_max_offset(const kn_autocorr_plan *plan); // R
// Of an array over the offsets: R + 1 and 2R + 1; of a plane of a volume's 2R + 1 both.
KN_API size_t kn_autocorr_plan_get_rows(const kn_autocorr_plan *plan);
KN_API size_t kn_autocorr_plan_get_columns(const kn_autocorr_plan *plan);
// The method that the last call ran; KN_AUTOCORR_AUTO as long as there was none.
KN_API kn_autocorr_method kn_autocorr_plan_get_method(const kn_autocorr_plan *plan);
// Why KN_AUTOCORR_AUTO took that, in words; "" for a method that was named. The plan's own, until the next
// call.
KN_API const char *kn_autocorr_plan_get_why(const kn_autocorr_plan *plan);
// What each sum of the last call is off by at most; 0: all are exact.
KN_API double kn_autocorr_plan_get_bound(const kn_autocorr_plan *plan);

// ---- methods and normalizations ----

// Whether a method is one of devices, or of the host; KN_AUTOCORR_AUTO is both. False for a number that is
// none.
KN_API bool kn_autocorr_method_runs(kn_autocorr_method method, bool on_device);

// "auto", "direct", "fft", "naive", "simd", "texture-style", "two-line", "two-kernel"; "pearson", "energy",
// "lu2009", "geo", "zero", "unbiased", "symavg". NULL for a number that is none.
KN_API const char *kn_autocorr_method_name(kn_autocorr_method method);
KN_API const char *kn_autocorr_normalization_name(kn_autocorr_normalization normalization);

// ---- frames that come one by one ----

// A picture as it was decoded.
typedef struct kn_autocorr_picture {
    size_t width, height;
    unsigned channels; // 1 grey; 2 grey and alpha; 3 red, green, blue; 4 those and alpha
    kn_type type;      // of a sample: KN_U8, KN_U16 or KN_F32
    void *samples;     // by malloc: rows from top to bottom without gaps, a pixel's channels together
} kn_autocorr_picture;

// An image of grey levels.
typedef struct kn_autocorr_grey {
    size_t width, height;
    kn_type type;   // KN_U8 or KN_U16
    void *pixels;   // rows from top to bottom without gaps
    bool colour;    // it was made from red, green and blue
    bool stretched; // it was made from real numbers: the least became 0, the greatest 65535
} kn_autocorr_grey;

typedef struct kn_autocorr_region {
    size_t x, y; // of its upper left pixel
    size_t width, height;
} kn_autocorr_region;

// From a picture to its grey levels. Colour becomes (299 R + 587 G + 114 B) / 1000, rounded (ITU-R BT.601's
// luma), which is the grey level itself where all three are equal; transparency is not looked at. 32-bit
// floats are kept if they are whole numbers from 0 to 65535, else stretched over that range. `name` is what
// messages call the picture, or NULL. The samples are taken over, and the picture's pointer to them becomes
// NULL, unless the error is KN_ERROR_ARGUMENT; kn_free frees the pixels. Cost: reads the picture once, floats
// twice; 8 or 16 bits of one channel are not even copied. Errors: KN_ERROR_ARGUMENT for NULL, no pixels or
// more than memory has addresses, other channels and types; KN_ERROR_INPUT for floats that are not finite,
// with the pixel.
KN_API kn_status kn_autocorr_make_grey(const char *name, kn_autocorr_picture *picture, kn_autocorr_grey *grey,
                                       kn_error *err);

// A series of frames, from wherever they come. Several threads call its functions at once.
typedef struct kn_autocorr_source {
    size_t struct_size;       // KN_INIT sets it
    size_t count;             // frames
    const char *const *names; // what messages call them, such as their files; NULL: by their numbers, from 0
    // Decodes frame i. Its pixels are by kn_autocorr_make_grey or malloc, and the library frees them. *kept
    // is the calling thread's own from one frame to the next, NULL before the first: a file that is open, for
    // instance. On failure there are no pixels; what it returns, and may say in `err`, which is not NULL, is
    // why there is no such frame, and others go on.
    kn_status (*fetch)(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err);
    void (*release)(void *data, void *kept); // frees what a thread kept, which may be NULL; NULL: nothing is
    // About how many bytes the decoded frame i takes, 0 where that cannot be told; NULL: it never can.
    size_t (*size)(void *data, size_t i);
    void *data; // what all of them are called with
} kn_autocorr_source;

// ---- preparing photographs ----

// The steps of Lu et al. (2009, figure 3), in their order. Between them levels are floats; at the end they
// are rounded to the frame's 8 or 16 bits.
typedef enum kn_autocorr_step {
    KN_AUTOCORR_STEP_GREY = 0,
    KN_AUTOCORR_STEP_STABILISED = 1,
    KN_AUTOCORR_STEP_FLATTENED = 2,
    KN_AUTOCORR_STEP_MENDED = 3,
    KN_AUTOCORR_STEP_CONTRAST = 4,
    KN_AUTOCORR_STEP_CROPPED = 5
} kn_autocorr_step;
#define KN_AUTOCORR_STEPS 6

typedef struct kn_autocorr_preparation_options {
    size_t struct_size; // KN_INIT sets it
    // Each frame is moved back to where the first one is that can be read, by parts of a pixel: phase
    // correlation (Kuglin and Hines 1975) finds shifts up to an eighth of the picture, cubics (Catmull and
    // Rom 1974) move it, and what comes in repeats the edge. A shift that is not certain is refused
    // (kn_autocorr_prepared).
    bool stabilise;
    // Divided by its own blur, a Gaussian of this standard deviation in pixels, and multiplied by its mean;
    // 0: not.
    double flatten;
    // Dust is filled with the smoothest surface through its edge: what is off its neighbourhood's median (17
    // x 17 pixels) by more than 8 standard deviations of all pixels and twice as far as 98 % of them; or
    // where `dust`, of the frames' size, is not black. NULL: not.
    bool find_dust;
    const kn_autocorr_grey *dust;
    // Levels `low` to `high` from black to white; or, `contrast_auto`, those that a thousandth of the first
    // frame's pixels is below, and above.
    bool contrast, contrast_auto;
    double low, high;
    const kn_autocorr_region *crop; // what is kept; NULL: all
    bool show;                      // keep a picture of each step
} kn_autocorr_preparation_options;

// What was done to a frame.
typedef struct kn_autocorr_prepared {
    double x, y;      // how far it had moved, in pixels
    size_t dust;      // pixels that were mended
    double low, high; // levels of black and white; 0 both: as they were
    // By kn_autocorr_step, with `show`: those that ran; else without pixels.
    kn_autocorr_grey pictures[KN_AUTOCORR_STEPS];
    // How certain x and y are: the peak-to-sidelobe ratio (Bolme et al. 2010), by how many of their standard
    // deviations the correlation's peak stands above the mean of all but the 11 x 11 pixels around it; the
    // least, where a frame is registered again in its overlap with the first. From 10 on: unrelated random
    // pictures of 64 x 80 pixels and more had 9 at most in 6,000 pairs, and what is below is refused. 0
    // without `stabilise`.
    double certainty;
} kn_autocorr_prepared;

// Frees the pictures. NULL is fine.
KN_API void kn_autocorr_prepared_free(kn_autocorr_prepared *prepared);

typedef struct kn_autocorr_preparation kn_autocorr_preparation;

// Says how frames are prepared. `stabilise` and `contrast_auto` decode the first frame that can be, and
// prepare it up to its contrast; without them `source` is not looked at, and may be NULL. The dust's pixels
// are borrowed as long as the preparation is there, everything else for this call. `options` may be NULL:
// nothing is done. Errors: KN_ERROR_ARGUMENT for NULL, a radius that is not finite or below 0, both kinds of
// dust, a contrast that does not rise, a region without pixels; KN_ERROR_INPUT where no frame can be read,
// and what the last one says itself.
KN_API kn_status kn_autocorr_preparation_create(const kn_autocorr_source *source,
                                                const kn_autocorr_preparation_options *options,
                                                kn_autocorr_preparation **preparation, kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_preparation_free(kn_autocorr_preparation *preparation);

// Prepares a frame in its place: its pixels, by kn_autocorr_make_grey or malloc, are replaced. Several
// threads may prepare frames with one preparation. `name` is what messages call it, or NULL. Cost: floats of
// the picture, and with `stabilise` 2 to 8 complex transforms of it. Errors, with the name: KN_ERROR_ARGUMENT
// for NULL, another type, a region that is not in the frame; KN_ERROR_INPUT for a size other than the first
// frame's or the dust's, and for a frame whose shift is not certain: one that has nothing in common with the
// first, or one without structure, or with nothing but a pattern that repeats itself. The frame and
// `prepared` are changed only on success.
KN_API kn_status kn_autocorr_prepare(const kn_autocorr_preparation *preparation, const char *name,
                                     kn_autocorr_grey *grey, kn_autocorr_prepared *prepared, kn_error *err);

// Frames that are decoded and prepared by several threads ahead of those who take them, in their order.
typedef struct kn_autocorr_reader kn_autocorr_reader;

typedef struct kn_autocorr_reader_options {
    size_t struct_size; // KN_INIT sets it
    unsigned threads;   // 0: as many as OMP_NUM_THREADS says, else as processors
    size_t ahead;       // frames that are in memory at most; 0: 8
    // Borrowed as long as the reader is open. NULL: frames are taken as they are.
    const kn_autocorr_preparation *preparation;
} kn_autocorr_reader_options;

// Starts the threads. What `source` points to is borrowed until the reader is closed. `options` may be NULL.
// Errors: KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_autocorr_reader_open(const kn_autocorr_source *source,
                                         const kn_autocorr_reader_options *options,
                                         kn_autocorr_reader **reader, kn_error *err);
// Waits for the next frame; kn_free frees its pixels, kn_autocorr_prepared_free the pictures. For one thread.
// `prepared` may be NULL. Errors: what the source and kn_autocorr_prepare say of this frame, and the next
// call has the next one; KN_ERROR_ARGUMENT for NULL, and where all frames were taken.
KN_API kn_status kn_autocorr_reader_next(kn_autocorr_reader *reader, kn_autocorr_grey *grey,
                                         kn_autocorr_prepared *prepared, kn_error *err);
// Seconds of decoding and preparing so far, of all threads together. 0 for NULL.
KN_API double kn_autocorr_reader_get_seconds(const kn_autocorr_reader *reader);
// Ends the threads, also before all frames were taken. NULL is fine.
KN_API void kn_autocorr_reader_close(kn_autocorr_reader *reader);

// ---- a series ----

// What is computed of each frame, and how.
typedef struct kn_autocorr_series_options {
    size_t struct_size; // KN_INIT sets it
    kn_autocorr_method method;
    kn_autocorr_normalization normalization;
    bool single;       // as in kn_autocorr_options
    size_t max_offset; // R; 0: a quarter of the first frame's shorter side, at most 250, and at least 1 where
                       // there are two pixels
    const kn_autocorr_region *region; // NULL: all of each frame, as it was prepared
    const kn_autocorr_grey *mask;     // of the frames' size; black pixels do not count; NULL: all do
    const kn_autocorr_grey *with;     // the second image of each frame, which is shifted; NULL: the frame
    bool one_size;                    // frames of another size than the first one's are refused
    bool sums, values;                // are wanted of each frame, beside its rings and lengths
    unsigned threads;                 // that decode; 0: as many as OMP_NUM_THREADS says, else as processors
    const kn_autocorr_preparation *preparation;          // NULL: frames are taken as they are
    const struct kn_autocorr_verification *verification; // koine/experimental/autocorr.h; NULL: none
    bool periodic;                                       // as in kn_autocorr_options; without a mask
    // Each frame is also correlated with those 1 to `max_lag` frames after it (kn_autocorr_lag): all are of
    // one size and type, and there is no `with`. 0: not.
    size_t max_lag;
    // Bytes that frames and what is computed of them may take, by estimate: of the host's memory, and of the
    // device's, which on a processor is the same. Fewer frames are decoded ahead and computed together, and
    // KN_AUTOCORR_AUTO adds term by term where transforms would take more; sums that are exact stay what they
    // are. A frame that does not fit by itself, with `max_lag` beside the max_lag + 1 that are kept, ends the
    // series: KN_ERROR_MEMORY, with what it takes. 0: as kn_autocorr_series_execute says.
    size_t memory_limit;
} kn_autocorr_series_options;

// What came of a frame. All that it points to is the series's, and goes when the function returns that was
// told of it.
typedef struct kn_autocorr_analysis {
    size_t index;          // of the frame, from 0
    const kn_error *error; // why nothing came of it, and everything else is 0; NULL: something did
    size_t width, height;  // of what was correlated
    size_t max_offset;     // R
    bool colour, stretched;
    const kn_autocorr_prepared *prepared;
    const uint64_t *sums;          // over the offsets; NULL where they are not wanted
    const double *values;          // over the offsets; NULL likewise
    const kn_autocorr_ring *rings; // R + 1
    kn_autocorr_lengths lengths;
    kn_autocorr_method method; // that ran
    double bound;              // what each sum is off by at most; 0: all are exact
    double seconds;            // of computing: its share of those that were computed together
    const struct kn_autocorr_verified *verified; // koine/experimental/autocorr.h; NULL: nothing is
} kn_autocorr_analysis;

// Is told of each frame, in order, by the thread that called. What it returns, and may say in `err`, which is
// not NULL, ends the work, unless it is KN_OK: KN_ERROR_INTERRUPTED stops a series.
typedef kn_status kn_autocorr_take(void *data, const kn_autocorr_analysis *analysis, kn_error *err);

typedef struct kn_autocorr_series kn_autocorr_series;

// Prepares to analyse frames that come one by one: on `queue`, which is borrowed and open at every call, or,
// where that is NULL, on the host. `options` may be NULL; what they point to is borrowed as long as the
// series is there. A series is to be used by one thread at a time. Errors: as kn_autocorr_plan_create;
// KN_ERROR_ARGUMENT for a mask or second image that is none.
KN_API kn_status kn_autocorr_series_create(kn_queue *queue, const kn_autocorr_series_options *options,
                                           kn_autocorr_series **series, kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_series_free(kn_autocorr_series *series);

// Decodes the frames by several threads, prepares them, correlates them, and finds their lengths, while
// others are decoded: on a device two batches are under way, one being copied while the other is computed.
// `take` is told of each with `data`. A frame that cannot be read or correlated is told of as one, and the
// others are done. Waits. Memory: what kn_autocorr_execute takes, twice; 512 MiB of decoded frames at most,
// or two; or options' memory_limit; with `max_lag` twice that, and max_lag + 1 frames and 64 MiB of them
// more. Errors: KN_ERROR_ARGUMENT for NULL, and for as many frames as `max_lag` or fewer; what `take`
// returned; the device's, which are not a frame's own.
KN_API kn_status kn_autocorr_series_execute(kn_autocorr_series *series, const kn_autocorr_source *source,
                                            kn_autocorr_take *take, void *data, kn_error *err);

// What came of frames some lags apart: as kn_autocorr_lag_results, the library's own.
typedef struct kn_autocorr_lags {
    size_t count;      // of lags: max_lag + 1
    size_t frames;     // of the series
    size_t max_offset; // R
    const kn_autocorr_lag *lags;
    const kn_autocorr_ring *rings;
    const double *values; // NULL where the series has none
    const double *correlations;
    double bound;         // what each sum of a pair is off by at most; 0: all are exact
    double decorrelation; // kn_autocorr_find_decorrelation
} kn_autocorr_lags;

// Of the last call, until the next one or the series's end. NULL where no lags were wanted, or where no frame
// could be done.
KN_API const kn_autocorr_lags *kn_autocorr_series_get_lags(const kn_autocorr_series *series);

// As those of a plan.
KN_API kn_autocorr_method kn_autocorr_series_get_method(const kn_autocorr_series *series);
KN_API const char *kn_autocorr_series_get_why(const kn_autocorr_series *series);

// ---- lengths that grow ----

typedef struct kn_autocorr_line {
    double slope, slope_error; // in the unit of R by that of t; the standard errors come from the
    double intercept,
        intercept_error; // residuals, and are not-a-number where no more points are than parameters
    double r2;           // 1 - sum of squared residuals / sum of squares about the mean; below 0 where
                         // the mean fits better
} kn_autocorr_line;

// Straight lines through lengths at several times: a growth law R(t).
typedef struct kn_autocorr_growth {
    size_t points;           // of which both numbers are finite; the others are left out
    kn_autocorr_line origin; // R = slope t: intercept 0, without an error
    kn_autocorr_line line;   // R = slope t + intercept
} kn_autocorr_growth;

// Least squares, unweighted, of `count` points, which may be 0. What cannot be had (no points; all at one
// time; for r2, all of one length) is not-a-number. KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_autocorr_fit_growth(const double *times, const double *lengths, size_t count,
                                        kn_autocorr_growth *growth, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
