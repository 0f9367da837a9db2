#include "ray/owner/metrics.h"

#include <flowray/errors.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace flowray::ray {

using internal::Measurement;
using internal::MetricKind;

Measured measured_message(const Measurement& measurement, std::string& tags) {
  tags.clear();
  for (const auto& [name, value] : measurement.tags) {
    for (const std::string* text : {&name, &value}) {
      tags += *text;
      tags += '\0';
    }
  }
  const std::span<const double> boundaries = measurement.boundaries;
  return {static_cast<uint32_t>(measurement.kind),
          std::bit_cast<uint64_t>(measurement.value),
          measurement.name,
          measurement.description,
          {reinterpret_cast<const char*>(boundaries.data()), boundaries.size_bytes()},
          tags};
}

Measurement read_measurement(const Measured& message) {
  constexpr auto kKinds = static_cast<uint32_t>(MetricKind::kSum) + 1;
  if (message.kind >= kKinds || message.boundaries.size() % sizeof(double) != 0 || message.name.empty())
    throw errors::DataLossError("a damaged metric");
  Measurement measurement;
  measurement.kind = static_cast<MetricKind>(message.kind);
  measurement.value = std::bit_cast<double>(message.value_bits);
  measurement.name = message.name;
  measurement.description = message.description;
  measurement.boundaries.resize(message.boundaries.size() / sizeof(double));
  if (!message.boundaries.empty())
    std::memcpy(measurement.boundaries.data(), message.boundaries.data(), message.boundaries.size());
  std::vector<std::string> texts;
  for (std::string_view left = message.tags; !left.empty();) {
    const size_t end = left.find('\0');
    if (end == std::string_view::npos) throw errors::DataLossError("a damaged metric: its tags have no end");
    texts.emplace_back(left.substr(0, end));
    left.remove_prefix(end + 1);
  }
  if (texts.size() % 2 != 0) throw errors::DataLossError("a damaged metric: a tag without a value");
  for (size_t i = 0; i < texts.size(); i += 2) measurement.tags.emplace_back(texts[i], texts[i + 1]);
  return measurement;
}

void Metrics::record(const Measurement& measurement) {
  auto metric = metrics_.find(measurement.name);
  if (metric == metrics_.end()) {
    if (num_series_ >= kMostSeries) return;
    metric = metrics_
                 .emplace(measurement.name,
                          Metric{measurement.kind, measurement.description, measurement.boundaries, {}})
                 .first;
  }
  Metric& its = metric->second;
  if (its.kind != measurement.kind) return;
  auto series = its.series.find(measurement.tags);
  if (series == its.series.end()) {
    if (num_series_ >= kMostSeries) return;
    ++num_series_;
    series = its.series.emplace(measurement.tags, Series()).first;
    series->second.counts.resize(its.boundaries.size() + 1);
  }
  Series& values = series->second;
  if (its.kind == MetricKind::kGauge) {
    values.value = measurement.value;
    return;
  }
  values.value += measurement.value;
  ++values.count;
  const auto bucket = std::ranges::lower_bound(its.boundaries, measurement.value);
  ++values.counts[static_cast<size_t>(bucket - its.boundaries.begin())];
}

}  // namespace flowray::ray
