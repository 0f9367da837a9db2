#include "ray/transport/channel.h"

#include <gtest/gtest.h>

namespace flowray::ray {
namespace {

TEST(Channel, GivesATicketToWhoeverIsFirst) {
  const Channel channel(Channel::create({1}));
  channel.issue(5);
  EXPECT_TRUE(channel.begin(5));
  EXPECT_FALSE(channel.revoke(5));
  channel.issue(6);
  EXPECT_TRUE(channel.revoke(6));
  EXPECT_FALSE(channel.begin(6));
}

// A worker of short tasks comes that far in an hour.
TEST(Channel, HasTicketsWithoutEnd) {
  const Channel channel(Channel::create({1}));
  for (const uint64_t ticket : {uint64_t{1} << 31, uint64_t{1} << 32, (uint64_t{1} << 32) + 7}) {
    channel.issue(ticket);
    EXPECT_TRUE(channel.revoke(ticket));
    EXPECT_FALSE(channel.begin(ticket)) << ticket;
  }
}

}  // namespace
}  // namespace flowray::ray
