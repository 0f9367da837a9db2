#include "graph/name_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowray::graph {
namespace {

struct NameOf {
  const std::vector<std::string>* names;
  std::string_view operator()(uint32_t item) const { return (*names)[item]; }
};

TEST(NameTable, FindsNothingWhileItIsEmpty) {
  const std::vector<std::string> names;
  const NameTable<uint32_t, NameOf> table({&names});
  EXPECT_EQ(table.find("a"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

TEST(NameTable, RefusesASecondItemOfAName) {
  const std::vector<std::string> names = {"a", "b", "a"};
  NameTable<uint32_t, NameOf> table({&names});
  EXPECT_TRUE(table.insert(0));
  EXPECT_TRUE(table.insert(1));
  EXPECT_FALSE(table.insert(2));
  EXPECT_EQ(*table.find("a"), 0u);
}

TEST(NameTable, FindsAllWhileItGrowsAndNoOther) {
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back("node_" + std::to_string(i));
  NameTable<uint32_t, NameOf> table({&names});
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (i == 5'000) table.reserve(15'000);
    ASSERT_TRUE(table.insert(i));
  }
  for (uint32_t i = 0; i < names.size(); ++i) ASSERT_EQ(*table.find(names[i]), i);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(table.find("other_" + std::to_string(i)), nullptr);
}

}  // namespace
}  // namespace flowray::graph
