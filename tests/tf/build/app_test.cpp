// Flags of a program, as TensorFlow 1's tf.app.flags reads them.
#include "tf/eager/expect_error.h"

#include <flowray/tf/app.h>
#include <flowray/tf/errors.h>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace flowray {
namespace {

namespace flags = tf::app::flags;
using Strings = std::vector<std::string>;

const auto kSteps = flags::DEFINE_integer("steps", 100, "How many steps.");
const auto kRate = flags::DEFINE_float("rate", 0.5, "The learning rate.");
const auto kLogs = flags::DEFINE_string("logs", "/tmp", "Where summaries go.");
const auto kQuiet = flags::DEFINE_bool("quiet", false, "Whether nothing is printed.");
const auto kLayers = flags::DEFINE_list("layers", {"64"}, "Sizes of layers.");
const auto kMode = flags::DEFINE_enum("mode", "train", {"train", "test"}, "What is done.");

TEST(Flags, AreReadInAllTheirForms) {
  const Strings rest =
      flags::parse({"program", "--steps=0x10", "-rate", "1e-3", "file", "--quiet", "--layers=1,2",
                    "--mode=test", "--other=1", "--logs", "-", "--", "--steps=7"});
  EXPECT_EQ(rest, (Strings{"program", "file", "--other=1", "--steps=7"}));
  EXPECT_EQ(*kSteps, 16);
  EXPECT_EQ(*kRate, 1e-3);
  EXPECT_TRUE(*kQuiet);
  EXPECT_EQ(*kLayers, (Strings{"1", "2"}));
  EXPECT_EQ(*kMode, "test");
  EXPECT_EQ(*kLogs, "-");
  flags::parse({"program", "--noquiet", "--steps", "-3", "--layers="});
  EXPECT_FALSE(*kQuiet);
  EXPECT_EQ(*kSteps, -3);
  EXPECT_TRUE(kLayers->empty());
  kSteps.set(5);
  EXPECT_EQ(flags::flag_values_dict(), (std::map<std::string, std::string>{{"layers", ""},
                                                                           {"logs", "-"},
                                                                           {"mode", "test"},
                                                                           {"quiet", "false"},
                                                                           {"rate", "0.001"},
                                                                           {"steps", "5"}}));
}

TEST(Flags, RefuseWhatTheyCannotBe) {
  const auto expect = [](const char* argument, const char* words) {
    expect_error<tf::ValueError>([&] { flags::parse({"program", argument}); }, words);
  };
  expect("--steps=many", "flag --steps=many: invalid literal for int() with base 10: 'many'");
  expect("--steps=1.5", "flag --steps=1.5: invalid literal for int() with base 10: '1.5'");
  expect("--rate=", "flag --rate=: could not convert string to float: ''");
  expect("--quiet=perhaps", "flag --quiet=perhaps: a boolean is true or false");
  expect("--mode=run", "flag --mode=run: value should be one of <train|test>");
  expect("--logs", "Missing value for flag --logs");
  expect("--noquiet=false", "--noquiet=false does not take an argument");
}

TEST(Flags, StandBeforeMain) {
  const char* const good[] = {"program", "--steps=3", "rest"};
  Strings seen;
  EXPECT_EQ(tf::app::run(3, good, [&](const Strings& rest) { seen = rest; }), 0);
  EXPECT_EQ(seen, (Strings{"program", "rest"}));
  EXPECT_EQ(tf::app::run(3, good, [](const Strings&) { return 4; }), 4);
  const char* const bad[] = {"program", "--steps=x"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(tf::app::run(2, bad, [](const Strings&) { return 0; }), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("FATAL Flags parsing error: flag --steps=x:"),
            std::string::npos);
  const char* const asks[] = {"program", "--help"};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(tf::app::run(2, asks, [](const Strings&) { return 2; }), 0);
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("--rate: The learning rate. (default: 0.5)"),
            std::string::npos);
}

}  // namespace
}  // namespace flowray
