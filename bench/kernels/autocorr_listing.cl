// SPDX-License-Identifier: Apache-2.0
// Listing 1 of Lu et al. (2009) with its own normalisation: the sum of a row's products in floats, divided by the pixels
// that overlap, times 100, rounded, added up over rows in 32-bit integers. For bench/autocorr --listing. As there a row
// has at most IMAGE_WIDTH pixels, and OFFSET_SIZE is at least 2R + 1. Not as there, pixels outside of the image are 0 in
// every case: the listing's last loads ran past the row, to what its texture gave there.
// Launch: (height - R + 2, R) groups of 2R + 1 work-items; rows from 1 on.
#define IMAGE_WIDTH 800
#define OFFSET_SIZE 514

__kernel void autocorr_listing(__global const uchar *image, int width, int height, int max_offset,
                               __global int *output)
{
    __local float line1[IMAGE_WIDTH], line2[IMAGE_WIDTH + OFFSET_SIZE];
    int item = (int)get_local_id(0), items = (int)get_local_size(0), row1 = (int)get_group_id(0) + 1,
        row2 = row1 + (int)get_group_id(1);
    float sum = 0;

    for (int x = item; x < width; x += items)
        line1[x] = row1 < height ? image[row1 * width + x] : 0;
    for (int i = item; i < width + items; i += items) {
        int x = i - max_offset;
        line2[i] = x >= 0 && x < width && row2 < height ? image[row2 * width + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int x = 0; x < width; x++)
        sum += line1[x] * line2[x + item];
    atomic_add(&output[item + items * (int)get_group_id(1)],
               (int)rint(100.0f * sum / (float)(width - abs(item - max_offset))));
}
