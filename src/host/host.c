// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"

static const char *const level_names[] = {[KN_HOST_AUTO] = "auto",
                                          [KN_HOST_SCALAR] = "scalar",
                                          [KN_HOST_AVX2] = "AVX2",
                                          [KN_HOST_AVX512] = "AVX-512"};

static kn_host_level best_level(void)
{
#ifdef KI_HAS_VECTORS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("bmi2"))
        return KN_HOST_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return KN_HOST_AVX2;
#endif
    return KN_HOST_SCALAR;
}

kn_status ki_host_plan(const char *function, kn_type type, size_t n, const kn_host_options *given,
                       struct host_plan *plan, kn_error *err)
{
    kn_host_options options;
    kn_host_level best = best_level();
    kn_status status = KI_SIZED_READ(function, kn_host_options, given, &options, err);

    if (status)
        return status;
    *plan = (struct host_plan){options.level ? options.level : best, options.threads,
                               options.order == KN_DESCENDING, kn_type_size(type), NULL};
    if (plan->size == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no type %d; see kn_type", function, (int)type);
    if ((size_t)options.level >= KI_COUNT(level_names))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no level %d; see kn_host_level", function,
                       (int)options.level);
    if ((unsigned)options.order > KN_DESCENDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no order %d; see kn_order", function,
                       (int)options.order);
    if (plan->level > best)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: this processor has no %s; the best it has is %s (KN_HOST_AUTO takes it)",
                       function, level_names[plan->level], level_names[best]);
    plan->threads = ki_threads(plan->threads);
    return ki_check_elements(function, n, plan->size, err);
}

unsigned ki_host_threads(const struct host_plan *plan, size_t bytes)
{
    const size_t worth = (size_t)1 << 18; // bytes a thread

    return bytes / worth < plan->threads ? (unsigned)(bytes / worth) + 1 : plan->threads;
}

struct shares {
    unsigned threads;
    size_t n;
    host_share_work *work;
    void *context;
};

static void work_on_share(void *context, size_t t)
{
    const struct shares *s = context;

    s->work(s->context, host_share(s->n, t, s->threads), host_share(s->n, t + 1, s->threads));
}

void ki_host_share_out(unsigned threads, size_t n, host_share_work *work, void *context)
{
    struct shares shares = {threads, n, work, context};

    ki_parallel(threads, threads, KI_STATIC, work_on_share, &shares);
}

struct host_codec ki_host_codec(kn_type type, bool descending)
{
    static const struct {
        int64_t infinity; // of types that have one
        bool is_unsigned;
    } kinds[] = {
        [KN_U8] = {0, true},  [KN_U16] = {0, true},           [KN_U32] = {0, true},
        [KN_U64] = {0, true}, [KN_F32] = {0x7f800000, false}, [KN_F64] = {INT64_C(0x7ff0000000000000), false},
    };
    int64_t least = host_least(kn_type_size(type)), most = ~least;

    // Negative numbers are mirrored; then what is below -infinity, NaN with a sign, is rotated past the end.
    if (kinds[type].infinity)
        return (struct host_codec){descending ? least : 0, most, most - kinds[type].infinity, 0};
    return (struct host_codec){0, 0, 0, (kinds[type].is_unsigned ? least : 0) ^ (descending ? -1 : 0)};
}
