# SPDX-License-Identifier: Apache-2.0
# Six frames of a texture that grows, as of two liquids that part: where a sum of waves of one length and of all directions is
# above 0. The wavelength is 8, 10, ... 18 pixels. mkdir frames && LC_ALL=C awk -f textures.awk writes frames/frame-1.npy ...
BEGIN {
    srand(2)
    side = 128
    waves = 24
    header = "{\047descr\047: \047|u1\047, \047fortran_order\047: False, \047shape\047: (" side ", " side "), }"
    for (frame = 1; frame <= 6; frame++) {
        file = "frames/frame-" frame ".npy"
        printf("%cNUMPY%c%c%c%c%-117s\n", 147, 1, 0, 118, 0, header) >file
        for (w = 0; w < waves; w++) {
            turn = 6.2831853 * rand()
            kx[w] = 6.2831853 / (6 + 2 * frame) * cos(turn)
            ky[w] = 6.2831853 / (6 + 2 * frame) * sin(turn)
            phase[w] = 6.2831853 * rand()
        }
        for (y = 0; y < side; y++) {
            for (w = 0; w < waves; w++)
                row[w] = ky[w] * y + phase[w]
            for (x = 0; x < side; x++) {
                sum = 0
                for (w = 0; w < waves; w++)
                    sum += cos(kx[w] * x + row[w])
                printf("%c", (sum > 0 ? 200 : 50)) >file
            }
        }
        close(file)
    }
}
