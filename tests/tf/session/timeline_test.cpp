#include <flowray/tf/timeline.h>

#include <gtest/gtest.h>

#include "support/json.h"

namespace flowray::tf {
namespace {

using testing::Json;
using testing::parse_json;

RunMetadata::NodeExecStats span_of(const std::string& name, const std::string& label, int64_t start_ns,
                                   int64_t ns) {
  RunMetadata::NodeExecStats stats;
  stats.node_name = name;
  stats.timeline_label = label;
  stats.thread_id = 2;
  stats.all_start_nanos = start_ns;
  stats.op_end_rel_nanos = ns;
  return stats;
}

TEST(Timeline, IsASpanForEachNodeOnARowForEachThread) {
  RunMetadata::StepStats stats;
  stats.dev_stats.push_back(
      {"/job:localhost/replica:0/task:0/device:CPU:0",
       {span_of("dense/y", "dense/y = MatMul(x, w/read)", 1'700'000'000'000'001'042, 2'005)}});
  const Json json = parse_json(Timeline(stats).generate_chrome_trace_format());
  const std::vector<Json>& events = json.at("traceEvents").items;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("ph").text, "M");
  EXPECT_EQ(events[0].at("name").text, "process_name");
  EXPECT_EQ(events[0].at("args").at("name").text, "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(events[1].at("ph").text, "X");
  EXPECT_EQ(events[1].at("name").text, "MatMul");
  EXPECT_EQ(events[1].at("pid").text, events[0].at("pid").text);
  EXPECT_EQ(events[1].at("tid").text, "2");
  EXPECT_EQ(events[1].at("ts").text, "1700000000000001.042");  // microseconds
  EXPECT_EQ(events[1].at("dur").text, "2.005");
  EXPECT_EQ(events[1].at("args").at("name").text, "dense/y");
}

TEST(Timeline, QuotesWhatJsonMust) {
  RunMetadata::StepStats stats;
  stats.dev_stats.push_back({"a\"b\\c", {}});
  const Json json = parse_json(Timeline(stats).generate_chrome_trace_format());
  EXPECT_EQ(json.at("traceEvents").items.at(0).at("args").at("name").text, "a\"b\\c");
}

TEST(Timeline, OfNothingHasNoEvents) {
  EXPECT_TRUE(parse_json(Timeline({}).generate_chrome_trace_format()).at("traceEvents").items.empty());
}

}  // namespace
}  // namespace flowray::tf
