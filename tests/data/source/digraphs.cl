// SPDX-License-Identifier: Apache-2.0
%:define CHOICE 3
%: if CHOICE == 1 || (CHOICE > 4 ? 1 : 0)
int one;
%:elif CHOICE << 2 == 12 && !defined CHOSEN
int three[] = <% 1, 2 %>;
#if 0
#else
# if 1 /* nested */
#  define CHOSEN
# endif
#endif
#endif
#ifdef CHOSEN
int chosen<:2:>;
#endif
