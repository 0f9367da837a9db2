#include "graph/resource/rendezvous.h"

#include <gtest/gtest.h>

#include <optional>

namespace flowray::graph {
namespace {

/// Remembers what it was told, and that it was told once.
struct Told {
  std::optional<Parcel> parcel;
  int times = 0;
  Rendezvous::Taker taker() {
    return [this](Parcel got) {
      parcel = std::move(got);
      ++times;
    };
  }
};

TEST(LocalRendezvous, GivesWhatWasLeftBeforeAndWhatComesLater) {
  LocalRendezvous rendezvous;
  Told first, second;
  rendezvous.send("a", {Array(1)});
  (void)rendezvous.receive("a", first.taker());
  (void)rendezvous.receive("b", second.taker());
  ASSERT_EQ(first.times, 1);
  EXPECT_EQ(first.parcel->value, Array(1));
  EXPECT_EQ(second.times, 0);
  rendezvous.send("b", {{}, /*is_dead=*/true});
  ASSERT_EQ(second.times, 1);
  EXPECT_TRUE(second.parcel->is_dead);
}

TEST(LocalRendezvous, RefusesAKeyTwice) {
  LocalRendezvous rendezvous;
  rendezvous.send("a", {Array(1)});
  EXPECT_THROW(rendezvous.send("a", {Array(2)}), errors::AbortedError);
  Told first, second;
  (void)rendezvous.receive("a", first.taker());
  EXPECT_EQ(first.parcel->value, Array(1));
  (void)rendezvous.receive("a", second.taker());
  EXPECT_EQ(second.parcel->code, Code::kAborted);
  EXPECT_THROW(rendezvous.send("a", {Array(3)}), errors::AbortedError);
}

TEST(LocalRendezvous, LetsOneGiveUp) {
  Told told;
  std::function<void()> give_up;
  {
    LocalRendezvous rendezvous;
    give_up = rendezvous.receive("a", told.taker());
    EXPECT_EQ(told.times, 0);
    give_up();
    EXPECT_EQ(told.parcel->code, Code::kCancelled);
    rendezvous.send("a", {Array(1)});
  }
  give_up();  // when all has gone
  EXPECT_EQ(told.times, 1);
}

TEST(LocalRendezvous, TellsOfAFailureThoseWhoWaitAndThoseWhoComeButNotThoseWhoseValueIsThere) {
  LocalRendezvous rendezvous;
  Told waiting, late, served;
  (void)rendezvous.receive("a", waiting.taker());
  rendezvous.send("c", {Array(1)});
  rendezvous.fail(Code::kAborted, "first");
  rendezvous.fail(Code::kInternal, "second");
  (void)rendezvous.receive("b", late.taker());
  (void)rendezvous.receive("c", served.taker());
  for (const Told* told : {&waiting, &late}) {
    ASSERT_EQ(told->times, 1);
    EXPECT_EQ(told->parcel->code, Code::kAborted);
    EXPECT_EQ(told->parcel->text, "first");
  }
  EXPECT_EQ(served.parcel->value, Array(1));
}

// Seen on the wire between two servers of TensorFlow 2.21: the second iteration of the loop "wl".
TEST(RendezvousKey, IsTheOneOfTensorFlow) {
  const Attrs attrs{{"send_device", std::string("/job:ps/replica:0/task:0/device:CPU:0")},
                    {"send_device_incarnation", static_cast<int64_t>(0x9d5fe8b8a0a78564)},
                    {"recv_device", std::string("/job:worker/replica:0/task:0/device:CPU:0")},
                    {"tensor_name", std::string("edge_23_wl/b")}};
  const FrameIteration second{frame_inside({}, "wl/while_context"), 1};
  EXPECT_EQ(
      rendezvous_key(attrs, second),
      "/job:ps/replica:0/task:0/device:CPU:0;9d5fe8b8a0a78564;/job:worker/replica:0/task:0/device:CPU:0;"
      "edge_23_wl/b;5189404682685958103:1");
  EXPECT_TRUE(rendezvous_key(attrs, {}).ends_with(";edge_23_wl/b;0:0"));
}

}  // namespace
}  // namespace flowray::graph
