#include "ray/owner/metrics.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowray::ray {
namespace {

using internal::Measurement;
using internal::MetricKind;

TEST(Metrics, AreReadAsTheyWereSent) {
  const Measurement sent{MetricKind::kHistogram, -0.25,    "name",
                         "what it is",           {1, 2.5}, {{"a", "x"}, {"b", ""}}};
  std::string tags;
  const Measurement read = read_measurement(measured_message(sent, tags));
  EXPECT_EQ(read.kind, sent.kind);
  EXPECT_EQ(read.value, sent.value);
  EXPECT_EQ(read.name, sent.name);
  EXPECT_EQ(read.description, sent.description);
  EXPECT_EQ(read.boundaries, sent.boundaries);
  EXPECT_EQ(read.tags, sent.tags);
}

TEST(Metrics, ThatAreDamagedAreRefused) {
  Measured message{
      .kind = 0, .value_bits = 0, .name = "name", .description = "", .boundaries = "", .tags = ""};
  EXPECT_NO_THROW(read_measurement(message));
  message.kind = 4;
  EXPECT_THROW(read_measurement(message), errors::DataLossError);
  message.kind = 1;
  message.boundaries = "1234567";
  EXPECT_THROW(read_measurement(message), errors::DataLossError);
  message.boundaries = "";
  message.tags = "no end";
  EXPECT_THROW(read_measurement(message), errors::DataLossError);
  message.tags = std::string_view("one\0", 4);
  EXPECT_THROW(read_measurement(message), errors::DataLossError);
}

TEST(Metrics, CountByKindAndTags) {
  Metrics metrics;
  for (const double value : {1.0, 3.0, 2.0}) {
    metrics.record({MetricKind::kGauge, value, "gauge", "", {}, {}});
    metrics.record({MetricKind::kCounter, value, "counter", "", {}, {{"who", value < 3 ? "a" : "b"}}});
    metrics.record({MetricKind::kHistogram, value, "histogram", "", {1, 2}, {}});
  }
  metrics.record({MetricKind::kGauge, 9, "counter", "", {}, {{"who", "a"}}});  // of another kind
  const auto& by_name = metrics.by_name();
  EXPECT_EQ(by_name.at("gauge").series.begin()->second.value, 2);
  EXPECT_EQ(by_name.at("counter").series.at({{"who", "a"}}).value, 3);
  EXPECT_EQ(by_name.at("counter").series.at({{"who", "b"}}).value, 3);
  const Metrics::Series& histogram = by_name.at("histogram").series.begin()->second;
  EXPECT_EQ(histogram.counts, (std::vector<uint64_t>{1, 1, 1}));
  EXPECT_EQ(histogram.count, 3u);
  EXPECT_EQ(histogram.value, 6);
}

TEST(Metrics, WithoutEndAreNotKept) {
  Metrics metrics;
  for (size_t i = 0; i < Metrics::kMostSeries + 10; ++i)
    metrics.record({MetricKind::kGauge, 1, "gauge", "", {}, {{"i", std::to_string(i)}}});
  metrics.record({MetricKind::kGauge, 1, "other", "", {}, {}});
  EXPECT_EQ(metrics.by_name().at("gauge").series.size(), Metrics::kMostSeries);
  EXPECT_FALSE(metrics.by_name().contains("other"));
}

}  // namespace
}  // namespace flowray::ray
