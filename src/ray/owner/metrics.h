#pragma once

#include <flowray/ray/metric.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ray/transport/protocol.h"

namespace flowray::ray {

/// As a worker sends it: views what the message views, or `boundaries` and `tags`, which it fills.
Measured measured_message(const internal::Measurement& measurement, std::string& tags);
/// Throws errors::DataLossError.
internal::Measurement read_measurement(const Measured& message);

/// What the programs of a runtime have recorded, by name and tags.
class Metrics {
 public:
  struct Series {
    double value = 0;              ///< a gauge's last one; else the sum
    uint64_t count = 0;            ///< of a histogram
    std::vector<uint64_t> counts;  ///< of a histogram: values up to each boundary, of those above the last
  };
  struct Metric {
    internal::MetricKind kind = internal::MetricKind::kGauge;
    std::string description;
    std::vector<double> boundaries;
    std::map<std::vector<std::pair<std::string, std::string>>, Series> series;
  };
  /// Names and tags that a broken program makes without end are not all kept.
  static constexpr size_t kMostSeries = 10'000;

  /// A metric of another kind than the first of its name, or one too many, is left out.
  void record(const internal::Measurement& measurement);
  const std::map<std::string, Metric>& by_name() const { return metrics_; }

 private:
  std::map<std::string, Metric> metrics_;
  size_t num_series_ = 0;
};

}  // namespace flowray::ray
