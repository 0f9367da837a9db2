#include "cluster/worker/step_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace flowray::cluster {
namespace {

/// To a task whose part of the step has failed.
class FailedTask final : public Channel {
 public:
  explicit FailedTask(Status status) : status_(std::move(status)) {}
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {{}, status_}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    done({{}, status_});
    return [] {};
  }

 private:
  const Status status_;
};

struct Got {
  graph::Parcel parcel;
  bool has_told_of_another = false;
};

Got got_from(Code code, const std::string& text) {
  const auto step = std::make_shared<StepRendezvous>(7);
  std::optional<graph::Parcel> got;
  step->fetch(std::make_shared<FailedTask>(Status{static_cast<int>(code), text}), "key",
              [&](graph::Parcel parcel) { got = std::move(parcel); });
  EXPECT_TRUE(got.has_value());
  return {std::move(got).value_or(graph::Parcel()), step->has_told_of_another()};
}

// A master of TensorFlow's gives its client the error that it hears first, which may be that of a part
// that waited.
TEST(StepRendezvous, PassesTheErrorOfAnotherPartOnAsItWas) {
  const Got got = got_from(Code::kOutOfRange, "End of sequence");
  EXPECT_EQ(got.parcel.code, Code::kOutOfRange);
  EXPECT_EQ(got.parcel.text, "End of sequence");
  EXPECT_TRUE(got.has_told_of_another);
}

TEST(StepRendezvous, KnowsWhatTheOtherTaskDoesNotTell) {
  EXPECT_FALSE(got_from(Code::kUnimplemented, "no such method").has_told_of_another);
  EXPECT_FALSE(got_from(Code::kUnauthenticated, "no token").has_told_of_another);
}

}  // namespace
}  // namespace flowray::cluster
