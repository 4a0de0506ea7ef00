// SPDX-License-Identifier: Apache-2.0
// What cppcheck 2.10 cannot parse: KN_VALUE, a struct declared within an expression. The stage analysis of
// scripts/test includes this before all else; nothing is built with it.
#include <koine/launch.h>

#undef KN_VALUE
#define KN_VALUE(value) kn_arg_local_(sizeof(value))
