# SPDX-License-Identifier: Apache-2.0
# What every file of Koine is compiled with. All of it ends up in KN_CFLAGS, which stands before the user's CFLAGS.

# KN_CFLAG(FLAG, [IF-TAKEN], [IF-REFUSED]): whether the compiler takes a flag without a word.
AC_DEFUN([KN_CFLAG],
[AS_VAR_PUSHDEF([kn_cache], [kn_cv_cflag_$1])dnl
AC_CACHE_CHECK([whether $CC takes $1], [kn_cache],
  [kn_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $1"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([kn_cache], [yes])], [AS_VAR_SET([kn_cache], [no])])
  CFLAGS=$kn_saved_CFLAGS])
AS_VAR_IF([kn_cache], [yes], [$2], [$3])
AS_VAR_POPDEF([kn_cache])dnl
])

# KN_LANGUAGE: C11 with GNU extensions; only what carries KN_API is exported; a multiplication and an addition are
# never contracted behind our back, since sums and moments promise bits.
AC_DEFUN([KN_LANGUAGE],
[AC_SUBST([KN_CFLAGS])
m4_foreach_w([kn_flag], [-std=gnu11 -fvisibility=hidden -ffp-contract=off -pthread],
  [KN_CFLAG(kn_flag, [KN_CFLAGS="$KN_CFLAGS kn_flag"],
    [AC_MSG_ERROR([$CC does not take kn_flag, which Koine needs; gcc and clang do])])
  ])])

# KN_PLAIN: what keeps a compiler from making vectors of plain C; ends up in PLAIN_CFLAGS.
AC_DEFUN([KN_PLAIN],
[AC_SUBST([PLAIN_CFLAGS])
m4_foreach_w([kn_flag], [-fno-tree-vectorize -fno-tree-slp-vectorize],
  [KN_CFLAG(kn_flag, [PLAIN_CFLAGS="$PLAIN_CFLAGS kn_flag"])
  ])])

# KN_VECTORS: whether there is code with AVX2 and AVX-512, as src/base/vector.h has it (HAS_VECTORS).
AC_DEFUN([KN_VECTORS],
[AC_CACHE_CHECK([whether $CC compiles for x86-64], [kn_cv_vectors],
  [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include "$srcdir/src/base/vector.h"
#ifndef KI_HAS_VECTORS
#error none
#endif
]])], [kn_cv_vectors=yes], [kn_cv_vectors=no])])
AM_CONDITIONAL([HAS_VECTORS], [test "x$kn_cv_vectors" = xyes])
])

# KN_SIMD: the compiler makes vectors of loops where KI_SIMD says that it may (src/base/vector.h): the pragma alone, no
# run-time library. One that does not know it skips it.
AC_DEFUN([KN_SIMD],
[KN_CFLAG([-fopenmp-simd], [KN_CFLAGS="$KN_CFLAGS -fopenmp-simd"],
  [KN_CFLAG([-Wno-unknown-pragmas], [KN_CFLAGS="$KN_CFLAGS -Wno-unknown-pragmas"])])
])

# KN_WARNINGS: the warnings that Koine is free of; --enable-werror makes errors of them.
AC_DEFUN([KN_WARNINGS],
[m4_foreach_w([kn_flag], [-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes],
  [KN_CFLAG(kn_flag, [KN_CFLAGS="$KN_CFLAGS kn_flag"])
  ])
AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [make warnings errors (for those who work on Koine)])],
  [], [enable_werror=no])
AS_IF([test "x$enable_werror" = xyes], [KN_CFLAGS="$KN_CFLAGS -Werror"])
])

# KN_SANITIZERS: --enable-sanitizers[=address,undefined] for the tests.
AC_DEFUN([KN_SANITIZERS],
[AC_ARG_ENABLE([sanitizers],
  [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
    [build with the compiler's sanitizers, for the tests @<:@address,undefined@:>@])],
  [], [enable_sanitizers=no])
AS_CASE([$enable_sanitizers],
  [no], [],
  [AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
  kn_flags="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
  kn_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS $kn_flags"
  AC_MSG_CHECKING([whether $CC links with $kn_flags])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: $CC cannot link with it; see config.log, or take gcc])])
  CFLAGS=$kn_saved_CFLAGS
  KN_CFLAGS="$KN_CFLAGS $kn_flags"
  KN_SUMMARY([sanitizers], [$enable_sanitizers])])
])
