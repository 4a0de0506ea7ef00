// SPDX-License-Identifier: Apache-2.0
// The elements that meet a condition, on the device.
#ifndef KOINE_PARTITION_H
#define KOINE_PARTITION_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which elements are meant: snippets of OpenCL C.
typedef struct kn_condition {
    size_t struct_size;      // KN_INIT sets it
    const char *type;        // the elements' type: "float", "uchar4", "struct particle"; see kn_type_name
    size_t size;             // bytes of one, as OpenCL C has it (a float3 has 16); at most 1,024
    const char *holds;       // an expression over `x`, an element: whether it is meant. "x > 0"
    const char *definitions; // what both need: structs, typedefs, functions, on one line or several; or NULL
} kn_condition;

// The elements among the first n of `x` for which the condition holds, to `out` in their order (stable). How
// many these are goes to the start of the buffer `counted` as one uint64_t, and to *count; either may be
// NULL. With `count` the call waits for it, else it is asynchronous. The condition says the same of equal
// elements at any time: it is asked twice. `out` is another buffer than x, and holds n elements; what lies
// behind those that are meant is left as it was. Method: those of each of some thousand stretches are
// counted, then moved; no work-group waits for another. Cost: reads x twice, writes once; a compiler run for
// every new condition. Errors: KN_ERROR_ARGUMENT; KN_ERROR_BUILD, with the compiler's words, for a type,
// definition or condition that does not compile, and for a size that is not the type's; KN_ERROR_LIMIT for a
// buffer held in parts; KN_ERROR_UNSUPPORTED for double where there is none.
KN_API kn_status kn_select_if(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

// The same, and behind them all others, in their order, too.
KN_API kn_status kn_partition(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
