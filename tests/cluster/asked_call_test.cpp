#include "cluster/asked_call.h"

#include <gtest/gtest.h>

#include <chrono>

namespace flowray::cluster {
namespace {

/// Answers when the test says so.
class HeldChannel final : public Channel {
 public:
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    done_ = std::move(done);
    return [this] { is_given_up = true; };
  }
  void answer(Status status) { done_({{}, std::move(status)}); }
  bool is_given_up = false;

 private:
  Done done_;
};

TEST(AskedCall, SaysAgainAndAgainThatItLasts) {
  HeldChannel channel;
  Cancellation client;
  AskedCall call(channel, "/a/b", Message(), {}, client);
  int said = 0;
  const Response response = call.answer(std::chrono::microseconds(1), [&] {
    if (++said == 3) channel.answer({5, "no such thing"});
  });
  EXPECT_EQ(said, 3);
  EXPECT_EQ(response.status.text, "no such thing");
}

TEST(AskedCall, IsGivenUpWhenTheClientIs) {
  HeldChannel channel;
  Cancellation client;
  AskedCall call(channel, "/a/b", Message(), {}, client);
  EXPECT_FALSE(channel.is_given_up);
  client.cancel();
  EXPECT_TRUE(channel.is_given_up);
  channel.answer({1, "CANCELLED"});
  EXPECT_EQ(call.answer().status.code, 1);
}

}  // namespace
}  // namespace flowray::cluster
