#include "ray/store/reading.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace flowray::ray {
namespace {

/// What was added to it since the last look.
uint64_t added(const Descriptor& event) {
  uint64_t count = 0;
  return read(event.get(), &count, sizeof count) < 0 ? 0 : count;
}

TEST(LetGo, WakesASleeperOnce) {
  const Descriptor event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  LetGo let_go;
  std::vector<ObjectId> released;
  std::vector<ObjectId> read;
  let_go.release({1});
  EXPECT_FALSE(let_go.wakes(event.get())) << "there is one already";
  ASSERT_TRUE(let_go.take(released, read));
  EXPECT_EQ(released, std::vector<ObjectId>{{1}});
  EXPECT_EQ(added(event), 0u);

  EXPECT_TRUE(let_go.wakes(event.get()));
  EXPECT_EQ(added(event), 0u);
  let_go.read_ended({2});
  let_go.release({3});
  EXPECT_EQ(added(event), 1u);
  EXPECT_TRUE(let_go.awake());
  EXPECT_FALSE(let_go.awake()) << "it says so once";

  released.clear();
  ASSERT_TRUE(let_go.take(released, read));
  EXPECT_TRUE(let_go.wakes(event.get()));
  EXPECT_FALSE(let_go.awake());
  let_go.discard({});
  EXPECT_EQ(added(event), 0u) << "nobody sleeps";
}

}  // namespace
}  // namespace flowray::ray
