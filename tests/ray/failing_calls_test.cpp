// A driver in which malloc or the system refuses one call, each in turn: what it does ends in values or
// errors, nothing hangs or is left behind, and a new runtime works.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/traced_calls.h"

namespace flowray {
namespace {

using testing::built_program;
using testing::ChildProcess;
using testing::traced_calls;
using testing::TracedCall;
using testing::TracedRun;
using testing::Whose;

bool is_nightly() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr; }

TEST(FailingMalloc, InTheDriverEndsInValuesOrErrors) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  struct Range {
    const char* first;
    const char* last;
    const char* step;
  };
  // The first 400 are those of Init, and of what each thread does for the first time.
  for (const auto& [first, last, step] :
       {Range{"1", "400", "1"}, {"401", "5000", is_nightly() ? "1" : "167"}}) {
    ChildProcess program({built_program("test-ray-scarcity"), "malloc", first, last, step});
    EXPECT_EQ(program.wait(), 0) << "in these calls: " << program.output() << program.errors();
  }
}

TEST(FailingMalloc, LeavesNothingInTheStoreOfCallsWithLargeArguments) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  ChildProcess program({built_program("test-ray-scarcity"), "large", "1", "40", "1"});
  EXPECT_EQ(program.wait(), 0) << "in these calls: " << program.output() << program.errors();
}

TEST(FailingMalloc, InAWorkerNeverMakesWrongArguments) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  ChildProcess program({built_program("test-ray-scarcity"), "worker", "1", "60", "1"});
  EXPECT_EQ(program.wait(), 0) << "in these calls: " << program.output() << program.errors();
}

TEST(FailingMalloc, InAWorkerLosesNoCallThatIsCancelled) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own";
  ChildProcess program({built_program("test-ray-scarcity"), "cancelled", "1", "60", "1"});
  EXPECT_EQ(program.wait(), 0) << "in these calls: " << program.output() << program.errors();
}

/// All of 1 ... count; in short the first, the last, and a few between them.
std::set<size_t> chosen(size_t count, size_t few) {
  std::set<size_t> numbers;
  const size_t step = is_nightly() ? 1 : std::max<size_t>(1, count / few);
  for (size_t n = 1; n <= count; n += step) numbers.insert(n);
  if (count > 0) numbers.insert(count);
  return numbers;
}

/// Signals come and go, and so does what a call that does not wait would have to wait for.
bool may_last(const TracedCall& call, int error) {
  return error != EINTR && (error != EAGAIN || std::string_view(call.name).starts_with("clone"));
}

class FailingSystemCalls : public ::testing::TestWithParam<size_t> {};

/// How many of each kind are tried in short.
struct Few {
  size_t alone = 0;
  size_t and_on = 0;
};

void try_calls(size_t kind, const std::vector<std::string>& command, Whose whose, Few few) {
  if (kSanitized) GTEST_SKIP() << "sanitizers make calls of their own";
  const auto whole = testing::run_traced(command, {}, whose);
  if (!whole) GTEST_SKIP() << "a process cannot be traced here";
  ASSERT_EQ(whole->status, 0) << whole->output;
  const TracedCall& call = traced_calls()[kind];
  int num_failed = 0;
  for (const int error : call.errors) {
    for (const bool lasts : {false, true}) {
      if (lasts && !may_last(call, error)) continue;
      for (const size_t n : chosen(whole->counts[kind], lasts ? few.and_on : few.alone)) {
        const auto run = testing::run_traced(command, {{kind, n, error, lasts}}, whose);
        ASSERT_TRUE(run);
        num_failed += run->has_failed ? 1 : 0;
        EXPECT_EQ(run->status, 0) << call.name << " " << n << (lasts ? " and on: " : ": ")
                                  << std::strerror(error) << "\n"
                                  << run->output;
      }
    }
  }
  if (whole->counts[kind] > 0) {
    EXPECT_GT(num_failed, 0);
  }
  ::testing::Test::RecordProperty("calls", static_cast<int>(whole->counts[kind]));
  ::testing::Test::RecordProperty("failed", num_failed);
}

TEST_P(FailingSystemCalls, OfTheDriverEndInValuesOrErrors) {
  try_calls(GetParam(), {built_program("test-ray-scarcity"), "once"}, Whose::kProgram,
            {.alone = 5, .and_on = 2});
}

TEST_P(FailingSystemCalls, OfWorkersEndInValuesOrErrors) {
  try_calls(GetParam(), {built_program("test-ray-scarcity"), "once", "workers"}, Whose::kDescendants,
            {.alone = 2, .and_on = 1});
}

INSTANTIATE_TEST_SUITE_P(Of, FailingSystemCalls, ::testing::Range(size_t{0}, traced_calls().size()),
                         [](const auto& run) { return std::string(traced_calls()[run.param].name); });

}  // namespace
}  // namespace flowray
