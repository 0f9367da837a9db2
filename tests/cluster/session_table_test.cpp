#include "cluster/session_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace flowray::cluster {
namespace {

using std::chrono::seconds;

struct Session {
  int number = 0;
};
using Table = SessionTable<Session>;

class SessionTableTest : public ::testing::Test {
 protected:
  Table::Added add(int number, Table::Clock::time_point now) {
    return table_.add(std::to_string(number), std::make_shared<Session>(Session{number}), now, ended_);
  }
  Table table_{3, seconds(60)};
  Table::Shared ended_;
  const Table::Clock::time_point begin_ = Table::Clock::now();
};

TEST_F(SessionTableTest, MakesRoomByTheLongestUnused) {
  for (const int number : {1, 2, 3}) EXPECT_EQ(add(number, begin_ + seconds(number)), Table::Added::kNew);
  EXPECT_FALSE(table_.has_room(begin_ + seconds(60)));
  EXPECT_EQ(add(4, begin_ + seconds(60)), Table::Added::kFull) << "the first had a call 59 s ago";
  EXPECT_TRUE(table_.has_room(begin_ + seconds(61)));
  EXPECT_EQ(add(4, begin_ + seconds(61)), Table::Added::kNew);
  ASSERT_NE(ended_, nullptr);
  EXPECT_EQ(ended_->number, 1);
  EXPECT_EQ(table_.find("1"), nullptr);
  EXPECT_EQ(table_.size(), 3u);
}

TEST_F(SessionTableTest, KeepsWhatIsInUse) {
  for (const int number : {1, 2, 3}) add(number, begin_ + seconds(number));
  const Table::Shared in_use = table_.find("1");
  EXPECT_EQ(add(4, begin_ + seconds(100)), Table::Added::kNew);
  EXPECT_EQ(ended_->number, 2);
}

TEST_F(SessionTableTest, CountsTheTimeFromTheEndOfTheLastUse) {
  for (const int number : {1, 2, 3}) add(number, begin_);
  Table::Shared in_use = table_.find("2");
  EXPECT_TRUE(table_.has_room(begin_ + seconds(100)));  // looks at all
  in_use.reset();
  const auto unused = table_.take_if(
      begin_ + seconds(150),
      [](const std::string&, const Session&, Table::Clock::duration time) { return time > seconds(60); });
  EXPECT_EQ(unused.size(), 2u);
  EXPECT_TRUE(table_.contains("2"));
}

TEST_F(SessionTableTest, GivesAQuarterAway) {
  Table table(100, seconds(60));
  for (int number = 1; number <= 9; ++number)
    table.add(std::to_string(number), std::make_shared<Session>(Session{number}), begin_ + seconds(number),
              ended_);
  EXPECT_TRUE(table.take_longest_unused(begin_ + seconds(60)).empty());
  const auto taken = table.take_longest_unused(begin_ + seconds(65));  // five may go
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0]->number, 1);
  EXPECT_EQ(taken[1]->number, 2);
}

TEST_F(SessionTableTest, TellsOfOneThatIsThere) {
  add(1, begin_);
  EXPECT_EQ(add(1, begin_), Table::Added::kThere);
  EXPECT_EQ(table_.size(), 1u);
  EXPECT_EQ(table_.take("1")->number, 1);
  EXPECT_EQ(table_.take("1"), nullptr);
}

}  // namespace
}  // namespace flowray::cluster
