// SPDX-License-Identifier: Apache-2.0
// The environment variables that Koine reads: this list is all of them, and koine(1) prints it.
#ifndef KN_BASE_ENV_H
#define KN_BASE_ENV_H

#include <stddef.h>

// X(identifier, name, the form of its value, meaning)
#define KI_ENVIRONMENT(X)                                                                                    \
    X(DEVICE, "KOINE_DEVICE", "SPEC",                                                                        \
      "The device to use where --device names none: opencl:0.0, cpu, gpu, host, auto (the best one), "       \
      "or a part of a name. Without it, commands take what ends first.")                                     \
    X(CACHE_DIR, "KOINE_CACHE_DIR", "DIR",                                                                   \
      "Where compiled kernels are kept. Without it: $XDG_CACHE_HOME/koine, else ~/.cache/koine. Not "        \
      "used if others can write the folder or one above it.")                                                \
    X(KEEP_PROGRAMS, "KOINE_KEEP_PROGRAMS", "yes|no",                                                        \
      "no: compiled kernels are neither kept nor taken from where they are kept. Without it they are kept, " \
      "but for PoCL's, which has a cache of its own and compiles each once more when it is asked for one "   \
      "to "                                                                                                  \
      "keep. yes: PoCL's too; the first run then takes twice as long, and later ones start 0.05 to 0.3 s "   \
      "sooner.")                                                                                             \
    X(KERNEL_PATH, "KOINE_KERNEL_PATH", "DIR[:DIR]...",                                                      \
      "Folders searched for kernel files (.cl, .clh) before those built into the library.")                  \
    X(CUDA_LIBRARIES, "KOINE_CUDA_LIBRARIES", "DIR[:DIR]...",                                                \
      "Folders with libcuda.so.1 and libnvrtc.so.13 (.12, .11.2), instead of where the system, CUDA_HOME "   \
      "and "                                                                                                 \
      "/usr/local/cuda have them. Without an NVIDIA driver in them, CUDA is not used.")                      \
    X(OPENCL_LIBRARY, "KOINE_OPENCL_LIBRARY", "FILE",                                                        \
      "The OpenCL loader, instead of the system's libOpenCL.so.1. One that is in the process already comes " \
      "first. CLBlast and clFFT are used only where they call the same loader.")                             \
    X(PROBE, "KOINE_PROBE", "FILE",                                                                          \
      "The program that tries each OpenCL driver once, instead of the installed koine-probe; a driver that " \
      "ends it is not used. A name that is no program: drivers are opened untried.")                         \
    X(THREADS, "OMP_NUM_THREADS", "COUNT",                                                                   \
      "How many threads compute on the host where nothing else says so. Without it: as many as there are "   \
      "processors on which the process may run. OpenMP's name, though Koine has threads of its own.")        \
    X(LOG, "KOINE_LOG", "warning|info|debug|sync",                                                           \
      "How much is said on standard error; without it, warnings. sync says as much as debug and waits "      \
      "after each kernel, so that a fault is reported under the name of the kernel that made it. With "      \
      "debug a driver that crashes ends the command by its signal, so that there is a core dump, and "       \
      "not with status 4.")                                                                                  \
    X(DATA, "KOINE_DATA", "DIR",                                                                             \
      "The folder with real data, for koine compare, which has cases on some of its files, and for the "     \
      "tests, "                                                                                              \
      "which take ../shared/data without it.")                                                               \
    X(REQUIRE, "KOINE_REQUIRE", "NAME[,NAME]...",                                                            \
      "For the tests: what must be there (data, for instance); a test that would be skipped for want of "    \
      "it fails.")

enum ki_env_variable {
#define KI_ENV_IDENTIFIER(identifier, name, value, meaning) KI_ENV_##identifier,
    KI_ENVIRONMENT(KI_ENV_IDENTIFIER)
#undef KI_ENV_IDENTIFIER
        KI_ENV_COUNT
};

struct ki_env_entry {
    const char *name;
    const char *value; // as a manual shows it
    const char *meaning;
};

extern const struct ki_env_entry ki_env_table[KI_ENV_COUNT];

// The variable's value, NULL if it is not set or empty.
const char *ki_env_get(enum ki_env_variable variable);

#endif
