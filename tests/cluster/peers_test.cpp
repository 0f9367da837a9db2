#include "cluster/peers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace flowray::cluster {
namespace {

/// Does nothing but count how many there are.
class CountedChannel final : public Channel {
 public:
  explicit CountedChannel(int& count) : count_(count) { ++count_; }
  ~CountedChannel() override { --count_; }
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override { return {}; }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    done({});
    return [] {};
  }

 private:
  int& count_;
};

TEST(Peers, AreConnectedToOnce) {
  int open = 0;
  Peers peers([&](const std::string&) { return std::make_shared<CountedChannel>(open); });
  const auto first = peers.at("a:1");
  EXPECT_EQ(peers.at("a:1"), first);
  EXPECT_NE(peers.at("b:1"), first);
  EXPECT_EQ(open, 2);
}

TEST(Peers, AreLetGoWhereThereAreTooManyThatNobodyUses) {
  int open = 0;
  Peers peers([&](const std::string&) { return std::make_shared<CountedChannel>(open); });
  const auto used = peers.at("used:1");
  const int most = static_cast<int>(Peers::kMost);
  for (int i = 0; i < 2 * most; ++i) peers.at("a" + std::to_string(i) + ":1");
  EXPECT_EQ(open, most);
  EXPECT_EQ(peers.at("used:1"), used) << "it was the one asked for longest ago, and is in use";
}

TEST(Peers, AreKeptHoweverManyAreInUse) {
  int open = 0;
  Peers peers([&](const std::string&) { return std::make_shared<CountedChannel>(open); });
  const int many = 2 * static_cast<int>(Peers::kMost);
  std::vector<std::shared_ptr<Channel>> used;
  for (int i = 0; i < many; ++i) used.push_back(peers.at("a" + std::to_string(i) + ":1"));
  EXPECT_EQ(open, many);
  EXPECT_EQ(peers.at("a0:1"), used[0]);
}

}  // namespace
}  // namespace flowray::cluster
