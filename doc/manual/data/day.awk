# SPDX-License-Identifier: Apache-2.0
# A day of a simulated accelerometer at the wrist, 2 Hz, in g: a posture every 20 minutes, long ones asleep; effort by day, a run
# from 18 to 19 h. awk -f day.awk >day.csv
function noise() { return 1.7 * (rand() + rand() + rand() + rand() - 2) }
BEGIN {
    srand(1)
    print "time,x,y,z"
    for (i = 0; i < 2 * 86400; i++) {
        hour = i / 7200
        if (i % 2400 == 0) {
            asleep = hour < 7 || hour >= 23
            effort = asleep ? 0.004 : hour >= 18 && hour < 19 ? 0.8 : 0.03 + 0.3 * rand() ^ 2
            if (!asleep || i == 0 || rand() < 0.3) {
                tilt = 2.4 * rand() - 1.2
                turn = 6.2831853 * rand()
            }
        }
        printf "%.1f,%.3f,%.3f,%.3f\n", 1753574400 + i / 2, sin(tilt) + effort * noise(),
            cos(tilt) * sin(turn) + 0.6 * effort * noise(), cos(tilt) * cos(turn) + 0.6 * effort * noise()
    }
}
