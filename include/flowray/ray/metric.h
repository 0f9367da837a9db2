#pragma once
/// Metrics that a program counts itself, by Ray's names: `flowray metrics` shows them, those of workers too,
/// in Prometheus' text format, as ray_NAME.
///
///     #include <flowray/ray/metric.h>
///     static ray::Counter steps("steps", "Steps that were trained.", "1", {"actor"});
///     steps.Inc(1, {{"actor", "first"}});

#include <flowray/ray/errors.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

enum class MetricKind { kGauge, kHistogram, kCounter, kSum };

/// One value that was recorded.
struct Measurement {
  MetricKind kind = MetricKind::kGauge;
  double value = 0;
  std::string name;
  std::string description;
  std::vector<double> boundaries;
  std::vector<std::pair<std::string, std::string>> tags;  ///< by name
};

}  // namespace internal

/// What all metrics have.
class Metric {
 public:
  virtual ~Metric() = 0;

  /// The name that it was made with.
  std::string GetName() const;
  /// Records a value, for these tags. Throws RayException if no runtime runs. In local mode, which
  /// has no view of metrics, it does nothing.
  void Record(double value, const std::unordered_map<std::string, std::string>& tags);

 protected:
  /// Throws RayException for a name, or a tag's, that Prometheus does not take: letters, digits and _.
  Metric(internal::MetricKind kind, const std::string& name, const std::string& description,
         const std::string& unit, std::vector<double> boundaries, const std::vector<std::string>& tag_keys);

 private:
  internal::Measurement metric_;
};

/// The last value that was recorded.
class Gauge : public Metric {
 public:
  /// `unit` is for people, "1" for a plain number; `tag_keys`: the names of its tags. Throws RayException for
  /// a name, or a tag's, that Prometheus does not take: letters, digits and _.
  Gauge(const std::string& name, const std::string& description, const std::string& unit,
        const std::vector<std::string>& tag_keys = {});
  /// Sets the value.
  void Set(double value, const std::unordered_map<std::string, std::string>& tags);
};

/// How many values were up to each of the boundaries.
class Histogram : public Metric {
 public:
  /// Throws RayException for boundaries that do not increase, too.
  Histogram(const std::string& name, const std::string& description, const std::string& unit,
            const std::vector<double>& boundaries, const std::vector<std::string>& tag_keys = {});
  /// Counts a value.
  void Observe(double value, const std::unordered_map<std::string, std::string>& tags);
};

/// A sum that never falls.
class Counter : public Metric {
 public:
  /// `unit` is for people, "1" for a plain number; `tag_keys`: the names of its tags. Throws RayException for
  /// a name, or a tag's, that Prometheus does not take: letters, digits and _.
  Counter(const std::string& name, const std::string& description, const std::string& unit,
          const std::vector<std::string>& tag_keys = {});
  /// Adds to it. Throws RayException for less than nothing.
  void Inc(double value, const std::unordered_map<std::string, std::string>& tags);
};

/// A sum of what is recorded.
class Sum : public Metric {
 public:
  /// `unit` is for people, "1" for a plain number; `tag_keys`: the names of its tags. Throws RayException for
  /// a name, or a tag's, that Prometheus does not take: letters, digits and _.
  Sum(const std::string& name, const std::string& description, const std::string& unit,
      const std::vector<std::string>& tag_keys = {});
};

}  // namespace flowray::ray

#pragma GCC visibility pop
