#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace flowray::tf {
namespace {

/// As Python's json.dumps({"a": None, "b": [True, 3, 0.1, 1e-07, 2.0, 1e+16], "c": {"d": "\"x\\\n"}}).
constexpr const char* kText =
    R"({"a": null, "b": [true, 3, 0.1, 1e-07, 2.0, 1e+16], "c": {"d": "\"x\\\u000a"}})";

TEST(Config, IsReadAndWrittenAsPythonsJson) {
  const Config config = Config::from_json(kText);
  EXPECT_EQ(config.to_json(), kText);
  EXPECT_TRUE(config.at("a").is_null());
  EXPECT_TRUE(config.at("b").values()[0].truth());
  EXPECT_EQ(config.at("b").values()[1].integer(), 3);
  EXPECT_EQ(config.at("b").values()[2].number(), 0.1);
  EXPECT_EQ(config.at("b").values()[4].integer(), 2);
  EXPECT_EQ(config.at("c").at("d").text(), "\"x\\\n");
  EXPECT_EQ(Config::from_json("{}").to_json(), "{}");
  EXPECT_EQ(Config::from_json("[]").to_json(), "[]");
}

TEST(Config, KeepsTheOrderOfItsItems) {
  Config config = Config::items({{"units", 3}, {"name", "dense"}});
  config.set("units", 4).set("rate", 0.5);
  EXPECT_EQ(config.to_json(), R"({"units": 4, "name": "dense", "rate": 0.5})");
  Config list;
  list.add(1).add("two");
  EXPECT_EQ(list.to_json(), R"([1, "two"])");
  EXPECT_EQ(Config(std::vector<int64_t>{2, 3}).to_json(), "[2, 3]");
  EXPECT_FALSE(Config(1) == Config(1.0));
  EXPECT_TRUE(Config(std::vector<int64_t>{1}) == Config::from_json("[1]"));
}

TEST(Config, SaysWhatItIsNot) {
  const Config config = Config::from_json(kText);
  EXPECT_EQ(config.find("z"), nullptr);
  EXPECT_THROW((void)config.at("z"), KeyError);
  EXPECT_THROW((void)config.text(), TypeError);
  EXPECT_THROW((void)config.truth(), TypeError);
  EXPECT_THROW((void)config.at("b").values()[2].integer(), TypeError);
  EXPECT_THROW((void)config.at("a").number(), TypeError);
  EXPECT_THROW((void)config.at("a").values(), TypeError);
  EXPECT_THROW((void)config.at("b").integers(), TypeError);
  EXPECT_THROW(Config(1).set("a", 2), TypeError);
  EXPECT_THROW(Config(1).add(2), TypeError);
  EXPECT_THROW((void)Config::from_json("{"), ValueError);
  EXPECT_THROW((void)Config::from_json("1e999"), ValueError);
  EXPECT_THROW((void)Config(std::numeric_limits<double>::infinity()).to_json(), ValueError);
}

}  // namespace
}  // namespace flowray::tf
