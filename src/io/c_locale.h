// SPDX-License-Identifier: Apache-2.0
// Sets the C locale in this thread while numbers are printed or read, whatever the program's locale: a
// decimal comma is not valid in a file.
#ifndef KN_IO_C_LOCALE_H
#define KN_IO_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>

struct c_locale {
    locale_t own, before;
};

static inline bool enter_c_locale(struct c_locale *state)
{
    state->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!state->own)
        return false;
    state->before = uselocale(state->own);
    return true;
}

static inline void leave_c_locale(struct c_locale *state)
{
    uselocale(state->before);
    freelocale(state->own);
}

#endif
