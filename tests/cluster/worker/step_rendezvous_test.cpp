#include "cluster/worker/step_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace flowray::cluster {
namespace {

constexpr const char* kKey =
    "/job:ps/replica:0/task:0/device:CPU:0;0000000000000007;/job:worker/replica:0/task:0/"
    "device:CPU:0;edge_1_w;"
    "0:0";

/// Answers when the test says so.
class HeldChannel final : public Channel {
 public:
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    done_ = std::move(done);
    return [] {};
  }
  void answer(Status status) { std::exchange(done_, nullptr)({{}, std::move(status)}); }

 private:
  Done done_;
};

class StepRendezvousTest : public ::testing::Test {
 protected:
  std::function<void()> fetch() {
    return step_->fetch(channel_, kKey, [this](graph::Parcel parcel) { taken_ = std::move(parcel); });
  }
  const std::shared_ptr<HeldChannel> channel_ = std::make_shared<HeldChannel>();
  const std::shared_ptr<StepRendezvous> step_ = std::make_shared<StepRendezvous>(7);
  graph::Parcel taken_;
};

/// A byte that changed on the way can end a call for one side only.
TEST_F(StepRendezvousTest, ACallThatNobodyHasCancelledIsNotCancelled) {
  fetch();
  channel_->answer({1, "RecvAsync is cancelled."});
  EXPECT_EQ(taken_.code, Code::kAborted);
  EXPECT_EQ(taken_.text, "The question for a tensor was lost on its way");
}

TEST_F(StepRendezvousTest, OneThatIsGivenUpIs) {
  const auto give_up = fetch();
  give_up();
  channel_->answer({1, "CANCELLED"});
  EXPECT_EQ(taken_.code, Code::kCancelled);
}

TEST_F(StepRendezvousTest, OneOfAStepThatFailsHasTheStepsError) {
  fetch();
  step_->fail(Code::kAborted, "another part has failed");
  channel_->answer({1, "CANCELLED"});
  EXPECT_EQ(taken_.code, Code::kAborted);
  EXPECT_EQ(taken_.text, "another part has failed");
}

}  // namespace
}  // namespace flowray::cluster
