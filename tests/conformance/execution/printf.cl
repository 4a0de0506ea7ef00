// SPDX-License-Identifier: Apache-2.0
// printf (6.12.13): every conversion, flag, width, precision, length and vector specifier. What each line must come to
// stands in test_printf.c, under the number that it begins with.
#define NEWLINE "\n"

__kernel void integers(__global int *result, __global const int *in)
{
    int i = in[0], n = -in[0]; // 42, -42
    uint u = in[1];            // -1
    char c = 'k';
    result[0] = printf("1 plain%%\n");
    printf("2 %d %i %d\n", i, n, 0);
    printf("3 %5d|%-5d|%05d|%+d|% d|%.4d|%8.4d|%-8.4d|\n", i, i, i, i, i, i, i, i);
    printf("4 %u %u %o %x %X\n", u, i, i, u, 0xbeef);
    printf("5 %#o %#x %#X %#x\n", i, i, 0xbeef, 0);
    printf("6 %c%c|%3c|%-3c|\n", c, 'l', c, c);
    printf("7 %s|%8s|%-8s|%.3s|\n", "koine", "koine", "koine", "koine");
    printf("8 %ld %lu %lx %li\n", (long)in[0] << 40, (ulong)-1, 1ul << 63, -1l);
    printf("9 %hd %hu %hhd %hhu %hx\n", (short)-3, (ushort)65535, (char)-5, (uchar)250, (ushort)0xabcd);
    printf("10 %+5d|%+-5d|%+05d|% 5d|%#6x|%#06x|%-#6x|\n", i, i, i, i, i, i, i);
    printf("11 %d " "%s" NEWLINE, i * 2, "two" " strings");
    printf("12 %d %d %d\n", i > 3, (char)200, (uchar)200);
    if (i == 0)
        printf("not printed\n");
    result[1] = printf("%s", "");
}

__kernel void reals(__global int *result, __global const int *in)
{
    float f = in[0] / 16.0f, g = -in[0] * 1e10f; // 2.625, -4.2e11
    printf("1 %f %f %F\n", f, g, f);
    printf("2 %8.2f|%-8.2f|%08.2f|%+.1f|% .0f|%#.0f|\n", f, f, f, f, f, f);
    printf("3 %e %E %.2e %12.3e|\n", f, g, f, g);
    printf("4 %g %G %g %g %.3g %#g\n", f, g, 1e-5f, 100000.0f, f, 1.0f);
    printf("5 %f %e %g %F\n", INFINITY, -INFINITY, NAN, INFINITY);
    printf("6 %.3f %.10f\n", 0.0005f, 0.1f);
    printf("7 %a %A %.1a\n", 1.0f, 0.5f, 1.0f);
    result[0] = 0;
}

__kernel void vectors(__global int *result, __global const int *in)
{
    float4 f = (float4)(1, 2.5f, -3, in[0]);
    int4 i = (int4)(1, -2, 3, in[0]);
    uchar4 b = (uchar4)(0xde, 0xad, 0xbe, 0x0f);
    char16 c = (char16)(-1);
    short3 s = (short3)(1, -2, 3);
    printf("1 %v4f\n", f);
    printf("2 %v4hlf|%.1v4hlf|%8.2v4hlf|\n", f, f, f);
    printf("3 %v4hld|%v2hld|%5v4hld|%+v4hld|%v4hli\n", i, i.xy, i, i, i);
    printf("4 %v4hhx|%#v4hhx|%v4hhu|%#v4hhX\n", b, b, b, b);
    printf("5 %v16hhd\n", c);
    printf("6 %v16hhx\n", c);
    printf("7 %v3hd|%v3hd\n", s, -s);
    printf("8 %v2ld|%v2lu|%v2lx\n", (long2)(1, -2), (ulong2)(3, 4), (ulong2)(255, 16));
    printf("9 %#v4hlx %v8hlu\n", (uint4)(1, 2, 0xff, 0), (uint8)(7));
    printf("10 %v2hle|%v2hlg|%.0v2hlf\n", f.xy, f.zw, f.lo);
    printf("11 %d %v2hld %d\n", 1, (int2)(2, 3), 4);
    result[0] = 0;
}

// Each work-item's line is whole, and none is lost.
__kernel void many(__global int *result, __global const int *in)
{
    printf("item %d of %s: %d,%d\n", (int)get_global_id(0), "many", (int)get_global_id(0), -(int)get_global_id(0));
    result[0] = 0;
}

__kernel void pointers(__global int *result, __global const int *in)
{
    printf("%p\n", in);
    result[0] = 0;
}
