#include "cluster/worker/steps.h"

#include "wire/tensor_value.h"
#include "wire/worker.h"

#include <gtest/gtest.h>

#include <memory>

namespace flowray::cluster {
namespace {

/// What a master that was killed in the middle of a traced step would have ended is over by itself.
TEST(Steps, LogReceivesForAWhileOnly) {
  Steps steps;
  const auto now = Steps::Clock::now();
  steps.begin_to_log_receives(now);
  EXPECT_TRUE(steps.logs_receives(now + std::chrono::seconds(1)));
  EXPECT_FALSE(steps.logs_receives(now + Steps::kLongestLogging));
}

TEST(Steps, LogReceivesUntilAllHaveEndedIt) {
  Steps steps;
  const auto now = Steps::Clock::now();
  steps.begin_to_log_receives(now - 2 * Steps::kLongestLogging);  // of one that was killed
  steps.begin_to_log_receives(now);
  steps.begin_to_log_receives(now);
  steps.end_logging_receives();
  EXPECT_TRUE(steps.logs_receives(now));
  steps.end_logging_receives();
  steps.end_logging_receives();
  EXPECT_FALSE(steps.logs_receives(now));
  steps.end_logging_receives();
  steps.begin_to_log_receives(now);
  EXPECT_TRUE(steps.logs_receives(now)) << "one end too many counts for nothing";
}

/// Gives the value 1 to whoever asks.
class GivingChannel final : public Channel {
 public:
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    const Array one(1.0f);
    wire::RecvTensorResponse response;
    response.tensor = wire::to_tensor_proto(one, wire::TensorForm::kConstant);
    done({Message(wire::encode(response)), {}});
    return [] {};
  }
};

TEST(Steps, ForgetNoTraceThatNobodyHasGot) {
  const auto channel = std::make_shared<GivingChannel>();
  Steps steps;
  steps.begin_to_log_receives();
  for (const int64_t step : {1, 2}) {
    steps.begin(step)->fetch(channel,
                             "/job:ps/replica:0/task:0/device:CPU:0;0000000000000007;"
                             "/job:worker/replica:0/task:0/device:CPU:0;edge_1_w;0:0",
                             [](const graph::Parcel& parcel) { EXPECT_EQ(parcel.value, Array(1.0f)); });
  }
  EXPECT_EQ(steps.tell_received(1)->received().size(), 1u);
  steps.forget_received();  // for the master of step 1
  EXPECT_EQ(steps.tell_received(1)->received().size(), 0u);
  EXPECT_EQ(steps.tell_received(2)->received().size(), 1u);
  EXPECT_EQ(steps.tell_received(3), nullptr);
}

}  // namespace
}  // namespace flowray::cluster
