# SPDX-License-Identifier: Apache-2.0
# The table at the end of configure: what was found, and what each missing piece costs.

# KN_SUMMARY(WHAT, STATE, [COST]): one row of it.
AC_DEFUN([KN_SUMMARY],
[kn_row=`printf '  %-14s %-8s %s' "$1" "$2" "$3"`
kn_summary="$kn_summary
$kn_row"
])

# KN_SUMMARY_PRINT: the table itself.
AC_DEFUN([KN_SUMMARY_PRINT],
[AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION is configured:
$kn_summary

  compiler       $CC $KN_CFLAGS $CFLAGS
  shared/static  $enable_shared/$enable_static
  installs into  $prefix

Next: make && make check && make install"])
])
