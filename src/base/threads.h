// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds are shared among threads. The threads are the process's own few: started when they are
// first wanted, asleep between loops, ended with the library.
//
// Several threads of the program may run loops at the same time, and each gets threads of its own. A loop
// within a round of another runs its rounds one after the other. A child process starts threads of its own; a
// round may not fork and then go on in the child.
#ifndef KN_BASE_THREADS_H
#define KN_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum ki_schedule {
    KI_STATIC, // round r by thread r modulo the number of threads: the same one in the next loop, as far as
               // can be
    KI_DYNAMIC // each thread takes the next round when it is done with one
};

typedef void ki_round(void *context, size_t round);

// Runs rounds 0 to `rounds` - 1, each once, by at most `threads` threads, the caller's among them, and
// returns when all are done. What was written before it can be read in every round, what rounds wrote can be
// read behind it. Rounds must not wait for one another, unless for one that was begun before. Where no more
// threads can be started, those that there are do the work.
void ki_parallel(unsigned threads, size_t rounds, enum ki_schedule schedule, ki_round *body, void *context);

// In a round, which of the loop's threads runs it: from 0 to below the number asked for, and no two at the
// same time are the same. Elsewhere 0.
unsigned ki_thread(void);

// How many threads: those asked for, or for 0 as many as OMP_NUM_THREADS says, without it as many as there
// are processors on which the process may run.
unsigned ki_threads(unsigned asked);

// A thread beside these, for what waits more than it computes; the caller joins it. Signals are for the
// program's own threads, and blocked in it, but those of a crash. False if none can be started.
bool ki_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
