#include <flowray/ray/metric.h>

#include <flowray/ray/backend.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace flowray::ray {
namespace {

using internal::MetricKind;

constexpr size_t kMostMetricBytes = 4096;  // of a name, description or tag: it rides in messages

void require_name(const std::string& name, const char* what) {
  const auto is_letter = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
  if (!name.empty() && name.size() <= 256 && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
      std::ranges::all_of(name, is_letter)) {
    return;
  }
  throw RayException(
      std::string(what) + " '" + name.substr(0, 60) +
      "' has other letters than Prometheus takes: give letters, digits and _, no digit first.");
}

}  // namespace

Metric::Metric(MetricKind kind, const std::string& name, const std::string& description,
               const std::string& unit, std::vector<double> boundaries,
               const std::vector<std::string>& tag_keys)
    : metric_{kind, 0, name, description, std::move(boundaries), {}} {
  require_name(name, "The metric's name");
  for (const std::string& key : tag_keys) require_name(key, "The tag's name");
  if (!unit.empty()) metric_.description += " (" + unit + ")";
  if (metric_.description.size() > kMostMetricBytes || metric_.boundaries.size() > 1000)
    throw RayException("The metric '" + name + "' has too long a description, or more than 1000 boundaries.");
}

Metric::~Metric() = default;

std::string Metric::GetName() const { return metric_.name; }

void Metric::Record(double value, const std::unordered_map<std::string, std::string>& tags) {
  internal::Measurement measurement = metric_;
  measurement.value = value;
  measurement.tags.assign(tags.begin(), tags.end());
  std::ranges::sort(measurement.tags);
  size_t bytes = 0;
  for (const auto& [name, text] : measurement.tags) {
    require_name(name, "The tag's name");
    bytes += name.size() + text.size();
    if (text.find('\0') != std::string::npos) throw RayException("The tag '" + name + "' has a zero byte.");
  }
  if (bytes > kMostMetricBytes)
    throw RayException("The metric '" + metric_.name + "' is recorded with tags of too many bytes.");
  internal::backend().measure(measurement);
}

Gauge::Gauge(const std::string& name, const std::string& description, const std::string& unit,
             const std::vector<std::string>& tag_keys)
    : Metric(MetricKind::kGauge, name, description, unit, {}, tag_keys) {}
void Gauge::Set(double value, const std::unordered_map<std::string, std::string>& tags) {
  Record(value, tags);
}

Histogram::Histogram(const std::string& name, const std::string& description, const std::string& unit,
                     const std::vector<double>& boundaries, const std::vector<std::string>& tag_keys)
    : Metric(MetricKind::kHistogram, name, description, unit, boundaries, tag_keys) {
  if (std::ranges::adjacent_find(boundaries, std::greater_equal<>()) != boundaries.end())
    throw RayException("The boundaries of the histogram '" + name + "' do not increase.");
}
void Histogram::Observe(double value, const std::unordered_map<std::string, std::string>& tags) {
  Record(value, tags);
}

Counter::Counter(const std::string& name, const std::string& description, const std::string& unit,
                 const std::vector<std::string>& tag_keys)
    : Metric(MetricKind::kCounter, name, description, unit, {}, tag_keys) {}
void Counter::Inc(double value, const std::unordered_map<std::string, std::string>& tags) {
  if (!(value >= 0))
    throw RayException("The counter '" + GetName() + "' cannot fall: it was given " + std::to_string(value) +
                       ".");
  Record(value, tags);
}

Sum::Sum(const std::string& name, const std::string& description, const std::string& unit,
         const std::vector<std::string>& tag_keys)
    : Metric(MetricKind::kSum, name, description, unit, {}, tag_keys) {}

}  // namespace flowray::ray
