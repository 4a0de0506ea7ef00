// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds are shared among threads. The threads belong to the process: they are started when first
// needed, asleep between loops, and ended with the library.
//
// Several threads of the program may run loops at the same time; each gets its own threads. A loop inside a
// round of another loop runs its rounds one after the other. A child process starts its own threads; a round
// may not fork and then go on in the child.
#ifndef KN_BASE_THREADS_H
#define KN_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum ki_schedule {
    KI_STATIC, // round r on thread r modulo the number of threads: if possible, the same thread in the next
               // loop
    KI_DYNAMIC // each thread takes the next round when it is done with one
};

typedef void ki_round(void *context, size_t round);

// Runs rounds 0 to `rounds` - 1, each once, on at most `threads` threads including the caller's, and returns
// when all are done. Every round sees what was written before the loop, and the code after it sees what
// rounds wrote. A round may wait only for rounds that began before it. If no more threads can be started, the
// existing ones do the work.
void ki_parallel(unsigned threads, size_t rounds, enum ki_schedule schedule, ki_round *body, void *context);

// In a round, the number of the loop's thread that runs it: from 0 to below the number asked for, with no two
// the same at the same time. Elsewhere 0.
unsigned ki_thread(void);

// The number of threads: the number asked for, or for 0 the value of OMP_NUM_THREADS, or else the number of
// processors on which the process may run.
unsigned ki_threads(unsigned asked);

// A thread in addition to these, for work that mostly waits; the caller joins it. Signals are for the
// program's own threads and blocked in it, except those of a crash. False if no thread can be started.
bool ki_thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
