# SPDX-License-Identifier: Apache-2.0
# Packages. Each macro sets PREFIX_CFLAGS and PREFIX_LIBS and adds its row to the summary. Those that libkoine links
# also go into koine.pc: by name (KN_PC_REQUIRES) if they have a .pc file, else as flags (KN_PC_LIBS).

# KN_PACKAGE(PREFIX, MODULE, HEADER, LIBRARY, FUNCTION, DEBIAN-PACKAGE, [command]): one that must be there; the last
# argument says that the command alone links it, and not libkoine.
AC_DEFUN([KN_PACKAGE],
[AC_SUBST([KN_PC_REQUIRES])
AC_SUBST([KN_PC_LIBS])
PKG_CHECK_MODULES([$1], [$2], [m4_if([$7], [command], [:], [KN_PC_REQUIRES="$KN_PC_REQUIRES $2"])],
  [AC_CHECK_HEADER([$3], [],
    [AC_MSG_ERROR([$3 not found: Koine needs $2. On Debian and Ubuntu: apt-get install $6])])
  AC_CHECK_LIB([$4], [$5], [],
    [AC_MSG_ERROR([lib$4 not found: Koine needs $2. On Debian and Ubuntu: apt-get install $6])])
  LIBS=`AS_ECHO(["$LIBS"]) | $SED 's/-l$4//'`
  $1_LIBS=-l$4
  m4_if([$7], [command], [], [KN_PC_LIBS="$KN_PC_LIBS -l$4"])])
KN_SUMMARY([$2], [yes])
])

# KN_COMMAND: --disable-command builds libkoine and koine-probe alone, for what links the library, such as the Python
# package: neither the command nor the tests, nor what they need. KN_WITH_COMMAND(CHECKS) leaves out their packages.
AC_DEFUN([KN_COMMAND],
[AC_ARG_ENABLE([command],
  [AS_HELP_STRING([--disable-command], [build the library alone, without the command, the tests, and what they need])],
  [], [enable_command=yes])
AM_CONDITIONAL([COMMAND], [test "x$enable_command" != xno])
AS_VAR_IF([enable_command], [no],
  [KN_SUMMARY([command], [off], [the library alone: make check has nothing to run])])
])
AC_DEFUN([KN_WITH_COMMAND], [AS_VAR_IF([enable_command], [no], [], [$1])])

# KN_OPENCL: OpenCL's headers. The loader, the drivers, CLBlast and clFFT are opened at run time; OPENCL_LIBS is for
# applications of OpenCL among the examples, tests and benchmarks, which link with the loader.
AC_DEFUN([KN_OPENCL],
[kn_have_OPENCL=no
PKG_CHECK_MODULES([OPENCL], [OpenCL], [kn_have_OPENCL=yes],
  [kn_libs=$LIBS
  LIBS="-l:libOpenCL.so.1 $LIBS"
  AC_MSG_CHECKING([for libOpenCL.so.1])
  AC_LINK_IFELSE([AC_LANG_CALL([], [clGetPlatformIDs])], [kn_have_OPENCL=yes; OPENCL_LIBS=-l:libOpenCL.so.1])
  AC_MSG_RESULT([$kn_have_OPENCL])
  LIBS=$kn_libs])
kn_cppflags=$CPPFLAGS
CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS"
AC_CHECK_HEADER([CL/cl.h], [],
  [AC_MSG_ERROR([CL/cl.h not found: Koine needs OpenCL's headers. On Debian and Ubuntu: apt-get install opencl-c-headers])])
CPPFLAGS=$kn_cppflags
AM_CONDITIONAL([HAVE_OPENCL], [test "x$kn_have_OPENCL" = xyes])
KN_SUMMARY([OpenCL], [yes], [at run time: libOpenCL.so.1, libclblast.so.1 and libclFFT.so.2 are opened where they are])
AS_VAR_IF([kn_have_OPENCL], [no],
  [KN_SUMMARY([OpenCL loader], [no], [make check runs no unit tests and builds no opencl_embed (ocl-icd-opencl-dev)])])
])

# KN_OPTIONAL(PREFIX, MODULE, NAME, COST): one that may be missing, or be left out by --without-MODULE. Sets
# kn_have_PREFIX and defines HAVE_PREFIX. PREFIX_LIBS is linked only by what names it.
AC_DEFUN([KN_OPTIONAL],
[AC_ARG_WITH(m4_tolower([$1]), [AS_HELP_STRING([--without-]m4_tolower([$1]), [build without $3: $4])],
  [], [AS_VAR_SET([with_]m4_tolower([$1]), [auto])])
kn_have_$1=no
AS_VAR_IF([with_]m4_tolower([$1]), [no], [KN_SUMMARY([$3], [off], [$4])],
  [PKG_CHECK_MODULES([$1], [$2],
    [kn_have_$1=yes
    AC_DEFINE([HAVE_$1], [1], [Define to 1 if $3 is there.])
    KN_SUMMARY([$3], [yes])],
    [AS_VAR_IF([with_]m4_tolower([$1]), [yes],
      [AC_MSG_ERROR([--with-]m4_tolower([$1])[ was given, but pkg-config does not know $2])])
    KN_SUMMARY([$3], [no], [$4])])])
])

# KN_CUDA_H: the CUDA toolkit's cuda.h. Koine itself does without; one example shows it to applications that have it.
AC_DEFUN([KN_CUDA_H],
[AC_ARG_VAR([CUDA_CFLAGS], [how cuda.h is found, for doc/examples/cuda_embed.c (nothing else needs it)])
kn_have_CUDA_H=no
kn_cppflags=$CPPFLAGS
for kn_flags in "$CUDA_CFLAGS" "-I${CUDA_HOME:-/usr/local/cuda}/include"; do
  CPPFLAGS="$kn_cppflags $kn_flags"
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <cuda.h>]])], [kn_have_CUDA_H=yes; CUDA_CFLAGS=$kn_flags; break])
done
CPPFLAGS=$kn_cppflags
AM_CONDITIONAL([HAVE_CUDA_H], [test "x$kn_have_CUDA_H" = xyes])
AS_VAR_IF([kn_have_CUDA_H], [yes], [KN_SUMMARY([cuda.h], [yes])],
  [KN_SUMMARY([cuda.h], [no], [doc/examples/cuda_embed is not built])])
])

# KN_MPI: --with-mpi builds libkoine-mpi, and a command that shares its work among the ranks of mpirun. MPI is found by
# pkg-config, or by the compiler wrapper that is named or called mpicc. Sets MPI_CFLAGS and MPI_LIBS.
AC_DEFUN([KN_MPI],
[AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AC_ARG_WITH([mpi],
  [AS_HELP_STRING([--with-mpi@<:@=MPICC@:>@], [build libkoine-mpi, and share the command's work among the ranks of mpirun; MPICC is a compiler wrapper of MPI])],
  [], [with_mpi=no])
AS_CASE([$with_mpi],
  [no], [KN_SUMMARY([MPI], [off], [koine refuses to run as several ranks of mpirun (--with-mpi)])],
  [kn_wrapper=$with_mpi
  AS_VAR_IF([with_mpi], [yes], [kn_wrapper=mpicc])
  AS_IF([test "x$with_mpi" = xyes && $PKG_CONFIG --exists ompi-c], [kn_module=ompi-c],
    [test "x$with_mpi" = xyes && $PKG_CONFIG --exists mpich], [kn_module=mpich],
    [kn_module=])
  AS_IF([test -n "$kn_module"],
    [MPI_CFLAGS=`$PKG_CONFIG --cflags $kn_module`
    MPI_LIBS=`$PKG_CONFIG --libs $kn_module`],
    [kn_shown=`$kn_wrapper -show 2>/dev/null`
    for kn_word in $kn_shown; do
      AS_CASE([$kn_word],
        [-I*|-D*|-pthread], [MPI_CFLAGS="$MPI_CFLAGS $kn_word"],
        [-L*|-l*|-Wl,-rpath*], [MPI_LIBS="$MPI_LIBS $kn_word"])
    done])
  kn_cppflags=$CPPFLAGS
  kn_libs=$LIBS
  CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"
  LIBS="$MPI_LIBS $LIBS"
  AC_MSG_CHECKING([for MPI 3])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Fetch_and_op(0, 0, MPI_BYTE, 0, 0, MPI_SUM, MPI_WIN_NULL)]])],
    [AC_MSG_RESULT([${kn_module:-$kn_wrapper}])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([--with-mpi was given, but ${kn_module:-$kn_wrapper} finds no MPI 3. On Debian and Ubuntu: apt-get install libopenmpi-dev openmpi-bin. --with-mpi=MPICC names another compiler wrapper])])
  CPPFLAGS=$kn_cppflags
  LIBS=$kn_libs
  KN_SUMMARY([MPI], [yes], [${kn_module:-$kn_wrapper}])])
AM_CONDITIONAL([MPI], [test "x$with_mpi" != xno])
])
