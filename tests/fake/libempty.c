// SPDX-License-Identifier: Apache-2.0
// A library with none of the symbols that are looked up.
int fake_library_without_calls(void);

int fake_library_without_calls(void)
{
    return 0;
}
