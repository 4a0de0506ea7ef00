// SPDX-License-Identifier: Apache-2.0
// Autocorrelation and cross-correlation of images and volumes: exact sums over all offsets up to R,
// normalised correlations, azimuthal averages, and the characteristic lengths found in these, as `koine
// autocorr` computes them (Lu et al. 2009), on the host or on a device. Also the preparation of photographs
// for it, which `koine prepare` does, and the fit of a growth law to lengths.
//
// Images I and I' have W x H whole numbers; x runs fastest, and y runs down. In an autocorrelation the two
// are the same image. With R the largest offset in pixels,
//
//     C(X0, Y0) = sum I(x, y) I'(x + X0, y + Y0)    for |X0| <= R, 0 <= Y0 <= R,
//
// over the overlap: those (x, y) for which both pixels lie in the image, and in the mask if there is one. An
// array over the offsets has R + 1 rows, Y0 = 0 to R, of 2R + 1 columns, X0 = -R to R: offset (X0, Y0) is
// element Y0 * (2R + 1) + R + X0. The other half of an autocorrelation is the same, rotated by 180 degrees.
// Where R reaches beyond a side, the overlaps are empty, and their sums are 0.
//
// Volumes have W x H x D voxels, stored as slices of rows. Their offsets are |X0|, |Y0| <= R and 0 <= Z0 <=
// R: an array over the offsets has R + 1 planes of 2R + 1 rows of 2R + 1 columns, and the azimuthal average
// is a spherical one, over shells.
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

// How the sums are computed. A choice that is named either runs or is refused; nothing is substituted for it.
typedef enum kn_autocorr_method {
    // On a device, direct sums or transforms, chosen by a cost model with one number of the device, which is
    // measured once and remembered in the cache on disk. On the host, transforms. Where transforms cannot be
    // exact, or lines are too long for them, direct sums.
    KN_AUTOCORR_AUTO = 0,
    KN_AUTOCORR_DIRECT = 1, // a device: each sum term by term, in whole numbers
    KN_AUTOCORR_FFT = 2,    // both: Fourier transforms; on a device number-theoretic ones where those in
                            // double precision would not be exact
    KN_AUTOCORR_NAIVE = 3,  // the host: four nested loops, one thread, no vectors
    KN_AUTOCORR_SIMD = 4,   // the host: term by term, with vectors and threads
    // A device: the kernels of Lu et al. (2009), for comparison.
    KN_AUTOCORR_TEXTURE_STYLE = 5,
    KN_AUTOCORR_TWO_LINE = 6,
    KN_AUTOCORR_TWO_KERNEL = 7
} kn_autocorr_method;

// From sums to a correlation. With n, S1, S2, Q1, Q2 the pairs of an overlap, the sums of its pixels in I and
// I' and those of their squares, N, T1, T2, E1, E2 the same of offset (0, 0), m = T1 / N and m' = T2 / N.
// Differences are formed in 128-bit integers: on the host, a value has a relative error of one or two units
// of 1e-16. A value is NaN where its formula has 0 in the denominator (pearson: a window of one level; zero
// and unbiased: an image of one level; the others: a black one) and where the overlap is empty; energy and
// zero are 0 there.
typedef enum kn_autocorr_normalization {
    KN_AUTOCORR_PEARSON = 0, // (C - S1 S2 / n) / sqrt((Q1 - S1^2 / n) (Q2 - S2^2 / n))
    KN_AUTOCORR_ENERGY = 1,  // C / sqrt(E1 E2): equation 1 of Lu et al. as printed; falls off as n shrinks
    // C / Q2: the same with the overlap's energy; not symmetric under a rotation by 180 degrees
    KN_AUTOCORR_LU2009 = 2,
    KN_AUTOCORR_GEO = 3,  // C / sqrt(Q1 Q2)
    KN_AUTOCORR_ZERO = 4, // sum (I - m) (I' - m') / sqrt((E1 - N m^2) (E2 - N m'^2)); falls off as n shrinks
    KN_AUTOCORR_UNBIASED = 5, // that times N / n
    KN_AUTOCORR_SYMAVG = 6    // C n / (S1 S2): Schaetzel's symmetric average; tends to 1
} kn_autocorr_normalization;

// The shape of a frame.
typedef struct kn_autocorr_shape {
    size_t struct_size; // set by KN_INIT
    size_t width, height;
    kn_type type;      // of a pixel: KN_U8, KN_U16 or KN_F32
    size_t max_offset; // R, less than the longest side; 0: a quarter of the shortest side, at most 250 (64
                       // for a volume), and at least 1 if there are two pixels
    size_t depth;      // slices of a volume; 0: frames are images
} kn_autocorr_shape;

typedef struct kn_autocorr_options {
    size_t struct_size; // set by KN_INIT
    kn_autocorr_method method;
    kn_autocorr_normalization normalization; // of values, rings and lengths
    // Transforms compute in single precision: they take half the time or less, and the error of each sum is
    // at most kn_autocorr_plan_get_bound, usually hundreds of times less. All other methods stay exact.
    bool single;
    // Images and volumes have periodic boundaries, as in simulations: positions are taken modulo the sides,
    // every overlap is the whole frame, and nothing is padded if the sides have no prime factor above 7.
    // Always exact. Needs KN_AUTOCORR_AUTO or KN_AUTOCORR_FFT, and does not allow a mask.
    bool periodic;
} kn_autocorr_options;

// Frames in host memory, rows from top to bottom; the slices of a volume follow one another. Strides are in
// elements: `stride` from one row to the next, where 0 stands for the width; `frame_stride` from one frame to
// the next.
//
// KN_F32: each image is first converted to 16-bit grey levels, and the sums are those of these levels. If all
// of its numbers are integers from 0 to 65535, they are the levels; otherwise its least number becomes 0 and
// its greatest 65535, and the numbers between are scaled and rounded. Each image, including a second one, is
// scaled by its own range, which includes the pixels outside the mask. An image of a single value that is no
// such level becomes black. The normalisations pearson, zero and unbiased hardly depend on this scaling; the
// others depend on where 0 is. Memory: 2 bytes per pixel of all images, and 6 per pixel of one.
typedef struct kn_autocorr_frames {
    size_t struct_size; // set by KN_INIT
    const void *first;  // I
    size_t stride;
    size_t frame_stride; // 0: one frame after another, height * stride, for a volume depth times that
    const void *second;  // I', the image that is shifted, of the same shape; NULL: the first
    size_t second_stride;
    size_t second_frame_stride; // 0: the same for all frames
    const uint8_t
        *mask; // one byte per pixel; where it is 0, the pixel counts in neither image; NULL: all pixels count
    size_t mask_stride;
    size_t mask_frame_stride; // 0: the same for all frames
} kn_autocorr_frames;

// Ring k of an azimuthal average, k = 0 to R: an offset at the distance r = k + f contributes 1 - f to ring k
// and f to ring k + 1, and an offset with Y0 > 0 counts twice, since it stands for its mirror image too.
// Offsets farther than R and values that are NaN are left out. A ring without offsets has its number as its
// radius, and the value NaN.
typedef struct kn_autocorr_ring {
    double radius;  // the weighted mean of its offsets' distances, in pixels
    double value;   // the weighted mean of the correlation
    double error;   // its standard error, from the spread in the ring
    double weight;  // the sum of the contributions of offsets, over the whole plane
    uint64_t count; // offsets of the half plane that contribute to it
} kn_autocorr_ring;

// Lengths in pixels, from the azimuthal average; a length that does not exist is NaN. A minimum or a maximum
// counts when the curve has moved away from it by more than a quarter of a ring's standard error; its
// position and height come from a parabola through it and its neighbours.
typedef struct kn_autocorr_lengths {
    double r_max;       // the first maximum after the first minimum
    double r_max_error; // its standard error, by the jackknife over 12 sectors: how much directions disagree
    double maximum;     // the correlation there
    double r_min;       // that first minimum
    double minimum;
    double r_zero; // the first zero crossing of the correlation
} kn_autocorr_lengths;

// Where results are written, in the caller's memory, one frame after another; NULL: not wanted. What is not
// wanted is not copied from a device, and as far as possible not computed.
typedef struct kn_autocorr_results {
    size_t struct_size;           // set by KN_INIT
    uint64_t *sums;               // over the offsets: C
    double *values;               // over the offsets: the correlation
    kn_autocorr_ring *rings;      // R + 1 a frame
    kn_autocorr_lengths *lengths; // one a frame
} kn_autocorr_results;

// Prepares correlations of frames of one shape: on `queue`, which is borrowed and must be open at every call,
// or, if that is NULL, on the host, with as many threads as OMP_NUM_THREADS says. `options` may be NULL:
// exact, AUTO, pearson. The first call compiles the kernels and allocates memory, which are kept for later
// calls. A plan may be used by one thread at a time; two threads may use two plans on separate queues.
// Errors: KN_ERROR_ARGUMENT for NULL, no pixels or more than 2^31, an R that leaves no overlap, a host-only
// method with a queue, and a context of KN_POLICY_FAST, which does not guarantee exact integers;
// KN_ERROR_UNSUPPORTED for other types, for a device method without a queue, and for volumes or periodic
// images with a method that does not have them; KN_ERROR_LIMIT for more offsets than the address space holds.
KN_API kn_status kn_autocorr_plan_create(kn_queue *queue, const kn_autocorr_shape *shape,
                                         const kn_autocorr_options *options, kn_autocorr_plan **plan,
                                         kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_plan_free(kn_autocorr_plan *plan);

// Correlates `count` frames (0 is fine) and waits. On the host, each thread takes one frame of a batch; a
// device takes up to 64 frames, or 64 MiB of their pixels or sums, at a time, while the next ones are copied.
// The sums are exact integers, the same with every method, unless `single` was asked for. Rings are computed
// on the device if it has double precision, or sums in single precision are enough, and if there is no mask,
// or one mask for all frames on a GPU whose local memory holds lines of W + R and H + R numbers of 4 bytes.
// They then agree with the host's to a relative 1e-13 (single precision: 1e-6), and the sums need not be
// copied back. The rings of volumes and periodic images are computed on the host. Cost: term by term about 2
// R^2 W H products, by transforms about 5 (W + R) (H + R) log2((W + R) (H + R)) operations; values and rings
// on the host read the image once more. With a mask, the sums over overlaps are computed by integer
// transforms too: on a device, of the mask once and of each frame and second frame three times (16 bits:
// four), forward and inverse; on the host, in some ten times the time of a frame's transforms. Memory of
// transforms on the host: 8 bytes per padded pixel and image, with a mask and values some ten times that; on
// a device: the pixels and 8 bytes per offset of up to two batches, the spectra of the transforms, and for
// rings 64 (R + 1)^2 bytes for each frame of those computed together. Volumes and periodic images: transforms
// in double precision of levels cut into pieces of 8 or 4 bits, so that the error of each sum is proven to be
// below 1/4; memory 8 bytes per number of the padded volume for each piece, twice that with a second image,
// and twice that again on the host; `single` is ignored. A device needs double precision. Errors of shells
// are defined as those of rings, and r_max_error is the jackknife over twelve sectors of the half space.
// Errors: KN_ERROR_UNSUPPORTED for volumes and periodic images with a mask, or on a device without double
// precision; KN_ERROR_ARGUMENT for NULL, strides less than the width, and floats that are not finite (the
// message says where), before anything is written; KN_ERROR_UNSUPPORTED if KN_AUTOCORR_FFT on the host cannot
// be exact (from some tens of millions of pixels; KN_AUTOCORR_SIMD can); KN_ERROR_LIMIT for rows or offsets
// beyond a device's 32-bit numbers or local memory; KN_ERROR_MEMORY. After any error other than
// KN_ERROR_ARGUMENT the results are undefined.
KN_API kn_status kn_autocorr_execute(kn_autocorr_plan *plan, const kn_autocorr_frames *frames, size_t count,
                                     const kn_autocorr_results *results, kn_error *err);

// The same for frames in the memory of the plan's device, `count` of them one after another without gaps, of
// KN_U8 or KN_U16; `second` has as many, or is NULL. They are read in place, after the work already in the
// plan's queue; only the results are copied. Waits. All frames are one batch, and the device must have room
// for its sums. The bound of single precision is that of the worst image of this size and type, since the
// host does not read the pixels. Errors: KN_ERROR_ARGUMENT also for a plan of the host, and for a buffer of
// another context or one that is too small; KN_ERROR_UNSUPPORTED for KN_F32, which only the host scales;
// KN_ERROR_LIMIT also for buffers held in parts.
KN_API kn_status kn_autocorr_execute_buffers(kn_autocorr_plan *plan, const kn_buffer *first,
                                             const kn_buffer *second, size_t count,
                                             const kn_autocorr_results *results, kn_error *err);

// Only the sums of frames on the device, written to `sums` there: `count` arrays of uint64_t over the
// offsets, one frame after another. Asynchronous, except for the preparation by the first call of a plan or
// by one with another `count`, and for the measurement of KN_AUTOCORR_AUTO. Values, rings and lengths, which
// the host computes or completes, need a call that waits (kn_autocorr_execute_buffers). Errors: those of
// kn_autocorr_execute_buffers; KN_ERROR_UNSUPPORTED for volumes and periodic images, whose sums are completed
// on the host; KN_ERROR_ARGUMENT also if `sums` is one of the frames' buffers.
KN_API kn_status kn_autocorr_sums_to_buffer(kn_autocorr_plan *plan, const kn_buffer *first,
                                            const kn_buffer *second, size_t count, kn_buffer *sums,
                                            kn_error *err);

// ---- frames some lags apart ----

// The pairs of lag k are frames i (I) and i + k (I'), for all i for which both exist; at lag 0 each frame is
// paired with itself. Each pair is correlated like any first and second image, and the results of a lag are
// means over its pairs: the spatio-temporal correlation of Hebert, Costantino and Wiseman (2005), and, pair
// by pair, the time-resolved correlation of Cipelletti et al. (2003), also called two-time correlation. A
// pair without a value at the offset (0, 0), for instance because an image has a single level, is left out.
typedef struct kn_autocorr_lag {
    size_t pairs;     // that counted; 0: everything below is NaN
    double value;     // the correlation at (0, 0): with pearson, how much of an image is left k frames later
    double deviation; // its standard deviation over the pairs, divided by pairs - 1
    kn_autocorr_lengths lengths; // in the mean azimuthal average
} kn_autocorr_lag;

// Where results are written, in the caller's memory; NULL: not wanted. Lags follow one another, 0 to max_lag.
typedef struct kn_autocorr_lag_results {
    size_t struct_size;      // set by KN_INIT
    kn_autocorr_lag *lags;   // one a lag
    kn_autocorr_ring *rings; // R + 1 a lag: means over pairs; `error` is the mean of the pairs' own errors
    double *values;          // over the offsets, of each lag: the mean; NaN if that of one pair is
    double *correlations; // `count` a lag: at (0, 0) of the pair whose first frame is i; NaN if there is no
                          // such pair
} kn_autocorr_lag_results;

// Correlates frames with themselves and with those 1 to max_lag frames later, by the plan's method and
// normalization, and waits. `frames` must not have a second image, and have one mask for all frames or none.
// The sums of a pair are those of kn_autocorr_execute, and as exact; means are summed in the order of the
// frames, so that, where rings are computed on the host, a lag has the same bits wherever its sums were
// computed. Rings are computed on the device where kn_autocorr_execute would do so. Cost: that of (max_lag +
// 1) count frames with a second image; the memory of such a batch, and on a device the frames, as many as fit
// into an eighth of its memory: each of these is copied once. `value` and `deviation` hardly decrease with
// energy, lu2009 and geo, which do not subtract means. Errors: KN_ERROR_ARGUMENT for max_lag >= count and for
// a second image; KN_ERROR_UNSUPPORTED for volumes and for masks of single frames; and those of
// kn_autocorr_execute.
KN_API kn_status kn_autocorr_execute_lags(kn_autocorr_plan *plan, const kn_autocorr_frames *frames,
                                          size_t count, size_t max_lag,
                                          const kn_autocorr_lag_results *results, kn_error *err);
// The same for frames on the device of the plan's queue, without gaps and without a mask, with bitwise
// identical results. The frames are copied to the host, which computes the sums of windows; they are not
// copied back. Errors: also those of kn_autocorr_execute_buffers.
KN_API kn_status kn_autocorr_execute_lags_buffer(kn_autocorr_plan *plan, const kn_buffer *frames,
                                                 size_t count, size_t max_lag,
                                                 const kn_autocorr_lag_results *results, kn_error *err);

// The lag at which `value` has fallen to 1/e of its value at lag 0, interpolated linearly between lags; times
// the interval between frames, it is the decorrelation time. symavg, which tends to 1, has to fall to 1/e of
// its initial distance from 1. NaN if this is not reached, and for NULL.
KN_API double kn_autocorr_find_decorrelation(const kn_autocorr_lag *lags, size_t count,
                                             kn_autocorr_normalization normalization);

// ---- what a plan tells ----

// For a plan that is NULL these return 0, "" and KN_AUTOCORR_AUTO.
KN_API size_t kn_autocorr_plan_get_max_offset(const kn_autocorr_plan *plan); // R
// The size of an array over the offsets: R + 1 and 2R + 1; of a plane of a volume's array, 2R + 1 both.
KN_API size_t kn_autocorr_plan_get_rows(const kn_autocorr_plan *plan);
KN_API size_t kn_autocorr_plan_get_columns(const kn_autocorr_plan *plan);
// The method that the last call ran; KN_AUTOCORR_AUTO before the first call.
KN_API kn_autocorr_method kn_autocorr_plan_get_method(const kn_autocorr_plan *plan);
// Why KN_AUTOCORR_AUTO chose that method, in words; "" for a method that was named. Owned by the plan, and
// valid until the next call.
KN_API const char *kn_autocorr_plan_get_why(const kn_autocorr_plan *plan);
// The greatest possible error of a sum of the last call; 0: all are exact.
KN_API double kn_autocorr_plan_get_bound(const kn_autocorr_plan *plan);

// ---- methods and normalizations ----

// Whether a method runs on devices, or on the host; KN_AUTOCORR_AUTO runs on both. False for any other value.
KN_API bool kn_autocorr_method_runs(kn_autocorr_method method, bool on_device);

// "auto", "direct", "fft", "naive", "simd", "texture-style", "two-line", "two-kernel"; "pearson", "energy",
// "lu2009", "geo", "zero", "unbiased", "symavg". NULL for any other value.
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

// Converts a picture to grey levels. Colour becomes (299 R + 587 G + 114 B) / 1000, rounded (ITU-R BT.601's
// luma), which is the grey level itself where all three are equal; transparency is ignored. 32-bit floats are
// kept if they are integers from 0 to 65535, and otherwise stretched over that range. `name` is what messages
// call the picture, or NULL. The function takes ownership of the samples and sets the picture's pointer to
// NULL, unless the error is KN_ERROR_ARGUMENT; kn_free frees the pixels. Cost: reads the picture once, floats
// twice; 8 or 16 bits of one channel are not even copied. Errors: KN_ERROR_ARGUMENT for NULL, no pixels or
// more than the address space holds, other channels and types; KN_ERROR_INPUT for floats that are not finite,
// with the pixel.
KN_API kn_status kn_autocorr_make_grey(const char *name, kn_autocorr_picture *picture, kn_autocorr_grey *grey,
                                       kn_error *err);

// A series of frames from any source. Several threads call its functions at once.
typedef struct kn_autocorr_source {
    size_t struct_size;       // set by KN_INIT
    size_t count;             // frames
    const char *const *names; // what messages call them, such as their files; NULL: by their numbers, from 0
    // Decodes frame i. Its pixels come from kn_autocorr_make_grey or malloc, and the library frees them.
    // *kept belongs to the calling thread and is kept from one frame to the next, NULL before the first: an
    // open file, for instance. On failure there are no pixels; the status, and the message that it may leave
    // in `err`, which is not NULL, become the error of this frame, and the other frames are still processed.
    kn_status (*fetch)(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err);
    void (*release)(void *data,
                    void *kept); // frees what a thread kept, which may be NULL; NULL: nothing to free
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
    size_t struct_size; // set by KN_INIT
    // Aligns each frame with the first readable one, to fractions of a pixel: phase correlation (Kuglin and
    // Hines 1975) finds shifts of up to an eighth of the picture, cubic interpolation (Catmull and Rom 1974)
    // moves it, and pixels that come in at an edge repeat it. A shift that is not certain is refused
    // (kn_autocorr_prepared).
    bool stabilise;
    // Flat-field correction: divides the frame by its own blur, a Gaussian of this standard deviation in
    // pixels, and multiplies it by its mean; 0: off.
    double flatten;
    // Fills dust with the smoothest surface through its edge. Dust is what differs from the median of its
    // neighbourhood (17 x 17 pixels) by more than 8 standard deviations of all pixels and by more than twice
    // as much as 98 % of them; or it is where `dust`, of the frames' size, is not black. NULL: no such map.
    bool find_dust;
    const kn_autocorr_grey *dust;
    // Maps levels `low` to `high` to black to white; or, with `contrast_auto`, the levels below and above
    // which a thousandth of the first frame's pixels lies.
    bool contrast, contrast_auto;
    double low, high;
    const kn_autocorr_region *crop; // what is kept; NULL: all
    bool show;                      // keep a picture of each step
} kn_autocorr_preparation_options;

// What was done to a frame.
typedef struct kn_autocorr_prepared {
    double x, y;      // how far it had moved, in pixels
    size_t dust;      // pixels that were mended
    double low, high; // levels of black and white; both 0: unchanged
    // Indexed by kn_autocorr_step: with `show`, the steps that ran; the others have no pixels.
    kn_autocorr_grey pictures[KN_AUTOCORR_STEPS];
    // How certain x and y are: the peak-to-sidelobe ratio (Bolme et al. 2010), the height of the
    // correlation's peak above the mean of all pixels but the 11 x 11 around it, in standard deviations of
    // those pixels; the lower of two, where a frame is registered again in its overlap with the first. A
    // frame below 10 is refused: unrelated random pictures of 64 x 80 pixels and more reached at most 9 in
    // 6,000 pairs. 0 without `stabilise`.
    double certainty;
} kn_autocorr_prepared;

// Frees the pictures. NULL is fine.
KN_API void kn_autocorr_prepared_free(kn_autocorr_prepared *prepared);

typedef struct kn_autocorr_preparation kn_autocorr_preparation;

// Sets up how frames are prepared. `stabilise` and `contrast_auto` decode the first readable frame and
// prepare it up to the contrast step; without them `source` is ignored and may be NULL. The pixels of the
// dust map are borrowed as long as the preparation exists, everything else only for this call. `options` may
// be NULL: nothing is done. Errors: KN_ERROR_ARGUMENT for NULL, a radius that is not finite or below 0, both
// kinds of dust, a contrast that does not rise, a region without pixels; KN_ERROR_INPUT if no frame can be
// read, with the message of the last one.
KN_API kn_status kn_autocorr_preparation_create(const kn_autocorr_source *source,
                                                const kn_autocorr_preparation_options *options,
                                                kn_autocorr_preparation **preparation, kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_preparation_free(kn_autocorr_preparation *preparation);

// Prepares a frame in place: its pixels, from kn_autocorr_make_grey or malloc, are replaced. Several threads
// may prepare frames with one preparation at once. `name` is what messages call it, or NULL. Cost: floats of
// the picture, and with `stabilise` 2 to 8 complex transforms of it. Errors, with the name: KN_ERROR_ARGUMENT
// for NULL, another type, a region that is not in the frame; KN_ERROR_INPUT for a size other than that of the
// first frame or of the dust map, and for a frame whose shift is not certain, because it has nothing in
// common with the first, has no structure, or has only a repeating pattern. The frame and `prepared` are
// changed only on success.
KN_API kn_status kn_autocorr_prepare(const kn_autocorr_preparation *preparation, const char *name,
                                     kn_autocorr_grey *grey, kn_autocorr_prepared *prepared, kn_error *err);

// Decodes and prepares frames on several threads, ahead of the caller, who takes them in order.
typedef struct kn_autocorr_reader kn_autocorr_reader;

typedef struct kn_autocorr_reader_options {
    size_t struct_size; // set by KN_INIT
    unsigned threads;   // 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    size_t ahead;       // most frames in memory at a time; 0: 8
    // Borrowed as long as the reader is open. NULL: frames are not prepared.
    const kn_autocorr_preparation *preparation;
} kn_autocorr_reader_options;

// Starts the threads. `source` and what it points to are borrowed until the reader is closed. `options` may
// be NULL. Errors: KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_autocorr_reader_open(const kn_autocorr_source *source,
                                         const kn_autocorr_reader_options *options,
                                         kn_autocorr_reader **reader, kn_error *err);
// Waits for the next frame; kn_free frees its pixels, kn_autocorr_prepared_free the pictures. To be called by
// one thread. `prepared` may be NULL. Errors: those of the source and of kn_autocorr_prepare for this frame,
// after which the next call gives the next frame; KN_ERROR_ARGUMENT for NULL, and after the last frame.
KN_API kn_status kn_autocorr_reader_next(kn_autocorr_reader *reader, kn_autocorr_grey *grey,
                                         kn_autocorr_prepared *prepared, kn_error *err);
// Seconds spent on decoding and preparing so far, of all threads together. 0 for NULL.
KN_API double kn_autocorr_reader_get_seconds(const kn_autocorr_reader *reader);
// Ends the threads, even if not all frames were taken. NULL is fine.
KN_API void kn_autocorr_reader_close(kn_autocorr_reader *reader);

// ---- a series ----

// What is computed of each frame, and how.
typedef struct kn_autocorr_series_options {
    size_t struct_size; // set by KN_INIT
    kn_autocorr_method method;
    kn_autocorr_normalization normalization;
    bool single;       // as in kn_autocorr_options
    size_t max_offset; // R; 0: a quarter of the first frame's shorter side, at most 250, and at least 1 if
                       // there are two pixels
    const kn_autocorr_region *region; // NULL: the whole of each prepared frame
    const kn_autocorr_grey *mask; // of the frames' size; black pixels do not count; NULL: all pixels count
    const kn_autocorr_grey *with; // the second image of each frame, which is shifted; NULL: the frame
    bool one_size;                // frames whose size differs from the first one's are refused
    bool sums, values;            // wanted for each frame, besides its rings and lengths
    unsigned threads; // that decode frames; 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    const kn_autocorr_preparation *preparation;          // NULL: frames are taken as they are
    const struct kn_autocorr_verification *verification; // koine/experimental/autocorr.h; NULL: none
    bool periodic;                                       // as in kn_autocorr_options; without a mask
    // Each frame is also correlated with those 1 to `max_lag` frames after it (kn_autocorr_lag); all frames
    // must have one size and type, and `with` must be NULL. 0: off.
    size_t max_lag;
    // The most bytes, by estimate, that frames and their results may take: of the host's memory, and of the
    // device's, which is the same on a CPU device. To keep the limit, fewer frames are decoded ahead and
    // computed together, and KN_AUTOCORR_AUTO adds term by term where transforms would take more; exact sums
    // stay the same. If a frame does not fit by itself, or with `max_lag` beside the max_lag + 1 frames that
    // are kept, the series ends with KN_ERROR_MEMORY, and the message says how much it takes. 0: as
    // kn_autocorr_series_execute says.
    size_t memory_limit;
} kn_autocorr_series_options;

// The result of a frame. What it points to belongs to the series, and is valid until the function that
// receives it returns.
typedef struct kn_autocorr_analysis {
    size_t index;          // of the frame, from 0
    const kn_error *error; // why there is no result, and then everything else is 0; NULL: there is one
    size_t width, height;  // of what was correlated
    size_t max_offset;     // R
    bool colour, stretched;
    const kn_autocorr_prepared *prepared;
    const uint64_t *sums;          // over the offsets; NULL where they are not wanted
    const double *values;          // over the offsets; NULL likewise
    const kn_autocorr_ring *rings; // R + 1
    kn_autocorr_lengths lengths;
    kn_autocorr_method method; // that ran
    double bound;              // the greatest possible error of a sum; 0: all are exact
    double seconds;            // of computing: its share of those that were computed together
    const struct kn_autocorr_verified *verified; // koine/experimental/autocorr.h; NULL: nothing is
} kn_autocorr_analysis;

// Receives the result of each frame, in order, in the calling thread. Any status but KN_OK ends the series,
// and becomes its error with the message that the function may leave in `err`, which is not NULL: return
// KN_ERROR_INTERRUPTED to stop.
typedef kn_status kn_autocorr_take(void *data, const kn_autocorr_analysis *analysis, kn_error *err);

typedef struct kn_autocorr_series kn_autocorr_series;

// Prepares to analyse frames that come one by one: on `queue`, which is borrowed and must be open at every
// call, or, if that is NULL, on the host. `options` may be NULL; what they point to is borrowed as long as
// the series exists. A series may be used by one thread at a time. Errors: as kn_autocorr_plan_create;
// KN_ERROR_ARGUMENT for a mask or second image that is not a valid image.
KN_API kn_status kn_autocorr_series_create(kn_queue *queue, const kn_autocorr_series_options *options,
                                           kn_autocorr_series **series, kn_error *err);
// NULL is fine.
KN_API void kn_autocorr_series_free(kn_autocorr_series *series);

// Decodes the frames on several threads, prepares and correlates them, and finds their lengths, while others
// are decoded: a device works on two batches, one being copied while the other is computed. `take` is called
// with `data` for each frame. A frame that cannot be read or correlated is reported as such, and the others
// are still processed. Waits. Memory: twice that of kn_autocorr_execute; at most 512 MiB of decoded frames,
// or two frames; or the memory_limit of the options; with `max_lag` twice that, and another max_lag + 1
// frames and 64 MiB of them. Errors: KN_ERROR_ARGUMENT for NULL, and if there are not more frames than
// `max_lag`; what `take` returned; errors of the device that do not concern a single frame.
KN_API kn_status kn_autocorr_series_execute(kn_autocorr_series *series, const kn_autocorr_source *source,
                                            kn_autocorr_take *take, void *data, kn_error *err);

// The results for frames some lags apart: as kn_autocorr_lag_results, but owned by the library.
typedef struct kn_autocorr_lags {
    size_t count;      // of lags: max_lag + 1
    size_t frames;     // of the series
    size_t max_offset; // R
    const kn_autocorr_lag *lags;
    const kn_autocorr_ring *rings;
    const double *values; // NULL if the series has no values
    const double *correlations;
    double bound;         // what each sum of a pair is off by at most; 0: all are exact
    double decorrelation; // kn_autocorr_find_decorrelation
} kn_autocorr_lags;

// The lags of the last call, valid until the next call or until the series is freed. NULL if no lags were
// wanted, or if no frame could be processed.
KN_API const kn_autocorr_lags *kn_autocorr_series_get_lags(const kn_autocorr_series *series);

// As kn_autocorr_plan_get_method and kn_autocorr_plan_get_why.
KN_API kn_autocorr_method kn_autocorr_series_get_method(const kn_autocorr_series *series);
KN_API const char *kn_autocorr_series_get_why(const kn_autocorr_series *series);

// ---- lengths that grow ----

typedef struct kn_autocorr_line {
    double slope, slope_error; // in units of R per unit of t; the standard errors come from the
    double intercept,
        intercept_error; // residuals, and are NaN if there are no more points than parameters
    double r2;           // coefficient of determination; below 0 if the mean fits better
} kn_autocorr_line;

// Straight lines through lengths at several times: a growth law R(t).
typedef struct kn_autocorr_growth {
    size_t points;           // points whose numbers are both finite; the others are left out
    kn_autocorr_line origin; // R = slope t: intercept 0, without an error
    kn_autocorr_line line;   // R = slope t + intercept
} kn_autocorr_growth;

// Unweighted least squares through `count` points, which may be 0. What is undefined (without points; with
// all at one time; r2, with all of one length) is NaN. KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_autocorr_fit_growth(const double *times, const double *lengths, size_t count,
                                        kn_autocorr_growth *growth, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
