#include "cluster/master/call_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace flowray::cluster {
namespace {

/// Two nodes, of 100 ns from `begin` on and of 300 ns from 200 ns after it.
wire::StepStats stats_from(int64_t begin) {
  wire::StepStats stats;
  auto& nodes = stats.dev_stats.emplace_back().node_stats;
  nodes.resize(2);
  nodes[0].all_start_nanos = begin;
  nodes[0].all_end_rel_nanos = 100;
  nodes[1].all_start_nanos = begin + 200;
  nodes[1].all_end_rel_nanos = 300;
  return stats;
}

int64_t begin_of(const wire::StepStats& stats) { return stats.dev_stats[0].node_stats[0].all_start_nanos; }

TEST(CallTrace, LeavesTimesThatMayBeTrue) {
  wire::StepStats stats = stats_from(1'000'500);
  align_to_call(stats, {1'000'000, 1'002'000});
  EXPECT_EQ(begin_of(stats), 1'000'500);
}

TEST(CallTrace, PutsTheWorkIntoTheMiddleOfItsCallWhereClocksDiffer) {
  wire::StepStats stats = stats_from(9'000'000);  // to 9'000'500
  align_to_call(stats, {1'000'000, 1'002'000});
  EXPECT_EQ(begin_of(stats), 1'001'000 - 250);
  EXPECT_EQ(stats.dev_stats[0].node_stats[1].all_start_nanos, 1'001'000 - 50);
  EXPECT_EQ(stats.dev_stats[0].node_stats[1].all_start_micros, 1'000);
}

TEST(CallTrace, TakesMicrosecondsWhereThereIsNothingFiner) {
  wire::StepStats stats = stats_from(0);
  for (wire::NodeExecStats& node : stats.dev_stats[0].node_stats) {
    node.all_start_nanos = node.all_end_rel_nanos = 0;
    node.all_start_micros = 5;
    node.all_end_rel_micros = 2;
  }
  align_to_call(stats, {100'000, 104'000});
  EXPECT_EQ(begin_of(stats), 101'000);
}

/// Whatever a task tells, the sums of its numbers are defined. (A sanitizer sees where they are not.)
TEST(CallTrace, TakesWhateverNumbersATaskTells) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::array<int64_t, 5> numbers = {kLeast, -1, 0, 1, kMost};
  for (const int64_t nanos : numbers) {
    for (const int64_t micros : numbers) {
      for (const int64_t lasts : numbers) {
        wire::StepStats stats = stats_from(0);
        wire::NodeExecStats& node = stats.dev_stats[0].node_stats[0];
        node.all_start_nanos = nanos;
        node.all_start_micros = micros;
        node.all_end_rel_nanos = 0;
        node.all_end_rel_micros = lasts;
        stats.dev_stats[0].node_stats.resize(1);
        align_to_call(stats, {1'000'000, 1'002'000});
      }
    }
  }
  // From the end of time to the end of time: its middle is there, and is moved to that of the call.
  wire::StepStats stats = stats_from(0);
  stats.dev_stats[0].node_stats[0].all_start_nanos = kMost;
  stats.dev_stats[0].node_stats.resize(1);
  align_to_call(stats, {1'000'000, 1'002'000});
  EXPECT_EQ(begin_of(stats), 1'001'000);
}

TEST(CallTrace, OfATaskThatTellsNothingIsNothing) {
  wire::StepStats stats;
  align_to_call(stats, {1, 2});
  EXPECT_TRUE(stats.dev_stats.empty());
}

TEST(CallTrace, ShowsTheCallBesideTheCallersDevices) {
  const wire::DeviceStepStats device =
      trace_of_call("/job:worker/replica:0/task:0", "/job:ps/replica:0/task:0", {1'000'000, 1'002'500});
  EXPECT_EQ(device.device, "/job:worker/replica:0/task:0/calls");
  ASSERT_EQ(device.node_stats.size(), 1u);
  EXPECT_EQ(device.node_stats[0].node_name, "RunGraph /job:ps/replica:0/task:0");
  EXPECT_EQ(device.node_stats[0].all_start_micros, 1'000);
  EXPECT_EQ(device.node_stats[0].op_end_rel_nanos, 2'500);
}

}  // namespace
}  // namespace flowray::cluster
