// SPDX-License-Identifier: Apache-2.0
// What every function of libkoine returns, and what it says when it cannot do its work.
#ifndef KOINE_ERROR_H
#define KOINE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

// Marks what the shared library exports.
#define KN_API __attribute__((visibility("default")))

// KN_OK (0) is success; any other value names the kind of failure, and a kn_error has the details.
// KN_ERROR_DEVICE and KN_ERROR_MEMORY may come from every function that works on a device or takes memory,
// whether its comment says so or not.
typedef enum kn_status {
    KN_OK = 0,
    // an invalid argument: a null pointer, a value out of range, arguments that do not match
    KN_ERROR_ARGUMENT = 1,
    KN_ERROR_LIMIT = 2,       // a work-group, local memory or argument larger than this device takes
    KN_ERROR_INPUT = 3,       // a file with invalid contents, or one that cannot be read
    KN_ERROR_OUTPUT = 4,      // a file that cannot be written
    KN_ERROR_NO_DEVICE = 5,   // no device, or not the one that was named
    KN_ERROR_DEVICE = 6,      // the driver reported an error
    KN_ERROR_UNSUPPORTED = 7, // this device lacks what is needed (double precision, for instance)
    KN_ERROR_BUILD = 8,       // a kernel does not compile
    KN_ERROR_MEMORY = 9,      // out of host or device memory
    KN_ERROR_INTERRUPTED = 10 // stopped by the user
} kn_status;

// Filled in by a function that fails; left unchanged by one that succeeds. It owns no memory: copy or discard
// it freely. Functions take a pointer to one as their last argument; it may be NULL.
typedef struct kn_error {
    kn_status code;
    int native;           // the driver's or the operating system's own code, 0 if there is none
    char native_name[48]; // and its name: "CL_OUT_OF_RESOURCES", "ENOSPC"
    char file[256];       // the input or kernel file concerned, "" if there is none
    long line;            // the line in it, from 1; 0 if unknown
    char text[3072];      // the whole message: what happened, where, and what to do about it
} kn_error;

#define KN_ERROR_INIT                                                                                        \
    {                                                                                                        \
        KN_OK, 0, "", "", 0, ""                                                                              \
    }

// The name of a status as written above, such as "KN_ERROR_LIMIT". Never NULL.
KN_API const char *kn_status_name(kn_status status);

#ifdef __cplusplus
}
#endif
#endif
