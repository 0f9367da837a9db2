#pragma once
/// Metrics by Ray's names. As Ray's, <ray/api.h> leaves them out: programs have counters of their own.

#include <flowray/ray/metric.h>

#pragma GCC visibility push(default)

namespace ray {
using flowray::ray::Counter;
using flowray::ray::Gauge;
using flowray::ray::Histogram;
using flowray::ray::Metric;
using flowray::ray::Sum;
}  // namespace ray

#pragma GCC visibility pop
