// SPDX-License-Identifier: Apache-2.0
// The exact median of a stream, or of its deviations: the interval of keys that contains an element is cut
// into bins, a pass counts them, and the bin with the element is the next interval; when its contents fit in
// memory, a pass gathers them, and the element is selected there.
//
// A key is a double's bits in the order of its values. Deviations are not computed in order to be counted: |x
// - centre|, also when rounded, grows to both sides of the centre, so that a bin of deviations is two bins of
// elements.
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "stream_internal.h"

static const uint64_t sign = UINT64_C(1) << 63;

// Treats -0 as 0.
static uint64_t key_of(double x)
{
    uint64_t bits;

    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static double of_key(uint64_t key)
{
    uint64_t bits = key & sign ? key ^ sign : ~key;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- edges ----

// Bin b of a target has the keys from this one on.
static uint64_t first_key(const struct stream_target *t, size_t b)
{
    uint64_t width = t->high - t->low + 1;

    return t->low + width / t->bins * b + width % t->bins * b / t->bins;
}

// The least x, from the centre on, that deviates by this much.
static double right_edge(double centre, double deviation)
{
    uint64_t low = key_of(centre), high = key_of(INFINITY);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (of_key(middle) - centre >= deviation)
            high = middle;
        else
            low = middle + 1;
    }
    return of_key(low);
}

// The least x below the centre that deviates by less, or the centre.
static double left_edge(double centre, double deviation)
{
    uint64_t low = key_of(-INFINITY), high = key_of(centre);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (centre - of_key(middle) < deviation)
            high = middle;
        else
            low = middle + 1;
    }
    return of_key(low);
}

// The bins' lower edges, ascending, and infinity after the last one. For deviations, the bins to the left
// come first, without the last bin's upper edge: what is neither in a bin below it nor below the interval is
// in it.
static size_t make_edges(const struct stream_order *order, struct stream_target *t)
{
    uint64_t width = t->high - t->low;
    size_t bins = width < STREAM_BINS ? (size_t)width + 1 : STREAM_BINS, count = 0;

    t->bins = bins;
    for (size_t b = bins; b-- > 0 && order->deviations;)
        t->edges[count++] = left_edge(order->centre, of_key(first_key(t, b)));
    for (size_t b = 0; b < bins; b++) {
        double value = of_key(first_key(t, b));
        t->edges[count++] = order->deviations ? right_edge(order->centre, value) : value;
    }
    t->edges[count] = INFINITY;
    memset(t->counts, 0, count * sizeof *t->counts);
    return count;
}

// The number of elements in bin b < bins - 1.
static size_t in_bin(const struct stream_order *order, const struct stream_target *t, size_t b)
{
    if (!order->deviations)
        return (size_t)t->counts[b];
    return (size_t)(t->counts[t->bins - 2 - b] + t->counts[t->bins + b]);
}

// ---- a pass ----

static bool is_open(const struct stream_target *t)
{
    return t->low < t->high;
}

static bool are_one(const struct stats_stream *s)
{
    return s->targets[0].low == s->targets[1].low;
}

// The targets that still need a pass.
static bool works(const struct stats_stream *s, size_t t)
{
    return is_open(&s->targets[t]) && !(t == 1 && are_one(s));
}

static kn_status count_device(struct stats_stream *s, size_t count, const double *edges, size_t bins,
                              kn_error *err)
{
    kn_queue *queue = s->column->queue;
    kn_status status =
        kn_histogram(queue, s->device_block, s->type, count, edges, bins, s->device_counts, err);

    return status ? status
                  : kn_buffer_read(queue, s->device_counts, 0, s->block_counts,
                                   bins * sizeof *s->block_counts, err);
}

static kn_status count_block(struct stats_stream *s, struct stream_target *t, size_t count, kn_error *err)
{
    const struct host_plan *plan = &s->column->plan;
    const kn_host_options host = KN_INIT(kn_host_options, .threads = plan->threads, .level = plan->level);
    size_t bins = s->order.deviations ? 2 * t->bins : t->bins;
    kn_status status = s->device_block ? count_device(s, count, t->edges, bins, err)
                                       : kn_host_histogram(s->block, s->type, count, t->edges, bins,
                                                           s->block_counts, &host, err);

    for (size_t b = 0; b < bins && !status; b++)
        t->counts[b] += s->block_counts[b];
    return status;
}

static kn_status gather_block(struct stats_stream *s, struct stream_target *t, size_t count, kn_error *err)
{
    const struct stream_order order = s->order;
    const double low = of_key(t->low), high = of_key(t->high);

    for (size_t i = 0; i < count; i++) {
        double x = stream_element(s, i), value = order.deviations ? fabs(x - order.centre) : x;

        if (!(value >= low && value <= high))
            continue;
        if (t->gathered == t->inside)
            return ki_stats_stream_changed(s, err);
        t->kept[t->gathered++] = value;
    }
    return KN_OK;
}

static kn_status visit(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    kn_status status = KN_OK;

    if (s->device_block && (s->errand == ERRAND_SUMS || !s->gathers))
        status = kn_buffer_write(s->column->queue, s->device_block, 0, s->block,
                                 count * kn_type_size(s->type), err);
    if (!status)
        status = ki_stats_stream_errand(s, first, count, err);
    for (size_t t = 0; t < 2 && !status; t++)
        if (works(s, t))
            status = s->gathers ? gather_block(s, &s->targets[t], count, err)
                                : count_block(s, &s->targets[t], count, err);
    return status;
}

// ---- narrowing ----

// The bin that contains the target's element becomes its interval.
static kn_status narrow(const struct stats_stream *s, struct stream_target *t, kn_error *err)
{
    size_t before = t->before, left = t->inside, b = 0, in = 0;
    uint64_t low;

    for (; b + 1 < t->bins; b++) {
        in = in_bin(&s->order, t, b);
        if (in > left)
            return ki_stats_stream_changed(s, err);
        if (t->rank < before + in)
            break;
        before += in;
        left -= in;
    }
    if (b + 1 == t->bins)
        in = left;
    low = first_key(t, b);
    t->high = b + 1 < t->bins ? first_key(t, b + 1) - 1 : t->high;
    t->low = low;
    t->before = before;
    t->inside = in;
    return KN_OK;
}

static kn_status count_pass(struct stats_stream *s, kn_error *err)
{
    kn_status status;

    s->gathers = false;
    for (size_t t = 0; t < 2; t++)
        if (works(s, t))
            make_edges(&s->order, &s->targets[t]);
    status = ki_stats_stream_pass(s, visit, err);
    if (status)
        return status;
    ki_stats_stream_next_errand(s);
    if (are_one(s)) {
        struct stream_target other = s->targets[0];

        other.rank = s->targets[1].rank;
        status = narrow(s, &other, err);
        s->targets[1].low = other.low;
        s->targets[1].high = other.high;
        s->targets[1].before = other.before;
        s->targets[1].inside = other.inside;
        return status ? status : narrow(s, &s->targets[0], err);
    }
    for (size_t t = 0; t < 2 && !status; t++)
        if (is_open(&s->targets[t]))
            status = narrow(s, &s->targets[t], err);
    return status;
}

// The element itself, among what was gathered: the interval becomes its key.
static kn_status choose(struct stats_stream *s, const struct stream_target *among, struct stream_target *t,
                        kn_error *err)
{
    const struct host_plan *plan = &s->column->plan;
    const kn_host_options host = KN_INIT(kn_host_options, .threads = plan->threads, .level = plan->level);
    size_t rank = t->rank - among->before;
    double value;
    kn_status status = kn_host_select(among->kept, KN_F64, among->gathered, &rank, 1, &value, &host, err);

    if (!status)
        t->low = t->high = key_of(value);
    return status;
}

static kn_status gather_pass(struct stats_stream *s, kn_error *err)
{
    struct stream_target *targets = s->targets;
    const bool one = are_one(s);
    kn_status status;

    s->gathers = true;
    targets[0].kept = s->held;
    targets[1].kept = targets[0].kept + (works(s, 0) ? targets[0].inside : 0);
    targets[0].gathered = targets[1].gathered = 0;
    status = ki_stats_stream_pass(s, visit, err);
    if (status)
        return status;
    ki_stats_stream_next_errand(s);
    for (size_t t = 0; t < 2 && !status; t++)
        if (works(s, t) && targets[t].gathered != targets[t].inside)
            status = ki_stats_stream_changed(s, err);
    for (size_t t = 2; t-- > 0 && !status;)
        if (is_open(&targets[t]))
            status = choose(s, one ? &targets[0] : &targets[t], &targets[t], err);
    return status;
}

kn_status ki_stats_stream_median(struct stats_stream *s, double *median, kn_error *err)
{
    const size_t ranks[] = {(s->n - 1) / 2, s->n / 2};
    struct stream_target *targets = s->targets;
    kn_status status = KN_OK;

    for (size_t t = 0; t < 2; t++) {
        targets[t].rank = ranks[t];
        targets[t].low = key_of(s->order.least);
        targets[t].high = key_of(s->order.most);
        targets[t].before = 0;
        targets[t].inside = s->n;
    }
    while (!status && (is_open(&targets[0]) || is_open(&targets[1]))) {
        size_t wanted = (works(s, 0) ? targets[0].inside : 0) + (works(s, 1) ? targets[1].inside : 0);

        status = wanted <= s->column->capacity ? gather_pass(s, err) : count_pass(s, err);
    }
    if (!status)
        *median = s->n % 2 ? of_key(targets[0].low) + 0.0
                           : ki_middle(of_key(targets[0].low), of_key(targets[1].low));
    return status;
}
