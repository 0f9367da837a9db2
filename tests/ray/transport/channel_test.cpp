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

TEST(Channel, EndsALeaseOnlyWhenAllOfItsValuesAreKnown) {
  const Channel channel(Channel::create({1}));
  channel.open_lease(5);
  EXPECT_TRUE(channel.add_value(5));
  EXPECT_TRUE(channel.add_value(5));
  EXPECT_FALSE(channel.end_lease(5, 1)) << "the owner has heard of one of two";
  EXPECT_TRUE(channel.holds_lease(5));
  channel.drop_value(5);
  EXPECT_TRUE(channel.end_lease(5, 1));
  EXPECT_FALSE(channel.holds_lease(5));
  EXPECT_FALSE(channel.add_value(5));
}

TEST(Channel, TellsALeaseFromALaterOneInTheSameWord) {
  const Channel channel(Channel::create({1}));
  channel.open_lease(5);
  EXPECT_TRUE(channel.end_lease(5, 0));
  channel.open_lease(5 + kMostLeases);
  EXPECT_FALSE(channel.add_value(5));
  EXPECT_FALSE(channel.end_lease(5, 0));
  EXPECT_TRUE(channel.add_value(5 + kMostLeases));
}

}  // namespace
}  // namespace flowray::ray
