// SPDX-License-Identifier: Apache-2.0
// OpenCL C's constants. They are macros, as the specification has them; a front end that expands them itself
// (they may stand in #if) leaves nothing to do here.

#undef CHAR_BIT
#define CHAR_BIT 8
#undef SCHAR_MAX
#define SCHAR_MAX 127
#undef SCHAR_MIN
#define SCHAR_MIN (-127 - 1)
#undef CHAR_MAX
#define CHAR_MAX 127
#undef CHAR_MIN
#define CHAR_MIN (-127 - 1)
#undef UCHAR_MAX
#define UCHAR_MAX 255
#undef SHRT_MAX
#define SHRT_MAX 32767
#undef SHRT_MIN
#define SHRT_MIN (-32767 - 1)
#undef USHRT_MAX
#define USHRT_MAX 65535
#undef INT_MAX
#define INT_MAX 2147483647
#undef INT_MIN
#define INT_MIN (-2147483647 - 1)
#undef UINT_MAX
#define UINT_MAX 0xffffffffU
#undef LONG_MAX
#define LONG_MAX 0x7fffffffffffffffL
#undef LONG_MIN
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#undef ULONG_MAX
#define ULONG_MAX 0xffffffffffffffffUL

#undef FLT_DIG
#define FLT_DIG 6
#undef FLT_MANT_DIG
#define FLT_MANT_DIG 24
#undef FLT_MAX_10_EXP
#define FLT_MAX_10_EXP 38
#undef FLT_MAX_EXP
#define FLT_MAX_EXP 128
#undef FLT_MIN_10_EXP
#define FLT_MIN_10_EXP (-37)
#undef FLT_MIN_EXP
#define FLT_MIN_EXP (-125)
#undef FLT_RADIX
#define FLT_RADIX 2
#undef FLT_MAX
#define FLT_MAX 0x1.fffffep127f
#undef FLT_MIN
#define FLT_MIN 0x1.0p-126f
#undef FLT_EPSILON
#define FLT_EPSILON 0x1.0p-23f
#undef DBL_DIG
#define DBL_DIG 15
#undef DBL_MANT_DIG
#define DBL_MANT_DIG 53
#undef DBL_MAX_10_EXP
#define DBL_MAX_10_EXP 308
#undef DBL_MAX_EXP
#define DBL_MAX_EXP 1024
#undef DBL_MIN_10_EXP
#define DBL_MIN_10_EXP (-307)
#undef DBL_MIN_EXP
#define DBL_MIN_EXP (-1021)
#undef DBL_RADIX
#define DBL_RADIX 2
#undef DBL_MAX
#define DBL_MAX 0x1.fffffffffffffp1023
#undef DBL_MIN
#define DBL_MIN 0x1.0p-1022
#undef DBL_EPSILON
#define DBL_EPSILON 0x1.0p-52
#undef HALF_DIG
#define HALF_DIG 3
#undef HALF_MANT_DIG
#define HALF_MANT_DIG 11
#undef HALF_MAX_10_EXP
#define HALF_MAX_10_EXP 4
#undef HALF_MAX_EXP
#define HALF_MAX_EXP 16
#undef HALF_MIN_10_EXP
#define HALF_MIN_10_EXP (-4)
#undef HALF_MIN_EXP
#define HALF_MIN_EXP (-13)
#undef HALF_RADIX
#define HALF_RADIX 2
#undef HALF_MAX
#define HALF_MAX 0x1.ffcp15f
#undef HALF_MIN
#define HALF_MIN 0x1.0p-14f
#undef HALF_EPSILON
#define HALF_EPSILON 0x1.0p-10f

#undef MAXFLOAT
#define MAXFLOAT 0x1.fffffep127f
#undef HUGE_VALF
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#undef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000L)
#undef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#undef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#undef FP_ILOGB0
#define FP_ILOGB0 (-2147483647 - 1)
#undef FP_ILOGBNAN
#define FP_ILOGBNAN 2147483647

#undef M_E_F
#define M_E_F 2.71828182845904523536028747135266250f
#undef M_LOG2E_F
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#undef M_LOG10E_F
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#undef M_LN2_F
#define M_LN2_F 0.693147180559945309417232121458176568f
#undef M_LN10_F
#define M_LN10_F 2.30258509299404568401799145468436421f
#undef M_PI_F
#define M_PI_F 3.14159265358979323846264338327950288f
#undef M_PI_2_F
#define M_PI_2_F 1.57079632679489661923132169163975144f
#undef M_PI_4_F
#define M_PI_4_F 0.785398163397448309615660845819875721f
#undef M_1_PI_F
#define M_1_PI_F 0.318309886183790671537767526745028724f
#undef M_2_PI_F
#define M_2_PI_F 0.636619772367581343075535053490057448f
#undef M_2_SQRTPI_F
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#undef M_SQRT2_F
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#undef M_SQRT1_2_F
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
#undef M_E
#define M_E 0x1.5bf0a8b145769p+1
#undef M_LOG2E
#define M_LOG2E 0x1.71547652b82fep+0
#undef M_LOG10E
#define M_LOG10E 0x1.bcb7b1526e50ep-2
#undef M_LN2
#define M_LN2 0x1.62e42fefa39efp-1
#undef M_LN10
#define M_LN10 0x1.26bb1bbb55516p+1
#undef M_PI
#define M_PI 0x1.921fb54442d18p+1
#undef M_PI_2
#define M_PI_2 0x1.921fb54442d18p+0
#undef M_PI_4
#define M_PI_4 0x1.921fb54442d18p-1
#undef M_1_PI
#define M_1_PI 0x1.45f306dc9c883p-2
#undef M_2_PI
#define M_2_PI 0x1.45f306dc9c883p-1
#undef M_2_SQRTPI
#define M_2_SQRTPI 0x1.20dd750429b6dp+0
#undef M_SQRT2
#define M_SQRT2 0x1.6a09e667f3bcdp+0
#undef M_SQRT1_2
#define M_SQRT1_2 0x1.6a09e667f3bcdp-1

// Samplers: normalised coordinates, addressing and filter (6.12.14.1).
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE  1
#define CLK_ADDRESS_NONE            0
#define CLK_ADDRESS_CLAMP_TO_EDGE   2
#define CLK_ADDRESS_CLAMP           4
#define CLK_ADDRESS_REPEAT          6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_FILTER_NEAREST          0x10
#define CLK_FILTER_LINEAR           0x20

// Channel orders and data types of images: the host's values.
#define CLK_R                0x10B0
#define CLK_A                0x10B1
#define CLK_RG               0x10B2
#define CLK_RA               0x10B3
#define CLK_RGB              0x10B4
#define CLK_RGBA             0x10B5
#define CLK_BGRA             0x10B6
#define CLK_ARGB             0x10B7
#define CLK_INTENSITY        0x10B8
#define CLK_LUMINANCE        0x10B9
#define CLK_Rx               0x10BA
#define CLK_RGx              0x10BB
#define CLK_RGBx             0x10BC
#define CLK_SNORM_INT8       0x10D0
#define CLK_SNORM_INT16      0x10D1
#define CLK_UNORM_INT8       0x10D2
#define CLK_UNORM_INT16      0x10D3
#define CLK_UNORM_SHORT_565  0x10D4
#define CLK_UNORM_SHORT_555  0x10D5
#define CLK_UNORM_INT_101010 0x10D6
#define CLK_SIGNED_INT8      0x10D7
#define CLK_SIGNED_INT16     0x10D8
#define CLK_SIGNED_INT32     0x10D9
#define CLK_UNSIGNED_INT8    0x10DA
#define CLK_UNSIGNED_INT16   0x10DB
#define CLK_UNSIGNED_INT32   0x10DC
#define CLK_HALF_FLOAT       0x10DD
#define CLK_FLOAT            0x10DE

#undef CLK_LOCAL_MEM_FENCE
#define CLK_LOCAL_MEM_FENCE 1
#undef CLK_GLOBAL_MEM_FENCE
#define CLK_GLOBAL_MEM_FENCE 2
