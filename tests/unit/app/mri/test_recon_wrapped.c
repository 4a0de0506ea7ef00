// SPDX-License-Identifier: Apache-2.0
// Tests koine/recon.h inside an OpenCL application: with its context, its queue and its buffers.
#include "recon_api_support.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <koine/opencl.h>

START_TEST(wrapped)
{
    const cl_context native = kn_context_get_opencl(context);
    uint64_t state = test_seed("wrapped");
    const kn_recon_matrix matrix = {2, {12, 9, 0}};
    struct problem p = random_problem(&matrix, 50, API_WEIGHTS, &state);
    const kn_recon_options options = KN_INIT(kn_recon_options, .weights = p.weights);
    kn_context *inside = NULL;
    kn_queue *same = NULL;
    kn_buffer *wrapped_image = NULL, *to = NULL, *image = upload_pairs(p.image, p.voxels);
    kn_recon_plan *plan = NULL;
    cl_device_id device;
    double *found;

    if (!native) {
        puts("wrapped: not an OpenCL device");
        kn_buffer_free(image);
        free_problem(&p);
        return;
    }
    ck_assert_int_eq(clGetContextInfo(native, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), CL_SUCCESS);
    EXPECT_OK(kn_queue_finish(queue, &err));
    EXPECT_OK(kn_context_wrap_opencl(native, device, NULL, &inside, &err));
    EXPECT_OK(kn_queue_wrap_opencl(inside, kn_queue_get_opencl(queue), &same, &err));
    EXPECT_OK(kn_buffer_wrap_opencl(inside, kn_buffer_get_opencl(image), &wrapped_image, &err));
    EXPECT_OK(kn_buffer_create(inside, 8 * p.voxels, &to, &err));
    EXPECT_OK(kn_recon_plan_create(same, &p.matrix, p.k, p.samples, &options, &plan, &err));
    EXPECT_OK(kn_recon_normal_buffers(plan, wrapped_image, to, &err));
    found = download_pairs(same, to, p.voxels);
    expect_numbers(found, p.normal, p.voxels, 1e-4, 0, "in a wrapped queue");
    kn_recon_plan_free(plan);
    kn_buffer_free(to);
    kn_buffer_free(wrapped_image);
    kn_queue_close(same);
    kn_context_close(inside);
    expect_buffer(image, p.image, p.voxels, 0, 1, "the application's buffer");
    free(found);
    free_problem(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {wrapped};

    return test_run("recon wrapped", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
