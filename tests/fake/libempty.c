// SPDX-License-Identifier: Apache-2.0
// A library that has none of the names that are looked for.
int fake_library_without_calls(void);

int fake_library_without_calls(void)
{
    return 0;
}
