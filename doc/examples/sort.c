// SPDX-License-Identifier: Apache-2.0
// Sorts numbers on the best device there is, or on the one that KOINE_DEVICE names.
#include <stdio.h>

#include <koine/koine.h>

int main(void)
{
    float keys[] = {3, -1, 4, 1, -5, 9, 2.5f, 6};
    size_t n = sizeof keys / sizeof *keys;
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *buf = NULL;

    if (kn_context_open(NULL, NULL, &ctx, &err) ||
        kn_queue_open(ctx, &q, &err) ||
        kn_buffer_create(ctx, sizeof keys, &buf, &err) ||
        kn_buffer_write(q, buf, 0, keys, sizeof keys, &err) ||
        kn_sort(q, buf, KN_F32, n, NULL, &err) ||
        kn_buffer_read(q, buf, 0, keys, sizeof keys, &err))
        fprintf(stderr, "sort: %s\n", err.text);

    if (!err.code) {
        printf("sorted on %s:", kn_context_get_device(ctx)->name);
        for (size_t i = 0; i < n; i++)
            printf(" %g", (double)keys[i]);
        printf("\n");
    }

    kn_buffer_free(buf);
    kn_queue_close(q);
    kn_context_close(ctx);
    return (int)err.code;
}
