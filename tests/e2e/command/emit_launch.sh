#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The launchers in the header that koine emit writes: they compile alone, in C and C++; OpenCL programs that do not link
# libkoine run emitted kernels with them; and CUDA's driver gets the arguments that the emitted text takes.
. "${srcdir:-.}/tests/e2e/lib.sh"
data=${srcdir:-.}/tests/data/run
examples=${srcdir:-.}/doc/examples
cuda=${CUDA_HOME:-/usr/local/cuda}/include

# compiles NAME WORDS: NAME.c as C11, and as C++17 where there is such a compiler; includes are looked for in $work/made.
compiles()
{
    # shellcheck disable=SC2086 # the compiler may have words of its own
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$work/made" "$work/$1.c" -o "$work/$1" "$2" ${3-} >"$work/log" 2>&1 ||
        fail "$1.c does not compile: $(cat "$work/log")"
    if command -v "${CXX:-c++}" >/dev/null; then
        # shellcheck disable=SC2086
        ${CXX:-c++} -x c++ -std=c++17 -Wall -Wextra -Werror -I"$work/made" -fsyntax-only "$work/$1.c" "$2" >"$work/log" 2>&1 ||
            fail "$1.c does not compile as C++: $(cat "$work/log")"
    fi
}

# ---- CUDA ----

cat >"$work/kinds.cl" <<'END'
typedef float real;
typedef struct { int a; float b; } pair;
__kernel void kinds(__global float *p, __local float *t, real r, float3 v, pair s, __local int *u,
                    __constant float *c, ulong n)
{
    __local float own[12345];
    own[get_local_id(0)] = r + v.x + s.b + c[0];
    t[0] = own[0], u[0] = s.a;
    p[0] = t[0] + u[0] + n;
}
__kernel void plain(void) {}
__kernel void draws(read_only image2d_t from, sampler_t how, __global float4 *p)
{
    p[0] = read_imagef(from, how, (int2)(0, 0));
}
END
expect_exit 0 koine emit "$work/kinds.cl" --target cuda --target opencl --output "$work/made"
cat >"$work/driver.c" <<'END'
// In place of CUDA's driver: what is launched is compared with what the emitted text takes.
#include "kinds.h"
#include "kinds.h"
#include <string.h>

#define EXPECT(what) \
    do { \
        if (!(what)) \
            return __LINE__; \
    } while (0)

static struct koine_item items[8];
static unsigned grids[8][3], blocks[8][3], shared;
static void *params[9];
static unsigned char values[9][32];
static int launches, allowed = 40000, asked;

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? allowed : -1;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    (void)function;
    asked += attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    allowed = value;
    return CUDA_SUCCESS;
}

static size_t count;
static const size_t *sizes;

CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                        unsigned bytes, CUstream stream, void **given, void **extra)
{
    const unsigned grid[3] = {x, y, z}, block[3] = {bx, by, bz};

    (void)stream;
    if (function || extra || launches >= 8 || (int)bytes > allowed)
        return CUDA_ERROR_INVALID_HANDLE;
    memcpy(grids[launches], grid, sizeof grid);
    memcpy(blocks[launches], block, sizeof block);
    shared = bytes;
    for (size_t i = 0; i < count; i++) {
        params[i] = given[i];
        memcpy(values[i], given[i], sizes[i]);
    }
    memcpy(&items[launches++], given[count], sizeof items[0]);
    return CUDA_SUCCESS;
}

static int kinds(void)
{
    static const size_t bytes[] = {8, 4, 4, 16, 8, 4, 8, 8};
    const size_t global[3] = {64, 70000, 256}, local[3] = {8, 1, 128}, odd[1] = {7};
    const float v[4] = {1, 2, 3, 4}, r = 1.5f;
    const struct { int a; float b; } s = {7, 8};
    const CUdeviceptr p = 0x1234567890, c = 0x9876543210;
    const unsigned long long n = 1ull << 40;
    const unsigned first = 49392, second = 49392 + 112;

    count = 8;
    sizes = bytes;
    EXPECT(koine_cuda_launch_kinds(NULL, NULL, 3, global, local, p, 100, r, v, &s, 40, c, n) == CUDA_SUCCESS);
    EXPECT(kinds_LOCAL_BYTES == 49392 && shared == second + 48 && asked == 1 && allowed == (int)shared);
    EXPECT(memcmp(values[0], &p, 8) == 0 && memcmp(values[1], &first, 4) == 0 && memcmp(values[2], &r, 4) == 0);
    EXPECT(memcmp(values[3], v, 16) == 0 && memcmp(values[4], &s, 8) == 0 && memcmp(values[5], &second, 4) == 0);
    EXPECT(memcmp(values[6], &c, 8) == 0 && memcmp(values[7], &n, 8) == 0);
    EXPECT(launches == 2 && grids[0][0] == 8 && grids[0][1] == 65535 && grids[0][2] == 2 && grids[1][1] == 4465);
    EXPECT(blocks[0][0] == 8 && blocks[0][1] == 128 && blocks[0][2] == 1 && items[0].fold == 65536);
    EXPECT(items[0].groups[1] == 70000 && items[0].groups[2] == 2 && items[0].local[2] == 128 && items[0].dims == 3);
    EXPECT(items[0].first[0] == 0 && items[1].first[0] == 65535 && items[1].first[1] == 0 && !items[1].offset[0]);
    EXPECT(koine_cuda_launch_kinds(NULL, NULL, 1, global, local, p, 100, r, v, &s, 40, c, n) == CUDA_SUCCESS);
    EXPECT(launches == 3 && asked == 1 && items[2].groups[1] == 1 && items[2].dims == 1 && items[2].fold == 0);
    EXPECT(koine_cuda_launch_kinds(NULL, NULL, 1, global, odd, p, 1, r, v, &s, 1, c, n) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(koine_cuda_launch_kinds(NULL, NULL, 1, global, NULL, p, 1, r, v, &s, 1, c, n) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(launches == 3);
    return 0;
}

int main(void)
{
    static const size_t image_bytes[] = {8, 4, 8};
    const size_t one[1] = {1};
    struct koine_image image;
    int wrong = kinds();

    if (wrong)
        return wrong;
    launches = 0;
    count = 0;
    EXPECT(koine_cuda_launch_plain(NULL, NULL, 1, one, one) == CUDA_SUCCESS && launches == 1 && shared == 0);
    memset(&image, 0, sizeof image);
    count = 3;
    sizes = image_bytes;
    EXPECT(koine_cuda_launch_draws(NULL, NULL, 1, one, one, &image, 17, 4711) == CUDA_SUCCESS);
    EXPECT(params[0] == (void *)&image && values[1][0] == 17 && values[2][0] == (4711 & 255));
    return 0;
}
END
if [ -e "$cuda/cuda.h" ]; then
    compiles driver -I"$cuda"
    status=0
    "$work/driver" || status=$?
    [ $status -eq 0 ] || fail "a launcher for CUDA does something else: line $status of driver.c"
else
    echo "the launchers for CUDA were not tried: there is no $cuda/cuda.h"
fi

# ---- OpenCL ----

cat >"$work/runtime.c" <<'END'
// In place of OpenCL's run time: what a launcher sets and enqueues.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

static cl_uint set, dims, refused = 99;
static size_t sizes[8], items;
static const void *values[8];
static unsigned char bytes[8][32];

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (kernel || index != set || index >= 8 || size > 100 || index == refused)
        return CL_INVALID_ARG_VALUE;
    sizes[set] = size;
    values[set] = value;
    if (value)
        memcpy(bytes[set], value, size);
    set++;
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint d, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *list, cl_event *event)
{
    if (queue || kernel || offset || local || count || list || !event)
        return CL_INVALID_VALUE;
    dims = d;
    items = *global;
    return CL_SUCCESS;
}

#include "kinds.h"

int main(void)
{
    static const size_t expected[8] = {sizeof(cl_mem), 100, 4, 16, 8, 40, sizeof(cl_mem), 8};
    const size_t global = 640;
    const struct { cl_int a; cl_float b; } s = {7, 8};
    const cl_float3 v = {{1, 2, 3}};
    const cl_float r = 1.5f;
    const cl_ulong n = 1ull << 40;
    cl_mem p = (cl_mem)0x1234, c = (cl_mem)0x5678;
    cl_event event;

    if (koine_launch_kinds(NULL, NULL, 1, &global, NULL, p, 100, r, v, &s, sizeof s, 40, c, n, &event) != CL_SUCCESS)
        return 1;
    if (set != 8 || memcmp(sizes, expected, sizeof sizes) || values[1] || values[5] || dims != 1 || items != 640)
        return 2;
    if (memcmp(bytes[0], &p, sizeof p) || memcmp(bytes[2], &r, 4) || memcmp(bytes[3], &v, 16) ||
        memcmp(bytes[4], &s, 8) || memcmp(bytes[6], &c, sizeof c) || memcmp(bytes[7], &n, 8))
        return 3;
    set = items = 0;
    refused = 4;
    return koine_launch_kinds(NULL, NULL, 1, &global, NULL, p, 100, r, v, &s, sizeof s, 40, c, n, &event) !=
                   CL_INVALID_ARG_VALUE || items != 0 ? 4 : 0;
}
END
compiles runtime -I"$work/made"
status=0
"$work/runtime" || status=$?
[ $status -eq 0 ] || fail "a launcher for OpenCL does something else: $status"

# A kernel in two headers: fine with the same arguments, and the compiler's business with others.
echo '__kernel void f(__global float *p, TYPE a) { p[0] = a; }' >"$work/f.cl"
for type in float int; do
    expect_exit 0 koine emit "$work/f.cl" -D TYPE=$type --output "$work/made/$type"
done
mkdir "$work/made/same"
sed 's/F_LAUNCH_H/SAME_H/' "$work/made/int/f.h" >"$work/made/same/f.h"
for other in same float; do
    printf '#define CL_TARGET_OPENCL_VERSION 120\n#include "int/f.h"\n' >"$work/two.c"
    printf '#undef F_LAUNCH_H\n#undef F_MACRO_TYPE\n#include "%s/f.h"\n' $other >>"$work/two.c"
    status=0
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -I"$work/made" -fsyntax-only "$work/two.c" 2>"$work/err" || status=1
    case $other in
    same) [ $status -eq 0 ] || fail "two headers with one kernel: $(cat "$work/err")" ;;
    *) ! grep -q 'koine_launch_f' "$work/err" && fail "two headers with different arguments compile" ;;
    esac
done

expect_exit 0 koine emit "$data/kernels.cl" --output "$work/made" -D OFFSET=1
cat >"$work/use.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 120
#include "kinds.h"
#include "kernels.h"
#include <stdio.h>

enum { N = 8, GROUP = 4 };

static char text[100000];

int main(int argc, char **argv)
{
    const size_t global = N, local = GROUP;
    const struct { float slope, start; int steps; } line = {2, 10, 3};
    const cl_float4 add = {{0, 1, 2, 3}};
    const char *start = text;
    cl_float x[N], lines[N][4];
    cl_uint words[N], sums[N / GROUP];
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_event event;
    cl_mem numbers, to, many;
    FILE *file = argc >= 2 ? fopen(argv[1], "r") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    int failed;

    for (cl_uint i = 0; i < N; i++)
        x[i] = (cl_float)i, words[i] = i;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &start, &length, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    numbers = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof x, NULL, NULL);
    many = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof lines, NULL, NULL);
    failed = koine_launch_scale(queue, clCreateKernel(program, scale_NAME, NULL), 1, &global, NULL, numbers, 3, to, &event);
    failed |= clWaitForEvents(1, &event) | clEnqueueReadBuffer(queue, to, 1, 0, sizeof x, x, 0, NULL, NULL);
    failed |= clEnqueueWriteBuffer(queue, numbers, 1, 0, sizeof words, words, 0, NULL, NULL);
    failed |= koine_launch_group_sums(queue, clCreateKernel(program, group_sums_NAME, NULL), 1, &global, &local, numbers,
                                      GROUP * sizeof(cl_uint), to, NULL);
    failed |= clEnqueueReadBuffer(queue, to, 1, 0, sizeof sums, sums, 0, NULL, NULL);
    failed |= koine_launch_follow(queue, clCreateKernel(program, follow_NAME, NULL), 1, &global, NULL, &line, sizeof line,
                                  add, many, NULL);
    failed |= clEnqueueReadBuffer(queue, many, 1, 0, sizeof lines, lines, 0, NULL, NULL);
    printf("%d: %g %g, %u %u, %g %g\n", failed, (double)x[1], (double)x[7], sums[0], sums[1], (double)lines[0][0],
           (double)lines[7][3]);
    // A kernel refuses an argument of another kind, and the launcher says so.
    return argc == 2 &&
           koine_launch_kinds(queue, clCreateKernel(program, scale_NAME, NULL), 1, &global, NULL, numbers, 4, 1, add, &line,
                              sizeof line, 4, numbers, 1, NULL) == CL_SUCCESS;
}
END
cat >"$work/has.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void) { return clGetPlatformIDs(0, 0, 0) == 0; }
END
# shellcheck disable=SC2086
${CC:-cc} "$work/has.c" -o "$work/has" -lOpenCL 2>"$work/log" || skip opencl "there is no OpenCL loader to link with"
need_device
compiles use -I"$work/made" -lOpenCL
status=0
# Oclgrind takes the bytes of whatever stands in a buffer's place for its handle, and ends there.
trusts=
! on_oclgrind || trusts=trusts
"$work/use" "$work/made/kernels.cl" $trusts >"$work/out" || status=$?
[ $status -ne 77 ] || skip device "no OpenCL device is installed"
ran="a program with the launchers of kernels.h"
[ $status -eq 0 ] || fail "$ran: exit status $status"
expect_stdout '^0: 4 22, 6 22, 10 55$'

# The example: a sort.
! on_oclgrind || exit 0
expect_exit 0 koine emit -D LOG2_KEYS=3 sort_blocks --output "$work/made"
cp "$examples/emitted_sort.c" "$work/emitted_sort.c"
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$work/made" "$work/emitted_sort.c" -o "$work/emitted_sort" -lOpenCL >"$work/log" 2>&1 ||
    fail "emitted_sort.c does not compile: $(cat "$work/log")"
expect_exit 0 "$work/emitted_sort" "$work/made/sort_blocks.cl"
expect_stdout '^1000003 floats sorted on '
expect_exit 2 "$work/emitted_sort"
expect_stderr 'name sort_blocks\.cl'
