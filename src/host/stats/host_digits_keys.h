// SPDX-License-Identifier: Apache-2.0
// Exact sums of keys of one width. Included by host_digits.c for each width, with KEY, SQUARE (a type for the
// square of two keys' difference), and KEY_NAME(x), which appends the width to x; they are undefined at the
// end.

typedef KEY __attribute__((may_alias)) KEY_NAME(key);

VECTOR_OPERATION void KEY_NAME(add_)(const KEY_NAME(key) * x, const size_t count, KEY_NAME(key) sign,
                                     KEY_NAME(key) shift, const bool wants_squares, uint64_t sums[3],
                                     KEY_NAME(key) extremes[2])
{
    uint64_t keys = 0, low = 0, high = 0;
    KEY_NAME(key) least = extremes[0], greatest = extremes[1];

    for (size_t i = 0; i < count; i++) {
        KEY_NAME(key) value = (KEY_NAME(key))(x[i] ^ sign);
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        keys += value;
        if (wants_squares) {
            SQUARE d = (KEY_NAME(key))(value > shift ? value - shift : shift - value);
            SQUARE square = d * d;
            low += (uint32_t)square;
            if (sizeof(SQUARE) > 4)
                high += (uint64_t)square >> 32;
        }
    }
    sums[0] += keys;
    sums[1] += low;
    sums[2] += high;
    extremes[0] = least;
    extremes[1] = greatest;
}

// At most 2^31 keys at a time: 64 bits hold the sums of their digits.
VECTOR_OPERATION void KEY_NAME(add_all_)(const KEY_NAME(key) * x, size_t n, KEY_NAME(key) sign,
                                         KEY_NAME(key) shift, const bool wants_squares,
                                         struct moments_exact *to)
{
    uint64_t sums[3] = {0};
    KEY_NAME(key) extremes[2] = {(KEY_NAME(key)) - 1, 0};
    size_t i = 0;

    for (; n - i >= BLOCK; i += BLOCK)
        KEY_NAME(add_)(x + i, BLOCK, sign, shift, wants_squares, sums, extremes);
    KEY_NAME(add_)(x + i, n - i, sign, shift, wants_squares, sums, extremes);
    to->keys += sums[0];
    to->squares[0] += sums[1];
    to->squares[1] += sums[2];
    to->least = extremes[0] < to->least ? extremes[0] : to->least;
    to->greatest = extremes[1] > to->greatest ? extremes[1] : to->greatest;
}

#undef KEY
#undef SQUARE
#undef KEY_NAME
