// SPDX-License-Identifier: Apache-2.0
// A kernel of your own, from text: y = a x + y. Then two mistakes, and what is said about them: a launch
// whose arguments do not fit, and a kernel that does not compile. Neither reaches the device.
#include <stdio.h>

#include <koine/koine.h>

static const char saxpy[] = "__kernel void saxpy(float a, __global const float *x, __global float *y)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    y[i] = a * x[i] + y[i];\n"
                            "}\n";

static const char misspelt[] = "__kernel void half_of(__global float *x)\n"
                               "{\n"
                               "    x[get_global_id(0)] /= tow;\n"
                               "}\n";

enum { N = 4 };

// Runs saxpy on N elements of x and y; then, on purpose, gives it a double where it has a float.
static kn_status launch(kn_queue *q, kn_kernel *kernel, kn_buffer *x, kn_buffer *y, kn_error *err)
{
    const kn_range range = {.dims = 1, .global = {N}};
    const float a = 2;
    const double wide = 2;
    const kn_arg args[] = {KN_VALUE(a), KN_BUFFER(x), KN_BUFFER(y)};
    const kn_arg misfits[] = {KN_VALUE(wide), KN_BUFFER(x), KN_BUFFER(y)};
    float result[N];
    kn_error refusal = KN_ERROR_INIT;

    if (kn_launch(q, kernel, &range, args, 3, NULL, err) ||
        kn_buffer_read(q, y, 0, result, sizeof result, err))
        return err->code;
    printf("2 x + y =");
    for (size_t i = 0; i < N; i++)
        printf(" %g", (double)result[i]);

    kn_launch(q, kernel, &range, misfits, 3, NULL, &refusal);
    printf("\n\nA launch that does not fit:\n%s\n", refusal.text);
    return KN_OK;
}

int main(void)
{
    const float x[N] = {1, 2, 3, 4}, y[N] = {10, 20, 30, 40};
    kn_error err = KN_ERROR_INIT, refusal = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *xbuf = NULL, *ybuf = NULL;
    kn_program *program = NULL, *broken = NULL;
    kn_kernel *kernel;

    if (kn_context_open(NULL, NULL, &ctx, &err) ||
        kn_queue_open(ctx, &q, &err) ||
        kn_buffer_create(ctx, sizeof x, &xbuf, &err) ||
        kn_buffer_create(ctx, sizeof y, &ybuf, &err) ||
        kn_buffer_write(q, xbuf, 0, x, sizeof x, &err) ||
        kn_buffer_write(q, ybuf, 0, y, sizeof y, &err) ||
        kn_program_from_text(ctx, saxpy, "saxpy.cl", NULL, &program, &err) ||
        kn_program_get_kernel(program, "saxpy", &kernel, &err) ||
        launch(q, kernel, xbuf, ybuf, &err))
        fprintf(stderr, "own_kernel: %s\n", err.text);

    if (!err.code && kn_program_from_text(ctx, misspelt, "half.cl", NULL, &broken, &refusal))
        printf("\nA kernel that does not compile:\n%s\n", refusal.text);

    kn_program_free(broken);
    kn_program_free(program);
    kn_buffer_free(xbuf);
    kn_buffer_free(ybuf);
    kn_queue_close(q);
    kn_context_close(ctx);
    return (int)err.code;
}
