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

/// One that was killed is not kept on by others that trace a step every second.
TEST(Steps, LogReceivesNoLongerBecauseOthersDo) {
  Steps steps;
  auto now = Steps::Clock::now();
  const auto end = now + Steps::kLongestLogging;
  steps.begin_to_log_receives(now);  // of one that was killed
  while (now < end) {
    now += std::chrono::seconds(1);
    steps.begin_to_log_receives(now);
    EXPECT_TRUE(steps.logs_receives(now));
    steps.end_logging_receives();
  }
  EXPECT_FALSE(steps.logs_receives(now));
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

void receive(StepRendezvous& step) {
  step.fetch(std::make_shared<GivingChannel>(),
             "/job:ps/replica:0/task:0/device:CPU:0;0000000000000007;"
             "/job:worker/replica:0/task:0/device:CPU:0;edge_1_w;0:0",
             [](const graph::Parcel& parcel) { EXPECT_EQ(parcel.value, Array(1.0f)); });
}

TEST(Steps, RememberSoManyReceivesTogether) {
  Steps steps(3);
  steps.begin_to_log_receives();
  const auto received = [&](int64_t step) { return steps.tell_received(step)->received().size(); };
  for (const int64_t step : {1, 2}) {
    for (int i = 0; i < 2; ++i) receive(*steps.begin(step));
  }
  EXPECT_EQ(received(1), 2u);
  EXPECT_EQ(received(2), 1u);
  steps.end(1, Code::kAborted, "over");  // which leaves room
  receive(*steps.begin(2));
  EXPECT_EQ(received(2), 2u);
  receive(*steps.begin(3));
  receive(*steps.begin(3));
  EXPECT_EQ(received(3), 1u);
  steps.begin_to_log_receives();  // for which the others have to go
  receive(*steps.begin(4));
  EXPECT_EQ(received(3), 0u);
  EXPECT_EQ(received(4), 1u);
}

TEST(Steps, ForgetNoTraceThatNobodyHasGot) {
  Steps steps;
  steps.begin_to_log_receives();
  for (const int64_t step : {1, 2}) {
    receive(*steps.begin(step));
  }
  EXPECT_EQ(steps.tell_received(1)->received().size(), 1u);
  steps.forget_received();  // for the master of step 1
  EXPECT_EQ(steps.tell_received(1)->received().size(), 0u);
  EXPECT_EQ(steps.tell_received(2)->received().size(), 1u);
  EXPECT_EQ(steps.tell_received(3), nullptr);
}

}  // namespace
}  // namespace flowray::cluster
