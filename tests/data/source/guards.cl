// SPDX-License-Identifier: Apache-2.0
/* Guards of every kind, conditionals around includes, and files that are not there in branches not taken. */
#include "lib/once.clh"
#include "lib/guarded.clh"
#ifdef USE_SECOND
#include "does/not/exist.clh"
#elif !defined(NEVER) && \
    USE_FIRST
#  include /* with a comment
 over two lines */ "lib/guarded.clh"
#include "lib/once.clh"
int first = __LINE__;
#else
#include <nor/this.clh>
it's not even C here
#endif
#include "lib/nested.clh" /* and one
behind */
int after = __LINE__;
kernel void k(global real *x) { x[0] = VALUE(__LINE__) + NESTED; }
