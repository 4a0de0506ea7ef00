// SPDX-License-Identifier: Apache-2.0
// What every OpenCL C 1.2 compiler defines, whatever the device (except __OPENCL_VERSION__, extensions and
// what depends on the device): for the tables of those who call the preprocessor.
#ifndef KN_SOURCE_PREPROCESS_LANGUAGE_H
#define KN_SOURCE_PREPROCESS_LANGUAGE_H

// Initialisers of kn_define. Constants that may appear in #if (6.12.2, 6.12.3) have their values; those that
// only #ifdef may test are defined as themselves, and the compiler knows their values.
// clang-format off
#define SRC_LANGUAGE_MACROS                               \
    {"__ENDIAN_LITTLE__", "1"},                           \
    {"__kernel_exec(X, typen)", "__kernel"},              \
    {"CL_VERSION_1_0", "100"},                            \
    {"CL_VERSION_1_1", "110"},                            \
    {"CL_VERSION_1_2", "120"},                            \
    {"__OPENCL_C_VERSION__", "120"},                      \
    {"__STDC_VERSION__", "199901L"},                      \
    {"CHAR_BIT", "8"},                                    \
    {"CHAR_MAX", "127"},                                  \
    {"CHAR_MIN", "(-127 - 1)"},                           \
    {"SCHAR_MAX", "127"},                                 \
    {"SCHAR_MIN", "(-127 - 1)"},                          \
    {"UCHAR_MAX", "255"},                                 \
    {"SHRT_MAX", "32767"},                                \
    {"SHRT_MIN", "(-32767 - 1)"},                         \
    {"USHRT_MAX", "65535"},                               \
    {"INT_MAX", "2147483647"},                            \
    {"INT_MIN", "(-2147483647 - 1)"},                     \
    {"UINT_MAX", "0xffffffffU"},                          \
    {"LONG_MAX", "0x7fffffffffffffffL"},                  \
    {"LONG_MIN", "(-0x7fffffffffffffffL - 1)"},           \
    {"ULONG_MAX", "0xffffffffffffffffUL"},                \
    {"FLT_DIG", "6"},                                     \
    {"FLT_MANT_DIG", "24"},                               \
    {"FLT_RADIX", "2"},                                   \
    {"FLT_MAX_EXP", "128"},                               \
    {"FLT_MAX_10_EXP", "38"},                             \
    {"FLT_MIN_EXP", "(-125)"},                            \
    {"FLT_MIN_10_EXP", "(-37)"},                          \
    {"CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"},       \
    {"CLK_GLOBAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"},     \
    {"FLT_MAX", "FLT_MAX"},                               \
    {"FLT_MIN", "FLT_MIN"},                               \
    {"FLT_EPSILON", "FLT_EPSILON"},                       \
    {"MAXFLOAT", "MAXFLOAT"},                             \
    {"HUGE_VALF", "HUGE_VALF"},                           \
    {"INFINITY", "INFINITY"},                             \
    {"NAN", "NAN"},                                       \
    {"M_E_F", "M_E_F"},                                   \
    {"M_LOG2E_F", "M_LOG2E_F"},                           \
    {"M_LOG10E_F", "M_LOG10E_F"},                         \
    {"M_LN2_F", "M_LN2_F"},                               \
    {"M_LN10_F", "M_LN10_F"},                             \
    {"M_PI_F", "M_PI_F"},                                 \
    {"M_PI_2_F", "M_PI_2_F"},                             \
    {"M_PI_4_F", "M_PI_4_F"},                             \
    {"M_1_PI_F", "M_1_PI_F"},                             \
    {"M_2_PI_F", "M_2_PI_F"},                             \
    {"M_2_SQRTPI_F", "M_2_SQRTPI_F"},                     \
    {"M_SQRT2_F", "M_SQRT2_F"},                           \
    {"M_SQRT1_2_F", "M_SQRT1_2_F"}
// clang-format on

#endif
